"""Random loop programs: valid, terminating, deterministic, full of edges.

A program is a script of functions, each called several times with arguments of different types.
Csmith's and YARPGen's idea, with nondeterminism in the place of undefined behaviour: whatever is
written may raise or warn, but it does the same on every run. Integers cannot explode, because a
product of two variables is always reduced; loops have few trips and `while` a bounded counter.
"""

from __future__ import annotations

import random

HEADER = '''"""Random loop programs, seed {seed}."""

import math
from array import array

import numpy as np
from showing import attempt, show


def helper(x, y):
    if x > y:
        return x - y
    return x + 2 * y


def weight(x, k=3):
    t = x * k
    return t if t > 0 else -t + 1


def total(values):
    s = 0
    for v in values:
        s = s + v
    return s


class Holder:
    def __init__(self, t, m):
        self.t = t
        self.m = m
'''

FLOAT_TYPES = ["float64"] * 12 + ["float32"] * 5 + ["complex128"]
INT_TYPES = ["int64"] * 4 + ["int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64"]
EDGES_INT = [0, 1, -1, 2, 3, 7, 10, 100, 127, 255, 2**31 - 1, 2**53 + 1, 2**62]
EDGES_FLOAT = ["0.0", "-0.0", "1.0", "0.5", "-2.5", "1e-3", "3.75", "1e16", "1e300", "1e-300"]
MODULI = ["97", "1009", "2147483647", "(2**61 - 1)", "1000.5", "(-13)"]


class Variable:
    def __init__(self, name: str, kind: str, rank: int = 0):
        self.name = name
        self.kind = kind  # i, f or b: what its values mostly are
        self.rank = rank


class Function:
    """Generates one function and the calls of it."""

    def __init__(self, number: int, rng: random.Random):
        self.rng = rng
        self.name = f"f{number}"
        self.lines: list[str] = []
        self.arrays: list[Variable] = []
        self.scalars: list[Variable] = []
        self.counters: list[tuple[str, str | None]] = []  # loop variables, and the array they fit
        self.fresh = 0
        self.budget = rng.randint(4, 12)
        self.loops = 0
        self.inside = 0  # loops around the statement being written
        self.long = rng.random() < 0.12  # few loops, but long enough for threads and chunks
        self.extras: list[str] = []  # further parameters: an object with attributes, a text
        self.globals: list[str] = []

    # -- text ------------------------------------------------------------------------------

    def emit(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def pick(self, *choices):
        return self.rng.choice(choices)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    # -- expressions -----------------------------------------------------------------------

    def constant(self, kind: str) -> str:
        if kind == "f" and self.chance(0.8):
            return self.rng.choice(EDGES_FLOAT[:7] if self.chance(0.85) else EDGES_FLOAT)
        if kind == "b" and self.chance(0.7):
            return self.pick("True", "False")
        return str(self.rng.choice(EDGES_INT[:8] if self.chance(0.85) else EDGES_INT))

    def subscript(self, array: Variable) -> str:
        parts = [self.index(array, axis) for axis in range(array.rank)]
        if array.rank > 1 and (array.kind.isupper() or self.chance(0.4)):
            return array.name + "".join(f"[{p}]" for p in parts)
        return f"{array.name}[{', '.join(parts)}]"

    def length(self, array: Variable, axis: int) -> str:
        return f"len({array.name})" if axis == 0 else f"len({array.name}[0])"

    def index(self, array: Variable, axis: int) -> str:
        fitting = [c for c, fits in self.counters if fits == f"{array.name}.{axis}"]
        if fitting and self.chance(0.75):
            counter = self.rng.choice(fitting)
            return self.pick(counter, counter, counter, f"{counter} - 1", f"-1 - {counter}")
        if self.counters and self.chance(0.75):
            counter, _ = self.rng.choice(self.counters)
            other, _ = self.rng.choice(self.counters)
            length = self.length(array, axis)
            return self.pick(
                f"{counter} % {length}",
                f"(2 * {counter} + {other} - 3) % {length}",
                f"({counter} - {other}) % {length}",
                f"{counter} * {other} % {length}",
                f"min({counter}, {length} - 1)",
                f"int({self.leaf('f')}) % {length}" if self.chance(0.2) else f"{counter} // 2",
                f"{counter} + 1" if self.chance(0.2) else f"{counter} - 1",
            )
        return self.pick("0", "-1", "1", "2" if self.chance(0.5) else "-2")

    def leaf(self, kind: str) -> str:
        roll = self.rng.random()
        if "t" in self.extras and self.counters and kind == "i" and self.chance(0.15):
            return f"ord(t[{self.rng.choice(self.counters)[0]} % len(t)])"
        arrays = [a for a in self.arrays if a.kind.lower() == kind] or self.arrays
        scalars = [s for s in self.scalars if s.kind == kind] or self.scalars
        if roll < 0.45 and arrays:
            return self.subscript(self.rng.choice(arrays))
        if roll < 0.7 and scalars:
            return self.rng.choice(scalars).name
        if roll < 0.85 and self.counters:
            return self.rng.choice(self.counters)[0]
        return self.constant(kind)

    def expression(self, kind: str, depth: int = 2) -> str:
        if depth == 0 or self.chance(0.15):
            return self.leaf(kind)
        if kind == "b":
            return self.condition(depth)
        make = self.rng.choice(
            [self.sum_like] * 5
            + [self.product] * 3
            + [self.quotient] * 2
            + [self.call] * 2
            + [self.choice, self.bits if kind == "i" else self.power]
        )
        return make(kind, depth - 1)

    def sum_like(self, kind: str, depth: int) -> str:
        left, right = self.expression(kind, depth), self.expression(kind, depth)
        return f"{left} {self.pick('+', '-')} {right}" if depth else f"({left} + {right})"

    def product(self, kind: str, depth: int) -> str:
        left = self.expression(kind, depth)
        if self.chance(0.5):
            return f"({left}) * {self.constant(kind)}"
        return f"(({left}) * ({self.expression(kind, depth)}) % {self.rng.choice(MODULI)})"

    def quotient(self, kind: str, depth: int) -> str:
        left = self.expression(kind, depth)
        operator = self.pick("//", "%", "%") if kind == "i" else self.pick("/", "/", "//", "%")
        right = self.pick("3", "-7", "8", "0.5" if kind == "f" else "5")
        if self.chance(0.4):
            right = f"(abs({self.leaf(kind)}) + 1)"
        elif self.chance(0.15):
            right = self.leaf(kind)
        return f"({left}) {operator} {right}"

    def power(self, kind: str, depth: int) -> str:
        base = self.leaf(kind)
        exponent = self.pick("2", "2", "3", "0.5", "2.0", "-1")
        text = f"abs({base}) ** {exponent}" if exponent == "0.5" else f"({base}) ** {exponent}"
        return f"({text}) % {self.rng.choice(MODULI[:4])}"

    def bits(self, kind: str, depth: int) -> str:
        left = self.expression("i", depth)
        return self.pick(
            f"(({left}) & {self.pick(7, 255, 1023, 65535)})",
            f"(({left}) | {self.pick(1, 8, 64)})",
            f"(({left}) ^ {self.leaf('i')})",
            f"(({left}) >> {self.pick(1, 3, 9)})",
            f"((({left}) & 255) << {self.pick(1, 2, 5)})",
            f"(~({left}) & 63)",
        )

    def call(self, kind: str, depth: int) -> str:
        x, y = self.expression(kind, depth), self.leaf(kind)
        flat = [a.name for a in self.arrays if a.rank == 1]
        if flat and not self.long and self.chance(0.05):
            return f"{self.pick('total', 'sum')}({self.rng.choice(flat)})"
        if kind == "i":
            return self.pick(
                f"abs({x})",
                f"min({x}, {y})",
                f"max({y}, {x}, 3)",
                f"int({x})",
                f"helper({x}, {y})",
                f"weight({x})",
                f"divmod({x}, 7)[0]" if self.chance(0.2) else f"pow({y}, 2) % 97",
                f"int({self.expression('f', depth)})" if self.chance(0.3) else f"weight({y}, 2)",
            )
        return self.pick(
            f"abs({x})",
            f"min({x}, {y})",
            f"max({y}, {x})",
            f"float({x})",
            f"helper({x}, {y})",
            f"weight({x}, 0.5)",
            f"math.sqrt(abs({x}))",
            f"math.sin({x})",
            f"np.sqrt(abs({x}))",
            f"np.minimum({x}, {y})",
            f"np.maximum({y}, 1.5)",
            f"math.floor({x} % 1000)",
            f"np.exp(-abs({x}))",
            f"math.exp(min({x}, 50.0))",
            f"round({x} % 1009)",
            f"np.float32({x})",
            f"math.copysign({x}, {y})",
            f"math.log(abs({x}) + 1)",
            f"np.floor({x})",
        )

    def choice(self, kind: str, depth: int) -> str:
        yes, no = self.expression(kind, depth), self.leaf(kind)
        return f"({yes} if {self.condition(depth)} else {no})"

    def condition(self, depth: int) -> str:
        kind = self.pick("i", "f")
        left, right = self.expression(kind, max(depth - 1, 0)), self.leaf(kind)
        simple = f"{left} {self.pick('<', '<=', '>', '>=', '==', '!=')} {right}"
        if depth == 0 or self.chance(0.6):
            return simple
        return self.pick(
            f"({simple}) {self.pick('and', 'or')} ({self.condition(depth - 1)})",
            f"not ({simple})",
            f"0 < {left} <= {self.constant(kind)}",
        )

    # -- statements ------------------------------------------------------------------------

    def block(self, depth: int, size: int) -> None:
        start = len(self.lines)
        for _ in range(size):
            if self.budget <= 0:
                break
            self.budget -= 1
            self.statement(depth)
        if len(self.lines) == start:
            self.assign(depth)

    def statement(self, depth: int) -> None:
        nested = self.inside
        deepest = 1 if self.long else 3
        loop_odds = 6 if nested == 0 else 3 if nested < deepest and depth < 6 else 0
        make = self.rng.choices(
            [self.assign, self.store, self.branch, self.loop, self.swap, self.leave, self.unpack],
            [5, 7, 3 if depth < 6 else 0, loop_odds, 1, 1 if nested else 0, 1],
        )[0]
        make(depth)

    def assign(self, depth: int) -> None:
        target = self.rng.choice(self.scalars)
        value = self.expression(target.kind, 2)
        if target.kind != "b" and self.chance(0.5):
            self.emit(depth, f"{target.name} {self.pick('+=', '+=', '-=')} {value}")
        else:
            self.emit(depth, f"{target.name} = {value}")

    def store(self, depth: int) -> None:
        writable = [a for a in self.arrays if a.name.startswith("a")]
        if not writable:
            return self.assign(depth)
        target = self.rng.choice(writable)
        value = self.expression(target.kind.lower(), 2)
        operator = self.pick("=", "=", "=", "+=", "-=")
        self.emit(depth, f"{self.subscript(target)} {operator} {value}")
        return None

    def branch(self, depth: int) -> None:
        self.emit(depth, f"if {self.condition(2)}:")
        self.block(depth + 1, self.rng.randint(1, 2))
        if self.chance(0.4):
            self.emit(depth, "else:" if self.chance(0.7) else f"elif {self.condition(1)}:")
            self.block(depth + 1, 1)

    def swap(self, depth: int) -> None:
        writable = [a for a in self.arrays if a.name.startswith("a")]
        if not writable:
            return self.assign(depth)
        array = self.rng.choice(writable)
        left, right = self.subscript(array), self.subscript(array)
        self.emit(depth, f"{left}, {right} = {right}, {left}")
        return None

    def unpack(self, depth: int) -> None:
        first, second = self.rng.choice(self.scalars), self.rng.choice(self.scalars)
        values = f"{self.expression(first.kind, 1)}, {self.expression(second.kind, 1)}"
        self.emit(depth, f"{first.name}, {second.name} = {values}")

    def leave(self, depth: int) -> None:
        self.emit(depth, f"if {self.condition(1)}:")
        leaving = self.pick("break", "continue", "continue")
        if self.chance(0.1):
            leaving = f"return {self.rng.choice(self.scalars).name}, i"
        self.emit(depth + 1, leaving)

    def loop(self, depth: int) -> None:
        self.loops += 1
        make = self.rng.choices(
            [self.range_loop, self.index_loop, self.element_loop, self.row_loop, self.while_loop],
            [8, 12, 6, 3, 2],
        )[0]
        known = len(self.counters), len(self.scalars), len(self.arrays)
        make(depth)
        self.inside += 1
        self.block(depth + 1, self.rng.randint(1, 3))
        self.inside -= 1
        del self.counters[known[0] :], self.scalars[known[1] :], self.arrays[known[2] :]
        if self.chance(0.1):
            self.emit(depth, "else:")
            self.assign(depth + 1)

    def counter(self, fits: str | None = None) -> str:
        name = "ijkpq"[len(self.counters) % 5]
        self.counters.append((name, fits))
        return name

    def range_loop(self, depth: int) -> None:
        outer = self.counters[-1][0] if self.counters else None
        bounds = self.pick(
            "n", "n - 1", "1, n", "0, n, 2", "n - 1, -1, -1", "n, 0, -2", "2, n + 2", "4", "-2, 3"
        )
        if outer and self.chance(0.4):
            bounds = self.pick(outer, f"{outer}, n", f"{outer} + 1, n", f"{outer}, -1, -1")
        wrapped = f"reversed(range({bounds}))" if self.chance(0.07) else f"range({bounds})"
        self.emit(depth, f"for {self.counter()} in {wrapped}:")

    def index_loop(self, depth: int) -> None:
        if not self.arrays:
            return self.range_loop(depth)
        array = self.rng.choice(self.arrays)
        axis = self.rng.randrange(array.rank)
        length = self.length(array, axis)
        if not array.kind.isupper() and self.chance(0.5):
            length = f"{array.name}.shape[{axis}]"
        bounds = self.pick(length, length, f"1, {length}", f"{length} - 1", f"{length} - 1, 0, -1")
        self.emit(depth, f"for {self.counter(f'{array.name}.{axis}')} in range({bounds}):")
        return None

    def element_loop(self, depth: int) -> None:
        flat = [a for a in self.arrays if a.rank == 1]
        if not flat:
            return self.index_loop(depth)
        array, other = self.rng.choice(flat), self.rng.choice(flat)
        self.fresh += 1
        x, y = f"x{self.fresh}", f"y{self.fresh}"
        header = self.pick("plain", "plain", "enumerate", "zip", "reversed")
        if header == "enumerate":
            i = self.counter(f"{array.name}.0")
            self.emit(depth, f"for {i}, {x} in enumerate({array.name}):")
        elif header == "zip":
            self.emit(depth, f"for {x}, {y} in zip({array.name}, {other.name}):")
            self.scalars.append(Variable(y, other.kind.lower()))
        else:
            iterable = array.name if header == "plain" else f"reversed({array.name})"
            self.emit(depth, f"for {x} in {iterable}:")
        self.scalars.append(Variable(x, array.kind.lower()))
        return None

    def row_loop(self, depth: int) -> None:
        """A loop that binds rows of an array to a name."""
        deep = [a for a in self.arrays if a.rank > 1]
        if not deep:
            return self.index_loop(depth)
        array = self.rng.choice(deep)
        self.fresh += 1
        row = Variable(f"{array.name}row{self.fresh}", array.kind, array.rank - 1)
        if self.chance(0.4):
            self.emit(depth, f"for {row.name} in {array.name}:")
        else:
            counter = self.counter(f"{array.name}.0")
            self.emit(depth, f"for {counter} in range(len({array.name})):")
            self.emit(depth + 1, f"{row.name} = {array.name}[{counter}]")
        self.arrays.append(row)
        return None

    def while_loop(self, depth: int) -> None:
        self.fresh += 1
        name = f"w{self.fresh}"
        self.emit(depth, f"{name} = 0")
        condition = f" and ({self.condition(1)})" if self.chance(0.5) else ""
        self.emit(depth, f"while {name} < {self.pick('n', '5', 'n // 2')}{condition}:")
        self.emit(depth + 1, f"{name} += 1")

    # -- the whole -------------------------------------------------------------------------

    def build(self) -> list[str]:
        kinds = [self.pick("i", "f", "f") for _ in range(self.rng.randint(1, 3))]
        for number, kind in enumerate(kinds):
            rank = self.pick(1, 1, 1, 2, 2, 3) if number < 2 and not self.long else 1
            written = number == 0 or self.chance(0.4)
            name = f"{'a' if written else 'r'}{number}"
            self.arrays.append(Variable(name, kind.upper() if self.chance(0.35) else kind, rank))
        parameters = [Variable(f"c{k}", self.pick("i", "f")) for k in range(self.rng.randint(0, 2))]
        self.extras = [name for name in ("h", "t") if self.chance(0.15)]
        names = [a.name for a in self.arrays] + ["n"] + [p.name for p in parameters] + self.extras
        self.emit(0, f"def {self.name}({', '.join(names)}):")
        self.scalars += parameters
        if "h" in self.extras:
            self.scalars += [Variable("h.t", "f"), Variable("h.m", "i")]
        if self.chance(0.1):
            self.globals = [f"g{self.name}"]
            self.emit(1, f"global {self.globals[0]}")
            self.scalars.append(Variable(self.globals[0], self.pick("i", "f")))
        self.body()
        return self.header() + self.lines + ["", ""] + self.calls(parameters)

    def header(self) -> list[str]:
        return [f"{name} = {self.pick('0', '0.0', '7')}" for name in self.globals]

    def body(self) -> None:
        for k in range(self.rng.randint(1, 3)):
            kind = self.pick("i", "f", "f", "b") if k else self.pick("i", "f")
            start = {"i": "0", "f": "0.0", "b": "False"}[kind]
            if self.chance(0.25):
                start = self.constant(kind)
            self.scalars.append(Variable(f"s{k}", kind))
            self.emit(1, f"s{k} = {start}")
        self.emit(1, "i = j = k = p = q = -1")
        results = [s.name for s in self.scalars] + ["i", "j", "k"]
        first = self.arrays[:2]
        swapped = len(first) == 2 and first[0].rank == first[1].rank and self.chance(0.3)
        if swapped:
            self.emit(1, "for step in range(3):")
        while self.loops == 0 or self.chance(0.1 if self.long else 0.3):
            self.budget = max(self.budget, 4)
            self.loop(2 if swapped else 1)
        if swapped:
            a, b = first[0].name, first[1].name
            self.emit(2, f"{a}, {b} = {b}, {a}")
        self.emit(1, f"return {', '.join(results)}")

    def calls(self, parameters: list[Variable]) -> list[str]:
        lines = []
        for _ in range(self.rng.randint(2, 4)):
            size = self.pick(0, 1, 5, 6, 7, 9, 17) if self.chance(0.3) else self.pick(5, 8, 12)
            if self.long:
                size = self.pick(1500, 2049, 4000)
            values = [self.argument(a, size) for a in self.arrays]
            values += [str(size if self.chance(0.8) else self.pick(0, 3, size + 1, "np.int64(4)"))]
            values += [self.scalar(p) for p in parameters]
            extras = {"h": "Holder(0.5, 3)", "t": self.pick("'banana'", "'xé✓'", "b'bytes'")}
            values += [extras[name] for name in self.extras]
            names = [f"v{k}" for k in range(len(values))]
            lines += [f"{name} = {value}" for name, value in zip(names, values, strict=True)]
            lines += self.aliased()
            lines.append(f"attempt({self.name}, {', '.join(names)})")
            lines.append(f"show({self.name!r}, {', '.join(names[: len(self.arrays)])})")
            if "h" in self.extras:
                lines.append(
                    f"show({self.name!r}, *{names[values.index(extras['h'])]}.__dict__.values())"
                )
            lines += [f"show({name!r}, {name})" for name in self.globals]
        return [*lines, ""]

    def aliased(self) -> list[str]:
        """Sometimes the second array is a view of the first one, or the same list."""
        if len(self.arrays) < 2 or self.arrays[0].rank != self.arrays[1].rank:
            return []
        if not self.chance(0.2):
            return []
        if self.arrays[0].kind.isupper():
            return ["v1 = v0"]
        return [self.pick("v1 = v0", "v1 = v0[::-1]", "v0, v1 = v0[1:], v0[:-1]", "v1 = v0[2:]")]

    def scalar(self, parameter: Variable) -> str:
        value = self.constant(parameter.kind)
        if self.chance(0.3):
            kind = self.rng.choice(FLOAT_TYPES if parameter.kind == "f" else INT_TYPES[:5])
            return f"np.{kind}({value if abs(float(value)) < 100 else 5})"
        return value

    def argument(self, array: Variable, size: int) -> str:
        """An expression that builds an array or list for one call."""
        shape = [size, *self.rng.choices([3, 5, 6], k=array.rank - 1)]
        count = 1
        for n in shape:
            count *= n
        step, offset = self.pick(3, 7, 11), self.rng.randint(0, 20)
        kind = array.kind.lower() if self.chance(0.93) else self.pick("i", "f")
        dtype = self.rng.choice(FLOAT_TYPES if kind == "f" else INT_TYPES)
        base = f"(np.arange({count}) * {step} + {offset}) % 23"
        if kind == "f":
            base = f"(({base}) - 9) * {self.pick('0.5', '0.37', '1.0', '-1e3')}"
        elif dtype.startswith("i"):
            base = f"({base}) - {self.pick(0, 5, 11)}"
        if len(shape) > 1:
            base = f"({base}).reshape({tuple(shape)})"
        text = f"({base}).astype({dtype!r})"
        if array.kind.isupper():
            return self.python_sequence(array, text, kind)
        if size and self.chance(0.25):
            text += self.pick("[::-1]", "[::2]", "[1:]", "[::-2]")
            if array.rank > 1 and self.chance(0.5):
                text = f"np.asfortranarray({text})"
        return text

    def python_sequence(self, array: Variable, text: str, kind: str) -> str:
        text = text.replace("complex128", "float64") + ".tolist()"
        if array.rank > 1:
            return text
        if self.chance(0.1) and array.name.startswith("r"):
            return f"tuple({text})"
        if self.chance(0.1):
            return f"array({'d' if kind == 'f' else 'q'!r}, {text})"
        if self.chance(0.08):
            return f"[True, False, True] * {self.rng.randint(1, 4)}"
        if kind == "f" and self.chance(0.15):
            return f"[0] * len({text})"
        return text


def script(seed: int, functions: int = 15) -> str:
    """The text of one program of `functions` functions."""
    rng = random.Random(seed)
    parts = [HEADER.format(seed=seed)]
    for number in range(functions):
        parts.append("\n".join(Function(number, rng).build()))
    return "\n\n".join(parts) + "\n"
