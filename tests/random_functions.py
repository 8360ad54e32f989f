"""Scripts of random functions against CPython: what their generators have in common."""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

from differential import difference, nests_by_line, nestwise, python

# In each script.
FUNCTIONS = 20


class Functions:
    """Scripts that begin with `head`, of functions that `build` makes from a number and a source of
    randomness."""

    def __init__(self, name: str, head: str, build: Callable[[int, random.Random], list[str]]):
        self.name, self.head, self.build = name, head, build

    def script(self, seed: int) -> str:
        rng = random.Random(seed)
        parts = [self.head]
        parts += ["\n".join(self.build(number, rng)) for number in range(FUNCTIONS)]
        return "\n".join(parts) + "\n"

    def differs(self, seed: int, folder: Path, device: str = "serial") -> tuple[str, int]:
        """What differs, if anything does, and how many functions ran compiled."""
        program = folder / f"{self.name}_{seed}.py"
        program.write_text(self.script(seed))
        done = nestwise(program, device, folder / "cache")
        found = difference(python(program), done)
        nests = [n for nests in nests_by_line(done.report, program).values() for n in nests]
        compiled = {n["function"] for n in nests if n["iterations"]}
        if not found:
            program.unlink()
        return found, len(compiled)

    def main(self, about: str) -> int:
        """The command line: many scripts, up to the first that differs."""
        parser = argparse.ArgumentParser(description=about)
        parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
        parser.add_argument("--programs", type=int, default=100)
        parser.add_argument("--device", default="serial")
        options = parser.parse_args()
        folder, compiled = Path(tempfile.mkdtemp(prefix=f"{self.name}-")), 0
        print(f"--seed {options.seed}, in {folder}")
        for seed in range(options.seed, options.seed + options.programs):
            found, count = self.differs(seed, folder, options.device)
            compiled += count
            if found:
                print(f"seed {seed}: {folder}/{self.name}_{seed}.py\n{found}")
                return 1
        functions = options.programs * FUNCTIONS
        print(f"{functions} functions, {compiled} compiled: all alike")
        return 0
