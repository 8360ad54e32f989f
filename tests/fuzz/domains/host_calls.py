"""Random loops in which CPython is called: for what it alone can do, between what runs natively.

Fragments of every effect read and change dictionaries, sets, lists, deques and heaps, print, and
raise; guards fail before and behind them, in the same iteration. What is seen afterwards has to be
CPython's: every effect once, at its place, and the exception with its line.
"""

from __future__ import annotations

from ..compared import JUDGE
from ..domain import Domain, of_functions
from ..generator.random_function import RandomFunction

HEAD = """\
import bisect
import collections
import heapq
import math
import numpy as np
import traceback
def half(x):
    return x * 0.5 if x > 3 else x
def shown(v):
    if isinstance(v, np.ndarray):
        return "array", v.dtype.str, v.tolist()
    if isinstance(v, dict):
        return type(v).__name__, [(shown(k), shown(x)) for k, x in v.items()]
    if isinstance(v, (tuple, list, set, collections.deque)):
        return type(v).__name__, [shown(x) for x in v]
    return type(v).__name__, "nan" if v != v else repr(v)
def called(f, *given):
    try:
        print(shown(f(*given)))
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)][1:]
        print(type(error), error, lines)
    print([shown(v) for v in given])
d = {1: 2}
"""

STARTS = {
    "a": ("list(range(40))", "[0.5] * 40", "list(range(9))", "np.arange(40)", "np.ones(12)"),
    "d": (
        *("{k: k for k in range(30)}", "{}", "{1: 0.5, 2: 1.5}", "collections.Counter()"),
        *(
            "collections.defaultdict(int)",
            "collections.OrderedDict()",
            "{k: k * 0.5 for k in (1, 2, 3)}",
        ),
        *("{1: 2, 3: 'x'}", "{1: None}", "{k: 2**70 for k in range(9)}"),
    ),
    "u": ("set()", "{1, 2, 3}", "set(range(0, 60, 2))", "{(1, 2), (3, 1)}", "{0.5, 1}"),
    "q": (
        *("[None]", "[('s', 1)]", "[]", "[1.5, 2.5]", "[3, 1, 2]", "[[1], [2]]"),
        *("collections.deque()", "collections.deque([1, 2], maxlen=7)", "collections.deque(['a'])"),
    ),
    "h": ("[]", "[1, 2, 3]", "[(0.5, 1)]", "[2.5]"),
}


class Program(RandomFunction):
    """One function, and what is printed of its calls."""

    def number(self, depth: int = 1) -> str:
        if depth == 0:
            return self.pick("i", "i", "x", "x", "s", "2", "0.5", "3")
        x, y = self.number(depth - 1), self.number(0)
        return self.pick(
            *(f"({x} + {y})", f"({x} - {y})", f"{x} * 2", f"({x} % 7 + {y})", f"half({x})"),
            *(f"a[{self.index()}]", f"-{x}", self.asked()),
        )

    def index(self) -> str:
        return self.pick("i", "i % 9", "x % 9", "i % 9", "x", "-1")

    def key(self) -> str:
        return self.pick("i", "x", "x % 5", "i % 3", "x", "(x, i % 3)", "(i, x)", "'k'", "x * 0.5")

    def asked(self) -> str:
        """A value that CPython gives."""
        return self.pick(
            *(f"d.get({self.key()}, {self.pick('0', '1', '0.5', 'i')})", f"d[{self.key()}]"),
            *(
                "len(d)",
                "len(u)",
                "len(q)",
                "len(h)",
                "math.gamma(1.5 + i % 5)",
                "math.isclose(x, i)",
            ),
            *(
                f"isinstance({self.number(0)}, int)",
                "bisect.bisect(h, x)",
                "q[0]",
                "q[-1]",
                "hash(x)",
            ),
        )

    def test(self) -> str:
        return self.pick(
            *(f"{self.key()} in u", f"{self.key()} not in u", f"{self.key()} in d"),
            *(f"{self.number(0)} > {self.number(0)}", f"x % {self.pick('2', '3', '5')} == 0"),
            *("i % 4 == 1", "not u", "len(q) > 3", "x in h", f"{self.key()} not in d"),
        )

    def value(self) -> str:
        return self.pick(
            *(self.number(), self.number(), f"(i, {self.number(0)})", "(x, 's')", "None", "'t'"),
            *(
                "f'{i}:{x}'",
                "[i, x]",
                "{'i': i}",
                "str(x)",
                "'%d' % x",
                "(i, None)",
                "'{}'.format(x)",
            ),
        )

    def effect(self) -> str:
        """A statement that changes something."""
        key, value = self.key(), self.value()
        return self.pick(
            *(
                f"d[{key}] = {self.number()}",
                f"d[{key}] += {self.number(0)}",
                f"d[{key}] = {value}",
            ),
            *(
                f"d[{key}] = d.get({key}, 0) + {self.number(0)}",
                # Never None: its hash, and so the order of the set, is another in each process.
                f"u.add({self.pick('i', 'i % 5', 'i * 0.5', '(i % 3, 2)', f'repr({key})')})",
                f"u.discard({key})",
            ),
            *(
                f"q.append({value})",
                f"q.append({self.number()})",
                "q.pop()",
                f"q.insert(0, {value})",
            ),
            *(f"h.append({self.number()})", f"heapq.heappush(h, {self.number(0)})", "q.clear()"),
            *(f"print(i, {value}, {self.number()})", f"print(x, {self.asked()}, sep='-')"),
            *(f"q.extend([{value}])", f"u.remove({key})", f"d.setdefault({key}, {self.number(0)})"),
            *(f"u.update([{key}])", "bisect.insort(h, x)", f"d.pop({key}, 0)", "q.reverse()"),
        )

    def statement(self, depth: int, inside: int) -> None:
        indent = "    " * depth
        kind = self.rng.randrange(15)
        if kind < 5:
            self.lines.append(f"{indent}{self.effect()}")
        elif kind < 7:
            self.lines.append(f"{indent}s {self.pick('+=', '+=', '-=', '=')} {self.number(2)}")
        elif kind == 7:
            taken = self.pick("h.pop()", "heapq.heappop(h)", "q.pop()", "d.pop(i, 0)", "u.pop()")
            self.lines.append(f"{indent}{self.pick('s', 's', 'x')} = {taken}")
        elif kind == 8:
            self.lines.append(f"{indent}a[{self.index()}] = {self.number()}")
        elif kind == 9:
            self.lines.append(f"{indent}x = {self.number()}")
        elif kind == 10 and inside:
            self.lines.append(f"{indent}for j in range({self.pick('5', '9', 'i % 4')}):")
            self.lines.append(f"{indent}    x = (x * 31 + i * j + 1) % 97")
            if self.rng.random() < 0.3:
                self.nested(depth + 1, inside - 1)
        elif kind == 11:
            self.lines.append(
                f"{indent}s += {self.number(0)} // {self.pick('(x % 5)', '(i - 7)', '2')}"
            )
        elif kind == 12 and self.rng.random() < 0.4:
            end = self.pick("break", "continue", "return s, x", "raise ValueError(i)")
            self.lines.append(f"{indent}if {self.test()} and i > 3:")
            self.lines.append(f"{indent}    {end}")
        elif inside:
            self.lines.append(f"{indent}if {self.test()}:")
            self.nested(depth + 1, inside - 1)
            if self.rng.random() < 0.4:
                self.lines.append(f"{indent}else:")
                self.nested(depth + 1, inside - 1)
        else:
            self.lines.append(f"{indent}x = (x * 7 + 3) % 31")

    def build(self) -> list[str]:
        self.lines = [f"def {self.function}(a, d, u, q, h, n):", "    s, x, i = 0, 1, 0"]
        if self.rng.random() < 0.7:
            self.lines.append("    for i in range(n):")
        else:
            self.lines += ["    while i < n:", "        i += 1"]
        if self.rng.random() < 0.8:
            self.lines += [
                "        for j in range(7):",
                "            x = (x * 31 + i * j + 1) % 97",
            ]
        for _ in range(self.rng.randrange(2, 6)):
            self.statement(2, 2)
        self.lines.append("    return s, x, i")
        for _ in range(3):
            given = ", ".join(self.pick(*STARTS[name]) for name in "aduqh")
            self.lines.append(
                f"called({self.function}, {given}, {self.pick('0', '1', '25', '40')})"
            )
        return self.lines


DOMAIN = Domain(
    "host_calls",
    "what only CPython can do, between what runs natively",
    of_functions(HEAD, Program),
    JUDGE,
    least={"did calls of CPython": 40, "did recorded results": 30, "rolled back": 8},
)
