"""Nests of the kinds that scientific scripts have, with random types, bounds and terms in them."""

from __future__ import annotations

from .statements import Statements
from .text import Array, Counter, Variable


class Idioms(Statements):
    """Each writes one nest with the arrays it needs; `KINDS` in more_idioms.py lists them."""

    def array(
        self, name: str, kind: str, *sizes: str, plain: bool | None = None, written=False
    ) -> Array:
        """A parameter; a list or an ndarray by chance."""
        if plain is None:
            plain = self.chance(0.35)
        made = Array(name, kind, len(sizes), plain, written, sizes=sizes)
        self.arrays.append(made)
        return made

    def number(self, name: str, kind: str, start: str | None = None) -> str:
        """A local number; mostly a Python one at the start, whatever it becomes."""
        if start is None:
            start = {"i": "0", "f": self.pick("0.0", "0.0", "0", "1.5"), "b": "False"}[kind]
        self.emit(1, f"{name} = {start}")
        self.scalars.append(Variable(name, kind))
        return name

    def over(self, depth: int, name: str, bounds: str, fits: str = "") -> str:
        self.emit(depth, f"for {name} in range({bounds}):")
        self.counters.append(Counter(name, fits))
        self.inside += 1
        return name

    def at(self, array: Array, *places: str) -> str:
        if array.plain or self.chance(0.15):
            return array.name + "".join(f"[{p}]" for p in places)
        return f"{array.name}[{', '.join(places)}]"

    def kept(self, array: Array, value: str) -> str:
        """`value` as a list can hold it natively, most of the time."""
        if not array.plain or self.chance(0.04):
            return value
        return f"{'int' if array.kind == 'i' else 'float'}({value})"

    def maybe(self, depth: int, odds: float = 0.4) -> int:
        """A condition around what follows, sometimes."""
        if self.chance(odds):
            self.emit(depth, f"if {self.condition(1)}:")
            return depth + 1
        return depth

    def more(self, depth: int, odds: float = 0.35) -> None:
        """A random statement beside what the idiom is about."""
        if self.chance(odds) and self.scalars:
            self.budget = 1
            self.statement(depth)

    def term(self, kind: str) -> str:
        return self.expression(kind, self.pick(1, 1, 2))

    # -- neighbours --------------------------------------------------------------------------------

    def stencil(self) -> None:
        kind = self.pick("f", "f", "i")
        a = self.array("a0", kind, "n", "m", written=True)
        b = self.array("a1", kind, "n", "m", written=True)
        s = self.number("s0", kind)
        to = self.pick(b, b, a)  # in place: a sweep
        far = self.chance(0.15)
        i = self.over(
            1, "i", self.pick("1, n - 1", "1, n - 1", "n - 2, 0, -1", "n" if far else "1, n")
        )
        j = self.over(2, "j", self.pick("1, m - 1", "m - 1", "1, m - 1" if not far else "m"))
        depth = self.maybe(3)
        near = [
            self.at(a, f"{i} - 1", j),
            self.at(a, self.pick(f"{i} + 1", f"({i} + 1) % n"), j),
            self.at(a, i, f"{j} - 1"),
            self.at(a, i, self.pick(f"{j} + 1", f"min({j} + 1, m - 1)")),
            self.at(a, i, j),
        ]
        self.rng.shuffle(near)
        value = " + ".join(near[: self.pick(2, 3, 4, 5)])
        scaled = f"({value}) * {self.pick('0.25', '0.2', s)}" if kind == "f" else f"({value}) // 3"
        self.emit(depth, f"{self.at(to, i, j)} = {self.kept(to, scaled)}")
        if self.chance(0.4):
            self.emit(depth, f"{s} {self.pick('+=', '-=')} {self.term(kind)}")
        self.more(3)

    def sweep(self) -> None:
        """Recurrences, prefix sums and moving sums along one axis."""
        kind = self.pick("f", "i")
        a = self.array("a0", kind, "n", written=True)
        b = self.array("a1", kind, "n", written=True)
        s = self.number("s0", kind)
        lag = self.pick(1, 1, 2, 3)
        backwards = self.chance(0.3)
        bounds = f"n - {lag} - 1, -1, -1" if backwards else f"{lag}, n"
        i = self.over(1, "i", bounds if self.chance(0.9) else "n")
        before = f"{i} {'+' if backwards else '-'} {lag}"
        depth = self.maybe(2, 0.25)
        if self.chance(0.5):
            self.emit(depth, f"{s} {self.pick('+=', '-=')} {self.at(a, i)}")
            self.emit(
                depth,
                f"{self.at(b, i)} = {self.kept(b, self.pick(s, f'{s} - {self.at(a, before)}'))}",
            )
        else:
            to = self.pick(a, b)
            value = f"{self.at(a, before)} {self.pick('+', '-')} {self.term(kind)}"
            self.emit(depth, f"{self.at(to, i)} = {self.kept(to, value)}")
        self.more(2)

    def window(self) -> None:
        """A window around each element, cut at the ends."""
        kind = self.pick("f", "f", "i")
        a, b = self.array("r0", kind, "n"), self.array("a1", kind, "n", written=True)
        r = self.pick("1", "2", "3")
        i = self.over(1, "i", self.pick("n", "n", "n - 1, -1, -1"))
        self.emit(2, f"s = {self.pick('0', '0.0') if kind == 'f' else '0'}")
        self.scalars.append(Variable("s", kind))
        k = self.over(2, "k", f"max({i} - {r}, 0), min({i} + {r} + 1, n)")
        depth = self.maybe(3, 0.3)
        self.emit(depth, f"s = {self.pick('s +', 's +', 's -')} {self.at(a, k)}")
        self.counters.pop()
        mean = f"s / {self.pick('3', f'(min({i} + {r} + 1, n) - max({i} - {r}, 0))', '2.0')}"
        value = mean if kind == "f" else "s"
        self.emit(2, f"{self.at(b, i)} = {self.kept(b, value)}")
        self.more(2)

    # -- computed places ---------------------------------------------------------------------------

    def histogram(self) -> None:
        kind = self.pick("f", "i", "i")
        a, h = (
            self.array("r0", kind, "n"),
            self.array("a1", self.pick("i", "i", "f"), "m", written=True),
        )
        low = self.number("s0", "i")
        x = self.over(1, "i", self.pick("n", "n", "n - 1, -1, -1"))
        value = self.at(a, x)
        if kind == "i":
            place = self.pick(
                f"{value} % m", f"({value} + {x}) % len({h.name})", f"abs({value}) % m"
            )
            place = place if self.chance(0.9) else value
        else:
            place = self.pick(
                f"int({value}) % m",
                f"min(max(int({value}), 0), m - 1)",
                f"int(abs({value}) * 0.9) % len({h.name})",
                f"math.floor({value}) % m",
            )
        self.emit(2, f"b = {place}")
        self.scalars.append(Variable("b", "i"))
        depth = self.maybe(2, 0.3)
        amount = (
            self.pick("1", "1", "2") if h.kind == "i" or self.chance(0.4) else self.kept(h, value)
        )
        self.emit(depth, f"{h.name}[b] {self.pick('+=', '+=', '-=')} {amount}")
        if self.chance(0.4):
            self.emit(2, f"{low} = {self.pick('max', 'min')}({low}, b)")
        self.more(2, 0.25)

    def scatter(self) -> None:
        """Places read from an index array."""
        kind = self.pick("f", "i", "f", "b")
        p = self.array("p0", "i", "n", plain=self.chance(0.3))
        a, b = self.array("r1", kind, "n"), self.array("a2", kind, "n", written=True)
        i = self.over(1, "i", self.pick("n", "n", "n - 1, -1, -1", "1, n"))
        place = self.at(p, i)
        if self.chance(0.3):
            place = self.pick(f"{place} % n", f"-1 - {place} % n", f"n - 1 - {place} % n")
        depth = self.maybe(2, 0.25)
        value = self.at(a, i) if self.chance(0.6) or kind == "b" else self.term(kind)
        if kind == "b" and b.plain and not a.plain:
            value = f"bool({value})"
        operator = "=" if kind == "b" else self.pick("=", "=", "+=", "-=")
        if self.chance(0.3):
            self.emit(
                depth,
                f"{self.at(b, i)} = {self.kept(b, self.at(a, place)) if kind != 'b' else value}",
            )
        else:
            self.emit(
                depth,
                f"{self.at(b, place)} {operator} {self.kept(b, value) if kind != 'b' else value}",
            )

    def sieve(self) -> None:
        f = self.array("a0", "b", "n", written=True)
        count = self.number("s0", "i")
        i = self.over(1, "i", self.pick("2, n", "n", "1, n"))
        self.emit(2, f"if {f.name}[{i}]:")
        self.emit(3, f"{count} += {self.pick('1', f.name + '[0]', i)}")
        step = self.pick(i, i, f"{i} + 1")
        j = self.over(3, "j", f"{i} * {self.pick(2, i)}, n, {step}")
        self.emit(4, f"{f.name}[{j}] = {self.pick('False', 'False', f'not {f.name}[{j}]')}")

    # -- products ----------------------------------------------------------------------------------

    def matrix_product(self) -> None:
        kinds = [self.pick("f", "f", "i", "i") for _ in range(3)]
        a, b = self.array("r0", kinds[0], "n", "m"), self.array("r1", kinds[1], "m", "n")
        c = self.array("a2", "f" if "f" in kinds[:2] else kinds[2], "n", "n", written=True)
        i, j = (
            self.over(1, "i", self.pick("n", "n", "1, n")),
            self.over(2, "j", self.pick("n", "i, n")),
        )
        value = f"{self.at(a, i, 'k')} * {self.at(b, 'k', j)}"
        if self.chance(0.6):
            self.emit(3, f"s = {self.pick('0', '0.0', self.at(c, i, j))}")
            self.scalars.append(Variable("s", c.kind))
            self.over(3, "k", "m")
            depth = self.maybe(4, 0.25)
            self.emit(depth, f"s {self.pick('+=', '+=', '-=')} {value}")
            self.emit(3, f"{self.at(c, i, j)} = {self.kept(c, 's')}")
        else:
            self.over(3, "k", "m")
            depth = self.maybe(4, 0.25)
            self.emit(depth, f"{self.at(c, i, j)} += {self.kept(c, value)}")

    def elimination(self) -> None:
        """A triangular solve or an elimination step; a pivot may be zero."""
        a = self.array("a0", self.pick("f", "f", "i"), "n", "n", written=True)
        b = self.array("a1", "f", "n", written=True)
        i = self.over(1, "i", "n")
        divide = "//" if a.kind == "i" else "/"
        if self.chance(0.5):
            j = self.over(2, "j", self.pick(i, i, f"{i} + 1, n"))
            self.emit(3, f"{b.name}[{i}] -= {self.kept(b, f'{self.at(a, i, j)} * {b.name}[{j}]')}")
            pivot = self.at(a, i, i)
            self.emit(2, f"{b.name}[{i}] = {self.kept(b, f'{b.name}[{i}] / {pivot}')}")
        else:
            j = self.over(2, "j", f"{i} + 1, n")
            self.emit(3, f"w = {self.at(a, j, i)} {divide} {self.at(a, i, i)}")
            k = self.over(3, "k", self.pick(f"{i}, n", "n"))
            value = f"w * {self.at(a, i, k)}" + (" % 1009" if a.kind == "i" else "")
            self.emit(4, f"{self.at(a, j, k)} -= {self.kept(a, value)}")

    def horner(self) -> None:
        c, x = self.array("r0", self.pick("f", "i"), "m"), self.array("a1", "f", "n", written=True)
        i = self.over(1, "i", "n")
        self.emit(2, f"y = {self.pick('0', '0.0', '1.0')}")
        k = self.over(2, "k", self.pick("m", "m - 1, -1, -1"))
        self.emit(3, f"y = y * {self.at(x, i)} + {self.at(c, k)}")
        self.emit(2, f"{self.at(x, i)} = {self.kept(x, 'y')}")
        self.scalars.append(Variable("y", "f"))
        self.counters.pop()
        self.more(2)

    # -- walks -------------------------------------------------------------------------------------

    def walk(self) -> None:
        """A random walk from a congruential generator."""
        visits = self.array("a0", "i", "m", written=True)
        x = self.number("x", "i", self.pick("12345", "1", "2**31 - 1", "88172645463325252"))
        place = self.number("s1", "i", "0")
        self.over(1, "i", "n")
        self.emit(
            2,
            self.pick(
                f"{x} = ({x} * 1103515245 + 12345) % 2**31",
                f"{x} = ({x} * 1103515245 + 12345) & 0x7fffffff",
                f"{x} = ({x} * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)",
                f"{x} = (({x} ^ ({x} << 13)) & (2**64 - 1)) ^ ({x} >> 7)",
                f"{x} = {x} * 16807 % 2147483647",
            ),
        )
        self.emit(2, f"if {x} {self.pick('& 4', '>> 16 & 1', '% 3 == 0', '> 2**30')}:")
        self.emit(3, f"{place} += {self.pick('1', '1', '2')}")
        self.emit(2, "else:")
        self.emit(3, f"{place} -= {self.pick('1', '1', '3')}")
        self.emit(
            2,
            f"{visits.name}[{place} % m] += {self.pick('1', '1', self.kept(visits, x + ' % 100'))}",
        )
        self.more(2, 0.25)

    def search_best(self) -> None:
        kind = self.pick("f", "f", "i")
        rank = self.pick(1, 1, 2)
        a = self.array("r0", kind, *("n", "m")[:rank])
        first = self.at(a, *["0"] * rank)
        best = self.number(
            "s0", kind, self.pick(first, first, "0", "-math.inf" if kind == "f" else "-1")
        )
        self.emit(1, "where = -1")
        i = self.over(1, "i", self.pick("n", "n", "1, n", "n - 1, -1, -1"))
        places = [i]
        if rank == 2:
            places.append(self.over(2, "j", "m"))
        depth = rank + 1
        value = self.at(a, *places)
        if self.chance(0.25):
            both = self.pick(f"{best}, {value}", f"{value}, {best}")
            self.emit(depth, f"{best} = {self.pick('min', 'max')}({both})")
        else:
            self.emit(depth, f"if {value} {self.pick('<', '>', '<=', '>=')} {best}:")
            self.emit(depth + 1, f"{best} = {value}")
            flat = f"{i} * m + {places[-1]}" if rank == 2 else i
            self.emit(depth + 1, f"where = {self.pick(i, places[-1], flat)}")
        self.scalars.append(Variable("where", "i"))
        self.more(depth, 0.3)

    def aliased(self) -> None:
        """In place through views of one array: `force_alias` has calls make them."""
        kind = self.pick("f", "i")
        a = self.array("a0", kind, "n", plain=False, written=True)
        b = self.array("a1", kind, "n", plain=False, written=True)
        self.force_alias = True
        to, of = (a, b) if self.chance(0.5) else (b, a)
        shift = self.pick("", " - 1", " - 2")
        bounds = self.pick("2, n - 2", "2, len(a1)", "len(a1) - 1, 1, -1")
        i = self.over(1, "i", bounds)
        depth = self.maybe(2, 0.3)
        value = f"{of.name}[{i}{shift}] {self.pick('+', '-')} {self.term(kind)}"
        self.emit(depth, f"{to.name}[{i}] {self.pick('=', '=', '+=')} {value}")
        self.more(2)
