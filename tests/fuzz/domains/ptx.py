"""Kernels of scripts of several domains for a card, assembled."""

from __future__ import annotations

from nestwise.oracle import generate

from ..assembled import JUDGE, ON_A_CARD, unavailable
from ..domain import Domain
from . import nests, programs, regions


def script(seed: int, functions: int) -> str:
    kinds = (
        nests.DOMAIN.script,
        programs.DOMAIN.script,
        regions.DOMAIN.script,
        lambda seed, _: generate.script(seed).replace(
            "parse_args().size", "parse_args().size or 9"
        ),
    )
    return kinds[seed % len(kinds)](seed, functions)


DOMAIN = Domain(
    "ptx",
    "kernels for a card, assembled by ptxas",
    script,
    JUDGE,
    15,
    lambda seed: [ON_A_CARD],
    unavailable=unavailable,
)
