"""Random programs, run as CPython runs them and rewritten, for every way a site may end."""

import random

import pytest
from test_rewrite import MODES, outcome, rewritten


class Maker:
    """Random functions of nested loops over a few names, with every kind of exit."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.counters = 0

    def program(self):
        lines = ["def f(n, a, b, s):", *self.block(3, False), "    return n, a, b, list(s)"]
        calls = [f"r{n} = f({n}, 1, 2, [])" for n in range(6)]
        return "\n".join([*lines, *calls, *self.outside(), ""])

    def outside(self):
        """The same kind of loops at module level, where names are globals."""
        body = self.block(2, False, "")
        return ["n, a, b, s = 3, 1, 2, []", *(x for x in body if "return" not in x), "pass"]

    def block(self, depth, inside, indent="    "):
        count = self.random.randint(1, 3)
        return [indent + x for _ in range(count) for x in self.statement(depth, inside)]

    def statement(self, depth, inside):
        pick = self.random.random()
        if depth and pick < 0.6:
            return getattr(self, self.random.choice(("counted", "while_", "if_", "over")))(
                depth - 1, inside
            )
        simple = ["s.append(a)", "a += b", "b = a - n", "a, b = b, a", "c = a * 2", "s.append(b)"]
        if self.random.random() < 0.2:
            simple = ["c = len([k for k in s])"]  # nothing for a site
        if pick > 0.93:
            simple = ["s[a]", "a = b // (a - 3)", "s.append(c)"]  # these may raise
        if inside and pick > 0.8:
            simple = ["break", "continue", "return a", "return", "if a > 9: break"]
        return [self.random.choice(simple)]

    def name(self, stem):
        self.counters += 1
        return f"{stem}{self.counters}"

    def counted(self, depth, inside):
        names = [self.name("i"), "a", "c", "_"]
        head = f"for {self.random.choice(names)} in range({self.random.choice(('n', 3, 'b % 4'))}):"
        return [head, *self.block(depth, True), *self.other(depth, inside)]

    def over(self, depth, inside):
        items = self.random.choice(("s[:3]", "[4, 5]"))
        head = f"for {self.name('x')}, b in zip(range(n), {items}):"
        return [head, *self.block(depth, True), *self.other(depth, inside)]

    def while_(self, depth, inside):
        k = self.name("k")
        head = [f"{k} = 0", f"while {k} < n:", f"    {k} += 1"]
        return [*head, *self.block(depth, True), *self.other(depth, inside)]

    def if_(self, depth, inside):
        test = self.random.choice(("a > b", "n % 2", "len(s) > 4"))
        return [f"if {test}:", *self.block(depth, inside), "else:", *self.block(depth, inside)]

    def other(self, depth, inside):
        if self.random.random() < 0.7:
            return []
        return ["else:", *self.block(depth, inside)]


@pytest.mark.parametrize("regions", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_random_programs(fake, monkeypatch, mode, regions):
    monkeypatch.setattr(fake, "MODE", mode)
    fake.REGIONS.clear()
    sites = 0
    for seed in range(60):
        text = Maker(seed).program()
        try:
            plain = compile(text, "program.py", "exec", dont_inherit=True)
        except SyntaxError:
            continue
        if " for " not in text.replace("\n", " "):
            continue
        try:
            code, made = rewritten(fake, text, regions=regions)
        except AssertionError:
            continue  # no site in it
        sites += len(made.sites)
        assert outcome(code) == outcome(plain), f"seed {seed}\n{text}"
    assert sites > 100
    assert (len(fake.REGIONS) > 40) == regions
