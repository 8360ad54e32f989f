"""Random loops over texts: in lists, tuples and names, as keys and as values of dictionaries.

Texts of one character, longer ones, empty ones, equal texts that are several objects, and lists
that hold other things beside texts: what is compared, moved, stored and looked up has to be
CPython's.
"""

from __future__ import annotations

from ..compared import JUDGE
from ..domain import Domain, of_functions
from ..generator.random_function import RandomFunction
from .host_calls import HEAD

WORDS = "'the quick brown a fox x the dog a the'.split()"
STARTS = {
    "w": (
        *(
            f"{WORDS} * 5",
            f"{WORDS}",
            "list('abracadabra') * 4",
            "['the', 'a', '', '\\xe9\\xe9'] * 9",
        ),
        *("[''.join(['th', 'e']) for _ in range(40)]", "['a', 1, 'the', None] * 9", "[]"),
        *("tuple('the a the x'.split()) * 9", "['the', 'x'] * 30"),
    ),
    "d": (
        *("{}", "{'the': 1, 'a': 2}", "{'the': 'article', 'a': 'x', 'dog': 'the'}"),
        *("collections.Counter()", "{'the': None, 'x': 0.5}", "collections.defaultdict(int)"),
        "{1: 'a', 'the': 'the', 'fox': 2}",
    ),
    "p": ("{}", "{('the', 1): 2}", "{('the', 'a'): 'x'}"),
    "t": ("'the'", "'x'", "''", "'the quick'", "'abracadabra'", "'\\xe9\\xe9'"),
    "r": (
        *("[('the', 1, 0.5), ('a', 2, 1.5)] * 9", "[('the', 'x', 'a'), ('a', 'the', '')] * 9"),
        *("[('the', i, 'x') for i in range(20)]", "[['the', 1, 0.5]] * 3", "[]"),
    ),
}


class Program(RandomFunction):
    """One function, and what is printed of its calls."""

    def pick_depth(self) -> int:
        return self.rng.choice((0, 1, 1, 2))

    def literal(self) -> str:
        return self.pick("'the'", "'a'", "'x'", "''", "'dog'", "'fox'", "'none of them'")

    def text(self, depth: int = 1) -> str:
        if depth == 0:
            return self.pick("c", "c", "last", "state", "t", self.literal())
        return self.pick(
            *("c", "last", "state", self.literal(), "w[i % 7]", "w[-1]", "w[i - 1]"),
            *("c", "last", "w[i % 7]", self.literal(), f"d.get({self.text(0)}, {self.literal()})"),
            *("chr(97 + i % 26)", "t[i % 3].upper()", "t[0].lower()", "chr(i * 37 - 90)"),
        )

    def number(self) -> str:
        return self.pick(
            *("i", "n", "s", "1", "2", "len(w)", "0.5"),
            *("i", "s", "1", "2", "i", "3", f"p.get(({self.text(0)}, i % 3), 1)"),
            *("sum(int(q) for q in str(i))", "len(str(i * 7))", "i.bit_length()", "ord(t[i % 2])"),
            *("max(map(int, str(i * i)))", f"{self.text(0)}.count('a')", "bin(i).count('1')"),
            *("int(chr(48 + i % 10))", "s.bit_length()", "sum([int(q) for q in str(i * i)])"),
            *("len([q for q in str(i) if q > '3'])", "[int(q) for q in str(i * 3)][-1]"),
        )

    def test(self, depth: int = 1) -> str:
        word = self.pick("in", "not in")
        several = ", ".join(self.literal() for _ in range(self.rng.randrange(2, 4)))
        tests = [
            *(f"{self.text(0)} {self.pick('==', '!=', '==')} {self.text(0)}", "i % 3 == 1"),
            *(f"{self.text(0)} {word} ({several})", f"{self.text(0)} == {self.literal()}"),
            *(f"{self.text(0)} {word} d", f"({self.text(0)}, {self.text(0)}) {word} p"),
            *(f"c {self.pick('<', '>=')} {self.literal()}", f"{self.text(0)} == {self.text(0)}"),
            *(f"c {word} 'a the'", f"{self.pick('c', 'last')}", f"not {self.text(0)}"),
            *(f"{self.text(0)}.startswith('t')", f"t[i % 4].{self.kind()}()", "c.endswith('e')"),
            *("str(i) == str(i)[::-1]", f"{self.text(0)}.{self.kind()}()", "str(i)[0] == '1'"),
        ]
        if depth:
            tests += [f"{self.text()} == {self.text()}", f"{self.test(0)} and {self.test(0)}"]
        return self.pick(*tests)

    def kind(self) -> str:
        return self.pick(
            *("isalpha", "isalnum", "isdigit", "isdecimal", "isnumeric"),
            *("isupper", "islower", "isspace"),
        )

    def change(self) -> str:
        return self.pick(
            *(f"d[{self.text()}] = {self.text()}", f"d[{self.text(0)}] = {self.number()}"),
            *(f"d[{self.text(0)}] = d.get({self.text(0)}, 0) + 1", f"d[{self.text(0)}] += 1"),
            *(
                f"p[{self.text(0)}, i % 3] = {self.number()}",
                f"p[{self.text(0)}, c] = {self.text()}",
            ),
            *(f"w[i % 5] = {self.text()}", "w[i % 5], w[-1] = w[-1], w[i % 5]", "last = c"),
            *(f"last = {self.text()}", f"state = {self.text()}", f"state = {self.literal()}"),
            *("out.append(c)", "state, last = last, state", f"s += {self.number()}"),
            *(f"s += {self.number()}", f"s += {self.number()}", f"last = {self.literal()}"),
        )

    def statement(self, depth: int, inside: int) -> None:
        indent = "    " * depth
        kind = self.rng.randrange(10)
        if kind < 5 or not inside:
            self.lines.append(f"{indent}{self.change()}")
        elif kind == 5 and self.rng.random() < 0.5:
            end = self.pick("break", "continue", "return s, last", "raise ValueError(c)")
            self.lines.append(f"{indent}if {self.test()} and i > 3:")
            self.lines.append(f"{indent}    {end}")
        else:
            self.branches(self.test(), depth, inside)

    def build(self) -> list[str]:
        head = f"def {self.function}(w, d, p, t, r, n):"
        start = self.pick("'idle'", "'x'", "''", "t")
        self.lines = [head, f"    s, i, c, last, state, out = 0, 0, 'c', 'x', {start}, []"]
        self.lines.append(
            self.pick(
                *("    for i, c in enumerate(w):", "    for i, c in enumerate(w[:n]):"),
                *("    for i in range(n):", "    for c, i, x in r:", "    for c in w:"),
            )
        )
        if "range(n)" in self.lines[-1]:
            self.lines.append("        c = w[i % 9]")
        for _ in range(self.rng.randrange(1, 4)):
            self.statement(2, self.pick_depth())
        self.lines.append("    return s, i, c, last, state, out")
        for _ in range(4):
            given = ", ".join(self.pick(*STARTS[name]) for name in "wdptr")
            self.lines.append(f"called({self.function}, {given}, {self.pick('0', '1', '9', '60')})")
        return self.lines


DOMAIN = Domain(
    "texts", "texts in lists, names, keys and values", of_functions(HEAD, Program), JUDGE
)
