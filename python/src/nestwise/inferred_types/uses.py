"""Infers what a name must hold for the way it is used, where nothing says what it holds."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple, Protocol

from nestwise.inferred_types import values as g
from nestwise.inferred_types.scopes import Scope, Scopes, dotted


class Values(Protocol):
    """The evidence that does not come from uses; `infer.Guess` gives it."""

    scopes: Scopes

    def value(self, tree: Any, scope: Scope) -> Any:
        """What an expression of a scope gives."""

    def callee(self, call: ast.Call, scope: Scope) -> Scope | None:
        """The function of the script that a call runs."""


class Need(NamedTuple):
    """The need of a use: what it asks for."""

    rank: int = 0  # it is subscripted, or iterated over, so many times
    number: str = ""  # int or float: it, or its elements
    kind: str = ""  # list or ndarray


NOTHING = Need()
INT = Need(0, "int")
FLOAT = Need(0, "float")
_ARRAYS = ("shape", "ndim", "dtype", "size", "T", "astype", "tolist", "ravel", "fill", "reshape")
_WHOLE = (ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)


def value(guess: Values, scope: Scope, path: str) -> Any:
    """A value that has what all uses of a dotted name ask for; None if they ask for nothing."""
    need = Uses(guess).name(scope, path)
    number = need.number
    if not need.rank and need.kind != "list":
        return {"int": g.INT, "float": g.FLOAT}.get(number)
    if need.kind == "list":
        found: Any = {"int": g.INT, "float": g.FLOAT}.get(number)
        for _ in range(max(need.rank, 1)):
            found = g.Many("list", found)
        return found
    return g.Array("int64" if number == "int" else "float64", min(need.rank, 8))


def _both(needs: list[Need]) -> Need:
    """Gives what several uses ask for together. To be an index is a stronger need than to be a
    float.
    """
    numbers = [n.number for n in needs]
    number = "int" if "int" in numbers else "float" if "float" in numbers else ""
    rank = max((n.rank for n in needs), default=0)
    return Need(rank, number, max((n.kind for n in needs), default=""))


class Uses:
    """One question about one name; the names it passes through are looked at once."""

    def __init__(self, guess: Values) -> None:
        self.guess = guess
        self.up = guess.scopes.up
        self.asked: set[tuple[Scope, str]] = set()

    def name(self, scope: Scope, path: str) -> Need:
        """What all uses of a dotted name in a scope ask for together."""
        if (scope, path) in self.asked:
            return NOTHING
        self.asked.add((scope, path))
        places = [(scope, path)]
        first, _, rest = path.partition(".")
        if rest and first == scope.receiver() and scope.parent is not None:
            # An attribute of an object is used by all of its methods.
            others = [s for s in scope.parent.inner if s.is_function and s is not scope]
            places += [(s, f"{s.receiver()}.{rest}") for s in others]
        found = self.guess.scopes.uses
        return _both([self.use(use, s) for s, p in places for use in found.get((s, p), ())])

    def use(self, node: ast.expr, scope: Scope) -> Need:
        """What an expression is needed as, where it stands."""
        up: Any = self.up.get(node)
        match up:
            case ast.Subscript(base, index) if base is node:
                return self._subscripted(up, index, scope)
            case ast.Subscript() | ast.Slice():
                return INT
            case ast.Tuple():
                return self._in_tuple(node, up, scope)
            case ast.Call():
                return self._argument(node, up, scope)
            case ast.keyword():
                call = self.up.get(up)
                return self._given(call, up.arg, None, scope) if up.arg else NOTHING
            case ast.For() | ast.comprehension() if up.iter is node:
                return self._iterated(up.target, scope)
            case ast.Attribute(_, name):
                return self._attribute(up, name)
            case ast.Assign():
                return _both([self._target(t, scope) for t in up.targets])
            case ast.BinOp():
                return self._operand(node, up, scope)
            case ast.UnaryOp() | ast.IfExp():
                return (
                    NOTHING
                    if isinstance(up, ast.IfExp) and up.test is node
                    else self.use(up, scope)
                )
            case ast.Compare():
                return self._compared(node, up, scope)
        return NOTHING

    def _subscripted(self, up: ast.Subscript, index: ast.expr, scope: Scope) -> Need:
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        inner = self.use(up, scope) if isinstance(up.ctx, ast.Load) else self._stored(up, scope)
        return Need(inner.rank + len(parts), inner.number, "ndarray" if len(parts) > 1 else "")

    def _stored(self, up: ast.Subscript, scope: Scope) -> Need:
        """Gives the need of `a[i] = 0`: only a float that is stored tells anything."""
        statement = self.up.get(up)
        if isinstance(statement, ast.Assign):
            found = self.guess.value(statement.value, scope)
            if isinstance(found, g.Number) and found.kind == "float":
                return FLOAT
        return NOTHING

    def _in_tuple(self, node: ast.expr, up: ast.Tuple, scope: Scope) -> Need:
        outer = self.up.get(up)
        if isinstance(outer, ast.Subscript) and outer.slice is up:
            return INT
        if isinstance(outer, ast.Assign):
            at = up.elts.index(node)
            same = [t for t in outer.targets if isinstance(t, ast.Tuple) and len(t.elts) > at]
            return _both([self._target(t.elts[at], scope) for t in same])
        return NOTHING

    def _target(self, target: ast.expr, scope: Scope) -> Need:
        path = dotted(target)
        return self.name(scope, path) if path is not None else NOTHING

    def _iterated(self, target: ast.expr, scope: Scope) -> Need:
        inner = self._target(target, scope)
        rank = 1 + (len(target.elts) > 0 if isinstance(target, ast.Tuple) else inner.rank)
        return Need(rank, inner.number, "")

    def _argument(self, node: ast.expr, call: ast.Call, scope: Scope) -> Need:
        if node is call.func:
            return NOTHING
        match self.guess.value(call.func, scope):
            case g.Known("range"):
                return INT
            case g.Known("len" | "sum" | "sorted" | "reversed" | "enumerate" | "zip"):
                return self._listed(node, call, scope)
            case g.Known("min" | "max") if len(call.args) > 1:
                return self.use(call, scope)
            case g.Known(name) if name.startswith("math."):
                return FLOAT
        return self._given(call, None, call.args.index(node), scope)

    def _listed(self, node: ast.expr, call: ast.Call, scope: Scope) -> Need:
        """Gives the need of an argument of `enumerate(a)` or `zip(a, b)`: the targets of a loop
        over the call tell more.
        """
        name, loop = dotted(call.func), self.up.get(call)
        if name in ("enumerate", "zip") and isinstance(loop, (ast.For, ast.comprehension)):
            at = 1 if name == "enumerate" else call.args.index(node)
            if isinstance(loop.target, ast.Tuple) and at < len(loop.target.elts):
                return self._iterated(loop.target.elts[at], scope)
        return Need(1)

    def _given(self, call: Any, name: str | None, at: int | None, scope: Scope) -> Need:
        """The need of the parameter of a function of the script."""
        callee = self.guess.callee(call, scope)
        if callee is None:
            return NOTHING
        params = [a.arg for a in callee.params()]
        if at is not None:
            at += callee.receiver() is not None
            name = params[at] if at < len(params) else None
        return self.name(callee, name) if name in params else NOTHING

    def _attribute(self, up: ast.Attribute, name: str) -> Need:
        if name in ("append", "extend", "pop", "insert"):
            return Need(1, "", "list")
        if name != "shape":
            return Need(2 if name == "T" else 1, "", "ndarray") if name in _ARRAYS else NOTHING
        outer: Any = self.up.get(up)
        if isinstance(outer, ast.Subscript) and isinstance(outer.slice, ast.Constant):
            at = outer.slice.value
            return Need(at + 1 if isinstance(at, int) and at >= 0 else 1, "", "ndarray")
        if isinstance(outer, ast.Assign) and isinstance(outer.targets[0], ast.Tuple):
            return Need(len(outer.targets[0].elts), "", "ndarray")
        return Need(1, "", "ndarray")

    def _operand(self, node: ast.expr, up: ast.BinOp, scope: Scope) -> Need:
        if isinstance(up.op, _WHOLE):
            return INT
        other = up.right if up.left is node else up.left
        further = self.use(up, scope)
        if further.number == "int" and not isinstance(up.op, ast.Div):
            return INT
        known = self._literal(other)
        if isinstance(up.op, ast.Mod) and known == "int":
            return INT
        return FLOAT if isinstance(up.op, ast.Div) or known == "float" else NOTHING

    def _literal(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return type(node.value).__name__
        return ""

    def _compared(self, node: ast.expr, up: ast.Compare, scope: Scope) -> Need:
        others = [v for v in (up.left, *up.comparators) if v is not node]
        for other in others:
            found = None if isinstance(other, ast.Constant) else self.guess.value(other, scope)
            if isinstance(found, g.Number) and found.kind in ("int", "float"):
                return INT if found.kind == "int" else FLOAT
            if self._literal(other) == "float":
                return FLOAT
        return NOTHING
