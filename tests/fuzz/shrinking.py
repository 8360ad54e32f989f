"""Reduces a script to a small one that still shows the same: functions, then calls, statements,
operations.

What "the same" is says a function of the text. Each pass keeps its place after a cut that was good,
so that a script of many functions costs about one attempt for each part of it.
"""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator, Sequence

Differs = Callable[[str], bool]


def _blocks(tree: ast.AST) -> Iterator[tuple[ast.AST, str, list[ast.stmt]]]:
    """Every list of statements, the largest parts of the program first."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield node, field, block


def _block(tree: ast.Module, which: int) -> tuple[ast.AST, str, list[ast.stmt]] | None:
    return next((b for number, b in enumerate(_blocks(tree)) if number == which), None)


def _without(tree: ast.Module, which: int, start: int, count: int) -> ast.Module:
    """A copy without some statements of one block."""
    clone = copy.deepcopy(tree)
    found = _block(clone, which)
    assert found is not None
    node, field, block = found
    del block[start : start + count]
    if not block and field == "body" and not isinstance(node, ast.Module):
        block.append(ast.Pass())
    return clone


def _unwrapped(tree: ast.Module, which: int, at: int) -> ast.Module | None:
    """A copy with a compound statement replaced by its body."""
    clone = copy.deepcopy(tree)
    found = _block(clone, which)
    assert found is not None
    inner = found[2][at]
    if not isinstance(inner, (ast.If, ast.For, ast.While, ast.Try, ast.With)):
        return None
    found[2][at : at + 1] = inner.body
    return clone


class _Simplify(ast.NodeTransformer):
    """Replaces the n-th operation by one of its operands."""

    def __init__(self, number: int, part: int):
        self.left = number
        self.part = part
        self.met = self.done = False

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, (ast.BinOp, ast.IfExp, ast.BoolOp, ast.Call, ast.UnaryOp)):
            self.left -= 1
            if self.left < 0 and not self.met:
                self.met = True
                parts = [p for p in ast.iter_child_nodes(node) if isinstance(p, ast.expr)]
                parts = parts[1:] if isinstance(node, ast.Call) else parts
                if self.part < len(parts):
                    self.done = True
                    return parts[self.part]
        return self.generic_visit(node)


def is_program(node: ast.stmt) -> bool:
    """Whether this is the function of a random program: f0, f1, ..."""
    return isinstance(node, ast.FunctionDef) and node.name[0] == "f" and node.name[1:].isdigit()


class _Shrinking:
    def __init__(self, text: str, differs: Differs, seconds: float):
        self.tree = ast.parse(text)
        self.differs = differs
        self.end = time.monotonic() + seconds

    def late(self) -> bool:
        return time.monotonic() >= self.end

    def take(self, candidate: ast.Module | None) -> bool:
        """Goes on from a smaller program, if that differs too."""
        if candidate is None or self.late():
            return False
        try:
            smaller = ast.unparse(ast.fix_missing_locations(candidate))
        except (ValueError, AttributeError):
            return False
        if len(smaller) >= len(ast.unparse(self.tree)) or not self.differs(smaller):
            return False
        self.tree = ast.parse(smaller)
        return True

    def one_function(self, likely: Sequence[str]) -> None:
        """All but one of the random functions left out; the likely ones are kept first."""
        body = self.tree.body
        starts = [at for at, node in enumerate(body) if is_program(node)]
        if len(starts) < 2:
            return
        segments = {
            body[start].name: body[start:end]
            for start, end in zip(starts, [*starts[1:], len(body)], strict=True)
        }
        for name in sorted(segments, key=lambda name: name not in likely):
            if self.take(ast.Module([*body[: starts[0]], *segments[name]], [])):
                return

    def statements(self) -> bool:
        """Runs of statements left out, long ones first."""
        better, which = False, 0
        while (found := _block(self.tree, which)) and not self.late():
            count = len(found[2])
            while count:
                start = 0
                while (now := _block(self.tree, which)) and start < len(now[2]):
                    if self.take(_without(self.tree, which, start, count)):
                        better = True
                        if (now := _block(self.tree, which)) is None or isinstance(
                            now[2][0], ast.Pass
                        ):
                            break
                    else:
                        start += count
                count //= 2
            which += 1
        return better

    def compounds(self) -> bool:
        better, which = False, 0
        while (found := _block(self.tree, which)) and not self.late():
            for at in range(len(found[2])):
                now = _block(self.tree, which)
                if now and at < len(now[2]):
                    better |= self.take(_unwrapped(self.tree, which, at))
            which += 1
        return better

    def operations(self) -> bool:
        better, number, part = False, 0, 0
        while not self.late():
            simplify = _Simplify(number, part)
            clone = simplify.visit(copy.deepcopy(self.tree))
            if not simplify.met:
                return better
            if not simplify.done:
                number, part = number + 1, 0
            elif self.take(clone):
                better, part = True, 0
            else:
                part += 1
        return better


def shrink(text: str, differs: Differs, seconds: float = 240.0, likely: Sequence[str] = ()) -> str:
    """The smallest program found in `seconds` for which `differs(text)` still holds."""
    work = _Shrinking(text, differs, seconds)
    work.one_function(likely)
    while not work.late():
        passes = [work.statements(), work.compounds(), work.operations()]
        if not any(passes):
            break
    return ast.unparse(work.tree) + "\n"
