"""Rewrites a module's source to code whose loops ask the native part first.

A *site* is one outermost loop that the native part can lower. It becomes (the real thing is
built as a tree, positions kept, and its functions are constants of the code object)

    if GATE[sizes...]:
        for (w1, w2) in CALL[reads...]:
            for m in MAYBE[()]: break
            if RETURNED(): return VALUE()
            if ORELSE(): orelse
            break
        else:
            for () in STAY:
                for (w1, w2) in OUT[reads...]: break
                for m in MAYBE[()]: break
                for target in REST() or SKIP(iterable): body
                else:
                    if AGAIN(): continue
                    if RETURNED(): return VALUE()
                    if ORELSE(): orelse
                break
    else:
        the loop as it was

GATE is asked without the price of a call whether the loop is worth one, where a few ints and
lengths tell how much work it is. Elsewhere its key is empty, and it tells whether the site is
switched off. The first loop is for the usual case, in which all of the site ran natively: then it
has one turn, else none. STAY is an object whose iterator is made when it is asked for.

CALL and OUT run natively. CPython handles signals after calls and on backward jumps, and a handler
may raise or look at names; so from there to the last MAYBE there is neither, and arrays and names
always are as some iteration leaves them.

What the iterable gets from calls that may do anything (`rows()` in `zip(xs, rows())`) CPython
computes once, for CALL; OUT and SKIP take it from COMPUTED[()].

Where the loop assigns a name that its own iterable is made from, CALL gets the iterable as well,
and all of CPython's shares come from it: evaluated again, the expression would give another one.

A `while` has in the place of the inner `for`

        if MORE():
            if WAITS():
                while TICK() and test: body
                else:
                    if AGAIN(): continue
                    if ORELSE(): orelse
            else:
                while test: body
                else:
                    if ORELSE(): orelse
        else:
            if RETURNED(): return VALUE()
            if ORELSE(): orelse

so no name of ours enters any namespace, a traceback shows the user's lines only, and three ends
are possible: everything ran natively (REST is empty), nothing did (REST is None and SKIP gives the
iterable back), or CPython goes on after the first k trips. A loop nested in such a body is a site
of its own there; the loop as it was stays as it was, which keeps the growth of the code linear in
the depth.

A tracer (`sys.settrace`) is told of the lines that CPython would run, and of no others: what runs
before the loop's body stands on the header's line, a `break` of ours on no line, and `tracing.py`
takes the event away that `continue` would cause.

An expression with a loop in it (a list comprehension, `sum` of a generator expression) is a site of
its own where it stands in no loop that is one. It is computed as a whole, or not at all:

    (GOT() if ASK(reads...) else INSTEAD()(expression)) if GATE[sizes...] else expression

Where native runs are compared with CPython's (`noted`), `return value` in CPython's share reads
`return NOTED(value)`: what it returns is seen in no other way.
"""

from __future__ import annotations

import itertools
from types import CodeType

from nestwise.records import NamedTuple
from nestwise.rewriting import syntax
from nestwise.rewriting.binding import mark_of
from nestwise.rewriting.compiling import COMPILING, quiet, renamed
from nestwise.rewriting.region import Region, maker, may_be_one
from nestwise.rewriting.scope import Facts, Scope, analyse, mangle
from nestwise.rewriting.sites import Loop, SiteText
from nestwise.rewriting.tracing import quiet_turns

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from nestwise._core import Lowered

    Lower = Callable[[SiteText], Lowered]


class Made(NamedTuple):
    """The result of rewriting a site."""

    statement: syntax.stmt
    asked: list[syntax.Constant]  # its GATE, if it has one, and its CALL
    maybe: frozenset[str]  # names that it may bind
    returns: bool  # it may leave the function
    computes: bool  # its iterable, or parts of that, are evaluated for it


class Rewritten(NamedTuple):
    """The code of a file, with its sites and loops in order."""

    code: CodeType | None  # None where no loop is a site
    sites: list[SiteText]
    loops: list[Loop]


def rewrite(
    source: bytes | str,
    text: str,
    filename: str,
    tag: str,
    lower: Lower,
    optimize: int = -1,
    noted: bool = False,
    regions: bool = False,
) -> Rewritten:
    """Rewrites a file. `source` is what CPython compiles, `text` its decoded lines; `tag` marks our
    constants.

    `noted`: the values that CPython's shares of loops return are noted. `regions`: a device may
    keep copies of arrays from one site to the next.
    """
    lines = text.split("\n")
    with quiet():
        # CPython limits how deep blocks nest; where our loops exceed it, regions go, and sites
        # inside sites.
        for nested, regions_too in ((True, regions), (True, False), (False, False)):
            tree = syntax.parse(source, COMPILING)
            facts = analyse(tree, text, COMPILING)
            plain = compile(tree, COMPILING, "exec", dont_inherit=True, optimize=optimize)
            work = _Rewriter(lines, tag, lower, facts, nested, noted, regions_too)
            tree.body = work.block(tree.body)
            if not work.sites:
                break
            try:
                code = compile(tree, COMPILING, "exec", dont_inherit=True, optimize=optimize)
                if _reordered(plain, code, work.scopes):
                    code = compile(tree, COMPILING, "exec", dont_inherit=True, optimize=optimize)
            except SyntaxError:
                continue
            code = quiet_turns(code, work.mark)
            return Rewritten(renamed(code, filename), work.sites, work.loops)
    return Rewritten(None, [], [_left_out(loop) for loop in work.loops])


def _left_out(loop: Loop) -> Loop:
    """Notes that a loop is no site because blocks are nested too deeply, even without sites inside
    sites.
    """
    if not loop.is_site:
        return loop
    what = "blocks are nested too deeply here"
    return loop._replace(is_site=False, code="too-deep", message=what, reason_line=loop.line)


def _reordered(plain: CodeType, code: CodeType, scopes: dict[Scope, None]) -> bool:
    """Restores the order of local variables, which locals() and co_varnames show.

    The order is that in which the compiler first meets the names, and our assignments come before
    the loop's own. Where that makes a difference, a statement that the compiler meets but makes no
    code of goes to the function's start.
    """
    before, after = _orders(plain), _orders(code)
    changed = False
    for scope in scopes:
        node = scope.node
        if isinstance(node, syntax.Module):
            continue
        decorators = node.decorator_list
        key = (node.name, decorators[0].lineno if decorators else node.lineno)
        order = [n for n in before.get(key, ()) if n in scope.locals]
        if order == [n for n in after.get(key, ()) if n in scope.locals]:
            continue
        changed = True
        first = 1 if syntax.has_docstring(node) else 0
        at = syntax.place(node.body[first])
        targets: list[syntax.expr] = [syntax.Name(n, syntax.Store(), **at) for n in order]
        dead = syntax.Assign(targets, syntax.Constant(None, **at), None, **at)
        node.body.insert(first, syntax.If(syntax.Constant(False, **at), [dead], [], **at))
    return changed


def _orders(code: CodeType) -> dict[tuple[str, int], tuple[str, ...]]:
    found = {(code.co_name, code.co_firstlineno): code.co_varnames}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found.update(_orders(constant))
    return found


def _clone(node: Any, facts: Facts | None = None) -> Any:
    """Makes a deep copy of a tree; `facts` are told of the copies of statements."""
    if isinstance(node, list):
        return [_clone(n, facts) for n in node]
    if not isinstance(node, syntax.AST):
        return node
    copy = node.__class__.__new__(node.__class__)
    fields = node.__dict__
    for name, value in fields.items():
        if isinstance(value, (list, syntax.AST)):
            value = _clone(value, facts)
        copy.__dict__[name] = value
    if facts is not None:
        facts.copied(node, copy)
    return copy


_MAPPING_METHODS = (".get(", ".items(", ".keys(", ".values(", ".setdefault(", ".popitem(")
_NEW_MAPPINGS = ("{", "dict(", "defaultdict(", "Counter(", "OrderedDict(")


def mappings(lines: list[str]) -> frozenset[str]:
    """The names, of variables and attributes, that hold dictionaries by the look of a file: a line
    assigns them a display or a new one, or calls a method that dictionaries have.

    No regular expressions: importing them takes longer than reading most files.
    """
    names = set()
    text = "\n".join(lines)
    for method in _MAPPING_METHODS:
        names |= {_last_name(left) for left in text.split(method)[:-1]}
    words = [word for word in _NEW_MAPPINGS if word in text]
    for line in lines:
        if "=" in line and any(word in line for word in words):
            for left, right in itertools.pairwise(line.split("=")):
                if right.lstrip().removeprefix("collections.").startswith(_NEW_MAPPINGS):
                    # Before an annotation, or behind a colon.
                    names |= {_last_name(left), _last_name(left.partition(":")[0])}
    return frozenset(names - {""})


def _last_name(text: str) -> str:
    """The name at the end of a text; empty if there is none."""
    text = text.rstrip()
    at = len(text)
    while at and (text[at - 1].isalnum() or text[at - 1] == "_"):
        at -= 1
    return text[at:]


class _Refused(Exception):
    """The reason why a loop is not a site: line, code, message and hint."""


class _Rewriter:
    def __init__(
        self,
        lines: list[str],
        tag: str,
        lower: Lower,
        facts: Facts,
        nested: bool,
        noted: bool,
        regions: bool,
    ) -> None:
        self.lines = lines
        self.mark = mark_of(tag)
        self.lower = lower
        self.facts = facts
        self.nested = nested
        self.noted = noted
        self.regions = regions
        self.region: Region | None = None  # the one that statements are part of
        self.depth = 0
        self.sites: list[SiteText] = []
        self.loops: list[Loop] = []
        self.scopes: dict[Scope, None] = {}  # those with a site in them
        self.mappings = mappings(lines)

    def block(self, statements: list[syntax.stmt]) -> list[syntax.stmt]:
        if self.region is None:
            return [self.statement(s) for s in statements]
        return [part for s in statements for part in self.parts(s, self.region)]

    def statement(self, node: syntax.stmt) -> syntax.stmt:
        if isinstance(node, (syntax.For, syntax.While)):
            if self.nested or not self.depth:
                try:
                    return self.site(node).statement
                except _Refused as why:
                    self.note(node, why)
            scope = self.facts.scope(node)
            if self.regions and not self.depth and scope is not None and may_be_one(scope):
                return self.begin_region(node, scope)
        if self.nested or not self.depth:
            self.values(node)
        self.descend(node)
        return node

    def values(self, node: syntax.stmt) -> None:
        """Makes sites of the expressions with a loop in them that a statement evaluates."""
        name = EVALUATES.get(type(node), "")
        part = getattr(node, name, None)
        if part is not None:
            setattr(node, name, self.evaluated(part, node))

    def evaluated(self, part: Any, node: syntax.stmt) -> Any:
        """Rewrites `part`, an expression that `node` evaluates, or its parts."""
        if isinstance(part, list):
            return [self.evaluated(p, node) for p in part]
        if has_loop(part):
            try:
                return self.value(part, node)
            except _Refused as why:
                self.note(part, why, node)
        if isinstance(part, (syntax.expr, syntax.keyword)) and not isinstance(
            part, _INSIDE_OF_OTHERS
        ):
            for field, inner in syntax.iter_fields(part):
                if isinstance(inner, (syntax.expr, list)):
                    setattr(part, field, self.evaluated(inner, node))
        return part

    def value(self, part: syntax.expr, node: syntax.stmt) -> syntax.expr:
        scope = self.facts.scope(node)
        scope = _check(part, scope)
        text = self.checked(syntax.unparse(part) + "\n", part, scope)
        names = (scope.locals, self.facts.bound(node))
        place = (text, part.lineno, False, scope.module_level)
        qualname, regions = scope.qualname, self.regions
        site = SiteText(*place, *names, True, qualname, self.mappings, False, regions)
        answer = self.ask(site)
        _check_order(part, answer, scope)
        number = self.enter(part, site, scope, node)
        shape = _Shape(self.mark, number, part, self.noted)
        self.compute(shape, part, answer, node)
        return shape.value(answer)

    def compute(self, shape: _Shape, site: Any, answer: Lowered, node: syntax.stmt) -> None:
        """Adds what CPython computes once for a site, which `node` is or evaluates."""
        for part in answer.computed:
            found = _clone(_at(part.place, _header(site)))
            shape.computed[part.name] = self.evaluated(found, node)

    def begin_region(self, node: syntax.For | syntax.While, scope: Scope) -> syntax.stmt:
        """Rewrites a loop that is no site as a region if its sites can leave anything
        on a device.
        """
        region = Region(node, self.facts, scope, self.mark, len(self.sites))
        self.region = region
        test = region.guarded(node) if isinstance(node, syntax.While) else None
        node.body = self.block(node.body)
        self.region = None
        node.orelse = self.block(node.orelse)
        if _stray_exit(node.orelse) is not None or not region.finish():
            region.undo()
            return node
        if isinstance(node, syntax.For):
            node.iter = region.call("over", node.iter)
        elif test is not None:
            node.test = test
        at = region.at
        if node.orelse:
            node.orelse.insert(0, syntax.Expr(region.call("flush"), **at))
        target = syntax.Tuple([], syntax.Store(), **at)
        return syntax.For(target, region.call("region"), [node], [], None, **at)

    def parts(self, node: syntax.stmt, region: Region) -> list[syntax.stmt]:
        """Rewrites a statement of a region, and adds what stands around it."""
        before: list[syntax.stmt] = []
        if isinstance(node, (syntax.For, syntax.While)):
            self.region = None
            try:
                made = self.site(node)
            except _Refused as why:
                self.note(node, why)
            else:
                plain = not (node.orelse or made.returns or made.computes)
                before = region.nest(node, made.asked, made.maybe, plain)
                return [*before, made.statement]
            finally:
                self.region = region
            before = region.enter(node)
        elif (instead := region.assigned(node)) is not None:
            return [instead]
        else:
            before = region.before(node)
            if not isinstance(node, syntax.If):
                self.region = None
        self.descend(node)
        self.region = region
        return [*before, node]

    def descend(self, node: Any) -> None:
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(node, name, None)
            if inner:
                setattr(node, name, self.block(inner))
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            part.body = self.block(part.body)

    def note(self, node: Any, refused: _Refused | None, within: syntax.stmt | None = None) -> None:
        line, code, message, hint = refused.args if refused else (node.lineno, "", "", "")
        kind = {syntax.For: "for", syntax.While: "while"}.get(type(node), "comprehension")
        scope = self.facts.scope(within or node)
        where = scope.qualname if scope is not None else ""
        self.loops.append(
            Loop(node.lineno, kind, where, self.depth, not refused, code, message, hint, line)
        )

    def site(self, node: syntax.For | syntax.While) -> Made:
        scope = self.facts.scope(node)
        scope = _check(node, scope)
        if self.regions and (made := maker(node)) is not None:
            # Refused sooner than by what runs natively: what is around it can be a region.
            what = f"`{syntax.unparse(made.func)}` in a loop"
            raise _Refused(made.lineno, "array", what, "make the array before the loop")
        site = SiteText(
            self.text(node, scope),
            node.lineno,
            node.col_offset > 0,
            scope.module_level,
            scope.locals,
            self.facts.bound(node),
            False,
            scope.qualname,
            self.mappings,
            True,
            self.regions,
        )
        answer = self.ask(site)
        _check_order(node, answer, scope)
        rebinds = _rebinds_its_iterable(node, answer)
        if rebinds and answer.computed:
            what = "the loop assigns a name that its iterable is made from, beside calls"
            raise _Refused(node.lineno, "iterable", what, "make the iterable before the loop")
        recording = Recording.of(node, answer)
        site = site._replace(records=recording is not None)
        number = self.enter(node, site, scope)
        self.depth += 1
        ours = _clone(node, self.facts)
        self.descend(ours)
        self.depth -= 1
        shape = _Shape(self.mark, number, node, self.noted, recording, rebinds)
        self.compute(shape, node, answer, node)
        built, maybe = shape.build(ours, answer), frozenset(answer.maybe)
        return Made(built, shape.asked, maybe, answer.returns, bool(answer.computed) or rebinds)

    def enter(
        self, node: Any, site: SiteText, scope: Scope, within: syntax.stmt | None = None
    ) -> int:
        """Adds a site; gives its number."""
        self.note(node, None, within)
        self.sites.append(site)
        self.scopes[scope] = None
        return len(self.sites) - 1

    def ask(self, site: SiteText) -> Lowered:
        try:
            answer = self.lower(site)
        except Exception as error:
            raise _Refused(site.first_line, "internal", f"internal failure: {error}", "") from None
        if (why := answer.refused) is not None:
            raise _Refused(why.line or site.first_line, why.code, why.message, why.hint)
        computed = {part.name for part in answer.computed}
        unbound = {*answer.reads} - site.bound_names - computed
        if unbound:
            names = ", ".join(sorted(unbound))
            raise _Refused(
                site.first_line,
                "maybe-unbound",
                f"{names} may be unbound here",
                "bind the name on every path before the loop",
            )
        return answer

    def text(self, node: Any, scope: Scope) -> str:
        text = "\n".join(self.lines[node.lineno - 1 : node.end_lineno]) + "\n"
        return self.checked(text, node, scope)

    def checked(self, text: str, node: Any, scope: Scope) -> str:
        """Checks that names in the text are what CPython takes them for, and gives the text with
        private names mangled.
        """
        if not text.isascii():
            import unicodedata

            if unicodedata.normalize("NFKC", text) != text:
                raise _Refused(node.lineno, "names", "a name is not in Unicode's normal form", "")
        if scope.klass and "__" in text:
            text = _mangled(text, node, scope.klass)
        return text


def _mangled(text: str, node: Any, klass: str) -> str:
    """Gives the text with the class's private names spelled as CPython stores them."""
    import re

    for part in syntax.walk(node):
        if isinstance(part, syntax.Constant) and isinstance(part.value, str) and "__" in part.value:
            raise _Refused(part.lineno, "names", "a string that looks like a private name", "")
    return re.sub(r"(?<!\w)__\w+", lambda m: mangle(m.group(), klass), text)


def _check(node: Any, scope: Scope | None) -> Scope:
    """Gives the scope of a loop; raises _Refused for what the rewritten form itself cannot carry,
    whatever the native part thinks of the loop.
    """
    if scope is None:
        raise _Refused(node.lineno, "class-body", "a loop in a class body", "")
    for part in syntax.walk(node):
        what = _UNFIT.get(type(part))
        if isinstance(part, syntax.comprehension) and part.is_async:
            what = "an asynchronous comprehension"
        elif isinstance(part, syntax.Return) and scope.is_async:
            what = "a return in an asynchronous function"
        elif isinstance(part, syntax.AnnAssign) and scope.module_level:
            what = "an annotation of a module's name"
        if what:
            line = getattr(part, "lineno", node.lineno)
            raise _Refused(line, "statement", f"{what} inside a loop", "")
    stray = _stray_exit(getattr(node, "orelse", []))
    if stray is not None:
        raise _Refused(
            stray.lineno, "else-exit", "the else leaves an enclosing loop", "use a flag instead"
        )
    return scope


_UNFIT: dict[type, str] = {
    syntax.Yield: "yield",
    syntax.YieldFrom: "yield from",
    syntax.Await: "await",
    syntax.AsyncFor: "async for",
    syntax.AsyncWith: "async with",
    syntax.NamedExpr: "an assignment expression",
    syntax.Global: "a global statement",
    syntax.Nonlocal: "a nonlocal statement",
    syntax.FunctionDef: "a function definition",
    syntax.AsyncFunctionDef: "a function definition",
    syntax.ClassDef: "a class definition",
    syntax.Import: "an import",
    syntax.ImportFrom: "an import",
}


# What a statement evaluates before it does anything else.
EVALUATES: dict[type, str] = {
    syntax.Assign: "value",
    syntax.AugAssign: "value",
    syntax.AnnAssign: "value",
    syntax.Return: "value",
    syntax.Expr: "value",
    syntax.If: "test",
    syntax.For: "iter",
}
# Expressions with names or times of their own for what is inside.
_INSIDE_OF_OTHERS = (
    syntax.Lambda,
    syntax.ListComp,
    syntax.SetComp,
    syntax.DictComp,
    syntax.GeneratorExp,
    syntax.NamedExpr,
    syntax.Await,
    syntax.Yield,
    syntax.YieldFrom,
)
# Builtins for which a loop can stand, with the forms of their argument.
_OVER_ALL: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("sum", "min", "max"), (syntax.GeneratorExp, syntax.ListComp)),
    **dict.fromkeys(("any", "all"), (syntax.GeneratorExp,)),
}


def has_loop(part: Any) -> bool:
    """Whether an expression is one that can be computed as a loop."""
    if not isinstance(part, syntax.Call):
        return isinstance(part, syntax.ListComp)
    if not isinstance(part.func, syntax.Name) or part.keywords or len(part.args) != 1:
        return False
    forms = _OVER_ALL.get(part.func.id, ())
    return isinstance(part.args[0], forms)


def _stray_exit(statements: list[Any]) -> syntax.stmt | None:
    """Finds a break or continue that belongs to a loop around these statements.

    In the rewritten form it would bind to our own loop.
    """
    for node in statements:
        if isinstance(node, (syntax.Break, syntax.Continue)):
            return node
        blocks = [getattr(node, "orelse", []), getattr(node, "finalbody", [])]
        if not isinstance(node, (syntax.For, syntax.While, syntax.AsyncFor)):
            blocks.append(getattr(node, "body", []))
        parts = (*getattr(node, "handlers", ()), *getattr(node, "cases", ()))
        for block in (*blocks, *(part.body for part in parts)):
            found = _stray_exit(block)
            if found is not None:
                return found
    return None


def _loop_of(site: Any) -> Any:
    """The node of a site with the iterable of its outermost loop."""
    if isinstance(site, syntax.For):
        return site
    of: Any = site.args[0] if isinstance(site, syntax.Call) else site
    return of.generators[0]


def _header(site: Any) -> Any:
    """The iterable of a site's outermost loop."""
    return _loop_of(site).iter


def _at(place: Sequence[int], iterable: Any) -> Any:
    """The argument of calls in an iterable that stands at `place`."""
    for argument in place:
        iterable = iterable.args[argument]
    return iterable


def _check_order(site: Any, answer: Lowered, scope: Scope) -> None:
    """Raises _Refused where a call in the iterable may assign a name that stands before it there:
    the hook is given the values of names behind the results of calls.
    """
    computed = [_at(part.place, _header(site)) for part in answer.computed]
    if not computed or all(not part.place for part in answer.computed):
        return
    last = (computed[-1].lineno, computed[-1].col_offset)
    own = frozenset() if scope.module_level else scope.locals - scope.shared
    inside = {id(inner) for part in computed for inner in syntax.walk(part)}
    inside |= {id(e.func) for e in syntax.walk(_header(site)) if isinstance(e, syntax.Call)}
    for part in syntax.walk(_header(site)):
        if not isinstance(part, syntax.Name) or id(part) in inside or part.id in own:
            continue
        if (part.lineno, part.col_offset) < last:
            what = f"a call behind {part.id} may assign it"
            raise _Refused(part.lineno, "iterable", what, "make the iterable before the loop")


def _rebinds_its_iterable(node: syntax.For | syntax.While, answer: Lowered) -> bool:
    """Whether the loop assigns a name that its own iterable is made from, the parts left out that
    are computed once.

    Evaluated after a native part, the expression would give another one.
    """
    if isinstance(node, syntax.While):
        return False
    computed = [_at(part.place, node.iter) for part in answer.computed]
    once = {id(inner) for part in computed for inner in syntax.walk(part)}
    parts = [part for part in syntax.walk(node.iter) if id(part) not in once]
    names = {part.id for part in parts if isinstance(part, syntax.Name)}
    assigned = {
        part.id
        for part in syntax.walk(node)
        if isinstance(part, syntax.Name) and not isinstance(part.ctx, syntax.Load)
    }
    return not names.isdisjoint(assigned)


class Recording:
    """The parts of a loop whose results are recorded while it runs natively."""

    def __init__(self, points: dict[tuple[int, int, int, int, bool], int]) -> None:
        self.points = points

    @staticmethod
    def of(node: Any, answer: Lowered) -> Recording | None:
        """The recorded parts of a loop; none where there are none, or the tree has not all of
        them at the positions that the native part gives.
        """
        points = {
            (p.line, p.column, p.end_line, p.end_column, p.statement): number
            for number, p in enumerate(answer.points)
        }
        recording = Recording(points)
        found = [number for part in syntax.walk(node) if (number := recording.number(part)) >= 0]
        complete = points and sorted(found) == list(range(len(answer.points)))
        return recording if complete else None

    def number(self, part: Any) -> int:
        """The number of a part; -1 for one whose results are not recorded."""
        if isinstance(part, (syntax.Call, syntax.Subscript, syntax.Compare)):
            statement = False
        elif isinstance(part, (syntax.Assign, syntax.AugAssign)):
            statement = True
        else:
            return -1
        place = (part.lineno, part.col_offset, part.end_lineno, part.end_col_offset, statement)
        return self.points.get(place, -1)

    def taking(self, part: Any, shape: _Shape) -> Any:
        """Has the parts below `part` replaced by forms that take the recorded results."""
        for field, inner in list(syntax.iter_fields(part)):
            if isinstance(inner, list):
                setattr(part, field, [self.taken(i, shape) for i in inner])
            elif isinstance(inner, syntax.AST):
                setattr(part, field, self.taken(inner, shape))
        return part

    def taken(self, part: Any, shape: _Shape) -> Any:
        """The form of `part` that takes its recorded result, or those of the parts below it."""
        if not isinstance(part, syntax.AST):
            return part
        number = self.number(part)
        if number < 0 or isinstance(getattr(part, "ctx", None), (syntax.Store, syntax.Del)):
            return self.taking(part, shape)
        assert isinstance(part, (syntax.expr, syntax.stmt))
        at = syntax.place(part)
        is_recorded = shape.call(f"is_recorded{number}", at=at)
        recorded = shape.call("recorded", at=at)
        other = self.taking(part, shape)
        if isinstance(part, syntax.stmt):
            return syntax.If(is_recorded, [syntax.Expr(recorded, **at)], [other], **at)
        return syntax.IfExp(is_recorded, recorded, other, **at)


class _Shape:
    """Builds the tree of one site. Every node of ours stands where the loop's header stands."""

    def __init__(
        self,
        mark: str,
        number: int,
        node: Any,
        noted: bool,
        recording: Recording | None = None,
        rebinds: bool = False,
    ) -> None:
        self.node = node
        self.rebinds = rebinds  # the loop assigns a name that its own iterable is made from
        self.recording = recording
        self.noted = noted
        self.prefix = f"{mark}{number}:"
        self.asked: list[syntax.Constant] = []
        self.computed: dict[str, syntax.expr] = {}  # the parts of the iterable computed for CALL
        header = getattr(node, {syntax.For: "iter", syntax.While: "test"}.get(type(node), ""), node)
        self.at = syntax.place(header)

    def build(self, ours: Any, answer: Lowered) -> syntax.stmt:
        # Sites in an else clause are its own there; here it is as it was.
        after = [
            *self.assigned(answer.maybe),
            *self.left(answer),
            *self.owed(_clone(self.node.orelse)),
        ]
        # Where nothing more is asked, nothing has to be kept to answer it.
        given = self.given(answer)
        if self.rebinds:
            given.append(_clone(self.node.iter))
        call = self.subscript("call_asked" if after else "call", given)
        values = self.targets(answer.writes)
        stay = self.stay(ours, answer)
        run = self.loop(values, call, [*after, self.leave()], orelse=[stay])
        return syntax.If(self.gate(answer.sizes), [run], [self.node], **self.at)

    def value(self, answer: Lowered) -> syntax.expr:
        """Builds the expression of a site that is an expression."""
        expression = _clone(self.node)
        if answer.computed:
            loop = _loop_of(expression)
            loop.iter = self.with_kept(loop.iter, answer)
        instead = syntax.Call(self.call("instead"), [expression], [], **self.at)
        ask = self.call("ask")
        ask.args.extend(self.given(answer))
        asked = syntax.IfExp(ask, self.call("got"), instead, **self.at)
        return syntax.IfExp(self.gate(answer.sizes), asked, self.node, **self.at)

    def noting(self, share: Any) -> Any:
        """Has the values that CPython's share of the loop returns noted, where that is wanted."""
        for part in syntax.walk(share) if self.noted else ():
            if isinstance(part, syntax.Return):
                noted = self.call("noted")
                noted.args.append(part.value or syntax.Constant(None, **self.at))
                part.value = noted
        return share

    def stay(self, ours: Any, answer: Lowered) -> syntax.For:
        """Builds the loop over STAY, in which CPython runs a part of the site, or all of it."""
        values = self.targets(answer.writes)
        given = [self.kept(n) or self.name(n, syntax.Load()) for n in answer.reads]
        body: list[syntax.stmt] = [self.loop(values, self.subscript("out", given), [self.leave()])]
        body += self.assigned(answer.maybe)
        body.append(self.replayed(self.remainder(self.noting(ours), answer), answer))
        body.append(self.leave())
        return self.loop(self.targets([]), self.constant("stay"), body)

    def targets(self, names: list[str]) -> syntax.Tuple:
        return self.tuple([self.name(n, syntax.Store()) for n in names], syntax.Store())

    def assigned(self, maybe: list[str]) -> list[syntax.stmt]:
        return [
            self.loop(self.name(name, syntax.Store()), self.subscript(f"maybe{i}"), [self.leave()])
            for i, name in enumerate(maybe)
        ]

    def left(self, answer: Lowered) -> list[syntax.stmt]:
        if not answer.returns:
            return []
        given = syntax.Return(self.call("value"), **self.at)
        return [self.when(self.call("returned"), [given])]

    def leave(self) -> syntax.Break:
        """Builds the `break` that ends a loop of ours.

        The `break` has no line: a tracer would be told of the header's line once more where the
        user's code comes here from another line, after a `break` or an `else` clause of its own.
        """
        return syntax.Break(lineno=-1, col_offset=-1, end_lineno=-1, end_col_offset=-1)

    def remainder(self, ours: syntax.For | syntax.While, answer: Lowered) -> syntax.stmt:
        """Builds the user's loop over what is left, or over a few trips before the hook tries
        again.
        """
        if isinstance(ours, syntax.While):
            return self.rest_of_while(ours, answer)
        # Native code that has returned leaves an empty share, so the user's loop has no `break`.
        ours.orelse = [
            self.once_more(),
            *self.left(answer),
            *self.owed(ours.orelse),
        ]
        ours.iter = self.share(ours.iter, answer)
        return ours

    def given(self, answer: Lowered) -> list[syntax.expr]:
        """Builds what a site is called with: names, and what is computed for it."""
        return [self.computed.get(n) or self.name(n, syntax.Load()) for n in answer.reads]

    def share(self, iterable: Any, answer: Lowered) -> syntax.expr:
        """Builds what CPython's share runs over: a part of `iterable`, or all of it."""
        all_of_it = self.call("skip")
        all_of_it.args.append(self.with_kept(iterable, answer))
        return syntax.BoolOp(syntax.Or(), [self.call("rest"), all_of_it], **self.at)

    def with_kept(self, iterable: Any, answer: Lowered) -> Any:
        """Builds `iterable` with what was computed for the site in its places."""
        for part in answer.computed:
            *outer, last = part.place or [-1]
            if last < 0:
                iterable = self.kept(part.name)
            else:
                _at(outer, iterable).args[last] = self.kept(part.name)
        return iterable

    def kept(self, name: str) -> syntax.expr | None:
        """Builds the value of a computed part of the iterable; None for a name."""
        if name not in self.computed:
            return None
        return self.subscript(f"computed{[*self.computed].index(name)}")

    def rest_of_while(self, ours: syntax.While, answer: Lowered) -> syntax.stmt:
        brief = self.noting(_clone(self.node))  # soon to be left for native code: no sites inside
        brief.test = syntax.BoolOp(syntax.And(), [self.call("tick"), brief.test], **self.at)
        brief.orelse = [self.once_more(), *self.owed(brief.orelse)]
        ours.orelse = self.owed(ours.orelse)
        rest = self.when(self.call("waits"), [brief])
        rest.orelse = [ours]
        rest = self.when(self.call("more"), [rest])
        # A `while` that ended natively may have returned, or still owes its else clause.
        rest.orelse = [*self.left(answer), *self.owed(_clone(self.node.orelse))]
        return rest

    def replayed(self, share: syntax.stmt, answer: Lowered) -> syntax.stmt:
        """Adds the form of CPython's share that takes recorded results."""
        if self.recording is None:
            return share
        again = self.noting(self.recording.taking(_clone(self.node), self))
        again.orelse = [self.once_more(), *self.left(answer), *self.owed(again.orelse)]
        if isinstance(again, syntax.While):
            again.test = syntax.BoolOp(syntax.And(), [self.call("turn"), again.test], **self.at)
        else:
            again.iter = self.share(again.iter, answer)
        form = self.when(self.call("replays"), [again])
        form.orelse = [share]
        return form

    def once_more(self) -> syntax.stmt:
        return self.when(self.call("again"), [syntax.Continue(**self.at)])

    def owed(self, orelse: list[syntax.stmt]) -> list[syntax.stmt]:
        return [self.when(self.call("orelse"), orelse)] if orelse else []

    def constant(self, what: str) -> syntax.Constant:
        return syntax.Constant(self.prefix + what, **self.at)

    def hook(self, what: str) -> syntax.IfExp:
        # A conditional on True compiles to the constant alone. Called as it stands, a string
        # would earn a SyntaxWarning.
        constant = self.constant(what)
        if what in ("gate", "call", "call_asked"):
            self.asked.append(constant)
        return syntax.IfExp(syntax.Constant(True, **self.at), constant, constant, **self.at)

    def call(
        self, what: str, names: Sequence[str] = (), at: syntax.Place | None = None
    ) -> syntax.Call:
        given: list[syntax.expr] = [self.name(n, syntax.Load()) for n in names]
        return syntax.Call(self.hook(what), given, [], **(at or self.at))

    def subscript(self, what: str, given: Sequence[syntax.expr] = ()) -> syntax.Subscript:
        """Builds a subscript of one of our functions with a tuple: after a subscript no signal is
        handled.
        """
        key = syntax.Tuple(list(given), syntax.Load(), **self.at)
        return syntax.Subscript(self.hook(what), key, syntax.Load(), **self.at)

    def gate(self, sizes: list[str]) -> syntax.Subscript:
        names: list[syntax.expr] = [self.name(n, syntax.Load()) for n in sizes]
        key = names[0] if len(names) == 1 else syntax.Tuple(names, syntax.Load(), **self.at)
        return syntax.Subscript(self.hook("gate"), key, syntax.Load(), **self.at)

    def name(self, name: str, context: syntax.expr_context) -> syntax.Name:
        return syntax.Name(name, context, **self.at)

    def tuple(self, elements: Sequence[syntax.expr], context: syntax.expr_context) -> syntax.Tuple:
        return syntax.Tuple(list(elements), context, **self.at)

    def when(self, test: syntax.expr, body: list[syntax.stmt]) -> syntax.If:
        return syntax.If(test, body, [], **self.at)

    def loop(
        self,
        target: syntax.Name | syntax.Tuple,
        iterable: syntax.expr,
        body: Sequence[syntax.stmt],
        orelse: Sequence[syntax.stmt] = (),
    ) -> syntax.For:
        return syntax.For(target, iterable, list(body), list(orelse), None, **self.at)
