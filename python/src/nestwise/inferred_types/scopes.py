"""The scopes of a module for `infer`: what each name is bound by, and who calls whom."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from nestwise.rewriting import sources
from nestwise.rewriting.compiling import plain_code

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Binding(NamedTuple):
    """One way in which a name gets a value."""

    line: int
    within: tuple[int, int] | None  # lines of the innermost branch that it stands in
    kind: str  # value, item, update, scope, import
    tree: Any
    path: tuple[int, ...] = ()  # which element, where a tuple is unpacked


class Scope:
    """A module, a function or a class."""

    def __init__(self, node: Any, parent: Scope | None) -> None:
        self.node = node
        self.parent = parent
        self.is_class = isinstance(node, ast.ClassDef)
        self.is_function = isinstance(node, FUNCTIONS)
        self.name = getattr(node, "name", "<lambda>" if self.is_function else "")
        self.bindings: dict[str, list[Binding]] = {}
        self.globals: set[str] = set()
        self.inner: list[Scope] = []
        self.text = ""  # of a module
        self.folder = ""

    def module(self) -> Scope:
        """The module around it."""
        return self if self.parent is None else self.parent.module()

    def params(self) -> list[ast.arg]:
        """The parameters of a function, but for `*args` and `**kwargs`."""
        if not self.is_function:
            return []
        arguments = self.node.args
        return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]

    def default(self, name: str) -> ast.expr | None:
        """The default of a parameter."""
        arguments = self.node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        late = positional[len(positional) - len(arguments.defaults) :]
        pairs = [*zip(late, arguments.defaults, strict=True)]
        pairs += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        return next((d for a, d in pairs if a.arg == name), None)

    def decorated(self, name: str) -> bool:
        """Whether a decorator of that name stands before it."""
        found = [ast.unparse(d) for d in getattr(self.node, "decorator_list", ())]
        return any(d.rpartition(".")[2] == name for d in found)

    def receiver(self) -> str | None:
        """The name of a method's first parameter."""
        if self.parent is None or not self.parent.is_class or self.decorated("staticmethod"):
            return None
        params = self.params()
        return params[0].arg if params else None

    def method(self, name: str) -> Scope | None:
        """A function of this class."""
        return next((s for s in self.inner if s.is_function and s.name == name), None)

    def holds(self, line: int) -> bool:
        """Whether a line lies in it."""
        return line in range(self.node.lineno, self.node.end_lineno + 1)


def dotted(node: Any) -> str | None:
    """Gives a dotted name like `a` or `a.b.c`; None for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return base and f"{base}.{node.attr}"
    return None


class Scopes:
    """All scopes of a script and of the modules beside it that it imports, the calls in them, and
    every node's parent.
    """

    def __init__(self, tree: ast.Module, text: str, path: str) -> None:
        self.calls: dict[str, list[tuple[ast.Call, Scope]]] = {}
        self.up: dict[ast.AST, ast.AST] = {}
        self.uses: dict[tuple[Scope, str], list[ast.expr]] = {}
        self.of: dict[ast.AST, Scope] = {}
        self.read: dict[str, Scope | None] = {}
        self.module = self._add(tree, text, path)

    def _add(self, tree: ast.Module, text: str, path: str) -> Scope:
        module = Scope(tree, None)
        module.text, module.folder = text, os.path.dirname(os.path.abspath(path))
        self.read[os.path.abspath(path)] = module
        for statement in tree.body:
            self._visit(statement, module, None)
        return module

    def imported(self, name: str, importer: Scope) -> Scope | None:
        """The module `a.b` beside the script, or `.a.b` beside the module that imports it."""
        base, dots = importer.module().folder, len(name) - len(name.lstrip("."))
        if dots == 0:
            base = self.module.folder
        for _ in range(dots - 1):
            base = os.path.dirname(base)
        place = os.path.join(base, *name[dots:].split(".")) if name[dots:] else base
        for path in (place + ".py", os.path.join(place, "__init__.py")):
            if path not in self.read and os.path.isfile(path):
                self.read[path] = None
                self._read(path)
            if self.read.get(path) is not None:
                return self.read[path]
        return None

    def _read(self, path: str) -> None:
        try:
            with open(path, "rb") as file:
                source = file.read()
            self._add(plain_code(source, path)[0], sources.decode(source), path)
        except (OSError, SyntaxError, ValueError):
            # The program would not get far with it; whatever it defines is unknown.
            pass

    def at(self, line: int) -> Scope:
        """The innermost function around a line, or the module."""
        found, pending = self.module, list(self.module.inner)
        while pending:
            scope = pending.pop()
            if scope.holds(line):
                pending = list(scope.inner)
                found = found if scope.is_class else scope
        return found

    def _visit(self, node: ast.AST, scope: Scope, within: tuple[int, int] | None) -> None:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            self._enter(node, scope, within)
            return
        self.of[node] = scope
        self._bind(node, scope, within)
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else dotted(node.func)
            if name is not None:
                self.calls.setdefault(name, []).append((node, scope))
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            path = dotted(node)
            if path is not None:
                self.uses.setdefault((scope, path), []).append(node)
        for field, child in _children(node):
            self.up[child] = node
            self._visit(child, scope, _branch(node, field) or within)

    def _enter(self, node: Any, scope: Scope, within: tuple[int, int] | None) -> None:
        inner = Scope(node, scope)
        self.of[node] = inner
        scope.inner.append(inner)
        if inner.name != "<lambda>":
            _add(scope, inner.name, Binding(node.lineno, within, "scope", inner))
        for field, child in _children(node):
            self.up[child] = node
            outside = field in ("decorator_list", "args", "bases", "keywords", "returns")
            self._visit(child, scope if outside else inner, within if outside else None)

    def _bind(self, node: Any, scope: Scope, within: tuple[int, int] | None) -> None:
        at = (getattr(node, "lineno", 0), within)
        if isinstance(node, ast.Assign):
            for target in node.targets:
                _targets(scope, target, Binding(*at, "value", node.value))
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            _targets(scope, node.target, Binding(*at, "value", node.value))
        elif isinstance(node, ast.AnnAssign):
            _targets(scope, node.target, Binding(*at, "annotation", node.annotation))
        elif isinstance(node, ast.NamedExpr):
            _targets(scope, node.target, Binding(*at, "value", node.value))
        elif isinstance(node, ast.AugAssign):
            _targets(scope, node.target, Binding(*at, "update", node))
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            _targets(scope, node.target, Binding(*at, "item", node.iter))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node, scope, at)
        elif isinstance(node, ast.Global):
            scope.globals.update(node.names)

    def _import(self, node: Any, scope: Scope, at: tuple[int, Any]) -> None:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                whole = "." * node.level + ".".join(filter(None, (node.module, alias.name)))
                _add(scope, alias.asname or alias.name, Binding(*at, "import", whole))
            elif alias.asname:
                _add(scope, alias.asname, Binding(*at, "import", alias.name))
            else:
                first = alias.name.partition(".")[0]
                _add(scope, first, Binding(*at, "import", first))


def _children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield field, child


def _branch(node: Any, field: str) -> tuple[int, int] | None:
    """The lines of a branch that may be passed by."""
    if isinstance(node, ast.If) and field in ("body", "orelse"):
        block = getattr(node, field)
        return _lines(block)
    if isinstance(node, (ast.ExceptHandler, ast.match_case)) and field == "body":
        return _lines(node.body)
    return None


def _lines(block: list[ast.stmt]) -> tuple[int, int]:
    """The first and the last line of a block."""
    return block[0].lineno, block[-1].end_lineno or block[-1].lineno


def _targets(scope: Scope, target: Any, binding: Binding) -> None:
    if isinstance(target, (ast.Tuple, ast.List)):
        for at, part in enumerate(target.elts):
            _targets(scope, part, binding._replace(path=(*binding.path, at)))
    elif (path := dotted(target)) is not None:
        _add(scope, path, binding)


def _add(scope: Scope, name: str, binding: Binding) -> None:
    while name in scope.globals and scope.parent is not None:
        scope = scope.parent
    scope.bindings.setdefault(name, []).append(binding)
