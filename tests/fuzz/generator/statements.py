"""Random statements and loops."""

from __future__ import annotations

from .expressions import Expressions
from .text import Array, Counter, Variable

COUNTERS = "ijkpq"


class Statements(Expressions):
    """Blocks of statements, with a budget that keeps programs small."""

    budget = 0
    inside = 0  # loops around the statement being written
    long = False  # few loops, but long enough for threads and chunks
    left = 0  # statements that leave a loop
    fresh = 0
    late: list[str] = []  # names that are assigned inside loops only

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
        deepest = 1 if self.long else 3
        loop_odds = 5 if self.inside == 0 else 2 if self.inside < deepest and depth < 6 else 0
        inner = 1 if self.inside else 0
        make = self.rng.choices(
            [
                self.assign,
                self.store,
                self.branch,
                self.loop,
                self.swap,
                self.leave,
                self.unpack,
                self.event,
                self.grow,
            ],
            [5, 7, 2.5 if depth < 6 else 0, loop_odds, 1, 2 * inner, 1, 1.5 * inner, inner],
        )[0]
        make(depth)

    # -- assignments -----------------------------------------------------------------------------

    def target(self) -> Variable:
        chosen = self.rng.choice(self.scalars)
        return chosen

    def assign(self, depth: int) -> None:
        if self.inside and self.chance(0.06):
            return self.assign_late(depth)
        target = self.target()
        value = self.expression(target.kind, 2)
        if target.kind != "b" and self.chance(0.55):
            self.update(depth, target.name, target.kind, value)
        else:
            self.emit(depth, f"{target.name} = {value}")
        return None

    def assign_late(self, depth: int) -> None:
        """A name that is bound in a loop only, and so perhaps never."""
        self.fresh += 1
        name, kind = f"u{self.fresh}", self.pick("i", "f")
        self.emit(depth, f"{name} = {self.expression(kind, 1)}")
        if name not in self.late:
            self.late.append(name)

    def update(self, depth: int, name: str, kind: str, value: str) -> None:
        """An augmented assignment, with any operator."""
        roll = self.rng.random()
        if roll < 0.7:
            self.emit(depth, f"{name} {self.pick('+=', '+=', '-=')} {value}")
        elif kind == "i":
            self.update_int(depth, name, value)
        else:
            text = self.pick(
                f"*= {self.pick('0.5', '-0.75', '1.5')}",
                f"/= (abs({value}) + 0.5)",
                f"/= {self.pick('3', '-2.0')}",
                f"//= {self.pick('2', '0.25')}",
                f"%= {self.pick('7.5', '3')}",
                f"/= {value}",
            )
            self.emit(depth, f"{name} {text}")

    def update_int(self, depth: int, name: str, value: str) -> None:
        text = self.pick(
            f"^= {self.whole('i', 1)}",
            f"|= {self.whole('i', 0)}",
            f"&= {self.pick('4095', '-2', self.whole('i', 0))}",
            f">>= {self.pick('1', '2')}",
            f"//= {self.pick('2', '-3', value)}",
            f"%= {self.pick('97', '-11', value)}",
            f"<<= {self.pick('1', '2')}" if self.inside < 3 and not self.long else "+= 1",
            f"*= {self.pick('3', '-5')}" if self.inside < 3 and not self.long else "-= 1",
        )
        self.emit(depth, f"{name} {text}")

    def store(self, depth: int) -> None:
        writable = [a for a in self.arrays if a.written]
        if not writable:
            return self.assign(depth)
        target = self.rng.choice(writable)
        kind = {"c": "f"}.get(target.kind, target.kind)
        value = self.value_for(target, kind)
        if target.kind == "b":
            self.emit(depth, f"{self.subscript(target)} = {value}")
        elif self.chance(0.6):
            self.emit(depth, f"{self.subscript(target)} = {value}")
        else:
            self.update(depth, self.subscript(target), kind, value)
        return None

    def value_for(self, target: Array, kind: str) -> str:
        """A value to be stored; a list that gets NumPy's scalars stays in CPython: seldom."""
        if not target.plain or self.chance(0.03):
            if kind == "i" and not target.plain and self.chance(0.1):
                self.tags.add("conversions")
                return self.expression("f", 2)
            return self.expression(kind, 2)
        if kind == "b":
            return f"bool({self.expression(kind, 2)})"
        if self.chance(0.5):
            return f"{'int' if kind == 'i' else 'float'}({self.expression(kind, 2)})"
        self.plain = True
        value = self.expression(kind, 2)
        self.plain = False
        return value if kind == "i" else f"float({value})"

    def swap(self, depth: int) -> None:
        writable = [a for a in self.arrays if a.written]
        if not writable:
            return self.assign(depth)
        array = self.rng.choice(writable)
        left, right = self.subscript(array), self.subscript(array)
        self.emit(depth, f"{left}, {right} = {right}, {left}")
        return None

    def unpack(self, depth: int) -> None:
        first, second = self.target(), self.target()
        values = f"{self.expression(first.kind, 1)}, {self.expression(second.kind, 1)}"
        self.emit(depth, f"{first.name}, {second.name} = {values}")

    # -- what happens half-way -------------------------------------------------------------------

    def event(self, depth: int) -> None:
        """Something that only CPython can do, in one iteration that is seldom the first."""
        counter = self.rng.choice(self.counters).name if self.counters else ""
        if not counter:
            return self.assign(depth)
        self.tags.add("planned event")
        at = self.pick("3", "4", "5", "n - 2", "n // 2")
        self.emit(depth, f"if {counter} == {at}:")
        number = self.rng.choice(self.scalars)
        arrays = [a for a in self.arrays if not a.text]
        array = self.rng.choice(arrays) if arrays else None
        ways = [
            f"{number.name} = {number.name} + 1 // ({counter} - {at})",
            f"{number.name} = {number.name} + 7 % ({counter} - ({at}))",
        ]
        if number.kind == "f" or self.chance(0.1):
            ways += [f"{number.name} = math.sqrt(-1.0 - {counter})"]
            ways += [f"{number.name} = 1.0 / ({counter} - ({at}))"]
        if array:
            ways += [
                f"{number.name} = {array.name}{'[0]' * (array.rank - 1)}[{array.extent(0)} + 99]",
            ]
        if array and array.written and array.kind == "i":
            ways += [
                f"{self.subscript(array)} = {self.pick('2**63', '-2**63 - 1', '300', '-1')}"
            ] * 2
            ways += [f"{self.subscript(array)} = int(math.{self.pick('inf', 'nan')})"]
        if number.kind == "i":
            ways += [f"{number.name} += 2**63", f"{number.name} = -2**63 - {number.name}"] * 2
        self.emit(depth + 1, self.rng.choice(ways))
        return None

    def grow(self, depth: int) -> None:
        """An int or float that leaves its type's range some way into the loop."""
        if self.inside > 2 or self.long:
            return self.assign(depth)
        target = self.target()
        factor = (
            self.pick("3", "-7", "1000", "2**13")
            if target.kind == "i"
            else self.pick("1e9", "1e30")
        )
        self.tags.add("grows")
        self.emit(depth, f"{target.name} = {target.name} * {factor} + {self.leaf(target.kind)}")
        return None

    # -- control ---------------------------------------------------------------------------------

    def branch(self, depth: int) -> None:
        self.emit(depth, f"if {self.condition(2)}:")
        self.block(depth + 1, self.rng.randint(1, 2))
        if self.chance(0.4):
            self.emit(depth, "else:" if self.chance(0.7) else f"elif {self.condition(1)}:")
            self.block(depth + 1, 1)

    def leave(self, depth: int) -> None:
        """Not at the very first iteration, most of the time."""
        condition = self.condition(1)
        if self.counters and self.chance(0.6):
            condition = f"{self.rng.choice(self.counters).name} > 2 and ({condition})"
        self.emit(depth, f"if {condition}:")
        leaving = self.pick("break", "continue", "continue")
        if self.chance(0.15):
            leaving = f"return {self.rng.choice(self.scalars).name}, i"
        self.tags.add({"break": "breaks", "continue": "continues"}.get(leaving, "returns"))
        self.emit(depth + 1, leaving)

    # -- loops -----------------------------------------------------------------------------------

    def loop(self, depth: int) -> None:
        make = self.rng.choices(
            [self.range_loop, self.index_loop, self.element_loop, self.row_loop, self.while_loop],
            [7, 13, 6, 2.5, 2],
        )[0]
        known = len(self.counters), len(self.scalars), len(self.arrays)
        make(depth)
        self.inside += 1
        self.block(depth + 1, self.rng.randint(1, 3))
        self.inside -= 1
        del self.counters[known[0] :], self.scalars[known[1] :], self.arrays[known[2] :]
        if self.chance(0.08):
            self.tags.add("loop else")
            self.emit(depth, "else:")
            self.assign(depth + 1)

    def counter(self, fits: str = "") -> str:
        name = COUNTERS[len(self.counters) % len(COUNTERS)]
        self.counters.append(Counter(name, fits))
        return name

    def range_loop(self, depth: int) -> None:
        outer = self.counters[-1].name if self.counters else None
        bounds = self.pick(
            "n",
            "n",
            "n - 1",
            "1, n",
            "0, n, 2",
            "n - 1, -1, -1",
            "n, 0, -2",
            "2, n + 2",
            "4",
            "-2, 3",
            "n // 2, n",
        )
        if self.chance(0.08 if self.counters else 0.01):
            self.tags.add("no trips")
            bounds = self.pick("0", "n, n", "n, 0", "0, n, -1")
        if outer and self.chance(0.4):
            bounds = self.pick(outer, f"{outer}, n", f"{outer} + 1, n", f"{outer}, -1, -1")
        wrapped = f"reversed(range({bounds}))" if self.chance(0.07) else f"range({bounds})"
        self.emit(depth, f"for {self.counter()} in {wrapped}:")

    def index_loop(self, depth: int) -> None:
        if not self.arrays:
            return self.range_loop(depth)
        array = self.rng.choice(self.arrays)
        axis = self.rng.randrange(array.rank)
        length = array.extent(axis)
        bounds = self.pick(length, length, f"1, {length}", f"{length} - 1", f"{length} - 1, 0, -1")
        self.emit(depth, f"for {self.counter(f'{array.name}.{axis}')} in range({bounds}):")
        return None

    def element_loop(self, depth: int) -> None:
        flat = [a for a in self.arrays if a.rank == 1 and not a.text]
        if not flat:
            return self.index_loop(depth)
        array, other = self.rng.choice(flat), self.rng.choice(flat)
        self.fresh += 1
        x, y = f"x{self.fresh}", f"y{self.fresh}"
        kinds = [{"c": "f"}.get(a.kind, a.kind) for a in (array, other)]
        header = self.pick("plain", "plain", "enumerate", "zip", "reversed")
        if header == "enumerate":
            i = self.counter(f"{array.name}.0")
            self.emit(depth, f"for {i}, {x} in enumerate({array.name}):")
        elif header == "zip":
            self.emit(depth, f"for {x}, {y} in zip({array.name}, {other.name}):")
            self.scalars.append(Variable(y, kinds[1]))
        else:
            iterable = array.name if header == "plain" else f"reversed({array.name})"
            self.emit(depth, f"for {x} in {iterable}:")
        self.scalars.append(Variable(x, kinds[0]))
        return None

    def row_loop(self, depth: int) -> None:
        """A loop that binds rows of an array to a name."""
        deep = [a for a in self.arrays if a.rank > 1]
        if not deep:
            return self.index_loop(depth)
        array = self.rng.choice(deep)
        self.fresh += 1
        row = array._replace(name=f"row{self.fresh}", rank=array.rank - 1)
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
        self.counters.append(Counter(name))
        condition = ""
        if self.chance(0.4):
            first = f"{name} < {self.pick(1, 2, 4)} or " if self.chance(0.8) else ""
            condition = f" and ({first}{self.condition(1)})"
        self.emit(depth, f"while {name} < {self.pick('n', '5', 'n // 2')}{condition}:")
        self.emit(depth + 1, f"{name} += 1")
