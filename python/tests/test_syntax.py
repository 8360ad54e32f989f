"""The small twins of standard modules are what those are, without the time to import them."""

import ast
import typing
from pathlib import Path

import pytest
from nestwise.records import NamedTuple
from nestwise.rewriting import syntax

FILES = sorted(Path(__file__).parent.glob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_trees_are_walked_as_by_ast(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert list(syntax.walk(tree)) == list(ast.walk(tree))
    for node in ast.walk(tree):
        assert list(syntax.iter_fields(node)) == list(ast.iter_fields(node))
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            assert syntax.has_docstring(node) == (ast.get_docstring(node) is not None)


def test_types_are_those_of_ast():
    for name in ("For", "While", "Name", "Constant", "expr", "stmt"):
        assert getattr(syntax, name) is getattr(ast, name)


class Ours(NamedTuple):
    """A place."""

    line: int
    name: str


class Theirs(typing.NamedTuple):
    """A place."""

    line: int
    name: str


def test_records_are_named_tuples():
    ours, theirs = Ours(3, name="x"), Theirs(3, name="x")
    assert ours == theirs == (3, "x")
    assert (ours.line, ours.name) == (theirs.line, theirs.name)
    assert ours._replace(line=4) == theirs._replace(line=4)
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    for wrong in (lambda: Ours(1), lambda: Ours(1, "x", 2), lambda: Ours(1, "x", size=2)):
        with pytest.raises((TypeError, KeyError)):
            wrong()
