"""Random functions with nests that a device may run, and anything between them.

The emulated device keeps arrays from nest to nest. By the seed, one kernel runs whole loops
wherever that can be, or nowhere; and all launches are on one device, or each is on another one than
the launch before.
"""

from __future__ import annotations

import random

from differential import Treatment

from ..compared import JUDGE
from ..domain import Domain, of_functions

HEAD = """\
import weakref
import numpy as np
LIMIT, ON = 3, True
SHARED = np.arange(6.0)
class Looks:
    def __init__(self, array):
        self.array = array
    def __del__(self):
        print("gone", float(self.array.sum()))
class Number(float):
    pass
class Odd:
    def __init__(self, array):
        self.array = array
    def __add__(self, other):
        print("added", float(self.array.sum()))
        return self
    __radd__ = __mul__ = __add__
    def __lt__(self, other):
        print("compared", float(self.array.sum()))
        return other > 2
def looked(*arrays):
    print("looked", *(float(a.sum()) for a in arrays))
    return 1.0
def changed(array, x):
    array[0, 0] = x
    array *= 0.5
    return array
"""

ARRAYS = "uvwz"


class Program:
    """One function that takes `n`, and its call."""

    def __init__(self, number: int, rnd: random.Random):
        self.name, self.rnd = f"f{number}", rnd
        self.loops = 0

    def build(self) -> list[str]:
        lines = [
            f"def {self.name}(n):",
            "    u = np.arange(float(n * n)).reshape(n, n) / 9",
            "    v, w = np.ones((n, n)), np.zeros((n, n))",
            f"    z = {self.pick('v[1:, 1:]', 'u.T', 'np.full((n, n), 0.25)', 'w', 'u[:n - 1]')}",
            "    p = np.arange(n) * 3 % n",
            f"    x, y, s = 0.5, {self.pick('1', 'Odd(u)', 'Number(2)', 'np.float64(3)')}, 2",
            *self.block(1, 2),
            "    looked(u, v, w, z)",
            "    return u",
            "try:",
            f"    looked({self.name}({self.rnd.randrange(4, 8)}))",
            "except Exception as error:",
            "    print(type(error).__name__, error)",
        ]
        return lines

    def pick(self, *of: str) -> str:
        return self.rnd.choice(of)

    def block(self, depth: int, deeper: int) -> list[str]:
        lines = []
        for _ in range(self.rnd.randrange(2, 5)):
            lines += self.statement(depth, deeper)
        return lines

    def statement(self, depth: int, deeper: int) -> list[str]:
        indent = "    " * depth
        kind = self.rnd.random()
        if kind < 0.35:
            return [indent + line for line in self.nest()]
        if kind < 0.6 and deeper:
            return [indent + line for line in self.around(depth, deeper)]
        return [indent + self.gap()]

    def around(self, depth: int, deeper: int) -> list[str]:
        """A statement with a block, whose lines are as deep as it is."""
        self.loops += 1
        t = self.pick("t", "t", f"t{self.loops}")
        inside = [line[4 * depth :] for line in self.block(depth + 1, deeper - 1)]
        last = self.pick("", "", "    if x > 50: break", f"    if {t} == 2: continue")
        head = self.rnd.choice(
            [
                [f"for {t} in range({self.rnd.randrange(3, 9)}):"],
                [f"for {t} in range({self.rnd.randrange(3, 9)}):"],
                [f"for {t} in (k for k in range(3) if looked(v)):"],
                [f"for {t} in [0.5, 1, Number(3)]:"],
            ]
        )
        if self.rnd.random() < 0.2:
            head, last = ["k = 0", "while k < 4 and x < 1e6:", "    k += 1"], ""
        elif self.rnd.random() < 0.4:
            head, last = [self.pick("if x > 1:", "if ON and s != 3:", "if y < 3:")], ""
        elif self.rnd.random() < 0.15:
            return ["try:", *inside, "except (ValueError, IndexError):", "    looked(u, v)"]
        elif self.rnd.random() < 0.1:
            return ["with np.errstate(over='ignore'):", *inside]
        return [*head, *inside, *([last] if last else [])]

    def nest(self) -> list[str]:
        a, b, c = self.rnd.sample(ARRAYS[:3], 3)
        form = self.rnd.randrange(8)
        if form == 0:
            return [
                "for i in range(1, n - 1):",
                "    for j in range(1, n - 1):",
                f"        {a}[i, j] = {b}[i, j] * 0.5 + {b}[i - 1, j] * 0.25 + {c}[j, i] * 0.125",
            ]
        if form == 1:
            return [
                "for i in range(n):",
                f"    d = {b}[i, 0] - {c}[0, i]",
                "    if d > 0.5:",
                "        e = d * 0.5",
                f"        {a}[i, 1] = e",
                "    else:",
                f"        {a}[i, 2] = d",
            ]
        if form == 2:
            return [
                "for i in range(n):",
                "    for j in range(n):",
                f"        {a}[i, j] = {a}[i, j] * 0.75 + {b}[i, j] * x",
            ]
        if form == 6:
            start = self.pick("worst = 0.0", "worst = x", "worst = -1", "pass")
            use = self.pick("x = worst", "if worst > 40: looked(worst)", "s = worst * 0", "pass")
            return [
                start.replace("pass", "worst = 0.0 if s == 2 else 1.0"),
                "for i in range(n):",
                "    for j in range(n):",
                f"        worst = max(worst, abs({a}[i, j] - {b}[j, i]))",
                use,
            ]
        if form == 7:
            return [
                "hits = q = 0",
                "for i in range(n):",
                "    for j in range(n):",
                f"        if {a}[i, j] {self.pick('<', '>')} {b}[i, j]:",
                "            hits += 1",
                f"            q = {self.pick('j', 'i * n + j', 'i')}",
                self.pick("s += hits", "y = q", f"{c}[0, 0] = hits", "pass"),
            ]
        if form == 3:
            return ["for i in range(n):", f"    {a}[p[i], 0] = {b}[i, 0] * 0.5 + s"]
        if form == 4:
            m = self.pick("z", a)
            return [
                "for i in range(1, len(z)):",
                "    for j in range(z.shape[1]):",
                f"        {m}[i - 1, j] = z[i, j] * 0.5 + {b}[j, i]",
            ]
        return ["x = 0.0", "for i in range(n):", f"    x = max(x, {b}[i, i])", f"    {a}[i, 0] = x"]

    def gap(self) -> str:
        a, b, c = self.rnd.sample(ARRAYS[:3], 3)
        return self.pick(
            f"{a}, {b} = {b}, {a}",
            f"{a}, {b} = {b}, {a}",
            f"tmp = {a}; {a} = {b}; {b} = tmp",
            f"{a} = {b}",
            f"x = {a}[1, 2]",
            f"x = abs({a}[1, 2] - {b}[0, 0])",
            f"{a}[2, 1] = x + s",
            f"{a}[s % 3, 1] = {b}[0, 0]",
            "x = x * 0.5 + s",
            "s += 1",
            "y = y + 1",
            "x = min(x, 3.0) if s > 1 else -x",
            f"x = {a}[0]",
            f"x = len({a})",
            f"looked({a}, {b})",
            f"changed({a}, s)",
            f"{a} = {b}.copy()",
            f"{a} = np.zeros((n, n)) + s",
            f"{a}[:] = {b}",
            f"{a}[:, :] = {self.pick(b, b, 'z', 'x')}",
            f"{a}[...] = {self.pick(b, b + '[:]', 'z[...]', b + '.T')}",
            f"q = {a}.copy(); {c}[:] = q",
            f"q, {a} = {a}.copy(), {b}.copy()",
            f"z = {self.pick(a, b, 'z', 'p')}.copy()",
            f"{a} = {self.pick('np.zeros((n, n))', 'np.zeros_like(z)', f'np.zeros_like({b})')}",
            f"{a} = {self.pick(f'np.ones({b}.shape, {b}.dtype)', f'np.full_like({c}, s)')}",
            f"{a} = np.zeros({self.pick('(n, n)', f'{b}.shape', 'n')}, np.float32)",
            f"{a} = {self.pick('np.full((n, n), x)', 'np.zeros((n, n), float)')}",
            f"x = {a}.shape[0] + {b}.ndim * {c}.size",
            "q3 = np.zeros(2, dtype=object); q3[0] = Looks(v)",
            f"q2 = {a}.copy(); r2 = weakref.ref(q2, lambda _: looked(u, v))",
            f"{a} += 1",
            f"z = {a}[1:, 1:]",
            "del x; x = 1.5",
            f"x = Looks({a}); x = 2.5",
            f"kept = Looks({b})",
            "x = float(x)" if self.rnd.random() < 0.5 else "x = LIMIT * 0.5",
            "p = p[::-1].copy()",
            "p[0] = p[1]",
            f"if s == LIMIT: print(s, x, float({a}[1, 1]))",
            f"if s > 40: return {c}",
            f"x = {a}[s, 0]",
            f"{a}[n - 1, 0] = 1e300",
        )


def treatments(seed: int) -> list[Treatment]:
    return [Treatment(("together", "apart")[seed % 2])]


def environment(seed: int) -> dict[str, str]:
    return {"NESTWISE_EMULATED": f"devices={1 + seed % 3}"}


DOMAIN = Domain(
    "regions",
    "nests and what is between them, on a device that keeps arrays",
    of_functions(HEAD, Program),
    JUDGE,
    8,
    treatments,
    environment,
)
