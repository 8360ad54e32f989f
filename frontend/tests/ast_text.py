"""Every loop of some Python files as CPython reads it, in the text form of the surface nest.

    python ast_text.py [folder ...]       without a folder: the standard library, less its tests

Writes one record a loop, its fields ended by U+001F and itself by U+001E: file, line, source
lines, text (empty where the surface language has no such construct).
"""

import ast
import io
import os
import sys
import sysconfig

BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|",
    ast.BitXor: "^",
}  # fmt: skip
UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not "}
COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


class Refused(Exception):
    """The surface language has no such construct."""


def name(text):
    if text.startswith("__") and not text.endswith("__"):
        raise Refused
    return text


def character(c):
    return ESCAPES.get(c) or (c if c.isprintable() else f"\\u{{{ord(c):x}}}")


def byte(c):
    if c == "'":
        return "\\'"
    if c in ESCAPES and c != "\0":
        return ESCAPES[c]
    return c if " " <= c <= "~" else f"\\x{ord(c):02x}"


def constant(value):
    if value is True or value is False or type(value) is int:
        return str(value)
    if type(value) is float:
        mantissa, e, exponent = repr(value).partition("e")
        return mantissa + e + (str(int(exponent)) if e else "")
    if type(value) is complex:
        return constant(value.imag) + "j"
    if type(value) is str:
        return '"' + "".join([character(c) for c in value]) + '"'
    if type(value) is bytes:
        return 'b"' + "".join([byte(chr(b)) for b in value]) + '"'
    raise Refused


def seq(nodes, f):
    return ", ".join([f(node) for node in nodes])


# Called for their effect they are surely not functions that can be inlined.
FOREIGN_NAMES = {"print", "input", "open", "exec", "eval", "setattr", "next", "exit", "quit"}
FOREIGN_METHODS = set(
    "extend insert pop popleft appendleft remove sort reverse clear discard write"
    " writelines writerow flush close fill setdefault put send debug info warning error".split()
)


# Of these, those that CPython may be called for, where nothing speaks against it.
HOST_NAMES = set(
    "print heappush heappop heapify heappushpop heapreplace insort insort_left insort_right time"
    " perf_counter monotonic process_time append extend insert remove pop clear reverse sort"
    " appendleft extendleft popleft rotate setdefault update add discard".split()
)


class Place:
    """Where a statement stands, as far as it decides whether CPython may be called there."""

    exits = 0  # branches around from which iterations exit to the interpreter
    nested: list[int] = []  # how deeply loops nest inside the loops around
    objects = 0  # calls and stored items around
    suspends = False


def may_call():
    return Place.exits == 0 and uses_entries()


def uses_entries():
    fits = not Place.nested or Place.nested[-1] <= 1
    return not Place.suspends and fits


def changes_container(func):
    names = "add discard append appendleft pop popleft heappush heappop".split()
    match func:
        case ast.Attribute():
            return func.attr in names
        case ast.Name():
            return func.id in names
    return False


def host(func):
    match func:
        case ast.Name():
            return func.id in HOST_NAMES
        case ast.Attribute():
            return func.attr in HOST_NAMES
    return False


def depth_of(stmts):
    """How deeply loop statements nest."""
    deepest = 0
    for s in stmts:
        match s:
            case ast.For() | ast.While():
                found = 1 + max(depth_of(s.body), depth_of(s.orelse))
            case ast.AsyncFor():
                found = 1 + depth_of(s.body)
            case ast.If():
                found = max(depth_of(s.body), depth_of(s.orelse))
            case ast.With():
                found = depth_of(s.body)
            case ast.Try():
                blocks = [s.body, s.orelse, s.finalbody, *[h.body for h in s.handlers]]
                found = max(map(depth_of, blocks))
            case _:
                found = 0
        deepest = max(deepest, found)
    return deepest


def inside_call(f):
    Place.objects += 1
    try:
        return f()
    finally:
        Place.objects -= 1


def foreign(func):
    match func:
        case ast.Name():
            return func.id in FOREIGN_NAMES
        case ast.Attribute():
            return func.attr in FOREIGN_METHODS
    return True


def thing(e):
    while isinstance(e, ast.Attribute):
        e = e.value
    return isinstance(e, ast.Name | ast.Subscript)


def number(e):
    match e:
        case ast.UnaryOp(op=ast.USub()):
            return number(e.operand)
        case ast.Constant():
            return type(e.value) in (int, float)
    return False


def text(e):
    return isinstance(e, ast.Constant) and isinstance(e.value, str)


def cheap(e):
    match e:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute():
            return cheap(e.value)
        case ast.Subscript():
            return cheap(e.value) and cheap(e.slice)
        case ast.Tuple():
            return all(map(cheap, e.elts))
        case ast.BinOp():
            return cheap(e.left) and cheap(e.right)
    return False


def membership(e):
    """`x in (1, 2)` as `not not (x == 1 or x == 2)`; None where it stays what it is."""
    (op, items) = (e.ops[0], e.comparators[0])
    if len(e.ops) != 1 or not isinstance(op, (ast.In, ast.NotIn)) or not cheap(e.left):
        return None
    match items:
        case ast.Tuple() | ast.List() | ast.Set() if all(map(number, items.elts)) or all(
            map(text, items.elts)
        ):
            literals = items.elts
        case _:
            return None
    if not 1 <= len(literals) <= 32:
        return None
    tests = [ast.Compare(e.left, [ast.Eq()], [item]) for item in literals]
    result = ast.UnaryOp(ast.Not(), ast.BoolOp(ast.Or(), tests))
    return result if isinstance(op, ast.NotIn) else ast.UnaryOp(ast.Not(), result)


def plain(target):
    match target:
        case ast.Name():
            return True
        case ast.Tuple():
            return all(map(plain, target.elts))
    return False


def applied_to_one(f):
    """The name of the argument, and the value, of a function that is given as a key."""
    match f:
        case ast.Name() | ast.Attribute():
            return "item", f"{expr(f)}(item)"
        case ast.Lambda(
            args=ast.arguments(
                posonlyargs=[], args=[arg], vararg=None, kwonlyargs=[], kwarg=None, defaults=[]
            )
        ):
            return arg.arg, expr(f.body)
    return None


def application(e):
    """Of `map(f, xs, ...)` and `filter(f, xs)`: the items' names and source, a test, an element."""
    match e:
        case ast.Call(func=ast.Name(id="map" | "filter" as kind), args=[f, *over], keywords=[]):
            pass
        case _:
            return None
    starred = any(isinstance(x, ast.Starred) for x in over)
    if not over or starred or kind == "filter" and len(over) > 1:
        return None
    own = [f"item{k}" for k in range(len(over))]
    match f:
        case ast.Name() | ast.Attribute():
            applied = f"{expr(f)}({', '.join(own)})"
        case ast.Lambda(
            args=ast.arguments(
                posonlyargs=[], args=args, vararg=None, kwonlyargs=[], kwarg=None, defaults=[]
            )
        ) if len(args) == len(over):
            own = [a.arg for a in args]
            applied = expr(f.body)
        case ast.Constant(value=None) if kind == "filter":
            applied = own[0]
        case _:
            return None
    through = items(over[0]) if len(over) == 1 else f"zip({seq(over, items)})"
    names = own[0] if len(own) == 1 else f"({', '.join(own)},)"
    test, element = (f" if {applied}", own[0]) if kind == "filter" else ("", applied)
    return names, f"{kind}({through})", test, element


def unpacked(e):
    """`map(f, (x, y))` where it is unpacked."""
    match e:
        case ast.Call(
            func=ast.Name(id="map"),
            args=[ast.Name() | ast.Attribute() as f, ast.Tuple(elts) | ast.List(elts)],
            keywords=[],
        ) if all(map(cheap, elts)):
            return "map((" + ", ".join([f"{expr(f)}({expr(x)})" for x in elts]) + ",))"
    return None


def lazy_loop(s, depth):
    """A loop over a generator expression or an application: each iteration computes its element."""
    match s.iter:
        case ast.GeneratorExp(elt, [part]) if not part.is_async and plain(part.target):
            names, over, element = target(part.target), items(part.iter), expr(elt)
            tests = [expr(test) for test in part.ifs]
        case ast.Call() if (found := application(s.iter)) is not None:
            names, over, test, element = found
            tests = [test.removeprefix(" if ")] if test else []
        case _:
            return None
    pads = ["    " * (depth + k) for k in range(len(tests) + 2)]
    lines = f"{pads[0]}for {names} in {over}:\n"
    for k, test in enumerate(tests, 1):
        lines += f"{pads[k]}if {test}:\n"
    inner = depth + len(tests) + 1
    return f"{lines}{pads[-1]}{target(s.target)} = {element}\n{block(s.body, inner)}" + orelse(
        s.orelse, depth
    )


def items(e):
    """What a loop iterates over: list displays there are as good as tuples."""
    match e:
        case ast.Tuple() | ast.List():
            return f"({seq(e.elts, items)},)" if e.elts else "()"
        case ast.Call(func=ast.Name(id="enumerate" | "zip" | "reversed"), keywords=[]):
            return f"{expr(e.func)}({seq(e.args, items)})"
    return expr(e)


NATIVE = {"range", "map", "filter"}
NATIVE |= {f"{module}.{f}" for module in ("np", "numpy") for f in ("arange", "linspace")}


def computed(e):
    """Whether CPython computes the iterable of a loop's header, or a part of it."""
    match e:
        case ast.Call(func=f):
            return not isinstance(f, (ast.Name, ast.Attribute)) or ast.unparse(f) not in NATIVE
        case ast.Subscript(value=value) | ast.Attribute(value=value):
            return computed(value)
        case ast.BinOp():
            return computed(e.left) or computed(e.right)
    makers = (ast.Dict, ast.Set, ast.DictComp, ast.SetComp, ast.ListComp)
    return isinstance(e, makers)


def header(e):
    """What the outermost loop goes over."""
    match e:
        case ast.Call(func=ast.Name(id="enumerate" | "zip" | "reversed" as f)) if (
            e.args
            and not any(isinstance(arg, ast.Starred) for arg in e.args)
            and (not e.keywords or f == "enumerate" and all(k.arg for k in e.keywords))
        ):
            count = len(e.args) if f == "zip" else 1
            args = [header(arg) for arg in e.args[:count]] + [expr(arg) for arg in e.args[count:]]
            args += [f"{k.arg}={expr(k.value)}" for k in e.keywords]
            return f"{expr(e.func)}({', '.join(args)})"
    if computed(e):
        return " ".join(ast.get_source_segment(Place.source, e).split())
    return items(e)


def index(node):
    if isinstance(node, ast.Tuple):
        if len(node.elts) < 2:
            raise Refused
        return seq(node.elts, index_item)
    return index_item(node)


def index_item(node):
    if not isinstance(node, ast.Slice):
        return expr(node)

    def part(e):
        missing = e is None or isinstance(e, ast.Constant) and e.value is None
        return None if missing else expr(e)

    start, stop, step = part(node.lower), part(node.upper), part(node.step)
    return f"{start or ''}:{stop or ''}" + (f":{step}" if step is not None else "")


def is_none(e):
    return isinstance(e, ast.Constant) and e.value is None


def names_alone(targets):
    return all(isinstance(t, ast.Name) for t in targets)


def assigned(targets, value):
    return "None" if is_none(value) and names_alone(targets) else expr(value)


def argument(e):
    if isinstance(e, ast.Starred):
        return f"*{expr(e.value)}"
    if isinstance(e, ast.Tuple) and may_call() and any(is_none(i) for i in e.elts):
        return f"({seq(e.elts, argument)},)"
    return "None" if is_none(e) else expr(e)


def expr(e):
    match e:
        case ast.Name():
            return name(e.id)
        case ast.Constant():
            return constant(e.value)
        case ast.Attribute():
            return f"{expr(e.value)}.{name(e.attr)}"
        case ast.Subscript():
            return f"{expr(e.value)}[{index(e.slice)}]"
        case ast.Call(
            func=ast.Name(id="sum" | "min" | "max" | "any" | "all") as func,
            args=[ast.GeneratorExp(elt, [part]) | ast.ListComp(elt, [part])],
            keywords=[],
        ) if not part.is_async and plain(part.target):
            tests = "".join([f" if {expr(test)}" for test in part.ifs])
            head = f"{expr(elt)} for {target(part.target)} in {items(part.iter)}"
            return f"{expr(func)}({head}{tests})"
        case ast.Call(
            func=ast.Name(id="min" | "max" as f),
            args=[over],
            keywords=[ast.keyword(arg="key", value=key)],
        ) if not isinstance(over, ast.Starred) and (by := applied_to_one(key)) is not None:
            match over:
                case ast.GeneratorExp(elt, parts) | ast.ListComp(elt, parts):
                    if any(part.is_async or not plain(part.target) for part in parts):
                        raise Refused
                    each = expr(elt)
                    for part in parts:
                        each += f" for {target(part.target)} in {items(part.iter)}"
                        each += "".join([f" if {expr(test)}" for test in part.ifs])
                case _:
                    each = f"each for each in {items(over)}"
            return f"{f}({each} by {by[0]}: {by[1]})"
        case ast.Call(
            func=ast.Name(id="sum" | "min" | "max" | "any" | "all" | "list" as f),
            args=[ast.Call() as inner],
            keywords=[],
        ) if (found := application(inner)) is not None:
            names, over, test, element = found
            each = f"{element} for {names} in {over}{test}"
            return f"list([{each}])" if f == "list" else f"{f}({each})"
        case ast.Call():
            func = expr(e.func)
            args = inside_call(lambda: [argument(a) for a in e.args])
            if any(k.arg is None for k in e.keywords):
                raise Refused
            named = inside_call(lambda: [argument(k.value) for k in e.keywords])
            args += [f"{name(k.arg)}={v}" for k, v in zip(e.keywords, named, strict=True)]
            return f"{func}({', '.join(args)})"
        case ast.Dict() if Place.objects and may_call() and None not in e.keys:
            pairs = zip(e.keys, e.values, strict=True)
            return "{" + ", ".join([f"{expr(k)}: {expr(v)}" for k, v in pairs]) + "}"
        case ast.Set() if Place.objects and may_call():
            return "{" + seq(e.elts, expr) + "}"
        case ast.UnaryOp():
            return f"({UNARY[type(e.op)]}{expr(e.operand)})"
        case ast.BinOp(op=ast.MatMult()):
            return f"({expr(e.left)} @ {expr(e.right)})"
        case ast.BinOp() if type(e.op) in BINARY:
            return f"({expr(e.left)} {BINARY[type(e.op)]} {expr(e.right)})"
        case ast.BoolOp():
            word = " and " if isinstance(e.op, ast.And) else " or "
            return "(" + word.join([expr(v) for v in e.values]) + ")"
        case ast.Compare(
            ops=[ast.In() | ast.NotIn() as op], comparators=[ast.Constant(value=str() as text)]
        ):
            found = f"({expr(e.left)} in {constant(text)})"
            return found if isinstance(op, ast.In) else f"(not {found})"
        case ast.Compare(
            ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]
        ):
            found = f"({expr(e.left)} is None)"
            return found if isinstance(op, ast.Is) else f"({UNARY[ast.Not]}{found})"
        case ast.Compare(ops=[ast.Is() | ast.IsNot() as op], comparators=[other]):
            if not (thing(e.left) and thing(other)):
                raise Refused
            found = f"({expr(e.left)} is {expr(other)})"
            return found if isinstance(op, ast.Is) else f"({UNARY[ast.Not]}{found})"
        case ast.Compare() if membership(e) is not None:
            return expr(membership(e))
        case ast.Compare(ops=[ast.In() | ast.NotIn() as op], comparators=[items_]) if (
            uses_entries()
        ):
            word = "in" if isinstance(op, ast.In) else "not in"
            return f"({expr(e.left)} {word} {expr(items_)})"
        case ast.Compare() if all(type(op) in COMPARE for op in e.ops):
            rest = [
                f" {COMPARE[type(o)]} {expr(c)}" for o, c in zip(e.ops, e.comparators, strict=True)
            ]
            return f"({expr(e.left)}{''.join(rest)})"
        case ast.IfExp():
            return f"({expr(e.body)} if {expr(e.test)} else {expr(e.orelse)})"
        case ast.Tuple():
            return f"({seq(e.elts, expr)},)" if e.elts else "()"
        case ast.List():
            return f"[{seq(e.elts, expr)}]"
        case ast.ListComp(elt, [part]) if not part.is_async and plain(part.target):
            tests = "".join([f" if {expr(test)}" for test in part.ifs])
            return f"[{expr(elt)} for {target(part.target)} in {items(part.iter)}{tests}]"
    raise Refused


def makes_list(e):
    match e:
        case ast.List() | ast.ListComp():
            return True
        case ast.BinOp():
            return makes_list(e.left) or makes_list(e.right)
    return False


def target(t):
    match t:
        case ast.Tuple() | ast.List():
            return f"({seq(t.elts, target)},)"
        case ast.Attribute():
            base = t.value
            while isinstance(base, ast.Attribute):
                base = base.value
            if not isinstance(base, ast.Name | ast.Subscript):
                raise Refused
    return expr(t)


def block(stmts, depth):
    return "".join([stmt(s, depth) for s in unguarded(stmts)])


def branch(stmts, depth):
    """Statements that a condition guards: in a loop without a loop inside, the first that is not
    supported ends them."""
    if not leaves:
        return block(stmts, depth)
    Place.exits += 1
    try:
        return up_to_exit(stmts, depth)
    finally:
        Place.exits -= 1


NO_ERRORS = ("BaseException", "KeyboardInterrupt", "SystemExit", "GeneratorExit")


def catches_errors(e):
    match e:
        case ast.Name():
            return e.id not in NO_ERRORS
        case ast.Attribute():
            return e.attr not in NO_ERRORS
        case ast.Tuple():
            return all(map(catches_errors, e.elts))
    return False


def leaving(stmts):
    """Whether control may leave a block other than by its end or an exception."""
    for s in stmts:
        match s:
            case ast.Return() | ast.Break() | ast.Continue():
                return True
            case ast.If() | ast.For() | ast.While():
                if leaving(s.body) or leaving(s.orelse):
                    return True
            case ast.With():
                if leaving(s.body):
                    return True
            case ast.Try():
                if leaving(s.body) or leaving(s.orelse) or leaving(s.finalbody):
                    return True
    return False


def unguarded(stmts):
    """The statements, with those that a `try` guards in its place."""
    for s in stmts:
        if (
            isinstance(s, ast.Try)
            and all(map(catches_errors, [h.type for h in s.handlers]))
            and not (s.finalbody and leaving([*s.body, *s.orelse]))
            and not depth_of([*s.body, *s.orelse, *s.finalbody])
        ):
            yield from unguarded([*s.body, *s.orelse, *s.finalbody])
        else:
            yield s


def up_to_exit(stmts, depth):
    text = ""
    for s in unguarded(stmts):
        try:
            one = stmt(s, depth)
            if isinstance(s, (ast.Assign, ast.AnnAssign)) and makes_list(s.value):
                raise Refused
            text += one
        except Refused:
            if not isinstance(s, (ast.Expr, ast.Assign, ast.AugAssign)):
                raise
            return text + "    " * depth + "raise\n"
    return text


# The loop that is read has no loop inside.
leaves = False


def may_leave(loop):
    inside = [n for s in loop.body for n in ast.walk(s)]
    loops = (ast.For, ast.While, ast.AsyncFor)
    suspends = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncWith)
    texts = [n.value for f in ast.walk(loop) if isinstance(f, ast.JoinedStr) for n in ast.walk(f)
             if isinstance(n, ast.Constant) and isinstance(n.value, str)]  # fmt: skip
    return not (
        any(isinstance(n, loops) for n in inside)
        or any(isinstance(n, suspends) for n in ast.walk(loop))
        or any("yield" in text or "await" in text for text in texts)
    )


def orelse(stmts, depth, render=block):
    pad = "    " * depth
    return f"{pad}else:\n{render(stmts, depth + 1)}" if stmts else ""


def stmt(s, depth, top=False):
    pad = "    " * depth
    match s:
        case ast.For() if Place.nested and lazy_loop(s, depth) is not None:
            return lazy_loop(s, depth)
        case ast.For() | ast.While():
            if isinstance(s, ast.For):
                over = header(s.iter) if top else items(s.iter)
                head = f"for {target(s.target)} in {over}:"
            else:
                head = f"while {expr(s.test)}:"
            drives = any(
                isinstance(b, ast.Expr)
                and isinstance(b.value, ast.Call)
                and isinstance(b.value.func, ast.Name)
                and not host(b.value.func)
                for b in s.body
            )
            Place.nested.append(max(depth_of(s.body), 2 if drives else 0))
            try:
                body = block(s.body, depth + 1)
            finally:
                Place.nested.pop()
            rest = "" if top else orelse(s.orelse, depth)
            return f"{pad}{head}\n{body}{rest}"
        case ast.If():
            then = f"{pad}if {expr(s.test)}:\n{branch(s.body, depth + 1)}"
            return then + orelse(s.orelse, depth, branch)
        case ast.Assign(targets=[ast.Tuple() | ast.List() as t], value=ast.Call() as value) if (
            found := unpacked(value)
        ) is not None:
            return f"{pad}{target(t)} = {found}\n"
        case ast.Assign(value=ast.IfExp() as choice) if names_alone(s.targets) and (
            is_none(choice.body) or is_none(choice.orelse)
        ):
            to, inner = " = ".join([target(t) for t in s.targets]), "    " * (depth + 1)
            one, other = [assigned(s.targets, v) for v in (choice.body, choice.orelse)]
            then = f"{pad}if {expr(choice.test)}:\n{inner}{to} = {one}\n"
            return f"{then}{pad}else:\n{inner}{to} = {other}\n"
        case ast.Assign():
            to = " = ".join([target(t) for t in s.targets])
            return f"{pad}{to} = {assigned(s.targets, s.value)}\n"
        case ast.AugAssign() if type(s.op) in BINARY:
            return f"{pad}{target(s.target)} {BINARY[type(s.op)]}= {expr(s.value)}\n"
        case ast.AnnAssign() if s.value is not None:
            return f"{pad}{target(s.target)} = {assigned([s.target], s.value)}\n"
        case ast.Return():
            if s.value is None:
                return f"{pad}return\n"
            return f"{pad}return {'None' if is_none(s.value) else expr(s.value)}\n"
        case ast.Raise():
            return f"{pad}raise\n"
        case ast.Assert():
            inner = "    " * (depth + 1)
            return f"{pad}if (not {expr(s.test)}):\n{inner}raise\n"
        case ast.Break():
            return f"{pad}break\n"
        case ast.Continue():
            return f"{pad}continue\n"
        case ast.Pass():
            return f"{pad}pass\n"
        case ast.Expr() if isinstance(s.value, ast.Constant):
            return f"{pad}pass\n"
        case ast.Expr(value=ast.Call(func=f)) if (
            not foreign(f) or may_call() and host(f) or uses_entries() and changes_container(f)
        ):
            return f"{pad}{expr(s.value)}\n"
    raise Refused


def loops(path):
    global leaves
    with open(path, encoding="utf-8", newline="") as file:
        source = file.read()
    lines = io.StringIO(source, newline="").readlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.For, ast.While)):
            if any(isinstance(n, ast.JoinedStr) for n in ast.walk(node)):
                continue  # whether CPython may be asked for it, its text tells
            leaves = may_leave(node)
            Place.source = source
            suspends = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncWith, ast.AsyncFor)
            Place.suspends = any(
                isinstance(n, suspends) or getattr(n, "is_async", 0) for n in ast.walk(node)
            )
            try:
                text = stmt(node, 0, top=True)
            except Refused:
                text = ""
            end = lines[node.lineno - 1 : node.end_lineno]
            yield path, str(node.lineno), "".join(end), text


def files(folders):
    for top in folders or [sysconfig.get_path("stdlib")]:
        for root, inner, names in os.walk(top):
            if not folders:
                inner[:] = [f for f in inner if "test" not in f and not f.endswith("-packages")]
            inner.sort()
            yield from (os.path.join(root, f) for f in sorted(names) if f.endswith(".py"))


def main(folders):
    out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="")
    for file in files(folders):
        try:
            found = list(loops(file))
        except (SyntaxError, UnicodeError, ValueError, RecursionError):
            continue
        for record in found:
            if not any("\x1e" in field or "\x1f" in field for field in record):
                out.write("".join([field + "\x1f" for field in record]) + "\x1e")
    out.flush()


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    main(sys.argv[1:])
