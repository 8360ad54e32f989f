"""Random programs under CPython and under nestwise; what differs is shrunk and kept.

    fuzz.py [--nests] [--seed N] [--programs N] [--functions N] [--device D]... [--no-shrink]

Everything follows from the seed, which is printed. A difference is reduced to a small script in
programs/found/, from where test_programs.py runs it from then on.
"""

from __future__ import annotations

import argparse
import ast
import copy
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

import generator  # noqa: E402
import nest_generator  # noqa: E402
from differential import (  # noqa: E402
    DEVICES,
    PROGRAMS,
    Done,
    Treatment,
    difference,
    fallbacks,
    nestwise,
    python,
)

LIMIT_S = 30


class Difference(Exception):
    """(seed, device, text): a program whose runs differ."""


def compare(
    text: str, name: str, folder: Path, devices: Sequence[str | Treatment]
) -> tuple[str | Treatment | None, str, list[tuple[str | Treatment, Done]]]:
    """(device, diff, runs): no device and an empty diff when all agree with CPython."""
    program = folder / f"{name}.py"
    program.write_text(text, encoding="utf-8")
    expected = python(program, timeout=LIMIT_S)
    if expected.code == "timeout" or "SyntaxError" in expected.stderr:
        return None, "", []
    runs = []
    for device in devices:
        got = nestwise(program, device, folder / "cache", timeout=3 * LIMIT_S)
        runs.append((device, got))
        found = difference(expected, got)
        if found:
            return device, f"{found}\n{fallbacks(got, program)}", runs
    return None, "", runs


# Forms of nests for tests, each as often as it is hard to get right.
FORMS = ["every", "waves", "distributed", "interchanged", "rewritten", "promoted", "written"]


def treatments(seed: int) -> list[Treatment]:
    """How the random nests of a seed run: on one core; on threads, part by part in an order of the
    seed's; on threads as they come."""
    form, other = FORMS[seed % 7], FORMS[(seed // 7 + seed + 1) % 7]
    few, many = (2, 5) if seed % 2 else (5, 2)
    alone = ["every", "rewritten", "interchanged"][seed % 3]
    return [
        Treatment("serial", 1, f"{alone}:{seed}"),
        Treatment("threads", few, f"{form}:{seed}"),
        Treatment("threads", many, other),
    ]


def means(runs: Sequence[tuple[str | Treatment, Done]]) -> Counter[str]:
    """By what was done with nests, or made it possible: the loops that ran so."""
    found = {
        (nest["line"], word)
        for _, done in runs
        for nest in (done.report or {}).get("nests", ())
        for word in nest["means"]
    }
    return Counter(word for _, word in found)


def share_compiled(runs: Sequence[tuple[str | Treatment, Done]]) -> tuple[int, int]:
    """(loops that ran compiled, loops met), over runs on a device that is forced."""
    met = ran = 0
    for device, done in runs:
        if device == "auto" or done.report is None:
            continue
        lines: dict[int, bool] = {}
        for nest in done.report.get("nests", ()):
            lines[nest["line"]] = lines.get(nest["line"], False) or nest["launches"] > 0
        met += len(lines)
        ran += sum(lines.values())
    return ran, met


# -- shrinking ---------------------------------------------------------------------------------


def _blocks(tree: ast.AST):
    """Every list of statements, the largest parts of the program first."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield node, field, block


def _without(tree: ast.Module, which: int, start: int, count: int) -> ast.Module | None:
    """A copy without some statements of one block, if that is still a program."""
    clone = copy.deepcopy(tree)
    for number, (node, field, block) in enumerate(_blocks(clone)):
        if number == which:
            del block[start : start + count]
            if not block and field == "body" and not isinstance(node, ast.Module):
                block.append(ast.Pass())
            return clone
    return None


def _unwrapped(tree: ast.Module, which: int, at: int) -> ast.Module | None:
    """A copy with a compound statement replaced by its body."""
    clone = copy.deepcopy(tree)
    for number, (_, _, block) in enumerate(_blocks(clone)):
        if number == which:
            inner = block[at]
            if not isinstance(inner, (ast.If, ast.For, ast.While)):
                return None
            block[at : at + 1] = inner.body
            return clone
    return None


class _Simplify(ast.NodeTransformer):
    """Replaces the n-th operation by one of its operands."""

    def __init__(self, number: int, part: int):
        self.left = number
        self.part = part
        self.done = False

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, (ast.BinOp, ast.IfExp, ast.BoolOp, ast.Call, ast.UnaryOp)):
            self.left -= 1
            if self.left < 0 and not self.done:
                parts = [p for p in ast.iter_child_nodes(node) if isinstance(p, ast.expr)]
                parts = parts[1:] if isinstance(node, ast.Call) else parts
                if self.part < len(parts):
                    self.done = True
                    return parts[self.part]
        return self.generic_visit(node)


def _segments(tree: ast.Module):
    """Programs with all but one of the random functions and their calls left out."""
    starts = [
        at
        for at, node in enumerate(tree.body)
        if isinstance(node, ast.FunctionDef) and node.name[0] == "f" and node.name[1:].isdigit()
    ]
    if len(starts) > 1:
        for start, end in zip(starts, [*starts[1:], len(tree.body)], strict=True):
            yield ast.Module([*tree.body[: starts[0]], *tree.body[start:end]], [])


def _candidates(tree: ast.Module):
    """Smaller programs, the boldest cuts first."""
    yield from _segments(tree)
    sizes = [len(block) for _, _, block in _blocks(tree)]
    for which, size in enumerate(sizes):
        count = size
        while count:
            for start in range(0, size, count):
                yield _without(tree, which, start, count)
            count //= 2
    for which, size in enumerate(sizes):
        for at in range(size):
            yield _unwrapped(tree, which, at)
    for number in range(60):
        for part in range(3):
            simplify = _Simplify(number, part)
            clone = simplify.visit(copy.deepcopy(tree))
            if simplify.done:
                yield clone


def shrink(text: str, differs, seconds: float = 240.0) -> str:
    """The smallest program found in `seconds` for which `differs(text)` still holds."""
    end = time.monotonic() + seconds
    tree = ast.parse(text)
    progress = True
    while progress and time.monotonic() < end:
        progress = False
        for candidate in _candidates(tree):
            if time.monotonic() >= end:
                break
            if candidate is None:
                continue
            try:
                smaller = ast.unparse(ast.fix_missing_locations(candidate))
            except (ValueError, AttributeError):
                continue
            if len(smaller) < len(ast.unparse(tree)) and differs(smaller):
                tree = ast.parse(smaller)
                progress = True
                break
    return ast.unparse(tree) + "\n"


# -- the run -----------------------------------------------------------------------------------


class Programs(NamedTuple):
    """Random programs of one generator."""

    name: str
    script: Callable[[int], str]
    devices: Callable[[int], Sequence[str | Treatment]]


def one(seed: int, programs: Programs, folder: Path):
    text = programs.script(seed)
    return seed, compare(text, f"seed_{seed}", folder, programs.devices(seed))


def keep(seed: int, programs: Programs, device: str | Treatment, folder: Path) -> Path:
    """Shrinks the program of `seed` and saves it among those that are always run."""

    def differs(text: str) -> bool:
        return bool(compare(text, f"shrink_{seed}", folder, [device])[0])

    small = shrink(programs.script(seed), differs)
    if isinstance(device, Treatment):
        small = f"# {device}\n{small}"
    target = PROGRAMS / "found" / f"{programs.name}_{seed}.py"
    target.parent.mkdir(exist_ok=True)
    target.write_text(small, encoding="utf-8")
    return target


def recorded(program: Path) -> list[Treatment]:
    """The treatment that a kept program differed under, from its first line."""
    words = program.read_bytes().partition(b"\n")[0].decode("ascii", "replace").split()
    if len(words) == 4 and words[0] == "#" and words[1] in DEVICES and words[2].isdigit():
        return [Treatment(words[1], int(words[2]), words[3])]
    return []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000_000)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--functions", type=int, default=15, help="in each program")
    parser.add_argument("--nests", action="store_true", help="loop nests, in every legal form")
    parser.add_argument("--device", action="append", choices=["serial", "threads", "auto"])
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--keep-going", action="store_true", help="do not stop at a difference")
    options = parser.parse_args()
    devices = options.device or ["serial", "threads"]
    if options.nests:
        programs = Programs("nests", nest_generator.script, treatments)
    else:
        programs = Programs(
            "seed", lambda seed: generator.script(seed, options.functions), lambda _: devices
        )
    print(f"seeds {options.seed} to {options.seed + options.programs - 1}", flush=True)
    ran = met = differences = 0
    words: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(2) as pool:
        folder = Path(temporary)
        seeds = range(options.seed, options.seed + options.programs)
        work = (pool.submit(one, s, programs, folder) for s in seeds)
        for number, job in enumerate(list(work), 1):
            seed, (device, found, runs) = job.result()
            native, loops = share_compiled(runs)
            ran, met = ran + native, met + loops
            words += means(runs)
            if found:
                differences += 1
                print(f"seed {seed} differs on {device}:\n{found}")
                if not options.no_shrink:
                    print("kept as", keep(seed, programs, device, folder), flush=True)
                if not options.keep_going:
                    pool.shutdown(cancel_futures=True)
                    break
            if number % 20 == 0:
                print(f"{number} programs, {ran} of {met} loops ran compiled", flush=True)
    print(f"{differences} differences; {ran} of {met} loops ran compiled")
    print(", ".join(f"{word} {count}" for word, count in words.most_common()))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
