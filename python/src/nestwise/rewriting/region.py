"""Loops in which a GPU keeps its copies of arrays from one nest to the next.

A *region* is a loop that is no site but has sites in it, in its own body or in those of `if`s and
loops there. It becomes

    for () in REGION():
        for target in OVER(iterable):        while KEEP(...) and test:
            FLUSH()
            statement that may look at any array
            KEEP("nm", a, b)     # but "!nm" where b may have no value yet, "!+nm" if sites bind it
            statement that works with the numbers a and b
            d = MADE(0, KNOWN(np.zeros)(5), True)   # of NumPy's functions that make arrays
            e = COPY(1, d)       # for d.copy()
            KEEP("?m", c)        # of the names that the site binds
            the site, whose CALL is told that copies may stay

REGION's iterator lies on CPython's value stack while the loop runs, so its end is the end of all
copies, however the loop is left. FLUSH has the arrays of the host hold what was computed, and
forgets the copies. KEEP does so only if a name holds something with which the statement could run
user code (`region/mod.rs` has the roles), since only when the program runs can CPython's own types
be told from a user's. The values that names held before they are bound have to be known as well,
since an object whose last name goes may have a finalizer. A name that surely has a value is looked
at; a global is looked up. Other names have to be bound nowhere but in the region, where what they
hold was checked (by statements: KEEP), or came from a native run (by sites: CALL knows; KEEP has to
be told of names that are bound by either). Functions that make arrays are called by functions of
ours (`region/makers.rs`), so that a device makes a copy of the array at once, without a transfer.
"""

from __future__ import annotations

from nestwise.records import NamedTuple
from nestwise.rewriting import syntax
from nestwise.rewriting.scope import Facts, Scope, mangle

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

_CONSTANTS = (int, float, complex, bool, type(None), str, bytes)
# NumPy's functions that make arrays, with their first arguments.
_MAKERS = {
    "zeros": ("shape", "type"),
    "empty": ("shape", "type"),
    "ones": ("shape", "type"),
    "full": ("shape", "number", "type"),
    "zeros_like": ("array", "type"),
    "empty_like": ("array", "type"),
    "ones_like": ("array", "type"),
    "full_like": ("array", "number", "type"),
}
# Those whose arrays hold zeros, or whatever it happens to be: a device makes one by itself.
_EMPTY = frozenset(("zeros", "empty", "zeros_like", "empty_like"))


class Uses:
    """The names that a statement uses, with the roles that their values have to fit so that it runs
    no user code.
    """

    def __init__(self) -> None:
        self.roles: dict[tuple[str, str], None] = {}
        self.elements: list[tuple[str, list[syntax.expr]]] = []  # arrays with the subscripts read
        self.bound: set[str] = set()
        # What makes arrays, and of which kind each argument is.
        self.makers: list[tuple[syntax.Call, list[str]]] = []
        self.made: set[str] = set()  # names of what that makes
        self.renamed: set[str] = set()  # names whose values get another one

    def add(self, role: str, name: str) -> bool:
        """Notes a role of a name; always gives True."""
        self.roles[role, name] = None
        return True

    def expression(self, node: syntax.expr | None) -> bool:
        """Whether evaluating an expression runs no user code if its names hold what their roles
        say.
        """
        match node:
            case syntax.Constant():
                return isinstance(node.value, _CONSTANTS)
            case syntax.Name():
                return self.add("n", node.id)
            case syntax.UnaryOp():  # CPython warns of ~True
                return not isinstance(node.op, syntax.Invert) and self.expression(node.operand)
            case syntax.BinOp():
                plain = not isinstance(node.op, syntax.MatMult)
                return plain and self.expression(node.left) and self.expression(node.right)
            case syntax.BoolOp():
                return all(map(self.expression, node.values))
            case syntax.Compare():
                plain = not any(isinstance(op, (syntax.In, syntax.NotIn)) for op in node.ops)
                return plain and all(map(self.expression, (node.left, *node.comparators)))
            case syntax.IfExp():
                return all(map(self.expression, (node.test, node.body, node.orelse)))
            case syntax.Subscript(value=syntax.Name(id=name), slice=index):
                return self.element(name, index) and self.subscript(index)
            case syntax.Subscript(
                value=syntax.Attribute(value=syntax.Name(id=name), attr="shape"), slice=index
            ):
                return self.add("h", name) and self.subscript(index)
            case syntax.Attribute(value=syntax.Name(id=name), attr="size" | "ndim"):
                return self.add("h", name)
            case syntax.Call(func=syntax.Name(id=name), args=args, keywords=[]):
                return self.add("f", name) and self.arguments(name, args)
        return False

    def element(self, array: str, index: syntax.expr) -> bool:
        """Whether reading an element of what a name holds runs no user code, as in `expression`."""
        parts = index.elts if isinstance(index, syntax.Tuple) else [index]
        if not all(map(_is_bare, parts)):
            return self.add("r", array)
        self.elements.append((array, parts))
        return self.add("e", array)

    def arguments(self, function: str, args: list[syntax.expr]) -> bool:
        """Whether evaluating the arguments of a function runs no user code, as in `expression`."""
        names = [a.id for a in args if isinstance(a, syntax.Name)]
        if function == "len" and len(names) == len(args):
            return all(self.add("m", name) for name in names)
        return all(map(self.expression, args))

    def subscript(self, node: syntax.expr) -> bool:
        """Whether evaluating all parts of a subscript runs no user code, as in `expression`."""
        parts = node.elts if isinstance(node, syntax.Tuple) else [node]
        return all(map(self.expression, parts))

    def range(self, node: syntax.expr) -> bool:
        """Whether a loop runs over a range, and evaluating that runs no user code, as in
        `expression`.
        """
        return _is_range(node) and self.expression(node)

    def makes(self, node: syntax.expr) -> bool:
        """Whether an expression makes an array, as far as is seen without knowing what
        names hold.
        """
        made = _as_maker(node)
        if made is None:
            return False
        call, module, function = made
        kinds = [*_MAKERS.get(function, ())[: len(call.args)], *("type" for _ in call.keywords)]
        self.makers.append((call, kinds))
        if function == "copy":  # whatever it is of: COPY looks
            return True
        parts = [*call.args, *(k.value for k in call.keywords)]
        plain = len(kinds) == len(parts) and all(k.arg == "dtype" for k in call.keywords)
        known = plain and self.add("p", module)
        return known and all(map(self.argument, kinds, parts))

    def argument(self, kind: str, node: syntax.expr) -> bool:
        """Whether evaluating an argument of a function that makes an array runs no user code."""
        match kind, node:
            case "shape", syntax.Tuple(elts=sizes):
                return all(map(self.expression, sizes))
            case "shape", syntax.Name(id=name):
                return self.add("s", name)
            case "array", syntax.Name(id=name):
                return self.add("h", name)
            case ("shape", syntax.Attribute(value=syntax.Name(id=name), attr="shape")) | (
                "type",
                syntax.Attribute(value=syntax.Name(id=name), attr="dtype"),
            ):
                return self.add("h", name)
            case "type", syntax.Attribute(value=syntax.Name(id=name)):
                return self.add("p", name)
            case "type", syntax.Name(id="float" | "int" | "bool" | "complex") | syntax.Constant():
                return True
        return kind in ("shape", "number") and self.expression(node)

    def target(self, node: syntax.expr) -> bool:
        """Whether assigning to a target runs no user code; its names are noted as bound."""
        match node:
            case syntax.Name():
                self.bound.add(node.id)
                return self.add("m", node.id)
            case syntax.Subscript(value=syntax.Name(id=name), slice=index):
                return self.add("w", name) and self.subscript(index)
        return False

    def pair(self, target: syntax.expr, value: syntax.expr) -> bool:
        """Whether assigning a value to a target runs no user code."""
        match target, value:
            case syntax.Tuple(elts=targets), syntax.Tuple(elts=values):
                return len(targets) == len(values) and all(map(self.pair, targets, values))
            case syntax.Name(), syntax.Name(id=name):  # it may be an array
                self.renamed.add(name)
                return self.target(target) and self.add("m", name)
            case syntax.Name(id=name), syntax.Call(func=syntax.Attribute()):
                self.made.add(name)
                return self.target(target) and self.makes(value)
            case syntax.Name() | syntax.Subscript(), _:
                return self.target(target) and self.expression(value)
        return False

    def statement(self, node: syntax.stmt) -> bool:
        """Whether executing a statement runs no user code if its names hold what their
        roles say.
        """
        match node:
            case (
                syntax.Pass()
                | syntax.Break()
                | syntax.Continue()
                | syntax.Global()
                | syntax.Nonlocal()
            ):
                return True
            case syntax.Expr(value=syntax.Constant()):
                return True
            case syntax.Assign():
                return all(self.pair(target, node.value) for target in node.targets)
            case syntax.AugAssign(target=syntax.Name(id=name), op=op, value=value):
                self.bound.add(name)
                plain = not isinstance(op, syntax.MatMult)
                return plain and self.add("n", name) and self.expression(value)
            case syntax.If():
                return self.expression(node.test)
        return False


class Gap:
    """A call of KEEP or FLUSH; which one it is, is known when the whole region is."""

    def __init__(self, at: Any, uses: Uses | None, sure: frozenset[str], mark: str = "") -> None:
        self.uses = uses  # None: FLUSH
        self.mark = mark
        self.sure = sure  # names that surely have a value there
        self.at = syntax.place(at)
        self.call = syntax.Call(syntax.Constant(None, **self.at), [], [], **self.at)
        self.statement = syntax.Expr(self.call, **self.at)


class Nest(NamedTuple):
    """A site of the region."""

    calls: list[syntax.Constant]  # its GATE, if it has one, and its CALL
    stores: frozenset[str]  # names that it binds
    maybe: frozenset[str]  # of those, such as it may leave alone
    gap: Gap
    uses: Uses  # of the gap
    plain: bool  # its own code runs nothing of the user's


class Region:
    """A region while it is rewritten."""

    def __init__(
        self, root: syntax.For | syntax.While, facts: Facts, scope: Scope, prefix: str, first: int
    ) -> None:
        self.root, self.facts, self.scope = root, facts, scope
        self.prefix = f"{prefix}{first}:"
        self.first = first
        header = root.iter if isinstance(root, syntax.For) else root.test
        self.at = syntax.place(header)
        self.were: list[tuple[Any, dict[str, Any]]] = []  # of nodes that are changed, as they were
        self.makers = 0
        self.made: set[str] = set()  # names of arrays that are made in it
        self.gaps: list[Gap] = []
        # What stands for another statement: that one.
        self.replaced: dict[syntax.stmt, syntax.stmt] = {}
        self.nests: list[Nest] = []
        self.by_site: list[str] = []  # names that sites bind
        self.by_statement: list[str] = []  # those that statements bind that KEEP can be before
        # Counts the scope as it was written: what is in the region is not rewritten yet.
        self.everywhere = stored(scope.node) + _parameters(scope.node)
        self.counters = self.only(counted(root))
        self.alone = not scope.module_level and not _in_loop(scope.node, root)
        if isinstance(root, syntax.For) and isinstance(root.target, syntax.Name):
            uses = Uses()
            self.by_statement += [root.target.id] if uses.range(root.iter) else []
        self.deleted = frozenset(
            part.id
            for part in syntax.walk(root)
            if isinstance(part, syntax.Name) and isinstance(part.ctx, syntax.Del)
        )

    def sure(self, node: Any) -> frozenset[str]:
        """Gives the names that surely have a value where the statement stands."""
        if self.scope.module_level:
            return frozenset()
        klass = self.scope.klass
        known = (self.facts.state(node) & self.scope.locals) - self.scope.shared
        return frozenset(n for n in self.everywhere if mangle(n, klass) in known) - self.deleted

    def gap(self, node: syntax.stmt, uses: Uses | None, at: Any = None, mark: str = "") -> Gap:
        """Makes a call of KEEP or FLUSH that stands before a node."""
        gap = Gap(at or node, uses, self.sure(node), mark)
        self.gaps.append(gap)
        return gap

    def before(self, node: syntax.stmt) -> list[syntax.stmt]:
        """Makes what stands before a statement, whose blocks are not part of the region (except an
        `if`'s).
        """
        uses = Uses()
        quiet = uses.statement(node)
        if quiet and not uses.roles:
            return []
        self.by_statement += sorted(uses.bound) if quiet else []
        if quiet:
            self.made |= uses.made
            for call, kinds in uses.makers:
                self.make(call, kinds)
        return [self.gap(node, uses if quiet else None).statement]

    def assigned(self, node: syntax.stmt) -> syntax.stmt | None:
        """Makes what stands for a statement that writes all of an array from another one, which a
        device may do; None for other statements.
        """
        match node:
            case syntax.Assign(
                targets=[syntax.Subscript(value=syntax.Name(id=to), slice=all_)], value=value
            ):
                axes = [_whole(all_), 0]
            case _:
                return None
        if isinstance(value, syntax.Subscript):
            axes[1], value = _whole(value.slice), value.value
        known = [axis for axis in axes if axis is not None]
        if len(known) < len(axes) or not isinstance(value, syntax.Name):
            return None
        at = syntax.place(node)
        names = [syntax.Name(name, syntax.Load(), **at) for name in (value.id, to)]
        done = self.call("assign", *names, syntax.Constant(max(known), **at), at=at)
        instead = syntax.If(done, [syntax.Pass(**at)], [node], **at)
        self.replaced[instead] = node
        return instead

    def make(self, node: syntax.Call, kinds: list[str]) -> None:
        """Makes functions of ours see the array that a call makes."""
        at = syntax.place(node)
        fields = ("func", "args", "keywords")
        self.were.append((node, {name: getattr(node, name) for name in fields}))
        place = syntax.Constant(self.makers, **at)
        self.makers += 1
        assert isinstance(node.func, syntax.Attribute)  # as `_as_maker` found it
        if node.func.attr == "copy":
            changed = self.call("copy", place, node.func.value, at=at)
        else:
            parts = [
                self.call("known", part, at=at)
                if kind == "type" and _may_be_anybodys(part)
                else part
                for kind, part in zip(
                    kinds, (*node.args, *(k.value for k in node.keywords)), strict=True
                )
            ]
            args, values = parts[: len(node.args)], parts[len(node.args) :]
            keywords = [
                syntax.keyword(k.arg, value, **at)
                for k, value in zip(node.keywords, values, strict=True)
            ]
            alone = syntax.Constant(node.func.attr in _EMPTY, **at)
            known = self.call("known", node.func, at=at)
            made = syntax.Call(known, args, keywords, **at)
            changed = self.call("made", place, made, alone, at=at)
        vars(node).update({name: getattr(changed, name) for name in fields})

    def enter(self, node: syntax.For | syntax.While) -> list[syntax.stmt]:
        """Makes what stands before a loop of the region, whose header may look at arrays, too."""
        uses, header = Uses(), "iter" if isinstance(node, syntax.For) else "test"
        self.were.append((node, {header: getattr(node, header)}))
        if isinstance(node, syntax.While):
            node.test = self.guarded(node)
            return []
        quiet = isinstance(node.target, syntax.Name) and uses.target(node.target)
        quiet = quiet and uses.range(node.iter)
        self.by_statement += sorted(uses.bound) if quiet else []
        node.iter = self.call("over", node.iter)
        return [self.gap(node, uses if quiet else None).statement]

    def guarded(self, node: syntax.While) -> syntax.expr:
        """Makes the test of a `while`, with a call of KEEP or FLUSH before it if need be."""
        uses = Uses()
        quiet = uses.expression(node.test)
        if quiet and not uses.roles:
            return node.test
        call = self.gap(node, uses if quiet else None, node.test).call
        return syntax.BoolOp(syntax.And(), [call, node.test], **self.at)

    def nest(
        self, node: Any, calls: list[syntax.Constant], maybe: frozenset[str], plain: bool
    ) -> list[syntax.stmt]:
        """Makes what stands before a site."""
        uses, stores = Uses(), stored(node)
        for name in sorted(set(stores)):
            uses.target(syntax.Name(name, syntax.Store()))
        gap = self.gap(node, uses, mark="?")
        self.by_site += stores
        self.nests.append(Nest(calls, frozenset(stores), maybe, gap, uses, plain))
        return [gap.statement]

    def call(
        self, name: str, *arguments: syntax.expr, at: syntax.Place | None = None
    ) -> syntax.Call:
        """Makes a call of one of the region's functions."""
        at = at or self.at
        constant = syntax.Constant(self.prefix + name, **at)
        # As in `rewrite.py`: called as it stands, a string would earn a SyntaxWarning.
        hook = syntax.IfExp(syntax.Constant(True, **at), constant, constant, **at)
        return syntax.Call(hook, list(arguments), [], **at)

    def undo(self) -> None:
        """Undoes all changes, as if there had been no region."""
        for node, fields in self.were:
            vars(node).update(fields)
        pending: list[syntax.If | syntax.For | syntax.While] = [self.root]
        added = {gap.statement for gap in self.gaps}
        while pending:
            node = pending.pop()
            for name in ("body", "orelse"):
                block = getattr(node, name, [])
                block[:] = [self.replaced.get(part, part) for part in block if part not in added]
                pending += [
                    p for p in block if isinstance(p, (syntax.If, syntax.For, syntax.While))
                ]

    def finish(self) -> bool:
        """Chooses all calls; false if no nest can leave anything on a device."""
        inside, checked = self.only(self.by_site), self.only(self.by_statement)
        either = self.only(self.by_site + self.by_statement)
        unsure = [self.local(nest.stores) - nest.gap.sure - self.counters for nest in self.nests]
        keep = [
            nest.plain and names <= inside for nest, names in zip(self.nests, unsure, strict=True)
        ]
        if not any(keep):
            return False
        for nest, keeps, names in zip(self.nests, keep, unsure, strict=True):
            uses = nest.uses
            maybe = any(mangle(name, self.scope.klass) in nest.maybe for name in names)
            said = {"k": keeps, "u": names, "m": maybe, "a": self.alone}
            flags = "".join(flag for flag, is_so in said.items() if is_so)
            for call in nest.calls:
                call.value = f"{call.value!s}_in:{self.first}:{flags}"
            roles = uses.roles
            gone = names | self.counters
            uses.roles = {use: None for use in roles if use[1] not in gone}
            uses.add("f", "range")
        for gap in self.gaps:
            self.choose(gap, *((checked, either) if self.alone else (set(), set())))
        return True

    def only(self, places: list[str]) -> set[str]:
        """Gives the names that are bound in these places and nowhere else."""
        shared = {n for n in places if mangle(n, self.scope.klass) in self.scope.shared}
        everywhere = self.everywhere.count
        return {n for n in places if places.count(n) == everywhere(n)} - shared

    def local(self, names: Iterable[str]) -> frozenset[str]:
        """Gives the names that are local to the function; others are looked up by name, and may
        have no value.
        """
        if self.scope.module_level:
            return frozenset()
        return frozenset(n for n in names if mangle(n, self.scope.klass) in self.scope.locals)

    def choose(self, gap: Gap, checked: set[str], either: set[str]) -> None:
        """Chooses the call of a gap. `checked`: names that hold what KEEP was asked about, or
        nothing yet; `either`: also names that a site has bound.
        """
        uses, mark = gap.uses, gap.mark
        unsure: frozenset[str] = frozenset()
        if uses is not None:
            unsure = self.local(name for _, name in uses.roles) - gap.sure
            read = {name for role, name in uses.roles if role != "m"}
            # An array that is made here has no second name: it goes where the next one is made.
            strange = unsure & read or unsure & uses.renamed & self.made
            if strange or not unsure <= uses.bound & either:
                uses = None
            elif uses.bound & either:
                mark = "!" if uses.bound & either <= checked else "!+"
        if uses is None:
            gap.call.func = self.call("flush", at=gap.at).func
            return
        roles = [use for use in uses.roles if use[1] not in unsure]
        if not roles and not mark:
            gap.statement.value = syntax.Constant(None, **gap.at)
            return
        parts = [self.held(role, name, gap.at) for role, name in roles if role != "e"]
        for name, subscript in uses.elements:
            parts.append(self.held("e", name, gap.at))
            parts += [self.index(part, gap.at) for part in subscript]
        text = syntax.Constant(mark + "".join(role for role, _ in parts), **gap.at)
        keep = self.call("keep", text, *(value for _, value in parts), at=gap.at)
        gap.call.func, gap.call.args = keep.func, keep.args

    def held(self, role: str, name: str, at: syntax.Place) -> tuple[str, syntax.expr]:
        """Gives the argument of KEEP for a name, with its role. A name that is no local may have no
        value: KEEP looks it up.
        """
        if self.local([name]):
            return role, syntax.Name(name, syntax.Load(), **at)
        return role.upper(), syntax.Constant(mangle(name, self.scope.klass), **at)

    def index(self, part: syntax.expr, at: syntax.Place) -> tuple[str, syntax.expr]:
        """Gives one part of a subscript as an argument of KEEP, with its role."""
        if isinstance(part, syntax.Name):
            return self.held("i", part.id, at)
        return "i", syntax.Constant(_int(part), **at)


def may_be_one(scope: Scope) -> bool:
    """Whether a loop of a scope can be the root of a region, whatever is in it: not where objects
    on the value stack may live on while other code runs (generators, coroutines).
    """
    if scope.is_async:
        return False
    return not any(
        isinstance(part, (syntax.Yield, syntax.YieldFrom, syntax.Await))
        for part in _own(scope.node)
    )


def stored(node: syntax.AST) -> list[str]:
    """Gives the names that are bound in a piece of a scope, once for each place; including those of
    functions and classes in it, but not the names that these bind.
    """
    found: list[str] = []
    for part in _own(node):
        if isinstance(part, syntax.Name) and not isinstance(part.ctx, syntax.Load):
            found.append(part.id)
        elif isinstance(part, (syntax.FunctionDef, syntax.AsyncFunctionDef, syntax.ClassDef)):
            found.append(part.name)
        elif isinstance(part, (syntax.Import, syntax.ImportFrom)):
            found += [(a.asname or a.name).partition(".")[0] for a in part.names]
        elif (
            isinstance(part, (syntax.ExceptHandler, syntax.MatchAs, syntax.MatchStar)) and part.name
        ):
            found.append(part.name)
        elif isinstance(part, syntax.MatchMapping) and part.rest:
            found.append(part.rest)
        elif isinstance(part, (syntax.Global, syntax.Nonlocal)):
            found += part.names * 2  # somebody else's, too
    return found


def counted(root: Any) -> list[str]:
    """Gives the names that loops over `range(...)` bind, once for each: their values are ints,
    whoever runs the loop.
    """
    found = []
    for part in _own(root):
        if isinstance(part, syntax.For) and isinstance(part.target, syntax.Name):
            found += [part.target.id] if _is_range(part.iter) else []
    return found


def maker(node: Any) -> syntax.Call | None:
    """Finds a call that makes an array in a loop, which no nest does."""
    found = (_as_maker(part) for part in syntax.walk(node))
    return next((made[0] for made in found if made is not None), None)


def _as_maker(node: syntax.AST) -> tuple[syntax.Call, str, str] | None:
    """A call that makes an array, with the name that its function is an attribute of, and that
    attribute.
    """
    match node:
        case syntax.Call(func=syntax.Attribute(value=syntax.Name(id=owner), attr=name)):
            copies = name == "copy" and not (node.args or node.keywords)
            return (node, owner, name) if copies or name in _MAKERS else None
    return None


def _whole(node: syntax.expr) -> int | None:
    """Gives the number of axes that an array needs for a subscript that is all of it: `...`, `:`,
    `:, :` and so on; None for other subscripts.
    """
    match node:
        case syntax.Constant(value=value):
            return 0 if value is ... else None
        case syntax.Slice(lower=None, upper=None, step=None):
            return 1
        case syntax.Tuple(elts=parts) if parts and all(isinstance(p, syntax.Slice) for p in parts):
            return len(parts) if all(map(_whole, parts)) else None
    return None


def _may_be_anybodys(node: syntax.expr) -> bool:
    """Whether an argument is a name that may be a user's type; not a constant or the type of an
    array's elements.
    """
    return not (
        isinstance(node, syntax.Constant)
        or (isinstance(node, syntax.Attribute) and node.attr == "dtype")
    )


def _is_bare(node: syntax.expr) -> bool:
    """Whether an expression is a name or an int: to evaluate it once more runs no user code."""
    return isinstance(node, syntax.Name) or _int(node) is not None


def _int(node: syntax.expr) -> int | None:
    """Gives the int that an expression writes out; None for others, True and False among them."""
    match node:
        case syntax.UnaryOp(op=syntax.USub(), operand=syntax.Constant(value=value)):
            return -value if type(value) is int else None
        case syntax.Constant(value=value):
            return value if type(value) is int else None
    return None


def _is_range(node: syntax.expr) -> bool:
    function = node.func if isinstance(node, syntax.Call) else None
    return isinstance(function, syntax.Name) and function.id == "range"


def _own(node: syntax.AST) -> Iterator[syntax.AST]:
    """Yields all parts of a scope, without the insides of functions and classes in it."""
    pending = [node]
    while pending:
        part = pending.pop()
        yield part
        inner = isinstance(
            part, (syntax.FunctionDef, syntax.AsyncFunctionDef, syntax.ClassDef, syntax.Lambda)
        )
        if inner and part is not node:
            continue
        pending.extend(syntax.iter_child_nodes(part))


def _parameters(node: Any) -> list[str]:
    arguments = getattr(node, "args", None)
    if arguments is None:
        return []
    return [part.arg for part in syntax.walk(arguments) if isinstance(part, syntax.arg)]


def _in_loop(scope: Any, root: Any) -> bool:
    """Whether a node stands in a loop of the same scope."""
    loops = (
        part
        for part in _own(scope)
        if isinstance(part, (syntax.For, syntax.While, syntax.AsyncFor))
    )
    return any(part is not root and any(p is root for p in _own(part)) for part in loops)
