"""Random loops over stacks, queues and heaps, and entries of dictionaries and sets beside them.

Elements are ints, floats or tuples; lists are appended to, taken from at both ends, read and stored
to at any index; deques grow at both ends; heaps are pushed to and popped. Guards fail between two
changes. What the containers hold afterwards has to be CPython's.
"""

from __future__ import annotations

import random

from ..compared import JUDGE
from ..domain import Domain, of_functions
from ..generator.random_function import RandomFunction
from .host_calls import HEAD

STARTS = {
    "a": ("list(range(40))", "[0.5] * 40", "list(range(9))", "np.arange(40)"),
    "s": (
        *("[]", "[]", "[5]", "list(range(20))", "[1.5, 2.5]", "[3, 1, 2, 0.5]", "[1, 'x', 2]"),
        "[np.float64(2.5)]",
    ),
    "q": (
        *("collections.deque()", "collections.deque([4])", "collections.deque(range(12))"),
        *("collections.deque([1, 2], maxlen=4)", "collections.deque([0.5, None, 2.5])"),
    ),
    "p": (
        *("[]", "[(0, 0)]", "[(k, k * 0.5) for k in range(9)]", "collections.deque([(1, 2)])"),
        *("collections.deque()", "[(1, 2), (3,)]", "[(1, 2), 'x']"),
    ),
    "h": ("[]", "[(0.0, 0)]", "[(0, 0)]", "[(1, 1), (2, 5), (3, 0)]", "[(float('nan'), 1)]"),
    "d": ("{}", "{k: k for k in range(30)}"),
}


class Program(RandomFunction):
    """One function, and what is printed of its calls."""

    def __init__(self, number: int, rng: random.Random):
        super().__init__(number, rng)
        self.kinds = rng.sample(["s", "q", "p", "h", "d"], rng.randrange(1, 4))

    def number(self, depth: int = 1) -> str:
        if depth == 0:
            return self.pick("i", "i", "x", "x", "y", "2", "0.5", "3", "a[i % 9]")
        x, y = self.number(depth - 1), self.number(0)
        return self.pick(
            *(f"({x} + {y})", f"({x} - {y})", f"{x} * 2", f"({x} % 7 + {y})", self.asked()),
            self.asked(),
        )

    def asked(self) -> str:
        kind = self.rng.choice(self.kinds)
        at = self.pick("0", "-1", "i % 5", "x % 3", "-2")
        if kind == "d":
            return self.pick("d.get(i, 0)", "d.get(x % 9, 1)", "len(d)")
        if kind in "ph":
            return self.pick(f"len({kind})", f"{kind}[{at}][0]", f"{kind}[{at}][1]")
        return self.pick(f"len({kind})", f"{kind}[{at}]", f"{kind}[{at}]")

    def test(self) -> str:
        kind = self.rng.choice(self.kinds)
        return self.pick(
            *(kind, f"not {kind}", f"len({kind}) > {self.pick('2', '5', '9')}", "i % 4 == 1"),
            *(f"{self.number(0)} > {self.number(0)}", f"{kind} and {self.asked()} > 3"),
        )

    def change(self, indent: str) -> list[str]:
        kind, value = self.rng.choice(self.kinds), self.number()
        guard = f"{indent}if {kind}:"
        inside = indent + "    "
        if kind == "d":
            return [indent + self.pick(f"d[i] = {value}", f"d[x % 9] = {value}", "d[i % 4] = x")]
        if kind == "h":
            pop = "x, y = heapq.heappop(h)"
            push = f"heapq.heappush(h, ({value}, {self.pick('i', 'x', 'y')}))"
            return self.rng.choice([[indent + push], [indent + push], [guard, inside + pop]])
        if kind == "p":
            pop = self.pick("x, y = p.pop()", "y, x = p.pop()", "p.pop()")
            push = f"p.append(({value}, {self.number(0)}))"
            return self.rng.choice([[indent + push], [indent + push], [guard, inside + pop]])
        take = self.pick("x = ", "y = ", "y += ", "")
        ends = ("pop()", "popleft()") if kind == "q" else ("pop()", "pop(0)")
        put = self.pick("append", "append", "appendleft") if kind == "q" else "append"
        at = self.pick("0", "-1", "i % 5", "len(a) - 9")
        return self.rng.choice(
            [
                *([f"{indent}{kind}.{put}({value})"], [f"{indent}{kind}.{put}({value})"]),
                *([guard, f"{inside}{take}{kind}.{self.pick(*ends)}"],),
                [f"{indent}{take}{kind}.{self.pick(*ends)}"],
                *([guard, f"{inside}{kind}[{at}] {self.pick('', '+', '-')}= {value}"],),
            ]
        )

    def statement(self, depth: int, inside: int) -> None:
        indent = "    " * depth
        kind = self.rng.randrange(13)
        if kind < 6:
            self.lines += self.change(indent)
        elif kind == 6:
            self.lines.append(f"{indent}y {self.pick('+=', '-=', '=')} {self.number(2)}")
        elif kind == 7:
            self.lines.append(f"{indent}a[{self.pick('i', 'x % 9', 'i % 9')}] = {self.number()}")
        elif kind == 8:
            self.lines.append(f"{indent}x = {self.pick('i * 7 % 31', 'i % 6', '(i + 3) % 11')}")
        elif kind == 9 and self.rng.random() < 0.4:
            end = self.pick("break", "continue", "return x, y", "raise ValueError(i)")
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
            self.lines += self.change(indent)

    def build(self) -> list[str]:
        self.lines = [f"def {self.function}(a, s, q, p, h, d, n):", "    x, y, i = 1, 0, 0"]
        kind = self.rng.choice(self.kinds)
        shape = self.rng.random()
        if shape < 0.5:
            self.lines.append("    for i in range(n):")
        elif shape < 0.75:
            self.lines += ["    while i < n:", "        i += 1"]
        else:
            self.lines += [f"    while {kind} and i < n:", "        i += 1"]
        for _ in range(self.rng.randrange(1, 6)):
            self.statement(2, 2)
        self.lines.append("    return x, y, i")
        for _ in range(4):
            given = ", ".join(self.pick(*STARTS[name]) for name in "asqphd")
            self.lines.append(
                f"called({self.function}, {given}, {self.pick('0', '1', '25', '40', '400')})"
            )
        return self.lines


DOMAIN = Domain(
    "sequences",
    "stacks, queues and heaps",
    of_functions(HEAD, Program),
    JUDGE,
    least={"did calls of CPython": 30, "rolled back": 3},
)
