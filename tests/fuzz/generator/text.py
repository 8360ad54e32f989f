"""What random programs are written with: chance, lines of text, and what is known of names."""

from __future__ import annotations

import random
from typing import NamedTuple


class Variable(NamedTuple):
    """A name of a number; `kind` i, f or b: what its values mostly are."""

    name: str
    kind: str


class Array(NamedTuple):
    """A name of something with elements.

    `kind` i, f, b or c (complex) of its elements; `plain`: these are Python's own objects (a list,
    a tuple, an array.array, bytes) and no NumPy scalars.
    """

    name: str
    kind: str
    rank: int
    plain: bool = False
    written: bool = False
    text: bool = False  # a str: its elements are characters
    sizes: tuple[str, ...] = ()  # extents that are known by name

    def extent(self, axis: int) -> str:
        """Text for the length of one axis."""
        if self.plain or axis == 0:
            return f"len({self.name}{'[0]' * axis})"
        return f"{self.name}.shape[{axis}]"


class Counter(NamedTuple):
    """A loop variable, and the array and axis (`a0.1`) that it runs over."""

    name: str
    fits: str = ""


class Writer:
    """Chance and lines."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.lines: list[str] = []
        self.tags: set[str] = set()  # what the program is about, for statistics

    def emit(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def pick(self, *choices):
        return self.rng.choice(choices)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p
