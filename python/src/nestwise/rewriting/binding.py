"""Puts the functions of sites into compiled code, as constants."""

from __future__ import annotations

from types import CodeType

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from typing import Any


def mark_of(tag: str) -> str:
    """Gives the beginning of the string constants that stand for our functions until `bind`."""
    return f"\0nestwise:{tag}:"


def bind(code: CodeType, tag: str, sites: list[Any]) -> CodeType:
    """The code with every mark in its constants replaced by a function of one of `sites`."""
    mark = mark_of(tag)

    def replaced(constant: Any) -> Any:
        if type(constant) is CodeType:
            return visit(constant)
        if type(constant) is str and constant.startswith(mark):
            number, _, name = constant[len(mark) :].partition(":")
            site = sites[int(number)]
            what, inside, where = name.partition("_in:")
            if inside:
                first, _, flags = where.partition(":")
                return site.within(what, sites[int(first)], flags)
            return site.function(name)
        return constant

    def visit(code: CodeType) -> CodeType:
        before = code.co_consts
        after = tuple(map(replaced, before))
        if all(a is b for a, b in zip(before, after, strict=True)):
            return code
        return code.replace(co_consts=after)

    return visit(code)
