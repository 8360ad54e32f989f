"""Runs a script with a clock around each of its nests, in CPython: the rest of a run's time is
spent outside the nests, which nobody predicts and every candidate has to spend.
"""

from __future__ import annotations

import ast
import time
from pathlib import Path
from types import ModuleType

from nestwise import _core
from nestwise.rewriting import sources
from nestwise.rewriting.rewrite import EVALUATES, has_loop, rewrite

# Names that no script has.
_BEGIN, _END = "_nestwise_begin", "_nestwise_end"


class Clock:
    """The seconds in nests so far; the time of a nest inside another counts once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth, self._begun = 0, 0.0

    def begin(self) -> None:
        """Notes that a nest begins."""
        self._depth += 1
        if self._depth == 1:
            self._begun = time.perf_counter()

    def end(self) -> None:
        """Notes that a nest ends."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._begun


def load(script: Path) -> tuple[ModuleType, Clock]:
    """Loads the script as a module, with its nests clocked."""
    source = script.read_bytes()
    made = rewrite(source, sources.decode(source), str(script), "", _core.lower)
    sites = {loop.line for loop in made.loops if loop.is_site and not loop.depth}
    tree = ast.parse(source, str(script))
    _Clocks(sites).visit(tree)
    module, clock = ModuleType(script.stem), Clock()
    module.__file__ = str(script)
    module.__dict__.update({_BEGIN: clock.begin, _END: clock.end})
    exec(compile(ast.fix_missing_locations(tree), str(script), "exec"), module.__dict__)
    return module, clock


class _Clocks(ast.NodeTransformer):
    def __init__(self, lines: set[int]) -> None:
        self.lines = lines

    def visit_For(self, node: ast.For) -> ast.stmt:
        return self._loop(node)

    def visit_While(self, node: ast.While) -> ast.stmt:
        return self._loop(node)

    def _loop(self, node: ast.For | ast.While) -> ast.stmt:
        self.generic_visit(node)
        return self._clocked(node, node.lineno in self.lines)

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.stmt) and not hasattr(node, "body") and type(node) in EVALUATES:
            values = (part for part in ast.walk(node) if has_loop(part))
            lines = {part.lineno for part in values if isinstance(part, ast.expr)}
            return self._clocked(node, not lines.isdisjoint(self.lines))
        visited: ast.AST = super().visit(node)
        return visited

    def _clocked(self, node: ast.stmt, wanted: bool) -> ast.stmt:
        if not wanted:
            return node
        return ast.Try([_called(_BEGIN), node], [], [], [_called(_END)])


def _called(name: str) -> ast.stmt:
    return ast.Expr(ast.Call(ast.Name(name, ast.Load()), [], []))
