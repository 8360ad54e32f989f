"""The PTX that nests of scripts become, without a card: a pretended driver is given it.

    python tests/ptx.py [--write] [NAME ...]

Prints what ptxas makes of the kernels of the programs of kernels/ for four generations of cards:
registers and spills. `--write` puts that into docs/results/gpu_kernels.md.
NESTWISE_PTXAS names ptxas, if it is not the one of the PyPI package nvidia-cuda-nvcc beside this
Python.
"""

from __future__ import annotations

import argparse
import datetime
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from differential import PROGRAMS, ROOT

DOCUMENT = ROOT / "docs" / "results" / "gpu_kernels.md"
CAPABILITIES = (75, 80, 90, 100)
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
PATIENCE_S = 120
# What random scripts are assembled for (`make fuzz DOMAIN=ptx`).
RANDOM_CAPABILITY = 80
ABOUT = """\
# Registers of GPU kernels

The programs of `kernels/` that have loops for a GPU under `--fp strict`: the number of their
kernels, and the registers of the kernel that uses the most, as ptxas 13.5 assembles it for four
generations of cards. Measured on {date}; `python tests/ptx.py --write` measures again and
rewrites this page."""
# Beyond these, arithmetic of floats that rounds otherwise than CPython's, or is fused.
_ROUNDED = re.compile(r"^\s*(add|sub|mul|div|sqrt|rcp)\.rn\.f(32|64)\s")
_FLOATS = re.compile(r"^\s*(add|sub|mul|div|sqrt|rcp|fma|mad|ex2|lg2|sin|cos|tanh)\.\S*f(32|64)\s")
_USED = re.compile(r"Compiling entry function '(\w+)'.*?Used (\d+) registers", re.DOTALL)
_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")


class Kernel(NamedTuple):
    """One entry of a module, as ptxas made it."""

    name: str
    registers: int
    spilled: int  # bytes


def ptxas() -> str | None:
    named = os.environ.get("NESTWISE_PTXAS")
    beside = [glob.glob(os.path.join(p, "nvidia", "*", "bin", "ptxas")) for p in sys.path]
    found = [named] if named else [one for some in beside for one in some]
    return next((one for one in found if os.path.isfile(one)), shutil.which("ptxas"))


def driver(folder: Path) -> Path:
    """The pretended driver, made in that folder."""
    library = folder / "libcuda.so.1"
    words = [
        str(COMPILER),
        "-shared",
        "-fPIC",
        "-o",
        str(library),
        str(ROOT / "tests" / "fake_cuda.c"),
    ]
    subprocess.run(words, check=True)
    shutil.copy(library, folder / "libcuda.so")
    return folder


def modules(
    library: Path,
    capability: int,
    script: str,
    *arguments: str,
    fp: str = "strict",
    cooperative: bool = False,
) -> list[str]:
    """The PTX of a script's nests for a card; the CPU runs them. `cooperative`: one kernel is made
    of as many as can be."""
    done, made = compiled(library, capability, script, *arguments, fp=fp, cooperative=cooperative)
    if done.returncode:
        raise RuntimeError(f"{script}: {done.stderr[-500:]}")
    return made


def compiled(
    library: Path,
    capability: int,
    script: str,
    *arguments: str,
    fp: str = "strict",
    cooperative: bool = False,
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """The same, and how the script ended."""
    with tempfile.TemporaryDirectory() as folder:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("NESTWISE", "FAKE"))}
        env |= {
            "LD_LIBRARY_PATH": str(library),
            "PYTHONPATH": str(PROGRAMS),
            "FAKE_CUDA": "fires",
            "FAKE_CUDA_PTX": folder,
            "FAKE_CUDA_CAPABILITY": str(capability),
            "NESTWISE_COOPERATIVE": str(int(cooperative)),
        }
        words = [sys.executable, "-m", "nestwise", "run", "--device", "gpu", "--no-cache"]
        words += ["--fp", fp, script, *arguments]
        done = subprocess.run(
            words, env=env, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S
        )
        return done, [file.read_text() for file in sorted(Path(folder).glob("*.ptx"))]


def assembled(text: str, capability: int) -> list[Kernel]:
    """What ptxas makes of it; RuntimeError if it refuses."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "nest.ptx"
        file.write_text(text)
        words = [str(ptxas()), f"-arch=sm_{capability}", "-v", "-o", os.devnull, str(file)]
        done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-1000:])
    spills = [int(a) + int(b) for a, b in _SPILLS.findall(done.stderr)]
    used = [(name, int(count)) for name, count in _USED.findall(done.stderr)]
    return [Kernel(name, count, spill) for (name, count), spill in zip(used, spills, strict=True)]


def inexact(text: str) -> list[str]:
    """Instructions on floats that do not round as CPython does."""
    lines = text.splitlines()
    return [line.strip() for line in lines if _FLOATS.match(line) and not _ROUNDED.match(line)]


def _table(names: list[str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        library = driver(Path(folder))
        rows = []
        for entry in json.loads((ROOT / "kernels" / "index.json").read_text()):
            if names and entry["name"] not in names:
                continue
            script, registers, spilled, count = f"kernels/{entry['file']}", [], 0, 0
            for capability in CAPABILITIES:
                made = modules(library, capability, script, "--size", "small")
                kernels = [k for text in made for k in assembled(text, capability)]
                count = max(count, len(kernels))
                registers.append(str(max((k.registers for k in kernels), default="-")))
                spilled = max([spilled, *(k.spilled for k in kernels)])
            if count:
                rows.append(f"| {entry['name']} | {count} | {' | '.join(registers)} | {spilled} |")
                print(rows[-1], flush=True)
    cards = " | ".join(f"sm_{capability}" for capability in CAPABILITIES)
    return [
        f"| program | kernels | {cards} | bytes spilled |",
        "|---|---|---|---|---|---|---|",
        *rows,
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    table = _table(options.names)
    if options.write:
        words = [ABOUT.format(date=datetime.date.today()), "", *table, ""]
        DOCUMENT.write_text("\n".join(words))


if __name__ == "__main__":
    main()
