"""Compiles a user's source once more without a sign of it.

This is a module of its own because a run whose code is cached never loads `rewrite`.
"""

from __future__ import annotations

import warnings
from types import CodeType

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    import ast
    from typing import Any

# The second compilation happens under this name, so that one filter, which matches nothing else
# in the process, keeps the warnings quiet that the first compilation has given already.
COMPILING = "<nestwise>"
# What a warning about our own compilation may name as its module.
_OURS = (COMPILING, __name__, "nestwise.rewriting.rewrite")


def plain_code(source: bytes | str, filename: str) -> tuple[ast.Module, CodeType]:
    """The tree of a source and the code that CPython makes of it, without its warnings."""
    from nestwise.rewriting.syntax import parse

    with quiet():
        tree = parse(source, COMPILING)
        return tree, renamed(compile(tree, COMPILING, "exec", dont_inherit=True), filename)


def renamed(code: CodeType, filename: str) -> CodeType:
    """`code` as if it had been compiled from the file `filename`, with all that is in it."""
    constants = tuple(
        renamed(c, filename) if isinstance(c, CodeType) else c for c in code.co_consts
    )
    return code.replace(co_filename=filename, co_consts=constants)


def warning_filters() -> list[Any]:
    """The list of warning filters that is in force, not a copy of it."""
    of_context = getattr(warnings, "_get_filters", None)
    found: Any = warnings.filters if of_context is None else of_context()
    filters: list[Any] = found
    return filters


class quiet:
    """Suppresses warnings from our own compilation, in a `with` block.

    The rules go into the list directly: the official way to add one makes every module forget
    which of its warnings it has shown, and they would appear again.
    """

    def __enter__(self) -> None:
        self.filters = warning_filters()
        self.rules = [("ignore", None, Warning, module, 0) for module in _OURS]
        self.filters[:0] = self.rules

    def __exit__(self, *_: object) -> None:
        for rule in self.rules:
            if rule in self.filters:
                self.filters.remove(rule)
