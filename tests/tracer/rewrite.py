"""Instruments a script: every access goes through the recorder, nothing else changes.

An expression that reads becomes a call that reads and records; a target becomes one that records
and writes. What Python does in a certain order is kept in it: a right side before its target, the
operands of an augmented assignment before its value. Names of ours begin and end with two
underscores, so that classes do not mangle them.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .scopes import Scope, scopes_of
from .sites import Loop, Site, Update
from .updates import updates_in

TRACE = "__trace__"
# These look at their caller's frame.
_DIRECT = {"super", "locals", "globals", "vars", "dir", "eval", "exec", "breakpoint"}


def rewrite(tree: ast.Module) -> tuple[ast.Module, list[Site], list[Loop]]:
    """The instrumented script with its sites and loops by the numbers it uses for them."""
    rewriter = _Rewriter(tree)
    body = rewriter.block(tree.body)
    new = ast.Module(body, [])
    return ast.fix_missing_locations(new), rewriter.sites, rewriter.loops


class _Rewriter(ast.NodeTransformer):
    def __init__(self, tree: ast.Module):
        self.scopes = scopes_of(tree)
        self.scope: Scope = self.scopes[tree]
        self.classes: list[str] = []
        self.sites: list[Site] = []
        self.loops: list[Loop] = []
        self.depth = 0
        self.temporaries = 0
        self.updates: dict[ast.expr, Update] = {}
        self.operands: set[ast.expr] = set()
        self.augmented: set[ast.expr] = set()

    # Helpers

    def site(self, node: ast.AST, name: str, write: bool, scalar: bool = True) -> Site:
        site = Site(
            len(self.sites),
            node.lineno,  # type: ignore[attr-defined]
            name,
            write,
            self.scope.number,
            self.updates.get(node),  # type: ignore[call-overload]
            node in self.operands,
            node in self.augmented,
            scalar,
        )
        self.sites.append(site)
        return site

    def trace(self, node: ast.AST, what: str, *arguments: object) -> ast.Call:
        """`__trace__.what(arguments)` where `node` stands."""
        given = [self._argument(a) for a in arguments]
        function = ast.Attribute(ast.Name(TRACE, ast.Load()), what, ast.Load())
        return _at(node, ast.Call(function, given, []))

    def _argument(self, value: object) -> ast.expr:
        if isinstance(value, ast.expr):
            return value
        return ast.Constant(value.number if isinstance(value, Site) else value)

    def temporary(self) -> str:
        self.temporaries += 1
        return f"__trace_value_{self.temporaries}__"

    def frame_of(self, name: str) -> ast.expr | None:
        owner = self.scope.owner(name)
        if owner is None or name not in owner.tracked:
            return None
        return ast.Name(owner.frame, ast.Load())

    def block(self, statements: Sequence[ast.stmt], mark: bool = False) -> list[ast.stmt]:
        """Statements in their order; of a loop's body it is recorded which one is at work."""
        new: list[ast.stmt] = []
        for number, statement in enumerate(statements):
            self.updates.update(updates_in(statement))
            if mark:
                new.append(_at(statement, ast.Expr(self.trace(statement, "at", number))))
            result = self.visit(statement)
            new += result if isinstance(result, list) else [result]
        return new

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, name, self.block(value))
            elif isinstance(value, list):
                value[:] = [self.visit(v) if isinstance(v, ast.AST) else v for v in value]
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node

    # Scopes

    def visit_FunctionDef(self, node: ast.FunctionDef) -> list[ast.stmt]:
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
        body = self._within(node, node.body)
        scope = self.scopes[node]
        made = self.trace(node, "generator") if scope.generator else ast.Dict([], [])
        first = _at(node, ast.Assign([ast.Name(scope.frame, ast.Store())], made))
        place = 1 if ast.get_docstring(node, clean=False) is not None else 0
        rest = body[place:]
        if scope.generator:
            frame = ast.Name(scope.frame, ast.Load())
            ended = _at(node, ast.Expr(self.trace(node, "finish", frame)))
            rest = [_at(node, ast.Try(rest or [_at(node, ast.Pass())], [], [], [ended]))]
        node.body = body[:place] + [first] + rest
        return [node, *self.rebound(node, [node.name])]

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_ClassDef(self, node: ast.ClassDef) -> list[ast.stmt]:
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        node.bases = [self.visit(b) for b in node.bases]
        node.keywords = [self.visit(k) for k in node.keywords]
        self.classes.append(node.name)
        body = self._within(node, node.body)
        self.classes.pop()
        scope = self.scopes[node]
        if scope.tracked:
            frame = ast.Assign([ast.Name(scope.frame, ast.Store())], ast.Dict([], []))
            place = 1 if ast.get_docstring(node, clean=False) is not None else 0
            body.insert(place, _at(node, frame))
        node.body = body
        return [node, *self.rebound(node, [node.name])]

    def _within(self, node: ast.AST, body: list[ast.stmt]) -> list[ast.stmt]:
        outer, depth = self.scope, self.depth
        self.scope, self.depth = self.scopes[node], 0
        new = self.block(body)
        self.scope, self.depth = outer, depth
        return new

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        outer, self.scope = self.scope, self.scopes[node]
        node.body = self.visit(node.body)
        self.scope = outer
        return node

    def _comprehension(self, node: ast.AST) -> ast.AST:
        outer, self.scope = self.scope, self.scopes[node]
        for generator in node.generators:  # type: ignore[attr-defined]
            name = _root(generator.iter)
            site = self.site(generator.iter, name, False, False)
            depth = _depth(generator.target)
            generator.iter = self.trace(
                generator.iter, "elements", site, self.visit(generator.iter), depth
            )
            generator.ifs = [self.visit(i) for i in generator.ifs]
        for part in ("elt", "key", "value"):
            if hasattr(node, part):
                setattr(node, part, self.visit(getattr(node, part)))
        self.scope = outer
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    # Reads

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if not isinstance(node.ctx, ast.Load):
            return node
        frame = self.frame_of(node.id)
        site = self.site(node, node.id, False)
        if frame is not None:
            return self.trace(node, "name", frame, site, node)
        return self.trace(node, "use", site, node) if site.operand else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if not isinstance(node.ctx, ast.Load):
            return node
        site = self.site(node, ast.unparse(node), False)
        return self.trace(node, "attribute", site, self.visit(node.value), self.mangled(node.attr))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if not isinstance(node.ctx, ast.Load):
            return node
        site = self.site(node, _root(node), False, False)
        return self.trace(node, "get", site, self.visit(node.value), self.key(node.slice))

    def key(self, node: ast.expr) -> ast.expr:
        """A subscript as an expression of its own: slices become calls."""
        if isinstance(node, ast.Slice):
            parts = (node.lower, node.upper, node.step)
            new = [self.visit(p) if p else ast.Constant(None) for p in parts]
            return self.trace(node, "slice", *new)
        if isinstance(node, ast.Tuple):
            return _at(node, ast.Tuple([self.key(e) for e in node.elts], ast.Load()))
        return self.visit(node)

    def mangled(self, name: str) -> str:
        if not self.classes or not name.startswith("__") or name.endswith("__"):
            return name
        return "_" + self.classes[-1].lstrip("_") + name

    def _operator(self, node: ast.AST) -> ast.AST:
        self.operands.update(ast.iter_child_nodes(node))
        return self.generic_visit(node)

    visit_BinOp = visit_UnaryOp = visit_Compare = visit_BoolOp = visit_FormattedValue = _operator

    def _tested(self, node: ast.AST) -> ast.AST:
        self.operands.add(node.test)  # type: ignore[attr-defined]
        return self.generic_visit(node)

    visit_If = visit_IfExp = visit_Assert = _tested

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        site = self.site(node, _root(node), False, False)
        node.value = self.trace(node, "unpack", site, self.visit(node.value))
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in _DIRECT:
            return self.generic_visit(node)
        method = isinstance(node.func, ast.Attribute)
        site = self.site(node, _root(node.func.value if method else node.func), False, False)
        site.arguments = tuple(
            Site(-1, a.lineno, _root(a), False, site.scope, scalar=False) for a in node.args
        )
        if isinstance(node.func, ast.Attribute):
            value = self.visit(node.func.value)
            call = self.trace(node, "method", site, value, self.mangled(node.func.attr))
        else:
            call = self.trace(node, "call", site, self.visit(node.func))
        call.args += [self.visit(a) for a in node.args]
        call.keywords = [self.visit(k) for k in node.keywords]
        return call

    def _yield(self, node: ast.AST) -> ast.AST:
        """What a generator does belongs to its own loops, what happens between, to its user's."""
        frame = ast.Name(self.scope.frame, ast.Load())
        value = self.visit(node.value) if node.value else ast.Constant(None)  # type: ignore
        node.value = self.trace(node, "pause", frame, value)  # type: ignore[attr-defined]
        return self.trace(node, "resume", frame, node)

    visit_Yield = visit_YieldFrom = _yield

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        parts = list(ast.walk(node.pattern))
        names = [p.name for p in parts if isinstance(p, (ast.MatchAs, ast.MatchStar))]
        names += [p.rest for p in parts if isinstance(p, ast.MatchMapping)]
        node.guard = node.guard and self.visit(node.guard)
        node.body = self.rebound(node.pattern, names) + self.block(node.body)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node.type = node.type and self.visit(node.type)
        node.body = self.awake(node) + self.rebound(node, [node.name]) + self.block(node.body)
        return node

    def visit_Try(self, node: ast.Try) -> ast.AST:
        self.generic_visit(node)
        if node.finalbody:
            node.finalbody = self.awake(node) + node.finalbody
        return node

    def awake(self, node: ast.AST) -> list[ast.stmt]:
        """An exception may have been thrown into a generator where it waited."""
        if self.scope.kind != "function" or not self.scope.generator:
            return []
        frame = ast.Name(self.scope.frame, ast.Load())
        return [_at(node, ast.Expr(self.trace(node, "awake", frame)))]

    def _import(self, node: ast.Import | ast.ImportFrom) -> list[ast.stmt]:
        names = [(a.asname or a.name).split(".")[0] for a in node.names]
        return [node, *self.rebound(node, [n for n in names if n != "*"])]

    visit_Import = visit_ImportFrom = _import

    # Writes

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        node.value = self.stored(node.target, self.visit(node.value))
        return node

    def stored(self, target: ast.Name, value: ast.expr) -> ast.expr:
        """`value` on its way into a variable."""
        frame = self.frame_of(target.id)
        if frame is None:
            return value
        return self.trace(target, "put", frame, self.site(target, target.id, True), value)

    def assign(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """`target = value`, where `value` is instrumented already."""
        if isinstance(target, ast.Name):
            return [_at(target, ast.Assign([target], self.stored(target, value)))]
        if isinstance(target, ast.Subscript):
            site = self.site(target, _root(target), True, False)
            held, key = self.visit(target.value), self.key(target.slice)
            call = self.trace(target, "set", value, site, held, key)
            return [_at(target, ast.Expr(call))]
        if isinstance(target, ast.Attribute):
            site = self.site(target, ast.unparse(target), True)
            held, name = self.visit(target.value), self.mangled(target.attr)
            return [_at(target, ast.Expr(self.trace(target, "assign", value, site, held, name)))]
        site = self.site(target, _root(value), False, False)
        return self.unpack(target, self.trace(target, "unpack", site, value))

    def unpack(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """`a, (b, *c) = value`: into temporaries first, then one assignment after the other."""
        elements, after = [], []
        for element in target.elts:  # type: ignore[attr-defined]
            name = self.temporary()
            new: ast.expr = _at(element, ast.Name(name, ast.Store()))
            if isinstance(element, ast.Starred):
                new, element = _at(element, ast.Starred(new, ast.Store())), element.value
            elements.append(new)
            after += self.assign(element, _at(element, ast.Name(name, ast.Load())))
        pattern = _at(target, ast.Tuple(elements, ast.Store()))
        return [_at(target, ast.Assign([pattern], value)), *after]

    def spread(self, target: ast.expr) -> tuple[ast.expr, list[ast.stmt]]:
        """A temporary in the target's place, and the assignments from it."""
        name = self.temporary()
        read = _at(target, ast.Name(name, ast.Load()))
        return _at(target, ast.Name(name, ast.Store())), self.assign(target, read)

    def rebound(self, node: ast.AST, names: list[str | None]) -> list[ast.stmt]:
        """Records what a statement of another kind has assigned to these variables."""
        new: list[ast.stmt] = []
        for name in names:
            if name is not None and self.frame_of(name) is not None:
                target = _at(node, ast.Name(name, ast.Store()))
                new += self.assign(target, _at(node, ast.Name(name, ast.Load())))
        return new

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        if any(isinstance(t, ast.Subscript) for t in node.targets):
            self.operands.add(node.value)
        value = self.visit(node.value)
        if len(node.targets) == 1:
            return self.assign(node.targets[0], value)
        name = self.temporary()
        new: list[ast.stmt] = [_at(node, ast.Assign([ast.Name(name, ast.Store())], value))]
        for target in node.targets:
            new += self.assign(target, _at(node, ast.Name(name, ast.Load())))
        return new

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        if node.value is None:
            return node
        value = self.visit(node.value)
        if isinstance(node.target, ast.Name):
            node.value = self.stored(node.target, value)
            return node
        return self.assign(node.target, value)

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        """`t op= e`: what `t` is made of, its value, `e`, the operation, the write."""
        target = node.target
        self.operands.update((node.value, target))
        self.augmented.add(target)
        before: list[ast.stmt] = []

        def kept(value: ast.expr) -> ast.expr:
            name = self.temporary()
            before.append(_at(node, ast.Assign([ast.Name(name, ast.Store())], value)))
            return _at(node, ast.Name(name, ast.Load()))

        if isinstance(target, ast.Name):
            read: ast.expr = _at(target, ast.Name(target.id, ast.Load()))
            frame, site = self.frame_of(target.id), self.site(target, target.id, False)
            if frame is not None:
                read = self.trace(target, "name", frame, site, read)
            else:
                read = self.trace(target, "use", site, read)
        elif isinstance(target, ast.Attribute):
            held, name = kept(self.visit(target.value)), self.mangled(target.attr)
            site = self.site(target, ast.unparse(target), False)
            read = self.trace(target, "attribute", site, held, name)
        else:
            held, key = kept(self.visit(target.value)), kept(self.key(target.slice))
            site = self.site(target, _root(target), False, False)
            read = self.trace(target, "get", site, held, key)
        old = kept(read)
        changed = ast.Name(old.id, ast.Store())  # type: ignore[attr-defined]
        before.append(_at(node, ast.AugAssign(changed, node.op, self.visit(node.value))))
        if isinstance(target, ast.Name):
            site = self.site(target, target.id, True)
            value = self.trace(target, "put", frame or ast.Dict([], []), site, old)
            return [*before, _at(node, ast.Assign([target], value))]
        site = self.site(target, site.name, True, isinstance(target, ast.Attribute))
        what, last = ("set", key) if isinstance(target, ast.Subscript) else ("assign", name)
        return [*before, _at(node, ast.Expr(self.trace(target, what, old, site, held, last)))]

    def visit_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        new: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                site = self.site(target, _root(target), True, False)
                held, key = self.visit(target.value), self.key(target.slice)
                new.append(_at(node, ast.Expr(self.trace(target, "delete", site, held, key))))
            else:
                new.append(_at(node, ast.Delete([target])))
        return new

    def visit_With(self, node: ast.With) -> ast.AST:
        before: list[ast.stmt] = []
        for item in node.items:
            item.context_expr = self.visit(item.context_expr)
            if item.optional_vars is not None:
                item.optional_vars, rest = self.spread(item.optional_vars)
                before += rest
        node.body = before + self.block(node.body)
        return node

    # Loops

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        loop = self.loop(node, "for", node.target)
        node.iter = self.trace(node, "loop", loop.number, self.visit(node.iter))
        node.target, before = self.spread(node.target)
        self.depth += 1
        node.body = before + self.block(node.body, mark=True)
        self.depth -= 1
        node.orelse = self.block(node.orelse)
        return [node]

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        """The condition belongs to the iteration that it lets begin."""
        loop = self.loop(node, "while", None)
        name = f"__trace_loop_{loop.number}__"
        held = ast.Name(name, ast.Load())
        start = _at(
            node,
            ast.Assign([ast.Name(name, ast.Store())], self.trace(node, "begin", loop.number)),
        )
        self.depth += 1
        test = self.visit(node.test)
        turn = self.trace(node, "turn", held)
        node.test = _at(node.test, ast.BoolOp(ast.And(), [turn, test]))
        node.body = self.block(node.body, mark=True)
        self.depth -= 1
        ended = _at(node, ast.Expr(self.trace(node, "leave", held, False)))
        node.orelse = [ended, *self.block(node.orelse)]
        left = _at(node, ast.Expr(self.trace(node, "leave", held, True)))
        return [start, _at(node, ast.Try([node], [], [], [left]))]

    def loop(self, node: ast.For | ast.While, kind: str, target: ast.expr | None) -> Loop:
        stores = {
            n.id
            for n in ast.walk(node)
            if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }
        targets = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)} if target else set()
        jumps = {k for k, s in enumerate(node.body) if _continues(s)}
        loop = Loop(
            len(self.loops),
            node.lineno,
            kind,
            ast.unparse(target) if target else None,
            self.depth + 1,
            self.scope.name,
            self.scope.number,
            frozenset(targets),
            frozenset(stores),
            len(node.body),
            frozenset(jumps),
            self.site(node, _root(node.iter) if isinstance(node, ast.For) else "", False, False),
        )
        self.loops.append(loop)
        return loop


def _continues(node: ast.AST) -> bool:
    """Whether a `continue` of the loop directly around is in `node`."""
    if isinstance(node, ast.Continue):
        return True
    if isinstance(node, (ast.For, ast.While)):
        return any(_continues(s) for s in node.orelse)
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return False
    return any(_continues(child) for child in ast.iter_child_nodes(node))


def _depth(target: ast.expr) -> int:
    """How deep a target unpacks what it is given: 0 for a name."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return 0
    return 1 + max((_depth(element) for element in target.elts), default=0)


def _root(node: ast.AST) -> str:
    """What the user would call the array: `A` in `A[i][j]`."""
    while isinstance(node, (ast.Subscript, ast.Starred)):
        node = node.value
    return ast.unparse(node)


def _at(old, new):  # type: ignore[no-untyped-def]
    return ast.copy_location(new, old)
