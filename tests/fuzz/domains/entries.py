"""Random loops over entries of dictionaries and sets, and nothing else that CPython is called for.

Keys of every kind that is equal to another kind's (1, 1.0, True), values of several types, entries
that are missing, guards that fail between two changes: what the containers hold afterwards, in
which order, has to be CPython's.
"""

from __future__ import annotations

import random

from ..compared import JUDGE
from ..domain import Domain, of_functions
from ..generator.random_function import RandomFunction
from .host_calls import HEAD

STARTS = {
    "a": ("list(range(40))", "[0.5] * 40", "list(range(9))", "np.arange(40)", "np.ones(12)"),
    "d": (
        *("{k: k for k in range(30)}", "{}", "{}", "{1: 0.5, 2: 1.5, 3.5: 2.5}"),
        *("collections.Counter()", "collections.Counter({1: 5})", "collections.defaultdict(int)"),
        *("collections.defaultdict(float)", "{True: 1, 2.0: 3}", "{1: 2, 3: 'x', 4: [1]}"),
        *("{k: 2**62 for k in range(9)}", "{np.int64(2): np.float64(1.5), 3: np.int64(4)}"),
    ),
    "p": ("{}", "{}", "{(0, 1): 2, (1, 1): 3}", "{(k, k % 3): 0.5 for k in range(50)}"),
    "u": ("set()", "{1, 2, 3}", "set(range(0, 60, 2))", "{0.5, 1}"),
    "w": ("set()", "{(1, 2), (3, 1)}"),
}


class Program(RandomFunction):
    """One function, and what is printed of its calls."""

    def __init__(self, number: int, rng: random.Random):
        super().__init__(number, rng)
        self.key_kinds = rng.choice(
            [
                ("i", "x", "x % 5", "i % 3", "x % 9", "(x + i) % 7"),
                ("i", "x % 5", "x * 0.5", "i % 4 * 0.5", "x % 3 == 1"),
                ("c", "c", "'a'", "'total'"),
            ]
        )

    def key(self) -> str:
        return self.pick(*self.key_kinds)

    def pair(self) -> str:
        if self.rng.random() < 0.3:
            return "t"
        part = ("i", "x", "x % 5", "i % 3", "2", "x % 4")
        return f"({self.pick(*part)}, {self.pick(*part)})"

    def number(self, depth: int = 1) -> str:
        if depth == 0:
            return self.pick("i", "i", "x", "x", "s", "2", "0.5", "3", "a[i % 9]")
        x, y = self.number(depth - 1), self.number(0)
        return self.pick(
            *(f"({x} + {y})", f"({x} - {y})", f"{x} * 2", f"({x} % 7 + {y})"),
            *(f"a[{self.pick('i', 'i % 9', 'x % 9')}]", self.asked(), self.asked()),
        )

    def asked(self) -> str:
        default = self.pick("0", "1", "0.5", "i")
        return self.pick(
            *(f"d.get({self.key()}, {default})", f"p.get({self.pair()}, {default})"),
            *(f"d[{self.key()}]", f"p[{self.pair()}]", "len(d)", "len(u)", "len(w)", "len(p)"),
        )

    def test(self) -> str:
        word = self.pick("in", "not in")
        return self.pick(
            *(f"{self.key()} {word} u", f"{self.key()} {word} d"),
            *(f"{self.pair()} {word} w", f"{self.pair()} {word} p"),
            *(f"{self.number(0)} > {self.number(0)}", "i % 4 == 1", f"{self.asked()} > 3"),
        )

    def change(self) -> str:
        key, pair = self.key(), self.pair()
        op = self.pick("+", "+", "+", "-")
        return self.pick(
            *(f"d[{key}] = {self.number()}", f"d[{key}] {op}= {self.number(0)}"),
            *(
                f"d[{key}] = d.get({key}, 0) {op} {self.number(0)}",
                f"d[{key}] {op}= 1",
                f"d[{key}] *= 2",
            ),
            *(f"p[{pair}] = {self.number()}", f"p[{pair}] {op}= {self.number(0)}"),
            *(f"p[{pair}] = p.get({pair}, 0.0) {op} {self.number(0)}", f"u.add({self.key()})"),
            *(f"u.discard({self.key()})", f"w.add({pair})", f"w.discard({pair})"),
            f"u.add({key})",
        )

    def statement(self, depth: int, inside: int) -> None:
        indent = "    " * depth
        kind = self.rng.randrange(13)
        if kind < 5:
            self.lines.append(f"{indent}{self.change()}")
        elif kind < 7:
            self.lines.append(f"{indent}s {self.pick('+=', '+=', '-=', '=')} {self.number(2)}")
        elif kind == 7:
            self.lines.append(f"{indent}a[{self.pick('i', 'x % 9', 'x % 9')}] = {self.number()}")
        elif kind == 8:
            self.lines.append(f"{indent}x = {self.pick('x * 7 % 31', 'i % 6', '(x + i) % 11')}")
        elif kind == 9:
            self.lines.append(f"{indent}t = ({self.number(0)}, {self.pick('i', 'x')})")
        elif kind == 10 and self.rng.random() < 0.4:
            end = self.pick("break", "continue", "return s, x", "raise ValueError(i)")
            self.lines.append(f"{indent}if {self.test()} and i > 3:")
            self.lines.append(f"{indent}    {end}")
        elif inside and self.rng.random() < 0.25:
            self.lines.append(f"{indent}try:")
            self.nested(depth + 1, inside - 1)
            errors = self.pick("(KeyError, IndexError)", "IndexError", "KeyError", "TypeError")
            self.lines.append(f"{indent}except {errors}:")
            self.lines.append(f"{indent}    {self.pick('x += 1', 'continue', 'break', 'pass')}")
        elif inside:
            self.branches(self.test(), depth, inside)
        else:
            self.lines.append(f"{indent}s += {self.number(0)} // {self.pick('(x % 5 + 1)', '2')}")

    def build(self) -> list[str]:
        self.lines = [f"def {self.function}(a, d, p, u, w, n):", "    s, x, i, t = 0, 1, 0, (0, 0)"]
        if "c" in self.key_kinds:
            self.lines.append("    for i, c in enumerate('abracadabra \\xe9' * (n // 4)):")
        elif self.rng.random() < 0.7:
            self.lines.append("    for i in range(n):")
        else:
            self.lines += ["    while i < n:", "        i += 1"]
        if self.rng.random() < 0.4:
            self.lines += [
                "        for j in range(7):",
                "            x = (x * 31 + i * j + 1) % 97",
            ]
        for _ in range(self.rng.randrange(1, 5)):
            self.statement(2, 2)
        self.lines.append("    return s, x, i, t")
        for _ in range(4):
            given = ", ".join(self.pick(*STARTS[name]) for name in "adpuw")
            self.lines.append(
                f"called({self.function}, {given}, {self.pick('0', '1', '25', '40', '400')})"
            )
        return self.lines


DOMAIN = Domain(
    "entries",
    "entries of dictionaries and sets",
    of_functions(HEAD, Program),
    JUDGE,
    least={"did calls of CPython": 35, "rolled back": 5},
)
