"""Random expressions over the names that are in scope.

Integers cannot explode: a product of two variables is always reduced, so that only what a program
adds up or multiplies by constants leaves 64 bits, some way into its loop.
"""

from __future__ import annotations

import random

from .text import Array, Counter, Variable, Writer

USUAL_INTS = ["0", "1", "-1", "2", "3", "7", "10", "100"]
EDGE_INTS = [
    "127",
    "-128",
    "255",
    "256",
    "32767",
    "65535",
    "2**31 - 1",
    "-2**31",
    "2**32 - 1",
    "2**53 + 1",
    "2**62",
    "2**63 - 1",
    "-2**63",
    "2**63",
    "2**64 - 1",
]
USUAL_FLOATS = ["0.0", "1.0", "0.5", "-2.5", "1e-3", "3.75", "0.1"]
EDGE_FLOATS = [
    "-0.0",
    "1e16",
    "1e300",
    "1e-300",
    "5e-324",
    "2.2250738585072014e-308",
    "math.inf",
    "-math.inf",
    "math.nan",
    "3.4028235677973366e38",
    "2.0**63",
]
MODULI = ["97", "1009", "2147483647", "(2**61 - 1)", "1000.5", "(-13)"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]


class Expressions(Writer):
    """Expressions by kind: i, f or b."""

    def __init__(self, rng: random.Random):
        super().__init__(rng)
        self.arrays: list[Array] = []
        self.scalars: list[Variable] = []
        self.counters: list[Counter] = []
        self.plain = False  # only what gives Python's own numbers
        self.nasty = rng.random() < 0.25  # edge values in its constants

    # -- what stands alone -------------------------------------------------------------------

    def constant(self, kind: str) -> str:
        edge = self.chance(0.3 if self.nasty else 0.03)
        if edge:
            self.tags.add("edges")
        if kind == "f" and self.chance(0.85):
            return self.rng.choice(EDGE_FLOATS if edge else USUAL_FLOATS)
        if kind == "b" and self.chance(0.7):
            return self.pick("True", "False")
        return self.rng.choice(EDGE_INTS if edge else USUAL_INTS)

    def subscript(self, array: Array) -> str:
        parts = [self.index(array, axis) for axis in range(array.rank)]
        if array.rank > 1 and (array.plain or self.chance(0.3)):
            return array.name + "".join(f"[{p}]" for p in parts)
        return f"{array.name}[{', '.join(parts)}]"

    def index(self, array: Array, axis: int) -> str:
        fitting = [c.name for c in self.counters if c.fits == f"{array.name}.{axis}"]
        if fitting and self.chance(0.8):
            counter = self.rng.choice(fitting)
            return self.pick(counter, counter, counter, f"{counter} - 1", f"-1 - {counter}")
        if self.counters and self.chance(0.85):
            counter = self.rng.choice(self.counters).name
            return self.computed_index(counter, array.extent(axis))
        return self.pick("0", "-1", "1", "2" if self.chance(0.5) else "-2")

    def computed_index(self, counter: str, length: str) -> str:
        other = self.rng.choice(self.counters).name
        if self.chance(0.05):
            return self.pick(
                f"{counter} + 1", f"{counter}", f"2 * {counter}", f"{counter} - {other}"
            )
        return self.pick(
            f"{counter} % {length}",
            f"(2 * {counter} + {other} - 3) % {length}",
            f"({counter} - {other}) % {length}",
            f"{counter} * {other} % {length}",
            f"min({counter}, {length} - 1)",
            f"{counter} // 2 % {length}",
            f"int({self.leaf('f')}) % {length}"
            if self.chance(0.3)
            else f"-1 - {counter} % {length}",
        )

    def sources(self, kind: str) -> list[Array]:
        """Arrays whose elements may stand here."""
        found = [a for a in self.arrays if not a.text and (a.plain or not self.plain)]
        exact = [a for a in found if a.kind == kind or (kind == "i" and a.kind == "b")]
        if exact:
            return exact
        return [a for a in found if a.kind != "c"] if kind == "f" else []

    def leaf(self, kind: str) -> str:
        roll = self.rng.random()
        arrays = self.sources(kind)
        if roll < 0.5 and arrays:
            return self.subscript(self.rng.choice(arrays))
        if roll < 0.72 and not self.plain:
            scalars = [s.name for s in self.scalars if s.kind == kind]
            if not scalars and (kind == "f" or self.chance(0.05)):
                scalars = [s.name for s in self.scalars]  # of any kind: TypeErrors are answers too
            if scalars:
                return self.rng.choice(scalars)
        if roll < 0.9 and self.counters:
            return self.rng.choice(self.counters).name
        if kind == "i" and self.chance(0.2):
            return self.of_text()
        return self.constant(kind)

    def of_text(self) -> str:
        """An int from a character or a byte, where there is a text."""
        texts = [a for a in self.arrays if a.text]
        if not texts or not self.counters:
            return self.constant("i")
        text, counter = self.rng.choice(texts), self.rng.choice(self.counters).name
        return f"ord({text.name}[{counter} % {text.extent(0)}])"

    def whole(self, kind: str, depth: int) -> str:
        """An int operand for what refuses floats."""
        text = self.expression("i", depth)
        mixed = any(s.kind == "f" for s in self.scalars) and self.chance(0.02)
        return self.leaf("f") if mixed else text

    # -- operations ----------------------------------------------------------------------------

    def expression(self, kind: str, depth: int = 2) -> str:
        if depth <= 0 or self.chance(0.15):
            return self.leaf(kind)
        if kind == "b":
            return self.condition(depth)
        make = self.rng.choice(
            [self.sum_like] * 5
            + [self.product] * 3
            + [self.quotient] * 2
            + [self.call] * 2
            + [self.choice, self.signed, self.bits if kind == "i" else self.power]
        )
        return make(kind, depth - 1)

    def sum_like(self, kind: str, depth: int) -> str:
        left, right = self.expression(kind, depth), self.expression(kind, depth)
        return f"{left} {self.pick('+', '-')} {right}" if depth else f"({left} + {right})"

    def signed(self, kind: str, depth: int) -> str:
        return f"{self.pick('-', '-', '+')}({self.expression(kind, depth)})"

    def product(self, kind: str, depth: int) -> str:
        left = self.expression(kind, depth)
        if self.chance(0.5):
            return f"({left}) * {self.constant(kind)}"
        return f"(({left}) * ({self.expression(kind, depth)}) % {self.rng.choice(MODULI)})"

    def quotient(self, kind: str, depth: int) -> str:
        left = self.expression(kind, depth)
        operator = self.pick("//", "%", "%", "/") if kind == "i" else self.pick("/", "/", "//", "%")
        if kind == "i" and operator == "/":
            return f"int(({left}) / {self.pick('3', '7', '-2.5')})"
        right = self.pick("3", "-7", "8", "0.5" if kind == "f" else "5")
        roll = self.rng.random()
        if roll < 0.35:
            right = f"(abs({self.leaf(kind)}) + 1)"
        elif roll < 0.5:
            right = self.divisor(kind)
        elif roll < 0.6 and self.counters:
            # Zero once, some way into the loop.
            right = f"({self.rng.choice(self.counters).name} - {self.pick(3, 5, 7, 'n // 2')})"
        return f"({left}) {operator} {right}"

    def divisor(self, kind: str) -> str:
        """Something that is zero now and then, but seldom at once as a counter would be."""
        arrays = self.sources(kind)
        if arrays and self.chance(0.6):
            return self.subscript(self.rng.choice(arrays))
        if self.chance(0.1):
            return self.leaf(kind)
        return f"({self.leaf(kind)} {self.pick('+ 3', '- 5', '+ 7', '- 11')})"

    def power(self, kind: str, depth: int) -> str:
        exponent = self.pick("2", "2", "3", "0.5", "2.0", "-1", "-2", "0")
        base = self.divisor(kind) if exponent[0] == "-" else self.leaf(kind)
        text = f"abs({base}) ** {exponent}" if exponent == "0.5" else f"({base}) ** {exponent}"
        return f"({text}) % {self.rng.choice(MODULI[:4])}"

    def bits(self, kind: str, depth: int) -> str:
        left = self.whole("i", depth)
        return self.pick(
            f"(({left}) & {self.pick(7, 255, 1023, 65535)})",
            f"(({left}) | {self.pick(1, 8, 64)})",
            f"(({left}) ^ {self.whole('i', 0)})",
            f"(({left}) & {self.whole('i', 0)})",
            f"(({left}) | ({self.whole('i', 0)}))",
            f"(({left}) >> {self.pick(1, 3, 9)})",
            f"((({left}) & 255) << {self.pick(1, 2, 5)})",
            f"((({left}) & 255) << ({self.whole('i', 0)} & 31))",
            f"(~({left}) & 63)",
            f"(({left}) ** 2 % 1009)",
        )

    def call(self, kind: str, depth: int) -> str:
        x, y = self.expression(kind, depth), self.leaf(kind)
        flat = [a.name for a in self.arrays if a.rank == 1 and not a.text]
        if flat and not self.plain and self.chance(0.04):
            return f"{self.pick('total', 'sum', 'len')}({self.rng.choice(flat)})"
        return self.rng.choice(
            self.int_calls(x, y, depth) if kind == "i" else self.float_calls(x, y)
        )

    def int_calls(self, x: str, y: str, depth: int) -> list[str]:
        return [
            f"abs({x})",
            f"min({x}, {y})",
            f"max({y}, {x}, 3)",
            f"int({x})",
            f"helper({x}, {y})",
            f"weight({x})",
            f"bool({x})",
            f"divmod({x}, 7)[0]" if self.chance(0.2) else f"pow({y}, 2) % 97",
            f"int({self.expression('f', depth)})" if self.chance(0.4) else f"weight({y}, 2)",
        ]

    def float_calls(self, x: str, y: str) -> list[str]:
        own = [
            f"abs({x})",
            f"min({x}, {y})",
            f"max({y}, {x})",
            f"float({x})",
            f"helper({x}, {y})",
            f"weight({x}, 0.5)",
            f"math.sqrt(abs({x}))",
            f"math.sin({x})",
            f"math.floor({x} % 1000)",
            f"math.exp(min({x}, 50.0))",
            f"round({x} % 1009)",
            f"math.copysign({x}, {y})",
            f"math.log(abs({x}) + 1)",
            f"math.hypot({x}, {y})" if self.chance(0.3) else f"math.fabs({x})",
            f"math.sqrt({y})" if self.chance(0.3) else f"math.isnan({x})",
        ]
        if self.plain:
            return own
        return own + [
            f"np.sqrt(abs({x}))",
            f"np.minimum({x}, {y})",
            f"np.maximum({y}, 1.5)",
            f"np.exp(-abs({x}))",
            f"np.float32({x})",
            f"np.floor({x})",
            f"np.sqrt({y})" if self.chance(0.3) else f"np.abs({x})",
        ]

    def choice(self, kind: str, depth: int) -> str:
        yes, no = self.expression(kind, depth), self.leaf(kind)
        return f"({yes} if {self.condition(depth)} else {no})"

    def condition(self, depth: int = 1) -> str:
        kind = self.pick("i", "f")
        left, right = self.expression(kind, max(depth - 1, 0)), self.leaf(kind)
        simple = f"{left} {self.rng.choice(COMPARISONS)} {right}"
        if self.chance(0.08):
            return self.of_characters() or simple
        if depth <= 0 or self.chance(0.6):
            return simple
        return self.pick(
            f"({simple}) {self.pick('and', 'or')} ({self.condition(depth - 1)})",
            f"not ({simple})",
            f"0 < {left} <= {self.constant(kind)}",
        )

    def of_characters(self) -> str:
        """A condition on a character of a str, where there is one."""
        texts = [a.name for a in self.arrays if a.text]
        if not texts or not self.counters:
            return ""
        text, counter = self.rng.choice(texts), self.rng.choice(self.counters).name
        character = f"{text}[{counter} % len({text})]"
        return f"{character} {self.pick('==', '!=', '<', 'in')} {self.pick(repr('a'), repr('n'))}"
