"""What a card makes of nestwise: whether it is right, and how fast.

    python bench/gpu_check.py [--parts card,programs,...] [--out FOLDER] [--device gpu]

For a machine with a driver and Python with NumPy, no more. Installs dist/*.whl into a temporary
folder (without a wheel: uses the nestwise that is installed), and writes gpu-check.json into the
folder: the card and its driver; for every program of kernels/ its checksum on the card and on one
core, what moved and how long it took; the same where one kernel runs whole loops, with what a step
of such takes (bench/gpu_steps.py); what compute-sanitizer says where it exists; what a small nest
takes besides its kernel (bench/gpu_launch.py); and the five nests of bench/gpu_ours.py beside those
of bench/gpu_peers.py. `calibrate` leaves a profile in that folder, and `oracle` compares what
it chooses with what is best (`nestwise oracle --brief`), as many programs as there is time for; the
same again goes on. Exit code 1 if any answer differs or anything fails.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import datetime
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("card", "programs", "cooperative", "sanitizer", "launch", "peers", "calibrate", "oracle")
# Programs whose threads compute-sanitizer looks at, small.
STEPS = 1000  # of a time loop
SANITIZED = ("matmul", "jacobi2d", "lu_pivot", "kmeans")
PATIENCE_S = 120
# The oracle is interrupted then, and keeps what it has.
ORACLE_S = 480


class Check:
    """One run: where nestwise is, what was found."""

    def __init__(self, asked: argparse.Namespace, package: str | None, out: Path):
        self.device, self.jobs, self.sizes = asked.device, asked.jobs, asked.size
        self.steps = asked.steps
        self.out = out.absolute()
        index = json.loads((ROOT / "kernels" / "index.json").read_text())
        self.index = [e for e in index if not asked.program or e["name"] in asked.program]
        env = {k: v for k, v in os.environ.items() if not k.startswith("NESTWISE")}
        if package is not None:
            env["PYTHONPATH"] = package
        # Where runs look for a profile.
        self.settled = env | {"NESTWISE_CACHE_DIR": str(self.out / "settings")}
        self.env = env
        self.wrong: list[str] = []

    def run(self, words: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
        kwargs = {"capture_output": True, "text": True, "env": self.env, "cwd": ROOT} | more
        try:
            return subprocess.run(words, timeout=PATIENCE_S, check=False, **kwargs)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(words, 124, "", f"over {PATIENCE_S} s")

    def nestwise(
        self,
        device: str,
        script: str,
        *arguments: str,
        fp: str = "strict",
        cooperative: bool | None = None,
    ) -> dict[str, Any]:
        """What a script printed, and the report of its nests."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "report.json"
            words = [sys.executable, "-m", "nestwise", "run", "--device", device, "--no-cache"]
            words += ["--fp", fp, "--report=json", "--report-file", str(file), script, *arguments]
            switch = "" if cooperative is None else str(int(cooperative))
            begun = time.perf_counter()
            done = self.run(words, env=self.env | {"NESTWISE_COOPERATIVE": switch})
            seconds = time.perf_counter() - begun
            report = json.loads(file.read_text()) if file.exists() and file.stat().st_size else {}
        return {
            "code": done.returncode,
            "printed": done.stdout,
            "error": done.stderr[-2000:],
            "seconds": seconds,
            "nests": [nest for nest in report.get("nests", []) if nest["launches"]],
        }

    def card(self) -> dict[str, Any]:
        smi = shutil.which("nvidia-smi")
        query = "--query-gpu=name,driver_version,memory.total,clocks.max.sm,pcie.link.gen.current"
        told = self.run([smi, query, "--format=csv"]).stdout if smi else "no nvidia-smi"
        return {
            "nvidia_smi": told.splitlines(),
            "machine": platform.platform(),
            "python": platform.python_version(),
            "date": datetime.date.today().isoformat(),
            "command": " ".join(sys.argv),
        }

    def programs(self) -> list[dict[str, Any]]:
        return self.all_programs(("small", "medium"))

    def cooperative(self) -> dict[str, Any]:
        found: dict[str, Any] = {"programs": self.all_programs(("small",), cooperative=True)}
        lines = []
        for way in (False, True):
            words = ("bench/gpu_steps.py", str(self.steps))
            done = self.nestwise(self.device, *words, cooperative=way)
            lines.append([json.loads(line) for line in done["printed"].splitlines()])
            if done["code"]:
                self.wrong.append("bench/gpu_steps.py")
                print(done["error"])
        for apart, one in zip(*lines, strict=False):
            same = apart["checksum"] == one["checksum"]
            if not same:
                self.wrong.append(apart["name"])
            print(f"{apart['name']:<20} {apart['microseconds']} us a step, as one kernel "
                  f"{one['microseconds']}{'' if same else ', DIFFERENT'}", flush=True)  # fmt: skip
        return found | {"steps": lines}

    def all_programs(
        self, sizes: tuple[str, ...], cooperative: bool | None = None
    ) -> list[dict[str, Any]]:
        all_ = [(entry, size) for entry in self.index for size in sizes]

        def both(which: tuple[dict[str, str], str]) -> list[dict[str, Any]]:
            entry, size = which
            words = (f"kernels/{entry['file']}", "--size", size)
            devices = ("serial", self.device)
            return [self.nestwise(device, *words, cooperative=cooperative) for device in devices]

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            runs = pool.map(both, all_)
            return [
                self.compared(f"{entry['name']} {size}", *run)
                for (entry, size), run in zip(all_, runs, strict=True)
            ]

    def compared(self, name: str, theirs: dict[str, Any], mine: dict[str, Any]) -> dict[str, Any]:
        words = [
            dict(line.split(" ", 1) for line in one["printed"].splitlines() if " " in line)
            for one in (theirs, mine)
        ]
        same = mine["code"] == 0 and words[0].get("checksum") == words[1].get("checksum")
        if not same:
            self.wrong.append(name)
        nests = [
            {
                "line": nest["line"],
                "grid": nest["means"].get("grid", 0),
                "cooperative": nest["means"].get("cooperative", 0),
                "not": [word for word in nest["means"] if word.startswith("not on a grid")],
                "fallbacks": {f["reason"]: f["count"] for f in nest["fallbacks"]},
                "transfers": nest["transfers"],
                "measured_s": nest["measured_s"],
            }
            for nest in mine["nests"]
        ]
        on_grid = sum(nest["grid"] > 0 for nest in nests)
        seconds = [float(w.get("kernel_seconds", "nan")) for w in words]
        verdict = "equal" if same else "DIFFERENT"
        print(f"{name:<28} {verdict:<10} {on_grid} of {len(nests)} nests on the card, "
              f"{seconds[1]:.4f} s ({seconds[0]:.4f} s on a core)", flush=True)  # fmt: skip
        found = {"program": name, "same": same, "seconds": seconds, "nests": nests}
        return found if same else found | {"error": mine["error"]}

    def sanitizer(self) -> list[dict[str, Any]]:
        tool = shutil.which("compute-sanitizer")
        if tool is None:
            print("compute-sanitizer: not here")
            return []
        found = []
        for name in SANITIZED:
            words = [tool, "--error-exitcode", "9", sys.executable, "-m", "nestwise", "run"]
            words += ["--device", "gpu", f"kernels/{name}.py", "--size", "40"]
            done = self.run(words)
            print(f"compute-sanitizer, {name}: exit code {done.returncode}", flush=True)
            if done.returncode:
                self.wrong.append(f"compute-sanitizer {name}")
            found.append({"program": name, "code": done.returncode, "said": done.stdout[-2000:]})
        return found

    def launch(self) -> list[dict[str, Any]]:
        words = [sys.executable, "-m", "nestwise", "run", "--device", self.device, "--no-cache"]
        done = self.run([*words, "bench/gpu_launch.py"])
        print(done.stdout or done.stderr[-2000:], end="", flush=True)
        if done.returncode:
            self.wrong.append("launch")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def peers(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        lines = []
        for fp in ("strict", "fast"):
            ours = self.nestwise(self.device, "bench/gpu_ours.py", *self.sizes, fp=fp)
            own = [json.loads(line) for line in ours["printed"].splitlines()]
            lines += [line | {"by": f"nestwise --fp {fp}"} for line in own]
            if ours["code"]:
                self.wrong.append("bench/gpu_ours.py")
                print(ours["error"])
            said = ("line", "device", "means", "fallbacks", "transfers", "measured_s", "launches")
            found[fp] = [{k: nest[k] for k in said} for nest in ours["nests"]]
        done = self.run([sys.executable, "bench/gpu_peers.py", *self.sizes])
        theirs = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        for line in lines + theirs:
            self.tell(line)
        return {"lines": lines + theirs, "nests": found, "error": done.stderr[-2000:]}

    def tell(self, line: dict[str, Any]) -> None:
        if "by" in line:
            with_ = f", {min(line['seconds']):.4f} s with transfers" if "seconds" in line else ""
            kernels = min(line["kernel_seconds"]) * 1e3
            print(f"{line['name']:<16} {line['by']:<24} {kernels:.3f} ms{with_}", flush=True)
        else:
            print(*line.values(), flush=True)

    def calibrate(self) -> dict[str, Any]:
        done = self.run([sys.executable, "-m", "nestwise", "calibrate"], env=self.settled)
        print(done.stdout[-3000:])
        measured = "graphics card:" in done.stdout
        if done.returncode or not measured:
            self.wrong.append("calibrate")
        return {"code": done.returncode, "measured": measured, "error": done.stderr[-2000:]}

    def oracle(self) -> dict[str, Any]:
        names = [f"kernels/{entry['file']}" for entry in self.index if not entry["refused"]]
        words = [sys.executable, "-m", "nestwise", "oracle", "--brief", *names]
        words += ["--json", str(self.out / "oracle.json"), "--html", str(self.out / "oracle.html")]
        running = subprocess.Popen(
            words, env=self.settled, cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        try:
            told, _ = running.communicate(timeout=ORACLE_S)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGINT)
            told, _ = running.communicate()
        print(told[-4000:])
        if not (self.out / "oracle.json").exists():
            self.wrong.append("oracle")
        return {"code": running.returncode, "told": told}


def installed(folder: str) -> str | None:
    """The wheel of dist/, in that folder; None without one."""
    wheels = sorted((ROOT / "dist").glob("*.whl"))
    if not wheels:
        return None
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*words, "--target", folder, str(wheels[-1])], check=True)
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--parts", default=" ".join(PARTS), help="some of " + ", ".join(PARTS))
    parser.add_argument("--out", default="build/gpu-check")
    parser.add_argument("--device", default="gpu", choices=["gpu", "emulated"])
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--program", action="append", help="these alone, of `programs`, `oracle`")
    parser.add_argument("--steps", type=int, default=STEPS, help="of `cooperative`")
    parser.add_argument("--size", action="append", default=[], help="NAME=SIZE, of a peer's nest")
    asked = parser.parse_args()
    parts = asked.parts.replace(",", " ").split()
    if unknown := [part for part in parts if part not in PARTS]:
        parser.error(f"no such part: {', '.join(unknown)} (there are {', '.join(PARTS)})")
    found: dict[str, Any] = {}
    out = Path(asked.out)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        check = Check(asked, installed(folder), out)
        for part in parts:
            print(f"== {part}", flush=True)
            found[part] = getattr(check, part)()
    file = out / "gpu-check.json"
    before = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps(before | found, indent=1))
    print(f"written to {file}")
    if check.wrong:
        print(f"wrong: {', '.join(check.wrong)}", file=sys.stderr)
    return 1 if check.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
