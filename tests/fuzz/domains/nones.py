"""Random loops over names that are None or numbers, and over ints of more than 64 bits.

None at entry, assigned in loops and branches, returned by functions, copied, compared, counted in a
truth; numbers read where the name may be None, which raises. Ints that leave 64 bits and 128.
"""

from __future__ import annotations

from ..compared import JUDGE
from ..domain import Domain, of_functions
from ..generator.random_function import RandomFunction
from .host_calls import HEAD

HELPERS = """\


def found(xs, y):
    for k in range(len(xs)):
        if xs[k] == y:
            return k
    return None


def above(xs, y):
    for x in xs:
        if x > y:
            return x


def clamped(x, low=None, high=None):
    if low is not None and x < low:
        x = low
    if high is not None and x > high:
        return high
    return x


def small(x):
    if x < 9:
        return x


def band(x, y):
    if x > 5:
        if x < 9 and y is not None:
            return y
        x = 4
    elif x < 2:
        return -1
    else:
        if y == x:
            return None
    if y is None and x > 3:
        return x * 2
    x = x + 1
    for k in range(x):
        if k == y:
            return k - 1


def perhaps(x):
    return None if x is None or x % 3 == 0 else x * 2


def total(*many):
    return sum(many) + len(many)
"""

STARTS = {
    "a": ("None", "3", "0", "2.5", "2 ** 63 - 5", "2 ** 64", "-(2 ** 70)"),
    "b": ("None", "None", "1", "-7", "0.0", "2 ** 90"),
    "xs": (
        *("[i * 7 % 23 for i in range(40)]", "[0.5 * i for i in range(30)]", "[]", "[5]"),
        *("np.arange(30) % 7", "np.linspace(0.0, 2.0, 20)", "[2 ** 61 + i for i in range(20)]"),
    ),
}
NAMES = ("a", "b", "c", "d")


class Program(RandomFunction):
    """One function, and what is printed of its calls."""

    def pick_depth(self) -> int:
        return self.rng.choice((0, 1, 1, 2))

    def name(self) -> str:
        return self.pick(*NAMES)

    def number(self, depth: int = 1) -> str:
        """A number, which is hardly ever a name that may be None."""
        if depth == 0:
            return self.pick("i", "v", "s", "n", "1", "3", "0.5", "i", "v", "2 ** 62", "w")
        return self.pick(
            *(f"{self.number(0)} {self.pick('+', '-', '*')} {self.number(0)}", "w % 1000003"),
            *(f"{self.number(0)} % 7", "v * 0.5", "i // 2", "w >> 3", "w & (2 ** 64 - 1)"),
            *(
                f"clamped({self.number(0)}, {self.number(0)})",
                "xs[i % 5]",
                f"max(i, {self.number(0)})",
            ),
            *(f"clamped({self.number(0)}, high={self.number(0)})", f"total(i, {self.number(0)})"),
            f"total(*(i, {self.number(0)}), 1)",
        )

    def maybe(self) -> str:
        """What may be None."""
        return self.pick(
            *(
                f"small({self.number(0)})",
                f"band(i % 11, {self.name()})",
                f"band(n % 7, {self.name()})",
            ),
            *("None", self.name(), self.name(), f"found(xs, {self.number(0)})"),
            *(f"above(xs, {self.number(0)})", f"perhaps({self.pick('i', 'v', 'w')})"),
            *(f"None if {self.test(0)} else {self.number()}", f"{self.number()}"),
            f"{self.number()} if {self.test(0)} else None",
        )

    def test(self, depth: int = 1) -> str:
        name = self.name()
        tests = [
            *(f"{name} is None", f"{name} is not None", "i % 3 == 1", f"{self.number(0)} > 2"),
            *(f"{name} == {self.number(0)}", f"{name} != {self.number(0)}", f"{name}"),
            *(f"not {name}", f"{name} is not None and {name} > {self.number(0)}"),
            *(
                f"{name} is None or {name} < {self.number(0)}",
                f"found(xs, {self.number(0)}) is None",
            ),
            f"w > {self.pick('2 ** 63', '10 ** 20', '-5')}",
        ]
        if depth:
            tests += [f"{self.test(0)} {self.pick('and', 'or')} {self.test(0)}"]
        return self.pick(*tests)

    def change(self) -> str:
        name = self.name()
        changes = [
            *(f"{name} = None", f"{name} = {self.maybe()}", f"{name} = {self.maybe()}"),
            *(f"{name} = {self.number()}", f"{name} = {self.name()}", f"s += {self.number()}"),
            *(
                f"{name} = c = {self.number()}",
                f"w += {self.number()}",
                f"w = w * 3 + {self.number(0)}",
            ),
            *("w ^= i << 61", "w = -w", f"w = {self.number()}", "out.append(i)", "w //= 5"),
            *(f"s += {name} if {name} is not None else 1", f"{name} = {name}"),
        ]
        if self.rng.random() < 0.05:
            changes = [f"s += {name}", f"{name} += 1", f"a, b = b, {self.number(0)}"]
        return self.pick(*changes)

    def statement(self, depth: int, inside: int) -> None:
        indent = "    " * depth
        kind = self.rng.randrange(10)
        if kind < 5 or not inside:
            self.lines.append(f"{indent}{self.change()}")
        elif kind == 5 and self.rng.random() < 0.5:
            end = self.pick("break", "continue", "break")
            self.lines.append(f"{indent}if {self.test()} and i > 5:")
            self.lines.append(f"{indent}    {end}")
        elif kind == 6:
            self.lines.append(f"{indent}{self.name()} = None")
            self.lines.append(f"{indent}for v in {self.pick('xs', 'range(5)', 'xs')}:")
            self.nested(depth + 1, inside - 1)
        else:
            self.branches(self.test(), depth, inside)

    def build(self) -> list[str]:
        self.lines = [
            f"def {self.function}(a, b, xs, n):",
            f"    s, i, v, w, out = 0, 0, 1, {self.pick('0', '1', '2 ** 64', '-3')}, []",
            f"    c, d = {self.pick('None, None', 'None, 2', 'a, b', '0.5, None')}",
            self.pick(
                "    for i, v in enumerate(xs):", "    for i in range(n):", "    while i < n:"
            ),
        ]
        if "while" in self.lines[-1]:
            self.lines.append("        i += 1")
        self.lines.append("        w = w if -(10**40) < w < 10**40 else 7")
        self.lines.append("        s = s if -1e40 < s < 1e40 else 1")
        for _ in range(self.rng.randrange(1, 5)):
            self.statement(2, self.pick_depth())
        self.lines.append("    return a, b, c, d, s, i, v, w, out")
        for _ in range(4):
            given = ", ".join(self.pick(*STARTS[name]) for name in ("a", "b", "xs"))
            self.lines.append(
                f"called({self.function}, {given}, {self.pick('0', '1', '9', '60', '200')})"
            )
        return self.lines


DOMAIN = Domain(
    "nones",
    "names that are None or numbers, and ints of more than 64 bits",
    of_functions(HEAD + HELPERS, Program),
    JUDGE,
)
