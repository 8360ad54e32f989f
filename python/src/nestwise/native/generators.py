"""Checks whether the texts that stand for methods of random generators do what the methods do."""

from __future__ import annotations

import math


class State(list[int]):
    """A generator's words, as the texts have them: the position, then the words themselves."""


def agrees(text: str, name: str, generators: type, kept: str, nothing: float) -> bool:
    """Whether the function of that name in `text` gives the numbers that the method does, and
    leaves the generator as it does; `nothing` stands for None in the attribute `kept`.
    """
    generator = generators(20_260_101)
    generator.random()
    said = generator.getstate()[1]
    state = State([said[-1], *said[:-1]])
    setattr(state, kept, nothing)
    scope = {name: getattr(math, name) for name in ("log", "sqrt", "sin", "cos")}
    exec(text, scope)
    arguments = (0.75,) if name == "expovariate" else (1.5, 0.75)
    for _ in range(5):
        if scope[name](state, *arguments) != getattr(generator, name)(*arguments):
            return False
        _, said, keeps = generator.getstate()
        if state[1:] != list(said[:-1]) or state[0] != said[-1]:
            return False
        if getattr(state, kept) != (nothing if keeps is None else keeps):
            return False
    return True
