"""A stand-in for `nestwise._core` in pure Python, for tests of the rewriting alone.

It lowers simple loops and runs them by executing their own text, as far as `MODE` says: "decline"
(call returns nothing), "fallback" (everything is left to CPython), "full", or a number of trips
after which CPython goes on. Trips that would raise are always left to CPython, as undone chunks
are; they are found by a run on a copy of all values.
"""

import ast
import copy
import itertools
import os
import sys
import warnings
from typing import NamedTuple

MODE = os.environ.get("FAKE_CORE_MODE", "full")
RUNS = []  # (line, trips, end) of each call
CONFIGURED = []
REGIONS = []  # places of the first sites of regions that began

REFUSED = (
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Try,
    ast.With,
    ast.Delete,
    ast.Raise,
)
PURE = {"range", "len", "abs", "min", "max", "int", "float", "enumerate", "zip", "sum", "list"}


class Refused(NamedTuple):
    line: int
    code: str
    message: str
    hint: str


class Lowered(NamedTuple):
    refused: Refused | None
    reads: list[str]
    writes: list[str]
    maybe: list[str]
    returns: bool
    sizes: list[str]
    points: tuple = ()
    computed: tuple = ()


class NestReport(NamedTuple):
    file: str
    line: int
    calls: int
    measured_s: float = 1.0


def version():
    return "fake"


def configure(settings):
    CONFIGURED.append(settings)
    return []


def panics():
    return []


def report():
    calls = {}
    for file, line, *_ in RUNS:
        calls[file, line] = calls.get((file, line), 0) + 1
    return [NestReport(f, n, c) for (f, n), c in calls.items()]


def lower(site):
    text, first_line, indented, module_level, local_names, bound_names, value, *_ = site
    if value:
        return _lower_value(text, first_line, module_level, local_names, bound_names)
    node = _statement(text, indented)
    parts = [node.target, node.iter] if _is_for(node) else [node.test]
    parts += node.body
    for part in (p for top in parts for p in ast.walk(top)):
        if isinstance(part, REFUSED):
            return _no(first_line, f"{type(part).__name__} is not supported")
        if isinstance(part, ast.Constant) and part.value == "refuse":
            return _no(first_line, "refused on request")
        if isinstance(part, ast.Call) and not _pure(part.func):
            return _no(first_line, "a call of unknown effect")
    names = [p for top in parts for p in ast.walk(top) if isinstance(p, ast.Name)]
    stores = dict.fromkeys(n.id for n in names if _stored(n) and n.id in local_names)
    reads = dict.fromkeys(n.id for n in names if n.id in bound_names)
    for name in names:
        if name.id in local_names and name.id not in bound_names and name.id not in stores:
            return _no(first_line, f"{name.id} may be unbound")
    sure = []
    if _is_for(node):
        sure = [n.id for n in ast.walk(node.target) if isinstance(n, ast.Name) and _stored(n)]
    writes = [n for n in dict.fromkeys(sure) if n in stores]
    sizes = []
    if _is_for(node) and not module_level:
        counted = {n.id for n in ast.walk(node.iter) if isinstance(n, ast.Name)}
        sizes = [n for n in reads if n in counted]
    maybe = [n for n in stores if n not in writes]
    returns = any(isinstance(p, ast.Return) for top in parts for p in ast.walk(top))
    return Lowered(None, list(reads), writes, maybe, returns, sizes)


def _lower_value(text, first_line, module_level, local_names, bound_names):
    names = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)]
    own = {n.id for n in names if _stored(n)}
    for part in ast.walk(ast.parse(text)):
        if isinstance(part, (ast.Lambda, ast.SetComp, ast.DictComp)):
            return _no(first_line, f"{type(part).__name__} is not supported")
        if isinstance(part, ast.Call) and not _pure(part.func):
            return _no(first_line, "a call of unknown effect")
    reads = dict.fromkeys(n.id for n in names if n.id in bound_names - own)
    for name in names:
        if name.id in local_names - bound_names - own:
            return _no(first_line, f"{name.id} may be unbound")
    sizes = list(reads) if reads and not module_level else []
    return Lowered(None, list(reads), ["<value>"], [], False, sizes)


def _statement(text, indented):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse("if 1:\n" + text).body[0].body[0] if indented else ast.parse(text).body[0]


def _no(line, why):
    return Lowered(Refused(line, "test", why, ""), [], [], [], False, [])


def _is_for(node):
    return isinstance(node, ast.For)


def _stored(name):
    return isinstance(name.ctx, ast.Store)


def _pure(function):
    if isinstance(function, ast.Attribute):
        return function.attr in ("append", "get")
    return isinstance(function, ast.Name) and function.id in PURE


class Site:
    def __init__(self, file, site):
        text, first_line, indented, _, local_names, _, self.is_value, *_ = site
        self.place = (file, first_line)
        self.lowered = lower(site)
        if self.is_value:
            self.code, self.maybe = compile(text, "<fake>", "eval"), ()
            return
        self.node = _statement(text, indented)
        self.for_loop = _is_for(self.node)
        self.parts = _parts(self.node, local_names)
        self.maybe = tuple(map(self._maybe, self.lowered.maybe))
        self.last = None

    def function(self, name):
        return self.maybe[int(name[5:])] if name.startswith("maybe") else getattr(self, name)

    def _maybe(self, name):
        return _Subscripted(lambda: (self.last.values[name],) if name in self.last.values else ())

    @property
    def call(self):
        return _Subscripted(self._call)

    call_asked = call

    def _call(self, *values):
        self.handed = None
        shared = sys._getframe(2).f_globals
        # The loop's iterable comes last where the loop assigns a name that it is made from.
        given = dict(zip(self.lowered.reads, values, strict=False))
        limit = {"full": 10**9, "fallback": 0}.get(MODE)
        limit = int(MODE) if limit is None else limit
        if limit:
            limit = self._harmless(shared, given, limit)
        self.last = _Run(self, shared, given).go(limit)
        RUNS.append((*self.place, self.last.trips, self.last.end))
        if self._finished() and (self.last.trips or not self.lowered.writes):
            return self._out() or ((),)
        self.handed = ((),)
        return ()

    def ask(self, *values):
        if MODE == "decline":
            return False
        RUNS.append((*self.place, 1, "rest"))
        if MODE == "fallback":
            return False
        given = dict(zip(self.lowered.reads, values, strict=True))
        shared = {**sys._getframe(1).f_globals, **given}
        kinds = (int, float, str, list, dict, tuple, set)
        plain = {k: v for k, v in shared.items() if type(v) in kinds and k[:2] != "__"}
        try:
            eval(self.code, {**shared, **copy.deepcopy({**plain, **given})})
        except Exception:
            return False  # what it would raise, or have consumed, is CPython's
        self.held = eval(self.code, shared)
        return True

    def got(self):
        return self.held

    def instead(self):
        return lambda value: value

    def _finished(self):
        """Whether nothing is left; a look at a loop's iterator must not take anything from it."""
        run = self.last
        if not self.for_loop or run.end != "rest" or run.rest is None:
            return run.end != "rest"
        first = next(run.rest, run)
        if first is not run:
            run.rest = itertools.chain((first,), run.rest)
        return first is run

    @property
    def gate(self):
        return _Gate(len(self.lowered.sizes))

    @property
    def stay(self):
        return _Stay(self)

    def _harmless(self, shared, given, limit):
        """How many trips end without an exception."""
        kinds = (int, float, str, list, dict, tuple, set)
        plain = {k: v for k, v in shared.items() if type(v) in kinds and k[:2] != "__"}
        try:
            plain, given = copy.deepcopy((plain, given))
        except Exception:
            return 0  # a generator, say: it must not be consumed
        trial = _Run(self, {**shared, **plain}, given)
        try:
            trial.go(limit)
        except Exception:
            return trial.trips
        return limit

    @property
    def out(self):
        return _Subscripted(self._out)

    def _out(self, *values):
        if not self.last.trips:
            return ()
        return (tuple(self.last.values[name] for name in self.lowered.writes),)

    def rest(self):
        rest = self.last.rest
        return None if rest is None else _Rest(rest)

    def again(self):
        return False

    def skip(self, iterable):
        return iterable

    def more(self):
        return self.last.end == "rest"

    def waits(self):
        return False

    def tick(self):
        return True

    orelse = more

    def within(self, what, first, flags):
        assert isinstance(first, Site) and set(flags) <= set("kuma")
        return getattr(self, what)

    def region(self):
        REGIONS.append(self.place)
        return ((),)

    def keep(self, roles, *values):
        pairs = list(zip(roles.lstrip("!+?"), values, strict=True))
        assert all(isinstance(value, str) for role, value in pairs if role.isupper())
        return True

    def flush(self):
        return True

    def over(self, iterable):
        return iterable

    def returned(self):
        return self.last.end == "return"

    def value(self):
        return self.last.value


class _Gate:
    """Asked in brackets with one value, or a tuple of several."""

    def __init__(self, count):
        self.count = count

    def __getitem__(self, key):
        assert self.count == 1 or len(key) == self.count
        return MODE != "decline"


class _Subscripted:
    """Asked in brackets with a tuple of what a call would be given."""

    def __init__(self, function):
        self.function = function

    def __getitem__(self, given):
        assert type(given) is tuple
        return self.function(*given)


class _Stay:
    """Asks its site when it is iterated, not before."""

    def __init__(self, site):
        self.site = site

    def __iter__(self):
        return iter(self.site.handed or ())


class _Rest:
    """What is left of a loop: always true, unlike an empty container."""

    def __init__(self, iterator):
        self.iterator = iterator

    def __iter__(self):
        return self.iterator


class _Run:
    """One execution of a loop on `values` of its local names."""

    def __init__(self, site, shared, values):
        self.site, self.values = site, values
        self.trips, self.end, self.rest, self.value = 0, "rest", None, None
        self.part = {name: type(f)(f.__code__, shared) for name, f in site.parts.items()}

    def go(self, limit):
        if limit == 0:
            return self
        if self.site.for_loop:
            self.rest = iter(self.part["head"](self.values))
        while self.trips < limit:
            if self.site.for_loop:
                try:
                    item = next(self.rest)
                except StopIteration:
                    break
                self.part["assign"](self.values, item)
            elif not self.part["head"](self.values):
                break
            end, value = self.part["trip"](self.values)
            self.trips += 1
            if end != "next":
                self.end, self.value, self.rest = end, value, iter(())
                break
        return self


TEMPLATE = """
def head(_nw): pass
def assign(_nw, _nw_item): pass
def trip(_nw):
    for _nw_once in (0,): pass
    else: return ("next", None)
    return ("break", None)
"""


def _parts(node, local_names):
    """Functions on a dict of the local names: the head, the target's binding, one trip."""
    node = _Local(local_names).visit(copy.deepcopy(node))
    module = ast.parse(TEMPLATE)
    head, assign, trip = module.body
    head.body = [ast.Return(node.iter if _is_for(node) else node.test)]
    if _is_for(node):
        assign.body = [ast.Assign([node.target], ast.Name("_nw_item", ast.Load()))]
    trip.body[0].body = node.body
    shared = sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _stored(n)})
    for function in (assign, trip):
        if shared:
            function.body.insert(0, ast.Global(shared))
    space = {}
    exec(compile(ast.fix_missing_locations(module), "<fake>", "exec"), space)
    return {name: space[name] for name in ("head", "assign", "trip")}


class _Local(ast.NodeTransformer):
    """Local names become entries of `_nw`; returns say that they are."""

    def __init__(self, names):
        self.names = names

    def visit_Name(self, node):
        if node.id not in self.names:
            return node
        return ast.Subscript(ast.Name("_nw", ast.Load()), ast.Constant(node.id), node.ctx)

    def visit_Return(self, node):
        self.generic_visit(node)
        value = node.value or ast.Constant(None)
        node.value = ast.Tuple([ast.Constant("return"), value], ast.Load())
        return node
