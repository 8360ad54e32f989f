"""Which names of a script are variables that a loop may carry something in."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef
_EXPRESSIONS = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(eq=False)
class Scope:
    """A module, class, function, or an expression with variables of its own.

    `tracked` are the variables worth recording: those assigned in a loop, or from another scope.
    A function's other variables are fresh for each call and constant over its loops.
    """

    kind: str
    number: int
    parent: Scope | None
    name: str
    own: set[str] = field(default_factory=set)
    in_loops: set[str] = field(default_factory=set)
    everywhere: set[str] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)
    tracked: set[str] = field(default_factory=set)
    generator: bool = False

    @property
    def frame(self) -> str:
        """The hidden variable that holds what is known of this scope's variables."""
        return f"__trace_frame_{self.number}__"

    def owner(self, name: str) -> Scope | None:
        """The scope whose variable `name` means here; None for builtins."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.everywhere:
                return scope.module()
            if name in scope.own and (scope is self or scope.kind != "class"):
                return scope
            scope = scope.parent
        return None

    def module(self) -> Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


def scopes_of(tree: ast.Module) -> dict[ast.AST, Scope]:
    """Every node that has a scope of its own, with it."""
    found: dict[ast.AST, Scope] = {}

    def enter(node: ast.AST, kind: str, parent: Scope | None, name: str) -> None:
        scope = found[node] = Scope(kind, len(found), parent, name)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            given = node.args
            for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs):
                scope.own.add(argument.arg)
            scope.own.update(a.arg for a in (given.vararg, given.kwarg) if a)
        body = node.body if isinstance(node.body, list) else [node.body]  # type: ignore[attr-defined]
        for child in body:
            look(child, scope, False)

    def comprehension(node: ast.AST, parent: Scope) -> None:
        scope = found[node] = Scope("expression", len(found), parent, "")
        for generator in node.generators:  # type: ignore[attr-defined]
            for part in ast.walk(generator.target):
                if isinstance(part, ast.Name):
                    scope.own.add(part.id)
        for child in ast.iter_child_nodes(node):
            look(child, scope, False)

    def look(node: ast.AST, scope: Scope, in_loop: bool) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bind(node.name, scope, in_loop)
            for outside in (*node.decorator_list, *_defaults(node)):
                look(outside, scope, in_loop)
            kind = "class" if isinstance(node, ast.ClassDef) else "function"
            prefix = scope.name + "." if scope.name and scope.kind != "module" else ""
            enter(node, kind, scope, prefix + node.name)
            return
        if isinstance(node, ast.Lambda):
            for outside in _defaults(node):
                look(outside, scope, in_loop)
            return enter(node, "expression", scope, scope.name)
        if isinstance(node, _EXPRESSIONS):
            return comprehension(node, scope)
        if isinstance(node, ast.Global):
            scope.everywhere.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            scope.outer.update(node.names)
        elif isinstance(node, (ast.Yield, ast.YieldFrom)):
            scope.generator = True
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bind(node.id, scope, in_loop)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
            if node.name:
                bind(node.name, scope, in_loop)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            bind(node.rest, scope, in_loop)
        elif isinstance(node, ast.alias):
            bind((node.asname or node.name).split(".")[0], scope, in_loop)
        in_loop = in_loop or isinstance(node, _LOOPS)
        for child in ast.iter_child_nodes(node):
            look(child, scope, in_loop)

    def bind(name: str, scope: Scope, in_loop: bool) -> None:
        while scope.kind == "expression" and name not in scope.own and scope.parent:
            scope = scope.parent  # what := assigns
        scope.own.add(name)
        if in_loop:
            scope.in_loops.add(name)

    enter(tree, "module", None, "<module>")
    for scope in found.values():
        _settle(scope)
    return found


def _defaults(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.ClassDef):
        return [*node.bases, *node.keywords]
    arguments = node.args  # type: ignore[attr-defined]
    return [*arguments.defaults, *(d for d in arguments.kw_defaults if d)]


def _settle(scope: Scope) -> None:
    """Names declared global or nonlocal belong to someone else, who must track them."""
    if scope.kind == "expression":
        return
    for name in scope.everywhere:
        if name in scope.own and scope.kind != "module":
            scope.module().own.add(name)
            scope.module().tracked.add(name)
    scope.own -= scope.outer
    if scope.kind != "module":
        scope.own -= scope.everywhere
    for name in scope.outer:
        owner = scope.owner(name)
        if owner is not None:
            owner.tracked.add(name)
    scope.tracked |= (scope.own if scope.generator else scope.in_loops) & scope.own
