"""The base of the random functions of several domains: choices, and blocks of statements."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod


class RandomFunction(ABC):
    """One function, and what is printed of its calls, line by line."""

    def __init__(self, number: int, rng: random.Random):
        self.function, self.rng = f"f{number}", rng
        self.lines: list[str] = []

    @abstractmethod
    def statement(self, depth: int, inside: int) -> None:
        """Adds a statement at a depth of indentation, with at most `inside` blocks nested in it."""

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def nested(self, depth: int, inside: int) -> None:
        """Adds one or two statements."""
        for _ in range(self.rng.randrange(1, 3)):
            self.statement(depth, inside)

    def branches(self, test: str, depth: int, inside: int) -> None:
        """Adds an `if` with statements in it, half of the time with an `else`."""
        indent = "    " * depth
        self.lines.append(f"{indent}if {test}:")
        self.nested(depth + 1, inside - 1)
        if self.rng.random() < 0.5:
            self.lines.append(f"{indent}else:")
            self.nested(depth + 1, inside - 1)
