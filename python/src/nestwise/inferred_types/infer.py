"""Infers types without running a script: what its names hold, as far as its text, and that of the
modules beside it, tells.

For each name the evidence is taken in this order: the last assignment before the place that is
surely passed; the arguments of the calls of a function in the same module, its parameters'
defaults and annotations; assignments elsewhere; and last how the name is used (`uses`).
The first that tells anything decides.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from nestwise.inferred_types import library, uses
from nestwise.inferred_types import values as g
from nestwise.inferred_types.scopes import FUNCTIONS, Binding, Scope, Scopes, dotted
from nestwise.rewriting import sources
from nestwise.rewriting.sources import FunctionText


class RandomText(Protocol):
    """A method of a random number generator as a function; `_core.RandomText` is one."""

    @property
    def text(self) -> str:
        """The function's lines."""

    @property
    def local_names(self) -> set[str]:
        """The names that are local to the function."""


class Uniform(NamedTuple):
    """`random.uniform` as a function."""

    text: str
    local_names: set[str]


class NamedFunction(NamedTuple):
    """A function that the extension module may inline."""

    text: FunctionText
    name: str
    library: str  # the method of a generator that it stands for, as `random.randint`, or nothing


ANYWHERE = 10**9  # a line behind all others: what a name holds in the end
# Deeper chains of evidence than this are given up.
MAX_DEPTH = 60
# Names looked up, after which what was not found is not looked for again.
MAX_QUESTIONS = 20_000
# Of `random.Random`, and written in Python.
UNIFORM = "random.uniform"
UNIFORM_TEXT = Uniform(
    "def uniform(self, a, b):\n    return a + (b - a) * self.random()\n", {"self", "a", "b"}
)
MODULES = (
    *("numpy", "math", "cmath", "random", "time", "copy", "array"),
    *("numpy.random", "numpy.linalg"),
)
CONSTANTS = {"math": ("pi", "e", "tau", "inf", "nan"), "numpy": ("pi", "e", "inf", "nan")}
# An access path: a name, and attributes and elements of what it holds.
_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*|\[-?\d+\])*")
# What callers of functions by name put in the functions' parameters.
_ANNOTATIONS = {
    "int": g.INT,
    "float": g.FLOAT,
    "bool": g.BOOL,
    "complex": g.COMPLEX,
    "str": g.TEXT,
    "bytes": g.BYTES,
}


class Guess:
    """The types inferred for one script."""

    def __init__(self, scopes: Scopes, random_text: Callable[[str], RandomText | None]) -> None:
        self.scopes = scopes
        self.functions: list[Scope | str] = []  # or the name of a method that draws
        self.known: dict[tuple[str, Scope, int], Any] = {}
        self.active: set[tuple[Any, ...]] = set()
        self.asked = 0
        self.random_text = random_text

    # ---- What the native part asks ---------------------------------------------------------------

    def describe(self, line: int, function: int | None, path: str) -> str:
        """Describes what an access path of the site at `line`, or of a function, holds."""
        scope = self.scopes.at(line) if function is None else self.functions[function]
        if isinstance(scope, str):
            return self._drawing(scope, path)
        value = self.path(path, scope, line if function is None else scope.node.lineno)
        match value:
            case g.Slice():
                return "other NoneType"
            case g.Function(found):
                return f"function {self._number(found)}"
            case g.Method(owner, Scope() as found):
                kind = "method" if isinstance(owner, g.Instance) else "function"
                return f"{kind} {self._number(found)}"
        if (drawn := library.draws(value)) is not None:
            return f"method {self._number(drawn)}"
        return g.words(value) or self._last_resort(path, scope)

    def _last_resort(self, path: str, scope: Scope) -> str:
        """Guesses a name that nothing tells of: an object if attributes of it are used, else a
        float.
        """
        longer = any(p.startswith(path + ".") for s, p in self.scopes.uses if s is scope)
        return "object" if longer else "float"

    def _drawing(self, name: str, path: str) -> str:
        """Describes what the access paths of a random generator's own methods hold."""
        if path == "self.random":
            return f"method {self._number('random.random')}"
        if path in ("int", "float", "len"):
            return f"known {path}"
        if path in ("log", "sqrt", "sin", "cos"):
            return f"known math.{path}"
        if path.endswith(".gauss_next"):
            return "float"
        if name == UNIFORM:
            return "object"
        return "array uint16" if name.startswith("numpy.random.Generator.") else "array uint32"

    def _number(self, scope: Scope | str) -> int:
        if scope not in self.functions:
            self.functions.append(scope)
        return self.functions.index(scope)

    def function(self, number: int) -> NamedFunction | None:
        """The text of a function by its number; None where it is not inlined."""
        scope = self.functions[number]
        if isinstance(scope, str):
            uniform: RandomText = UNIFORM_TEXT
            made = uniform if scope == UNIFORM else self.random_text(scope)
            if made is None:
                return None
            drawing = FunctionText(made.text, ANYWHERE, False, sorted(made.local_names), [])
            return NamedFunction(drawing, scope.rpartition(".")[2], scope)
        node, text = scope.node, scope.module().text
        plain = isinstance(node, ast.Lambda) or (
            isinstance(node, ast.FunctionDef) and not node.decorator_list
        )
        arguments = node.args
        defaults = [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]
        if not plain or not all(map(sources.is_constant, defaults)):
            return None
        own, indented = sources.text_of(node, text.split("\n"))
        if node.col_offset > 0 and "__" in own:
            return None
        names = sources.names_of(node, text)
        if names is None:
            return None
        local_names, free_names = map(sorted, names)
        found = FunctionText(own, node.lineno, indented, local_names, free_names)
        return NamedFunction(found, scope.name, "")

    # ---- Names -----------------------------------------------------------------------------------

    def path(self, path: str, scope: Scope, line: int) -> Any:
        """What a dotted name holds just before a line of a scope."""
        key = (path, scope, line)
        if key in self.known:
            return self.known[key]
        if key in self.active or len(self.active) > MAX_DEPTH:
            return None
        self.active.add(key)
        self.asked += 1
        try:
            value = self._path(path, scope, line)
            if value is None:
                value = uses.value(self, scope, path)
        finally:
            self.active.discard(key)
        # Nothing found in the middle of a circle of names may be found from elsewhere.
        if value is not None or not self.active or self.asked > MAX_QUESTIONS:
            self.known[key] = value
        return value

    def _path(self, path: str, scope: Scope, line: int) -> Any:
        if not _PATH.fullmatch(path):
            return self._computed(path, scope, line)
        if path.endswith("]"):
            whole, _, at = path[:-1].rpartition("[")
            return g.element(self.path(whole, scope, line), [g.COUNT], [int(at)])
        base, _, attribute = path.rpartition(".")
        found = self._bound(path, scope, line)
        if found is not None:
            return found
        if base:
            return self.attribute(self.path(base, scope, line), attribute)
        if scope.is_function:
            found = self._parameter(path, scope)
            if found is not None:
                return found
        own = path in scope.bindings or any(a.arg == path for a in scope.params())
        if own:
            return self._bound(path, scope, ANYWHERE)
        outer = scope.parent
        while outer is not None and outer.is_class:
            outer = outer.parent
        if outer is not None:
            return self.path(path, outer, ANYWHERE)
        return self._builtin(path, scope)

    def _computed(self, text: str, scope: Scope, line: int) -> Any:
        """What an expression that stands in the place of a name gives at a line of a scope."""
        try:
            tree = ast.parse(f"({text}\n)", mode="eval").body
        except SyntaxError:
            return None
        ast.increment_lineno(tree, line - 1)
        return self.value(tree, scope)

    def _builtin(self, name: str, module: Scope) -> Any:
        for star in module.bindings.get("*", ()):
            of = star.tree.removesuffix("*")
            of = of.removesuffix(".") if of.strip(".") else of
            local = self.scopes.imported(of, module)
            if local is not None and name in local.bindings:
                return self.path(name, local, ANYWHERE)
            if of == "math" and not hasattr(builtins, name):
                return self._imported(f"{of}.{name}", module)
        return g.Known(name) if hasattr(builtins, name) else None

    def _bound(self, name: str, scope: Scope, line: int) -> Any:
        """Infers a name's value from the last assignment before the line that is surely passed, or
        else from one that may be.
        """
        before = [b for b in scope.bindings.get(name, ()) if b.line < line]
        sure = [b for b in before if not b.within or b.within[0] <= line <= b.within[1]]
        unsure = [b for b in before if b not in sure]
        for binding in (*reversed(sure), *reversed(unsure)):
            value = self._value(name, binding, scope)
            if value == g.Many("list", None):
                return g.Many("list", self._appended(name, scope))
            if value is not None:
                return value
        return None

    def _appended(self, name: str, scope: Scope) -> Any:
        """Infers the values that are appended to a list that was empty."""
        for call, where in self.scopes.calls.get("append", ()):
            if where is scope and dotted(call.func) == f"{name}.append" and len(call.args) == 1:
                value = self.value(call.args[0], scope)
                if value is not None:
                    return value
        return None

    def _value(self, name: str, binding: Binding, scope: Scope) -> Any:
        match binding.kind:
            case "scope":
                inner = binding.tree
                return g.Class(inner) if inner.is_class else self._defined(inner)
            case "import":
                return self._imported(binding.tree, scope)
            case "annotation":
                return self.annotation(binding.tree, scope)
            case "update":
                before = self.path(name, scope, binding.line)
                return g.binary(binding.tree.op, before, self.value(binding.tree.value, scope))
        value = self.value(binding.tree, scope)
        if binding.kind == "item":
            value = g.item(value)
        for at in binding.path:
            value = g.element(value, [g.COUNT], [at])
        return value

    def _defined(self, scope: Scope) -> Any:
        return g.Other("property") if scope.decorated("property") else g.Function(scope)

    def _imported(self, name: str, importer: Scope) -> Any:
        whole = self.scopes.imported(name, importer)
        if whole is not None:
            return g.Local(whole)
        path = name.lstrip(".")
        module, _, short = path.rpartition(".")
        module = "." * (len(name) - len(path)) + module
        local = self.scopes.imported(module, importer) if module else None
        if local is not None:
            return self.path(short, local, ANYWHERE)
        if short in CONSTANTS.get(module, ()):
            return g.FLOAT
        if name in ("numpy.newaxis",):
            return g.Slice(True)
        known = module in MODULES and name not in MODULES
        return g.Known(name) if known else g.Module(name)

    def _parameter(self, name: str, scope: Scope) -> Any:
        if name == scope.receiver():
            made = g.Class if scope.decorated("classmethod") else g.Instance
            return made(scope.parent)
        param = next((a for a in scope.params() if a.arg == name), None)
        if param is None:
            return None
        given = g.join([self.value(tree, where) for tree, where in self.arguments(scope, name)])
        default = scope.default(name)
        if given is None and default is not None:
            given = self.value(default, scope.parent or scope)
        known = given if given != g.MISSING else None
        return known if known is not None else self.annotation(param.annotation, scope)

    def arguments(self, scope: Scope, name: str) -> Iterator[tuple[ast.expr, Scope]]:
        """What the calls of a function in this module give for a parameter."""
        at = [a.arg for a in scope.params()].index(name) - (scope.receiver() is not None)
        names = {scope.name}
        if scope.name == "__init__" and scope.parent is not None:
            makers = [s for s in scope.parent.inner if s.decorated("classmethod")]
            names = {scope.parent.name, *(s.receiver() for s in makers)}
        calls = [c for n in names for c in self.scopes.calls.get(n, ())]
        for call, where in calls:
            if where is scope or self.callee(call, where) is not scope:
                continue
            if any(isinstance(a, ast.Starred) for a in call.args):
                continue
            tree = next((k.value for k in call.keywords if k.arg == name), None)
            if tree is None and 0 <= at < len(call.args):
                tree = call.args[at]
            if tree is not None:
                yield tree, where

    def callee(self, call: ast.Call, scope: Scope) -> Scope | None:
        """The function of the script that a call runs."""
        match self.value(call.func, scope):
            case g.Function(Scope() as found) | g.Method(_, Scope() as found):
                return found
            case g.Class(Scope() as found):
                return found.method("__init__")
        return None

    def annotation(self, tree: ast.expr | None, scope: Scope) -> Any:
        """What an annotation says of a scalar; one of an array does not tell the rank."""
        if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
            return _ANNOTATIONS.get(tree.value)
        if isinstance(tree, ast.Subscript) and dotted(tree.value) == "list":
            return g.Many("list", self.annotation(tree.slice, scope))
        path = dotted(tree)
        if path in _ANNOTATIONS:
            return _ANNOTATIONS[path]
        found = self.path(path, scope.parent or scope, ANYWHERE) if path else None
        return g.Instance(found.scope) if isinstance(found, g.Class) else None

    # ---- Attributes ------------------------------------------------------------------------------

    def attribute(self, base: Any, name: str) -> Any:
        """What an attribute of a value holds."""
        match base:
            case g.Module(module):
                return self._imported(f"{module}.{name}", self.scopes.module)
            case g.Local(scope) if name in scope.bindings:
                return self.path(name, scope, ANYWHERE)
            case g.Local(scope):
                inside = self.scopes.imported(f".{name}", scope)
                return inside and g.Local(inside)
            case g.Known(owner):
                return g.Known(f"{owner}.{name}")
            case g.Instance(scope) | g.Class(scope):
                return self._member(base, scope, name)
            case g.Array(dtype, rank):
                fixed = {
                    "shape": g.Row("tuple", (g.COUNT,) * rank),
                    "size": g.COUNT,
                    "ndim": g.COUNT,
                    "T": base,
                    "flat": g.Many("flat", g.Scalar(dtype)),
                    "dtype": g.Other(f"dtype {dtype}"),
                    "real": library.real(base),
                    "imag": library.real(base),
                }
                return fixed.get(name, g.Method(base, name))
            case g.Scalar() if name in ("real", "imag"):
                return library.real(base)
            case g.Number() if name in ("real", "imag"):
                return g.FLOAT if base == g.COMPLEX else base
            case None:
                return g.Many("tuple", g.COUNT) if name == "shape" else None
        return g.Method(base, name)

    def _member(self, owner: Any, scope: Scope, name: str) -> Any:
        """An attribute of an object or a class: from its methods, its body, or its bases."""
        methods = sorted(
            (s for s in scope.inner if s.is_function), key=lambda s: s.name != "__init__"
        )
        for method in methods if isinstance(owner, g.Instance) else ():
            found = self._bound(f"{method.receiver()}.{name}", method, ANYWHERE)
            if found is not None:
                return found
        found = self._bound(name, scope, ANYWHERE)
        if isinstance(found, g.Function):
            return g.Method(None if found.scope.decorated("staticmethod") else owner, found.scope)
        if found is not None:
            return found
        for base in scope.node.bases:
            parent = self.value(base, scope.parent or scope)
            if isinstance(parent, g.Class) and parent.scope is not scope:
                found = self._member(owner, parent.scope, name)
                if found is not None:
                    return found
        return None

    # ---- Expressions -----------------------------------------------------------------------------

    def value(self, tree: Any, scope: Scope, names: dict[str, Any] | None = None) -> Any:
        """What an expression of a scope gives; `names` are those of comprehensions around it."""
        names = names or {}
        match tree:
            case ast.Constant(value):
                return g.constant(value)
            case ast.Name(name):
                return names[name] if name in names else self.path(name, scope, tree.lineno)
            case ast.Attribute(base, name):
                path = dotted(tree)
                if path is not None and path.partition(".")[0] not in names:
                    return self.path(path, scope, tree.lineno)
                return self.attribute(self.value(base, scope, names), name)
            case ast.Subscript(base, index):
                return self._element(self.value(base, scope, names), index, scope, names)
            case ast.BinOp(left, op, right):
                both = self.value(left, scope, names), self.value(right, scope, names)
                return g.binary(op, *both)
            case ast.UnaryOp(op, operand):
                return self._unary(op, self.value(operand, scope, names))
            case ast.BoolOp(_, values):
                return g.join([self.value(v, scope, names) for v in values])
            case ast.Compare(left, _, others):
                return _compared([self.value(v, scope, names) for v in (left, *others)])
            case ast.IfExp(_, body, orelse):
                # As with assignments in branches, the later one decides.
                return g.join([self.value(orelse, scope, names), self.value(body, scope, names)])
            case ast.Call():
                return self._call(tree, scope, names)
        return self._display(tree, scope, names)

    def _display(self, tree: Any, scope: Scope, names: dict[str, Any]) -> Any:
        match tree:
            case ast.List(items) | ast.Tuple(items):
                kind = "list" if isinstance(tree, ast.List) else "tuple"
                if kind == "list" and not items:
                    return g.Many(kind, None)
                return g.Row(kind, tuple(self.value(i, scope, names) for i in items))
            case ast.Dict(_, values):
                return g.Table(g.join([self.value(v, scope, names) for v in values]))
            case ast.DictComp(_, element, generators):
                return g.Table(self.value(element, scope, self._targets(generators, scope, names)))
            case ast.ListComp(element, generators) | ast.GeneratorExp(element, generators):
                kind = "list" if isinstance(tree, ast.ListComp) else "generator"
                inner = self._targets(generators, scope, names)
                return g.Many(kind, self.value(element, scope, inner))
            case ast.JoinedStr():
                return g.TEXT
            case ast.Lambda():
                found = self.scopes.of.get(tree)
                return found and g.Function(found)
        return None

    def _targets(
        self, generators: Sequence[Any], scope: Scope, names: dict[str, Any]
    ) -> dict[str, Any]:
        names = dict(names)
        for part in generators:
            pending = [(part.target, g.item(self.value(part.iter, scope, names)))]
            while pending:
                target, value = pending.pop()
                if isinstance(target, ast.Name):
                    names[target.id] = value
                for at, inner in enumerate(getattr(target, "elts", ())):
                    pending.append((inner, g.element(value, [g.COUNT], [at])))
        return names

    def _element(self, base: Any, index: ast.expr, scope: Scope, names: dict[str, Any]) -> Any:
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        values, numbers = [], []
        for part in parts:
            if isinstance(part, ast.Slice):
                values.append(g.Slice(False))
            elif isinstance(part, ast.Constant) and part.value is None:
                values.append(g.Slice(True))
            else:
                values.append(self.value(part, scope, names))
            numbers.append(_int(part))
        return g.element(base, values, numbers)

    def _unary(self, op: ast.unaryop, value: Any) -> Any:
        if isinstance(op, ast.Not):
            return g.BOOL
        if isinstance(value, g.Number) and value.kind in ("int", "bool"):
            return g.INT
        return value

    def _call(self, tree: ast.Call, scope: Scope, names: dict[str, Any]) -> Any:
        function = self.value(tree.func, scope, names)
        trees = [a.value if isinstance(a, ast.Starred) else a for a in tree.args]
        named = {k.arg: k.value for k in tree.keywords if k.arg}
        places: list[tuple[int | str, ast.expr]] = [*enumerate(trees), *named.items()]
        call = library.Call(
            [self.value(a, scope, names) for a in trees],
            {name: self.value(a, scope, names) for name, a in named.items()},
            {
                at: a.value
                for at, a in places
                if isinstance(a, ast.Constant) and type(a.value) is str
            },
        )
        match function:
            case g.Known(name):
                return library.function(name, call)
            case g.Class(found):
                return g.Instance(found)
            case g.Function(found) | g.Method(_, Scope() as found):
                return self.returned(found)
            case g.Method(owner, str(name)):
                return library.method(owner, name, call)
        return None

    def returned(self, scope: Scope) -> Any:
        """What a function of the script returns."""
        if isinstance(scope.node, ast.Lambda):
            return self.value(scope.node.body, scope)
        key = ("return", scope)
        if key in self.active:
            return None
        self.active.add(key)
        try:
            values = [self.value(r.value, scope) for r in _returns(scope.node) if r.value]
        finally:
            self.active.discard(key)
        return g.join([v for v in values if v != g.MISSING])


def _compared(values: list[Any]) -> Any:
    if any(isinstance(v, g.Array) for v in values):
        return g.Array("bool", max(map(g.rank_of, values)))
    return g.Scalar("bool") if any(isinstance(v, g.Scalar) for v in values) else g.BOOL


def _returns(node: Any) -> Iterator[ast.Return]:
    for statement in node.body:
        pending = [statement]
        while pending:
            part = pending.pop(0)
            if isinstance(part, ast.Return):
                yield part
            if not isinstance(part, (*FUNCTIONS, ast.ClassDef, ast.expr)):
                pending.extend(ast.iter_child_nodes(part))


def _int(tree: ast.expr) -> int | None:
    """The int that an expression writes out."""
    match tree:
        case ast.Constant(int(number)):
            return number
        case ast.UnaryOp(ast.USub(), ast.Constant(int(number))):
            return -number
    return None
