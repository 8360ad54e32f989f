"""Finds what a loop may rely on: which of its names are local, and which are surely bound.

`analyse` tells for every statement of a tree which function or module owns it, and which names have
a value on every path that reaches it (`Facts`). Locality is CPython's own answer (symtable).
Boundness is a forward walk that errs on one side only: a name it lists never raises when it is read
before the statement.
"""

from __future__ import annotations

import _symtable  # type: ignore[import-not-found]  # `symtable` takes longer to import

from nestwise.rewriting import syntax

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    Function: TypeAlias = syntax.FunctionDef | syntax.AsyncFunctionDef
    Owner: TypeAlias = Function | syntax.Module
    # The symbol tables of functions, by their names and first lines.
    Tables: TypeAlias = dict[tuple[str, int], Any]

Names = frozenset[str]
NOTHING: Names = frozenset()

# Context managers that let every exception through. What any other may swallow leaves the names
# its body binds in doubt.
TRANSPARENT = {"open", "np.errstate", "numpy.errstate"}


class Scope:
    """One function body, or the module's."""

    def __init__(self, node: Owner, table: Any, qualname: str, klass: str | None) -> None:
        self.node = node
        self.qualname = qualname
        self.klass: str | None = klass  # the class whose private names are mangled here
        self.module_level = table is None
        self.is_async = isinstance(node, syntax.AsyncFunctionDef)
        self.locals: Names = NOTHING
        self.frees: Names = NOTHING
        self.shared: Names = NOTHING  # those that another function sees as well
        self.unstable: Names = NOTHING  # those that some function around or inside unbinds
        if table is not None:
            self.frees = _names(table, _symtable.FREE)
            self.locals = _names(table, _symtable.LOCAL, _symtable.CELL) | self.frees
            self.shared = self.frees | _frees_below(table)


class Facts:
    """The facts about the statements of one tree, in side tables by statement."""

    def __init__(self) -> None:
        self._scopes: dict[syntax.AST, Scope | None] = {}
        self._states: dict[syntax.AST, Names] = {}

    def note(self, node: syntax.stmt, scope: Scope | None, state: Names) -> None:
        """Records the owner of a statement, and the names that have a value before it."""
        self._scopes[node] = scope
        self._states[node] = state

    def copied(self, node: syntax.AST, copy: syntax.AST) -> None:
        """Gives a copy of a node the facts of the node."""
        if node in self._states:
            self._scopes[copy] = self._scopes[node]
            self._states[copy] = self._states[node]

    def scope(self, node: syntax.AST) -> Scope | None:
        """The function or module that owns a statement; None in a class body."""
        return self._scopes[node]

    def state(self, node: syntax.AST) -> Names:
        """The names that have a value on every path that reaches a statement."""
        return self._states[node]

    def bound(self, node: syntax.AST) -> Names:
        """The local names that a site at a statement can rely on to have a value."""
        scope = self._scopes[node]
        if scope is None or scope.module_level:
            return NOTHING
        return (self._states[node] & scope.locals) - (scope.unstable & scope.shared)


def analyse(tree: syntax.Module, text: str, filename: str) -> Facts:
    """The facts of a module's statements; `text` is its source. Raises SyntaxError."""
    tables: Tables = {}
    # A line more: CPython takes a file that ends in a backslash, a carriage return and a line
    # feed, but not its decoded lines.
    _collect(_symtable.symtable(text + "\n", filename, "exec"), tables)
    scope = Scope(tree, None, "", None)
    found: list[set[str]] = []

    def trusted() -> set[str]:
        # Asked for at the first `with` only: it looks at the whole file.
        if not found:
            found.append(_trusted(tree))
        return found[0]

    facts = Facts()
    _Flow(scope, tables, NOTHING, trusted, facts).block(tree.body, NOTHING)
    return facts


def mangle(name: str, klass: str | None) -> str:
    """The name that CPython gives to `name` inside class `klass`."""
    if klass is None or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    stripped = klass.lstrip("_")
    return f"_{stripped}{name}" if stripped else name


def _names(table: Any, *kinds: int) -> Names:
    """The names of a table whose scopes are of these kinds."""
    return frozenset(
        name
        for name, flags in table.symbols.items()
        if flags >> _symtable.SCOPE_OFF & _symtable.SCOPE_MASK in kinds
    )


def _parameters(table: Any) -> Names:
    return frozenset(n for n, flags in table.symbols.items() if flags & _symtable.DEF_PARAM)


def _collect(table: Any, tables: Tables) -> None:
    """Collects functions by name and line: two of them never share both, since a `def` owns its
    line.
    """
    for child in table.children:
        if child.type == _symtable.TYPE_FUNCTION:
            tables.setdefault((child.name, child.lineno), child)
        _collect(child, tables)


def _frees_below(table: Any) -> Names:
    below = [_names(child, _symtable.FREE) | _frees_below(child) for child in table.children]
    return NOTHING.union(*below)


def _trusted(tree: syntax.Module) -> set[str]:
    """The transparent context managers, less those whose name this file binds itself."""
    bound = set()
    for node in syntax.walk(tree):
        if isinstance(node, syntax.Name) and not isinstance(node.ctx, syntax.Load):
            bound.add(node.id)
        elif isinstance(node, (syntax.FunctionDef, syntax.AsyncFunctionDef, syntax.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, syntax.arg):
            bound.add(node.arg)
        elif isinstance(node, (syntax.Import, syntax.ImportFrom)):
            bound.update(a.asname or a.name for a in node.names if a.name not in ("numpy", "np"))
    return set() if "*" in bound else {t for t in TRANSPARENT if t.split(".")[0] not in bound}


def _killed(nodes: Iterable[syntax.AST], klass: str | None, deep: bool = False) -> Names:
    """The names that `del` or the end of an `except ... as` may unbind in these statements.

    `deep` looks into the functions and classes inside as well.
    """
    found = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, syntax.Name) and isinstance(node.ctx, syntax.Del):
            found.add(mangle(node.id, klass))
        elif isinstance(node, syntax.ExceptHandler) and node.name:
            found.add(mangle(node.name, klass))
        if isinstance(node, syntax.ClassDef) and deep:
            found |= _killed(node.body, node.name, deep)
        elif (
            isinstance(node, (syntax.FunctionDef, syntax.AsyncFunctionDef, syntax.ClassDef))
            and not deep
        ):
            continue
        elif isinstance(
            node,
            (syntax.stmt, syntax.ExceptHandler, syntax.expr_context, syntax.Tuple, syntax.List),
        ):
            pending.extend(syntax.iter_child_nodes(node))
        elif isinstance(node, syntax.match_case):
            pending.extend(node.body)
    return frozenset(found)


def _targets(node: syntax.AST | None, klass: str | None) -> Names:
    """The plain names that an assignment to `node` binds."""
    if isinstance(node, syntax.Name):
        return frozenset((mangle(node.id, klass),))
    if isinstance(node, (syntax.Tuple, syntax.List)):
        return NOTHING.union(*(_targets(e, klass) for e in node.elts))
    if isinstance(node, syntax.Starred):
        return _targets(node.value, klass)
    return NOTHING


def _captures(pattern: syntax.AST, klass: str | None) -> Names:
    """The names that a match binds; CPython demands the same of all parts of an or-pattern."""
    found = set()
    for node in syntax.walk(pattern):
        name = getattr(node, "rest", None) if isinstance(node, syntax.MatchMapping) else None
        if isinstance(node, (syntax.MatchAs, syntax.MatchStar)):
            name = node.name
        if name:
            found.add(mangle(name, klass))
    return frozenset(found)


def _join(*states: Names | None) -> Names | None:
    """Joins states where paths meet; None is a path that is never taken."""
    alive = [s for s in states if s is not None]
    return frozenset.intersection(*alive) if alive else None


class _Flow:
    """The walk over one scope. A state is the set of surely bound names, None in dead code."""

    def __init__(
        self,
        scope: Scope,
        tables: Tables,
        unstable: Names,
        trusted: Callable[[], set[str]],
        facts: Facts,
    ) -> None:
        self.facts = facts
        self.scope = scope
        self.tables = tables
        self.unstable = scope.unstable = unstable  # of this nest of functions
        self.trusted = trusted
        self.owner: Scope | None = scope  # None while in a class body
        self.klass = scope.klass
        self.path = "" if scope.module_level else scope.qualname + ".<locals>."
        self.around: Names = NOTHING  # in a class body, what the function around it has bound
        self.breaks: list[list[Names]] = []  # per open loop, the states at its breaks

    def block(self, statements: list[syntax.stmt], state: Names | None) -> Names | None:
        for statement in statements:
            self.facts.note(statement, self.owner, NOTHING if state is None else state)
            visit = getattr(self, "_" + type(statement).__name__, None)
            if visit is None:
                continue
            if state is None:  # dead code: nothing is known, and nothing comes out of it
                visit(statement, NOTHING)
            else:
                state = visit(statement, state)
        return state

    def _bind(self, state: Names, *targets: syntax.AST | None) -> Names:
        return state.union(*(_targets(t, self.klass) for t in targets))

    # Simple statements.

    def _Assign(self, node: syntax.Assign, state: Names) -> Names:
        return self._bind(state, *node.targets)

    def _AnnAssign(self, node: syntax.AnnAssign, state: Names) -> Names:
        return self._bind(state, node.target) if node.value is not None else state

    def _AugAssign(self, node: syntax.AugAssign, state: Names) -> Names:
        return self._bind(state, node.target)

    def _TypeAlias(self, node: Any, state: Names) -> Names:
        return self._bind(state, node.name)

    def _Delete(self, node: syntax.Delete, state: Names) -> Names:
        return state - _killed([node], self.klass)

    def _Import(self, node: syntax.Import | syntax.ImportFrom, state: Names) -> Names:
        names = (a.asname or a.name.partition(".")[0] for a in node.names)
        return state.union(mangle(n, self.klass) for n in names)

    _ImportFrom = _Import

    def _Return(self, node: syntax.stmt, state: Names) -> None:
        return None

    _Raise = _Continue = _Return

    def _Break(self, node: syntax.Break, state: Names) -> None:
        if self.breaks:
            self.breaks[-1].append(state)
        return None

    # Branches.

    def _If(self, node: syntax.If, state: Names) -> Names | None:
        return _join(self.block(node.body, state), self.block(node.orelse, state))

    def _Match(self, node: syntax.Match, state: Names) -> Names | None:
        exits = [
            self.block(case.body, state | _captures(case.pattern, self.klass))
            for case in node.cases
        ]
        last = node.cases[-1]
        pattern = last.pattern
        total = last.guard is None and isinstance(pattern, syntax.MatchAs)
        total = total and getattr(pattern, "pattern", None) is None
        return _join(*exits) if total else _join(state, *exits)

    # Loops.

    def _For(self, node: syntax.For | syntax.AsyncFor, state: Names) -> Names | None:
        return self._loop(node, state, endless=False)

    _AsyncFor = _For

    def _While(self, node: syntax.While, state: Names) -> Names | None:
        endless = isinstance(node.test, syntax.Constant) and bool(node.test.value)
        return self._loop(node, state, endless)

    def _loop(
        self, node: syntax.For | syntax.AsyncFor | syntax.While, state: Names, endless: bool
    ) -> Names | None:
        # A later trip starts from what the first one started from, less what the body unbinds.
        header = state - _killed(node.body, self.klass)
        self.breaks.append([])
        self.block(node.body, self._bind(header, getattr(node, "target", None)))
        breaks = self.breaks.pop()
        return _join(self.block(node.orelse, None if endless else header), *breaks)

    # Blocks that exceptions leave early.

    def _With(self, node: syntax.With | syntax.AsyncWith, state: Names) -> Names | None:
        inner = state
        for item in node.items:
            inner = self._bind(inner, item.optional_vars)
        after = self.block(node.body, inner)
        if all(self._transparent(item.context_expr) for item in node.items):
            return after
        return _join(after, state - _killed(node.body, self.klass))

    _AsyncWith = _With

    def _transparent(self, manager: syntax.expr) -> bool:
        return isinstance(manager, syntax.Call) and syntax.unparse(manager.func) in self.trusted()

    def _Try(self, node: syntax.Try, state: Names) -> Names | None:
        parts: list[list[syntax.stmt]] = [node.body, *(h.body for h in node.handlers)]
        parts.append(node.orelse)
        unbound = NOTHING.union(*(_killed(p, self.klass) for p in parts))
        unbound |= _killed(node.handlers, self.klass)
        mark = [len(b) for b in self.breaks]
        thrown = state - _killed(node.body, self.klass)
        exits = [self.block(node.orelse, self.block(node.body, state))]
        for handler in node.handlers:
            exits.append(self._handler(handler, thrown))
        after = _join(*exits)
        if not node.finalbody:
            return after
        final = self.block(node.finalbody, state - unbound)
        gone = _killed(node.finalbody, self.klass)
        self._unbind_breaks(mark, gone)
        if after is None or final is None:
            return None
        return (after - gone) | final

    _TryStar = _Try

    def _handler(self, handler: syntax.ExceptHandler, state: Names) -> Names | None:
        name = frozenset((mangle(handler.name, self.klass),)) if handler.name else NOTHING
        mark = [len(b) for b in self.breaks]
        after = self.block(handler.body, state | name)
        self._unbind_breaks(mark, name)
        return None if after is None else after - name

    def _unbind_breaks(self, mark: list[int], names: Names) -> None:
        """Removes names from the states of breaks that leave through a clean-up, which unbinds
        them.
        """
        if not names:
            return
        for start, states in zip(mark, self.breaks, strict=True):
            states[start:] = [s - names for s in states[start:]]

    # Inner scopes.

    def _FunctionDef(self, node: Function, state: Names) -> Names:
        table = self.tables.get((node.name, node.lineno))
        after = state | {mangle(node.name, self.klass)}
        if table is None:
            return after
        scope = Scope(node, table, self.path + node.name, self.klass)
        unstable = self.unstable
        if self.scope.module_level:  # an outermost function: its whole nest is looked at once
            unstable = _killed(node.body, self.klass, deep=True)
        # What a closure sees was bound when it was made. Its own name is bound just after, unless a
        # decorator calls it first; names of a class body are not among what it sees.
        seen = state if self.owner is not None else self.around
        if self.owner is not None and not node.decorator_list:
            seen = after
        start = _parameters(table) | (seen & scope.frees)
        inner = _Flow(scope, self.tables, unstable, self.trusted, self.facts)
        inner.block(node.body, start)
        return after

    _AsyncFunctionDef = _FunctionDef

    def _ClassDef(self, node: syntax.ClassDef, state: Names) -> Names:
        saved = self.owner, self.klass, self.breaks, self.path, self.around
        if self.owner is not None:
            self.around = state
        self.path += node.name + "."
        self.owner, self.klass, self.breaks = None, node.name, []
        self.block(node.body, state)
        self.owner, self.klass, self.breaks, self.path, self.around = saved
        return state | {mangle(node.name, self.klass)}
