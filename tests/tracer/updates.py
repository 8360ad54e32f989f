"""Which accesses in a statement's text form an update by one associative operation.

Recognised by their text only; that nothing else touches the location is for the trace to show.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .sites import Update

Updates = dict[ast.expr, Update]

_OPERATORS = {
    ast.Add: "sum",
    ast.Sub: "sum",
    ast.Mult: "product",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
}
_EXTREMES = {
    "min": "min",
    "minimum": "min",
    "fmin": "min",
    "max": "max",
    "maximum": "max",
    "fmax": "max",
}
_PLACES = (ast.Name, ast.Attribute, ast.Subscript)


def updates_in(statement: ast.stmt) -> Updates:
    """The parts of `statement` that belong to an update: reads and the write alike."""
    if isinstance(statement, ast.AugAssign):
        op = _OPERATORS.get(type(statement.op))
        if op is None:
            return {}
        return {statement.target: Update(op, op, _invariant(statement.value))}
    if isinstance(statement, ast.If):
        return _guarded(statement)
    found: Updates = {}
    for target, value in _pairs(statement):
        found.update(_assigned(target, value))
    return found


def _pairs(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr]]:
    """`x, k = e, i` as its single assignments."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        starred = any(isinstance(e, ast.Starred) for e in (*target.elts, *value.elts))
        if len(target.elts) == len(value.elts) and not starred:
            yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value


def _assigned(target: ast.expr, value: ast.expr) -> Updates:
    """`x = x op e`, `x = max(x, e)`, `x = x and e`, `x = e if e < x else x`."""
    if not isinstance(target, _PLACES):
        return {}
    if isinstance(value, ast.BinOp):
        return _chained(target, value)
    if isinstance(value, ast.BoolOp):
        op = "and" if isinstance(value.op, ast.And) else "or"
        return _one_of(target, value.values, Update(op, op))
    if isinstance(value, ast.Call) and not value.keywords:
        op = _EXTREMES.get(_function_name(value.func), "")
        return _one_of(target, value.args, Update(op, op)) if op and len(value.args) > 1 else {}
    if isinstance(value, ast.IfExp):
        return _chosen(target, value)
    return {}


def _chained(target: ast.expr, value: ast.BinOp) -> Updates:
    """The target as one leaf of a chain of one operation, never behind a minus."""
    op = _OPERATORS.get(type(value.op))
    if op is None:
        return {}
    leaves: list[ast.expr] = []
    negated: list[ast.expr] = []

    def collect(node: ast.expr, into: list[ast.expr]) -> None:
        if isinstance(node, ast.BinOp) and _OPERATORS.get(type(node.op)) == op:
            collect(node.left, into)
            collect(node.right, negated if isinstance(node.op, ast.Sub) else into)
        else:
            into.append(node)

    collect(value, leaves)
    if any(_same(leaf, target) for leaf in negated):
        return {}
    others = [leaf for leaf in leaves + negated if not _same(leaf, target)]
    steps = [_invariant(leaf) for leaf in others]
    step = None if None in steps else frozenset().union(*steps)
    return _one_of(target, leaves, Update(op, op, step))


def _one_of(target: ast.expr, operands: list[ast.expr], update: Update) -> Updates:
    mine = [operand for operand in operands if _same(operand, target)]
    return {target: update, mine[0]: update} if len(mine) == 1 else {}


def _chosen(target: ast.expr, value: ast.IfExp) -> Updates:
    """`x = e if e < x else x` and `x = x if x < e else e`."""
    for kept, taken, if_taken in (
        (value.orelse, value.body, True),
        (value.body, value.orelse, False),
    ):
        if not _same(kept, target):
            continue
        found = _extreme(value.test, target, taken, if_taken)
        if found:
            place, op = found
            update = Update(op, op)
            return {target: update, place: update, kept: update}
    return {}


def _extreme(
    test: ast.expr, target: ast.expr, taken: ast.expr, if_taken: bool
) -> tuple[ast.expr, str] | None:
    """Where `test` compares the target with what replaces it, and which of the two is kept."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    left, right = test.left, test.comparators[0]
    if isinstance(test.ops[0], (ast.Lt, ast.LtE)):
        left_is_less = True
    elif isinstance(test.ops[0], (ast.Gt, ast.GtE)):
        left_is_less = False
    else:
        return None
    if _same(right, target) and _same(left, taken):
        return right, "min" if left_is_less == if_taken else "max"
    if _same(left, target) and _same(right, taken):
        return left, "max" if left_is_less == if_taken else "min"
    return None


def _guarded(statement: ast.If) -> Updates:
    """`if e < x: x = e`, with `k = i` beside it, or `if f(i) < f(k): k = i`.

    Anything else under the condition would depend on the order of the iterations.
    """
    if statement.orelse:
        return {}
    pairs = []
    for inner in statement.body:
        here = list(_pairs(inner))
        if not here:
            return {}
        pairs += here
    test = statement.test
    tests = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    for target, value in pairs:
        for part in tests:
            found = _extreme(part, target, value, True)
            if found:
                place, op = found
                rest = [t for t, _ in pairs if t is not target]
                if not all(isinstance(t, (ast.Name, ast.Attribute)) for t in rest):
                    return {}
                companions = frozenset(ast.unparse(t) for t in rest)
                update = Update(op, "arg" + op if companions else op, None, companions)
                return {target: update, place: update}
    if len(pairs) == 1 and len(tests) == 1:
        return _position(tests[0], *pairs[0])
    return {}


def _position(test: ast.expr, target: ast.expr, value: ast.expr) -> Updates:
    """`if f(i) < f(k): k = i`: the place of the least so far is all that is kept."""
    if not (isinstance(target, ast.Name) and isinstance(value, ast.Name)):
        return {}
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return {}
    if not isinstance(test.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
        return {}
    less = isinstance(test.ops[0], (ast.Lt, ast.LtE))
    for kept, fresh, op in (
        (test.comparators[0], test.left, "argmin" if less else "argmax"),
        (test.left, test.comparators[0], "argmax" if less else "argmin"),
    ):
        places = [n for n in ast.walk(kept) if isinstance(n, ast.Name) and n.id == target.id]
        if places and _same(_renamed(kept, target.id, value.id), fresh):
            update = Update("place of " + op, op)
            return {target: update} | {place: update for place in places}
    return {}


def _renamed(node: ast.expr, old: str, new: str) -> ast.expr:
    class Rename(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.Name:
            return ast.Name(new if name.id == old else name.id, name.ctx)

    return Rename().visit(ast.parse(ast.unparse(node), mode="eval").body)


def _invariant(value: ast.expr) -> frozenset[str] | None:
    """The names in `value`, or None where it is more than arithmetic on names and constants."""
    allowed = (ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Load)
    nodes = list(ast.walk(value))
    if not all(isinstance(node, allowed) for node in nodes):
        return None
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))


def _function_name(func: ast.expr) -> str:
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""


def _same(a: ast.expr, b: ast.expr) -> bool:
    return ast.unparse(a) == ast.unparse(b)
