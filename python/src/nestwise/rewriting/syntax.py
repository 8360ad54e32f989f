"""CPython's syntax trees: their types, and the walks that `ast` has.

The types are those of `ast` themselves. Its module takes longer to import than most programs take
to be rewritten, as it brings `enum`, `contextlib` and `collections`.
"""

from __future__ import annotations

from _ast import *  # noqa: F403
from _ast import (
    AST,
    AsyncFunctionDef,
    ClassDef,
    Constant,
    Expr,
    FunctionDef,
    Module,
    PyCF_ONLY_AST,
    expr,
    stmt,
)

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypedDict

    class Place(TypedDict):
        """The position of a node: lines from 1, columns in bytes from 0; the end is behind the
        node.
        """

        lineno: int
        col_offset: int
        end_lineno: int | None
        end_col_offset: int | None


def place(node: stmt | expr) -> Place:
    """Gives the position of a node in its source, as what a new node there is made with."""
    return {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }


def parse(source: bytes | str, filename: str) -> Module:
    """Parses a source to its tree. Raises SyntaxError or ValueError, and warns, as
    `compile` does.
    """
    tree = compile(source, filename, "exec", PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, Module)
    return tree


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
    """Gives a text that a node could be made of."""
    import ast

    return ast.unparse(node)
