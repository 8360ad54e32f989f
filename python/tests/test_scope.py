"""Which names are surely bound before a loop: by hand, and against what programs really do."""

import ast
import contextlib
import random
import textwrap

import pytest
from nestwise.rewriting.scope import analyse, mangle


def loops(text):
    text = textwrap.dedent(text)
    tree = ast.parse(text)
    facts = analyse(tree, text, "p.py")
    found = [n for n in ast.walk(tree) if isinstance(n, (ast.For, ast.While))]
    return facts, sorted(found, key=lambda n: n.lineno)


CASES = {
    "parameters": ("def f(a, /, b, *c, d, **e):\n    for i in a: pass", "a b c d e"),
    "both branches": (
        """
        def f(a):
            if a: x = 1
            else: x = 2
            if a: y = 1
            for i in a: pass""",
        "a x",
    ),
    "after a loop": (
        """
        def f(a):
            while a: x = 1
            for i in a: pass""",
        "a",
    ),
    "after while true": (
        """
        def f(a):
            while True:
                x = 1
                if a: break
                y = 2
            for i in a: pass""",
        "a x",
    ),
    "del": ("def f(a):\n    b = a\n    del a\n    for i in b: pass", "b"),
    "except as": (
        """
        def f(e):
            try: x = 1
            except E as e: x = 2
            for i in x: pass""",
        "x",
    ),
    "try": (
        """
        def f():
            try:
                x = 1
                y = 2
            except E: x = 3
            else: z = 1
            finally: w = 4
            for i in x: pass""",
        "x w",
    ),
    "except that leaves": (
        """
        def f():
            try: x = 1
            except E: return
            for i in x: pass""",
        "x",
    ),
    "with that may swallow": ("def f(a):\n    with a: x = 1\n    for i in a: pass", "a"),
    "with open": ("def f(a):\n    with open(a) as b: x = 1\n    for i in a: pass", "a b x"),
    "with own open": (
        """
        from mine import open
        def f(a):
            with open(a) as b: x = 1
            for i in a: pass""",
        "a",
    ),
    "imports": (
        """
        def f():
            import a.b, c as d
            from e import g
            for i in a: pass""",
        "a d g",
    ),
    "unpacking": ("def f(t):\n    (a, [b, *c]), d.e = t\n    for i in a: pass", "t a b c"),
    "annotation": ("def f():\n    a: int\n    b: int = 1\n    for i in b: pass", "b"),
    "global": ("def f():\n    global a\n    a = 1\n    for i in a: pass", ""),
    "match": (
        """
        def f(a):
            match a:
                case [x, y]: z = 1
                case {"k": x, **y}: z = 2
                case _: z = x = 3
            for i in a: pass""",
        "a x z",
    ),
    "match may fail": (
        """
        def f(a):
            match a:
                case [x]: z = 1
            for i in a: pass""",
        "a",
    ),
    "closure": (
        """
        def f(a):
            b = 1
            def g(c):
                for i in a: b, late
            late = 2""",
        "a b c",
    ),
    "closure whose name is unbound later": (
        """
        def f(a):
            def g():
                for i in a: pass
            g()
            del a""",
        "",
    ),
    "own name": ("def f():\n    def g():\n        for i in g: pass", "g"),
    "own name under a decorator": (
        """
        def f(d):
            @d
            def g():
                for i in g, d: pass""",
        "d",
    ),
    "method": (
        """
        class A:
            x = 1
            def f(self, __p):
                for i in x: pass""",
        "self _A__p",
    ),
    "class around a closure": (
        """
        def f():
            class A:
                x = 1
                def g(self):
                    for i in x: pass
            x = 2""",
        "self",
    ),
    "unbound by another function": (
        """
        def f(a):
            def g():
                nonlocal a
                del a
            g()
            for i in a: pass""",
        "g",
    ),
    "nested loop": (
        """
        def f(a):
            for i in a:
                x = 1
                while x: pass""",
        "a i x",
    ),
    "nested loop with del": (
        """
        def f(a, x):
            for i in a:
                while i: pass
                del x""",
        "a i",
    ),
    "module": ("a = 1\nfor i in a: pass", ""),
}


@pytest.mark.parametrize("name", CASES)
def test_by_hand(name):
    text, expected = CASES[name]
    facts, found = loops(text)
    assert facts.bound(found[-1]) == frozenset(expected.split())


def test_scopes():
    facts, found = loops("""
        for a in b: pass
        class A:
            for a in b: pass
            class B:
                def f(self):
                    def g():
                        for a in b: pass
                    for a in b: pass
    """)
    scopes = [facts.scope(n) for n in found]
    names = [scope and scope.qualname for scope in scopes]
    assert names == ["", None, "A.B.f.<locals>.g", "A.B.f"]
    assert scopes[2].klass == "B"


def test_mangle():
    assert mangle("__x", "_A") == "_A__x"
    assert mangle("__x", "__") == "__x"
    assert mangle("__x__", "A") == "__x__"
    assert mangle("_x", "A") == mangle("_x", None) == "_x"


class Maker:
    """Random function bodies whose paths bind and unbind a few names."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def block(self, depth, inside):
        count = self.random.randint(1, 4)
        return [line for _ in range(count) for line in self.statement(depth, inside)]

    def indented(self, depth, inside):
        return ["    " + line for line in self.block(depth - 1, inside)]

    def statement(self, depth, inside):
        name = self.random.choice("abcd")
        simple = [f"{name} = 1", f"{name} = 1", f"del {name}", "may_raise()", f"{name}, e = 1, 2"]
        if self.random.random() < 0.12:
            simple += ["return", "raise Oops"]
        if inside:
            simple += ["break", "continue"]
        if depth == 0 or self.random.random() < 0.45:
            return [self.random.choice(simple)]
        kinds = "if for while forever try finally with def"
        kind = self.random.choice(kinds.split())
        body = self.indented(depth, inside or kind in ("for", "while", "forever"))
        other = self.indented(depth, inside)
        if kind == "if":
            return ["if maybe():", *body, "else:", *other]
        if kind == "for":
            return [f"for {name} in some():", *body, *(["else:", *other] if maybe(self) else [])]
        if kind == "while":
            return ["while maybe():", *body, *(["else:", *other] if maybe(self) else [])]
        if kind == "forever":
            return ["while True:", "    if maybe(): break", *body]
        if kind == "try":
            return ["try:", *body, f"except Oops as {name}:", *other]
        if kind == "finally":
            return ["try:", *body, "finally:", *other]
        if kind == "with":
            return [f"with swallow() as {name}:", *body]
        inner = [line.replace("    ", "        ", 1) for line in body if "break" not in line]
        if any(w in line for line in body for w in ("break", "continue", "return", "raise")):
            return [f"{name} = 2"]
        return ["def inner():", "    nonlocal a, b", *inner, "    pass", "inner()"]


def maybe(maker):
    return maker.random.random() < 0.4


class Checks(ast.NodeTransformer):
    """Before each loop, a look at whether its names are bound."""

    def __init__(self, facts):
        self.facts = facts

    def visit_loop(self, node):
        self.generic_visit(node)
        reads = ", ".join(sorted(self.facts.bound(node)))
        return [ast.parse(f"look({node.lineno}, lambda: ({reads}))").body[0], node]

    visit_For = visit_While = visit_loop


class Oops(Exception):
    pass


class Swallow:
    def __enter__(self):
        return 1

    def __exit__(self, *_):
        return True


def test_against_runs():
    looked, wrong = 0, []
    for seed in range(400):
        maker = Maker(seed)
        lines = ["def f(a, b):", *("    " + x for x in maker.block(4, False))]
        text = "\n".join([*lines, "    a, b, c, d, e = 1, 1, 1, 1, 1", ""])
        try:
            compile(text, "p", "exec")
        except SyntaxError:
            continue
        tree = ast.parse(text)
        facts = analyse(tree, text, "p.py")
        Checks(facts).visit(tree)
        code = compile(ast.fix_missing_locations(tree), "p", "exec")
        chance = random.Random(seed)
        steps = [0]

        def look(line, read, text=text):
            nonlocal looked
            looked += 1
            try:
                read()
            except NameError as error:
                wrong.append(f"line {line}: {error}\n{text}")

        def maybe(chance=chance, steps=steps):
            steps[0] += 1
            if steps[0] > 300:
                raise SystemExit
            return chance.random() < 0.5

        def may_raise(chance=chance):
            if chance.random() < 0.3:
                raise Oops

        space = {
            "look": look,
            "maybe": maybe,
            "may_raise": may_raise,
            "Oops": Oops,
            "swallow": Swallow,
            "some": lambda chance=chance: range(chance.choice((0, 1, 2))),
        }
        exec(code, space)
        for _ in range(20):
            steps[0] = 0
            with contextlib.suppress(Oops, SystemExit, NameError, UnboundLocalError):
                space["f"](1, 2)
    assert not wrong, wrong[0]
    assert looked > 5_000
