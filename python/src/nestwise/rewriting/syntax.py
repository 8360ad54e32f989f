"""CPython's syntax trees: their types, and the walks that `ast` has.

The types are those of `ast` themselves. Its module takes longer to import than most programs take
to be rewritten, as it brings `enum`, `contextlib` and `collections`.
"""

from __future__ import annotations

from _ast import *  # noqa: F403
from _ast import AST, AsyncFunctionDef, ClassDef, Constant, Expr, FunctionDef, Module

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def iter_fields(node: AST) -> Iterator[tuple[str, Any]]:
    """The fields that a node has, and their names."""
    for field in node._fields:
        try:
            yield field, getattr(node, field)
        except AttributeError:
            pass


def iter_child_nodes(node: AST) -> Iterator[AST]:
    """The nodes directly below a node."""
    for _, value in iter_fields(node):
        if isinstance(value, AST):
            yield value
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, AST):
                    yield item


def walk(node: AST) -> Iterator[AST]:
    """A node and all below it, level by level."""
    pending = [node]
    for one in pending:
        pending.extend(iter_child_nodes(one))
        yield one


def has_docstring(node: Module | ClassDef | FunctionDef | AsyncFunctionDef) -> bool:
    """Whether the first statement is a text alone."""
    first = node.body[0] if node.body else None
    return (
        isinstance(first, Expr)
        and isinstance(first.value, Constant)
        and isinstance(first.value.value, str)
    )


def unparse(node: AST) -> str:
    """A text that a node could be made of."""
    import ast

    return ast.unparse(node)
