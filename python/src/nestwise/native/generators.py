"""Checks whether the texts that stand for methods of random generators do what the methods do."""

from __future__ import annotations

import math
from typing import Any


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
    for _ in range(5):
        given, asked = arguments(name), arguments(name)
        if scope[name](state, *given) != getattr(generator, name)(*asked) or given != asked:
            return False
        _, said, keeps = generator.getstate()
        if state[1:] != list(said[:-1]) or state[0] != said[-1]:
            return False
        if getattr(state, kept) != (nothing if keeps is None else keeps):
            return False
    return True


def agrees_with_numpy(text: str, name: str, generators: type, kept: str, nothing: float) -> bool:
    """Whether the function of that name in `text` gives the numbers that the method of NumPy's
    legacy generators does, and leaves the generator as it does: the words, and behind them the
    position; `nothing` stands for no number in the attribute `kept`.
    """
    generator = generators(20_260_101)

    def said() -> tuple[list[int], float]:
        state = generator.get_state(legacy=False)
        keeps = float(state["gauss"]) if state["has_gauss"] else nothing
        return [*map(int, state["state"]["key"]), int(state["state"]["pos"])], keeps

    state = State(said()[0])
    setattr(state, kept, nothing)
    scope = {name: getattr(math, name) for name in ("log", "sqrt", "sin", "cos")}
    exec(text, scope)
    for _ in range(9):
        if scope[name](state, *arguments(name)) != getattr(generator, name)(*arguments(name)):
            return False
        if (list(state), getattr(state, kept)) != said():
            return False
    return True


def arguments(name: str) -> tuple[Any, ...]:
    """What a method is asked with."""
    if name in ("standard_normal", "standard_exponential"):
        return ()
    if name == "shuffle":
        return (list(range(9)),)
    return (0.75,) if name in ("expovariate", "exponential") else (1.5, 0.75)
