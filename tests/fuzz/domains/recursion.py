"""Random functions that call themselves: in expressions, conditions, loops and arguments, by way of
other functions, with several results or none, beside lists and arrays that all calls share.
"""

from __future__ import annotations

from ..compared import JUDGE
from ..domain import Domain, of_functions
from ..generator.random_function import RandomFunction
from .host_calls import HEAD

STARTS = {
    "a": ("0", "3", "-2", "2.5", "True", "2 ** 62"),
    "xs": (
        *("[i * 7 % 23 for i in range(12)]", "[0.5 * i for i in range(9)]"),
        *(
            "np.arange(10) % 7",
            "np.linspace(0.0, 2.0, 8)",
            "[True, False, True, False, True, True]",
        ),
    ),
}


class Program(RandomFunction):
    """One function that calls itself, a helper that calls it, and calls of it in a loop."""

    def call(self, argument: str | None = None) -> str:
        given = argument if argument is not None else self.number(0)
        first = self.pick("n - 1", "n - 1", "n - 2", "n // 2", "n - 1 - k % 2")
        how = self.rng.randrange(12)
        if how == 0:
            return f"{self.function}(a={given}, n={first}, xs=xs)"
        if how == 1:
            return f"{self.function}_by(n - 1, {given}, xs)"
        if how == 2 and self.results == 1:
            return f"{self.function}(n - 1, {self.function}(n - 2, {given}, xs), xs)"
        return f"{self.function}({first}, {given}, xs)"

    def value(self, argument: str | None = None) -> str:
        """A call as a number."""
        call = self.call(argument)
        return call if self.results == 1 else f"{call}[{self.rng.randrange(self.results)}]"

    def number(self, depth: int = 1) -> str:
        if depth == 0:
            return self.pick(
                *("n", "a", "t", "k", "1", "2", "0.5", "a", "t", "a + 1", "a * 2", "t - n"),
                *("xs[n % len(xs)]", "xs[k]", "-a", "abs(t) % 1000"),
            )
        if self.rng.random() < 0.45:
            return self.pick(
                *(self.value(), f"{self.number(0)} + {self.value()}", f"{self.value()} * 0.5"),
                *(f"{self.value()} - {self.value()}", f"max({self.number(0)}, {self.value()})"),
                *(f"xs[{self.count()}] + {self.value()}", f"-{self.value()}"),
                f"sum({self.value('j')} for j in range(2))",
                f"({self.value()} if {self.test(0)} else {self.number(0)})",
                f"min({self.value()}, {self.value()}, t)",
                f"{self.number(0)} * {self.value()} + {self.number(0)}",
            )
        return self.pick(
            *(f"{self.number(0)} {self.pick('+', '-', '*')} {self.number(0)}", self.number(0)),
            *(f"({self.number(0)}) % 17", f"half({self.number(0)})", self.number(0)),
        )

    def count(self) -> str:
        return self.pick("n % len(xs)", "k", "0", "-1", "(n + k) % len(xs)")

    def test(self, depth: int = 1) -> str:
        tests = [
            *("k % 2 == 0", f"{self.number(0)} > 2", "n % 2", f"xs[k] < {self.number(0)}"),
            *(f"{self.number(0)} <= {self.number(0)}", "t"),
        ]
        if depth:
            tests += [
                *(f"{self.value()} > {self.number(0)}", f"{self.test(0)} and {self.value()} < 9"),
                *(f"{self.test(0)} or {self.value()} != 3", f"not {self.value()}"),
                f"{self.test(0)} {self.pick('and', 'or')} {self.test(0)}",
                f"0 < {self.value()} < 50",
            ]
        return self.pick(*tests)

    def change(self) -> str:
        changes = [
            *(f"t = {self.number()}", f"t += {self.number()}", f"t = {self.value()}"),
            *(f"xs[{self.count()}] = xs[{self.count()}]", f"a = {self.number(0)}", "k = n % 5"),
            *(f"t -= {self.number()}", f"xs[{self.count()}] += {self.number(0)}", self.call()),
            *("t = t % 1000", f"u = {self.number()}", "t += u", f"t, u = u, {self.number()}"),
        ]
        if self.rng.random() < 0.2:
            changes = [
                f"xs[{self.count()}] = {self.number()}",
                f"xs[{self.count()}] += {self.value()}",
            ]
        if self.results == 2:
            changes += [f"t, u = {self.call()}", f"u, t = {self.call()}"]
        return self.pick(*changes)

    def returned(self) -> str:
        if self.results == 2:
            return self.pick(
                f"return {self.number()}, {self.number(0)}", "return t, u", f"return {self.call()}"
            )
        if self.rng.random() < 0.1:
            return "return None"
        return f"return {self.number()}"

    def statement(self, depth: int, inside: int) -> None:
        indent = "    " * depth
        kind = self.rng.randrange(11)
        if kind < 5 or not inside:
            self.lines.append(f"{indent}{self.change()}")
        elif kind == 5:
            self.lines.append(f"{indent}if {self.test()}:")
            end = "break" if self.loops and self.rng.random() < 0.4 else None
            if self.loops and end is None and self.rng.random() < 0.4:
                end = "continue"
            self.lines.append(f"{indent}    {end or self.returned()}")
        elif kind in (6, 7):
            over = self.pick(
                "range(2)", "range(n % 3)", "range(3, 0, -2)", "(1, 3)", "xs", "[2, 0]"
            )
            # Elements of longer lists would be many calls.
            self.lines.append(f"{indent}for k in {over}:")
            if over == "xs":
                self.lines.append(f"{indent}    k = int(k) % 4")
                self.lines.append(f"{indent}    if n > 1:")
                self.lines.append(f"{indent}        break")
            self.loop(depth, inside)
        elif kind == 8:
            self.lines.append(f"{indent}w{depth} = {self.pick('2', 'n', '1')}")
            test = self.pick(f"w{depth} > 0", f"w{depth} > 0 and {self.test(0)}")
            self.lines.append(f"{indent}while {test}:")
            self.lines.append(f"{indent}    w{depth} -= {self.pick('1', '2')}")
            self.loop(depth, inside)
        else:
            self.branches(self.test(), depth, inside)

    def loop(self, depth: int, inside: int) -> None:
        """Adds the body of a loop, and perhaps an `else`."""
        indent = "    " * depth
        self.loops += 1
        self.nested(depth + 1, inside - 1)
        self.loops -= 1
        if self.rng.random() < 0.2:
            self.lines.append(f"{indent}else:")
            self.nested(depth + 1, 0)

    def build(self) -> list[str]:
        self.loops = 0
        self.results = self.rng.choice((1, 1, 1, 2))
        name = self.function
        base = self.pick("a", "n", "1", "a + n", "xs[0]", "0.5", "a > 2")
        self.lines = [
            f"def {name}_by(n, a, xs):",
            f"    a = {self.pick('a + 1', 'half(a)', '-a')}",
            f"    return {name}(n, a, xs)",
            f"def {name}(n, a, xs):",
            "    if n <= 0:",
            f"        return {base}{', a' if self.results == 2 else ''}",
            f"    t, u, k = {self.pick('0', 'a', '1.5')}, {self.pick('1', 'n')}, 1",
        ]
        for _ in range(self.rng.randrange(1, 4)):
            self.statement(1, self.rng.choice((0, 1, 1, 2)))
        if self.rng.random() < 0.95:
            self.lines.append(f"    {self.returned()}")
        whole = self.pick("s += r", "s = s * 0.5 + r", "s = max(s, r)", "s -= r")
        self.lines += [
            f"def {name}_in(a, xs, n):",
            "    s = 0",
            "    for i in range(n):",
            f"        r{', q' if self.results == 2 else ''} = {name}(i % 4, a, xs)",
            f"        {whole}",
            "        s = s % 1000003",
            "    return s, r",
        ]
        for _ in range(3):
            given = ", ".join(self.pick(*STARTS[name]) for name in ("a", "xs"))
            self.lines.append(f"called({name}_in, {given}, {self.pick('1', '4', '9', '14')})")
        return self.lines


DOMAIN = Domain(
    "recursion",
    "functions that call themselves",
    of_functions(HEAD, Program),
    JUDGE,
)
