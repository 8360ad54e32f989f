"""Tables, texts, searches, loops until something converges; the list of all idioms."""

from __future__ import annotations

from .idioms import Idioms
from .text import Array, Variable


class MoreIdioms(Idioms):
    """See idioms.py."""

    def text(self, name: str, kind: str) -> Array:
        """A str, or bytes, whose elements are ints."""
        made = Array(name, "i", 1, plain=True, text=kind == "str", sizes=("n",))
        self.arrays.append(made)
        return made

    # -- tables ------------------------------------------------------------------------------------

    def table(self) -> None:
        """Alignment of two sequences: each entry from its neighbours."""
        text = self.chance(0.5)
        kind = self.pick("str", "bytes")
        a = self.text("t0", kind) if text else self.array("r0", "i", "n")
        b = self.text("t1", kind) if text else self.array("r1", "i", "n")
        d = self.array("a2", self.pick("i", "i", "f"), "n", "n", written=True)
        i, j = self.over(1, "i", "1, n"), self.over(2, "j", self.pick("1, n", "1, n", "1, i + 1"))
        up, left, corner = (
            self.at(d, *p) for p in ((f"{i} - 1", j), (i, f"{j} - 1"), (f"{i} - 1", f"{j} - 1"))
        )
        equal = f"{a.name}[{i} - 1] {self.pick('==', '==', '!=')} {b.name}[{j} - 1]"
        if self.chance(0.5):
            self.emit(3, f"if {equal}:")
            self.emit(4, f"{self.at(d, i, j)} = {self.kept(d, f'{corner} + 1')}")
            self.emit(3, "else:")
            best = f"{self.pick('max', 'min')}({up}, {left})"
            self.emit(4, f"{self.at(d, i, j)} = {self.kept(d, best)}")
        else:
            cost = f"{corner} + ({self.pick('0 if', '-1 if')} {equal} else {self.pick('1', '2')})"
            self.emit(
                3, f"{self.at(d, i, j)} = {self.kept(d, f'min({up} + 1, {left} + 1, {cost})')}"
            )
        self.more(3, 0.2)

    def knapsack(self) -> None:
        w, v = self.array("r0", "i", "n"), self.array("r1", self.pick("i", "f"), "n")
        best = self.array("a2", v.kind, "m", written=True)
        i = self.over(1, "i", "n")
        weight = self.at(w, i)
        j = self.over(2, "j", self.pick(f"m - 1, abs({weight}) - 1, -1", "m - 1, -1, -1", "m"))
        take = f"{self.at(best, f'{j} - abs({weight})')} + {self.at(v, i)}"
        if self.chance(0.5):
            self.emit(3, f"if {j} >= abs({weight}):")
            self.emit(
                4, f"{self.at(best, j)} = {self.kept(best, f'max({self.at(best, j)}, {take})')}"
            )
        else:
            self.emit(3, f"t = {take}")
            self.emit(3, f"if t {self.pick('>', '>=', '<')} {self.at(best, j)}:")
            self.emit(4, f"{self.at(best, j)} = {self.kept(best, 't')}")

    def life(self) -> None:
        kind = self.pick("i", "b", "i")
        a = self.array("a0", kind, "n", "m", plain=kind == "b" or None, written=True)
        b = self.array("a1", "i", "n", "m", written=True)
        i, j = self.over(1, "i", "n"), self.over(2, "j", "m")
        self.emit(3, "alive = 0")
        self.scalars.append(Variable("alive", "i"))
        di, dj = self.over(3, "di", "-1, 2"), self.over(4, "dj", "-1, 2")
        self.emit(
            5, f"if {self.pick(f'{di} != 0 or {dj} != 0', f'not ({di} == 0 and {dj} == 0)')}:"
        )
        near = self.at(a, self.pick(f"({i} + {di}) % n", f"{i} - {di} - 1"), f"({j} + {dj}) % m")
        self.emit(6, f"alive += {near}")
        rule = f"alive == 3 or ({self.at(a, i, j)} and alive == 2)"
        self.emit(3, f"{self.at(b, i, j)} = {self.pick(f'1 if {rule} else 0', f'int({rule})')}")

    # -- texts -------------------------------------------------------------------------------------

    def scan_text(self) -> None:
        t = self.text("t0", "str")
        counts = self.array("a1", "i", "m", written=True)
        state, h = self.number("s0", "i", "0"), self.number("s1", "i", self.pick("0", "5381"))
        if self.chance(0.5):
            self.emit(1, f"for ch in {t.name}:")
            self.inside += 1
        else:
            self.over(1, "i", f"len({t.name})", "t0.0")
            self.emit(2, f"ch = {t.name}[i]")
        kinds = ("ch in 'aeiou'", "ch == 'a'", "'a' <= ch <= 'z'")
        self.emit(2, f"if {self.pick(*kinds)}:")
        self.emit(
            3, f"{state} = ({state} * 3 + {self.pick('1', 'ord(ch)')}) % {self.pick('7', '65521')}"
        )
        if self.chance(0.6):
            self.emit(
                2, f"elif {self.pick('ch > ' + repr('m'), 'ch == ' + repr(' '), 'ord(ch) > 127')}:"
            )
            self.emit(3, self.pick(f"{state} += 1", f"{state} = 0", "continue"))
        mixed = f"{h} * 33 {self.pick('+', '^')} ord(ch)"
        self.emit(2, f"{h} = ({mixed}) & {self.pick('0xffffffff', '(2**64 - 1)')}")
        self.emit(2, f"{counts.name}[{self.pick('ord(ch) % m', f'{h} % m', state + ' % m')}] += 1")
        self.more(2, 0.2)

    def scan_bytes(self) -> None:
        """Checksums and hashes over bytes, a bytearray or an array of uint8."""
        b = (
            self.array("r0", "i", "n", plain=False)
            if self.chance(0.4)
            else self.text("t0", "bytes")
        )
        h = self.number("s0", "i", self.pick("0", "2166136261", "14695981039346656037", "1"))
        low = self.number("s1", "i", "0")
        if self.chance(0.5):
            self.emit(1, f"for x in {b.name}:")
            self.inside += 1
            x = "x"
        else:
            x = f"{b.name}[{self.over(1, 'i', f'len({b.name})')}]"
        x = x if self.chance(0.6) else f"int({x})"
        step = self.pick(
            f"{h} = ({h} ^ {x}) * 16777619 & 0xffffffff",
            f"{h} = (({h} ^ {x}) * 1099511628211) & (2**64 - 1)",
            f"{h} = ({h} * 31 + {x}) % 1000003",
            f"{h} = ({h} + {x}) % 65521",
            f"{h} ^= {x} << 3",
        )
        self.emit(2, step)
        if self.chance(0.5):
            self.over(2, "k", self.pick("8", "4"))
            self.emit(3, f"if {h} & 1:")
            self.emit(4, f"{h} = ({h} >> 1) ^ 0xedb88320")
            self.emit(3, "else:")
            self.emit(4, f"{h} >>= 1")
        ways = (f"({low} + {h}) % 65521", f"max({low}, {h} & 255)", f"{low} + ({h} & 1)")
        self.emit(2, f"{low} = {self.pick(*ways)}")

    # -- until it converges ------------------------------------------------------------------------

    def newton(self) -> None:
        a = self.array("r0", self.pick("f", "f", "i"), "n")
        b = self.array("a1", "f", "n", written=True)
        i = self.over(1, "i", "n")
        self.emit(2, f"x = {self.pick('1.0', self.at(a, i), '1', f'{self.at(a, i)} / 2')}")
        self.emit(2, "y = 0.0")
        self.emit(2, "it = 0")
        eps = self.pick("1e-9", "1e-3", "0")
        self.emit(2, f"while abs(x - y) > {eps} and it < {self.pick(8, 20)}:")
        self.emit(3, "y = x")
        self.emit(3, f"x = {self.pick('0.5 *', '0.5 *', '2 **-1 *')} (y + {self.at(a, i)} / y)")
        self.emit(3, "it += 1")
        if self.chance(0.3):
            self.emit(3, "if x != x:")
            self.emit(4, "break")
        self.emit(2, f"{self.at(b, i)} = {self.kept(b, self.pick('x', 'x', 'it'))}")

    def relax(self) -> None:
        """A `while` around sweeps, until they change little."""
        a = self.array("a0", "f", "n", written=True)
        self.emit(1, f"change = {self.pick('1.0', '1', 'math.inf')}")
        self.emit(1, "turns = 0")
        self.emit(
            1, f"while change > {self.pick('1e-2', '0.5', '1e-6')} and turns < {self.pick(6, 12)}:"
        )
        self.emit(2, f"change = {self.pick('0.0', '0')}")
        i = self.over(2, "i", "1, n - 1")
        near = f"({self.at(a, f'{i} - 1')} + {self.at(a, f'{i} + 1')})"
        self.emit(3, f"new = {near} * {self.pick('0.5', '0.499')}")
        change = f"abs(new - {self.at(a, i)})"
        self.emit(3, self.pick(f"change = max(change, {change})", f"change += {change}"))
        self.emit(3, f"{self.at(a, i)} = {self.kept(a, 'new')}")
        self.emit(2, "turns += 1")
        self.scalars += [Variable("change", "f"), Variable("turns", "i")]

    def whole_numbers(self) -> None:
        """Euclid, Collatz, powers modulo, digits: `while` loops over ints from an array."""
        a, b = self.array("r0", "i", "n"), self.array("a1", "i", "n", written=True)
        i = self.over(1, "i", "n")
        value = self.at(a, i)
        self.emit(2, f"x = {self.pick(f'abs({value})', f'int({value})', value)}")
        self.emit(2, f"y = {self.pick('0', '1', i)}")
        self.emit(2, "it = 0")
        which = self.pick("euclid", "collatz", "digits", "power")
        self.emit(2, f"while x {self.pick('> 1', '> 0', '!= 0')} and it < {self.pick(12, 40)}:")
        self.emit(3, "it += 1")
        if which == "euclid":
            self.emit(3, "x, y = y % x, x")
        elif which == "collatz":
            self.emit(
                3,
                self.pick(
                    "x = x // 2 if x % 2 == 0 else 3 * x + 1",
                    "x = x >> 1 if x & 1 == 0 else 3 * x + 1",
                ),
            )
        elif which == "digits":
            self.emit(3, f"y = y * {self.pick('10', '2', '-10')} + x % {self.pick('10', '2')}")
            self.emit(3, f"x //= {self.pick('10', '2')}")
        else:
            self.emit(3, f"y = y * {self.pick('x', '3', '7')} % {self.pick('1009', '2147483647')}")
            self.emit(3, f"x {self.pick('>>= 1', '//= 2', '-= 3')}")
        self.emit(
            2, f"{self.at(b, i)} {self.pick('=', '+=')} {self.kept(b, self.pick('y', 'it', 'x'))}"
        )

    def bisect(self) -> None:
        a, b = (
            self.array("r0", self.pick("f", "i"), "n"),
            self.array("r1", self.pick("f", "i"), "m"),
        )
        found = self.array("a2", "i", "m", written=True)
        j = self.over(1, "j", "m")
        self.emit(2, "lo, hi = 0, n")
        self.emit(2, "while lo < hi:")
        self.emit(
            3, f"mid = {self.pick('(lo + hi) // 2', '(lo + hi) >> 1', 'lo + (hi - lo) // 2')}"
        )
        self.emit(3, f"if {self.at(a, 'mid')} {self.pick('<', '<=')} {self.at(b, j)}:")
        self.emit(4, "lo = mid + 1")
        self.emit(3, "else:")
        self.emit(4, "hi = mid")
        self.emit(2, f"{self.at(found, j)} = lo")

    # -- order and lists ---------------------------------------------------------------------------

    def sort(self) -> None:
        a = self.array("a0", self.pick("f", "i"), "n", written=True)
        swaps = self.number("s0", "i", "0")
        if self.chance(0.5):
            i = self.over(1, "i", "n")
            j = self.over(2, "j", self.pick(f"n - 1 - {i}", f"{i} + 1, n - 1"))
            left, right = self.at(a, j), self.at(a, f"{j} + 1")
            self.emit(3, f"if {left} {self.pick('>', '<', '>=')} {right}:")
            self.emit(4, f"{left}, {right} = {right}, {left}")
            self.emit(4, f"{swaps} += 1")
        else:
            i = self.over(1, "i", "1, n")
            self.emit(2, f"x = {self.at(a, i)}")
            self.emit(2, f"j = {i} - 1")
            self.emit(2, f"while j >= 0 and {self.at(a, 'j')} {self.pick('>', '<')} x:")
            self.emit(3, f"{self.at(a, 'j + 1')} = {self.at(a, 'j')}")
            self.emit(3, f"j -= {self.pick('1', '1', '2')}")
            self.emit(2, f"{self.at(a, 'j + 1')} = x")

    def appending(self) -> None:
        a = self.array("r0", self.pick("f", "i"), "n", plain=self.chance(0.8))
        s = self.number("s0", a.kind)
        self.emit(1, "out = []")
        i = self.over(1, "i", "n")
        self.emit(2, f"{s} += {self.at(a, i)}")
        depth = self.maybe(2, 0.6)
        value = self.pick(s, self.at(a, i), i)
        if not a.plain:
            value = f"{'int' if a.kind == 'i' else 'float'}({value})"
        self.emit(depth, f"out.append({self.pick(value, value, f'({i}, {value})')})")
        self.scalars.append(Variable("out", "f"))
        self.more(2, 0.2)
        self.scalars.pop()
        self.shown.append("out")

    # -- numbers -----------------------------------------------------------------------------------

    def orbit(self) -> None:
        """How soon points escape, with floats or complex numbers."""
        counts = self.array("a0", "i", "n", "m", written=True)
        self.number("s0", "f")
        i, j = self.over(1, "i", "n"), self.over(2, "j", "m")
        x, y = f"({i} * 3.0 / n - 2.0)", f"({j} * 2.0 / m - 1.0)"
        turns = self.pick(6, 12)
        if self.chance(0.5):
            self.emit(3, f"z = {self.pick('0j', f'complex({x}, 0.0)')}")
            self.over(3, "k", str(turns))
            self.emit(4, f"z = z * z + complex({x}, {y})")
            self.emit(
                4, f"if {self.pick('abs(z) > 2.0', 'z.real * z.real + z.imag * z.imag > 4.0')}:"
            )
        else:
            self.emit(3, "u = v = 0.0")
            self.over(3, "k", str(turns))
            self.emit(4, f"u, v = u * u - v * v + {x}, 2.0 * u * v + {y}")
            self.emit(4, f"if u * u + v * v > {self.pick('4.0', '1e300')}:")
        self.emit(5, self.pick("break", "break", f"{self.at(counts, i, j)} -= 1"))
        self.emit(4, f"{self.at(counts, i, j)} += 1")

    def complexes(self) -> None:
        a = self.array("a0", "c", "n", plain=False, written=True)
        s = self.number("s0", "f", self.pick("0", "0j", "0.0"))
        i = self.over(1, "i", "n")
        w = self.pick("0.5j", "(1 + 1j)", "-2.0", self.at(a, f"n - 1 - {i}"))
        self.emit(2, f"{s} = {s} + {self.at(a, i)} * {w}")
        depth = self.maybe(2, 0.4)
        value = self.at(a, i)
        operand = self.pick("1", f"abs({value})", "1j")
        self.emit(depth, f"{value} {self.pick('=', '+=', '*=')} {self.pick(value, w)} - {operand}")

    def pairs(self) -> None:
        """Forces between all pairs of points."""
        x, f = self.array("r0", "f", "n"), self.array("a1", "f", "n", written=True)
        e = self.number("s0", "f")
        i, j = self.over(1, "i", "n"), self.over(2, "j", self.pick("n", "i + 1, n", "i"))
        self.emit(3, f"d = {self.at(x, i)} - {self.at(x, j)}")
        self.scalars.append(Variable("d", "f"))
        self.emit(3, f"r = {self.pick('d * d + 0.01', 'd * d', 'abs(d)')}")
        depth = self.maybe(3, 0.4)
        force = self.pick("d / r", "1.0 / (r * r)", "d / math.sqrt(r)", "d * r ** -1.5")
        self.emit(depth, f"{self.at(f, i)} {self.pick('+=', '-=')} {self.kept(f, force)}")
        if self.chance(0.5):
            self.emit(depth, f"{self.at(f, j)} -= {self.kept(f, force)}")
        self.emit(3, f"{e} += {self.pick('r', 'math.sqrt(r)', 'np.sqrt(r)', self.term('f'))}")

    def conversions(self) -> None:
        """Values stored into an array of another type."""
        kinds = self.pick("fi", "fi", "if", "ii", "bi", "ib")
        a = self.array("r0", kinds[0], "n")
        b = self.array("a1", kinds[1], "n", plain=False, written=True)
        self.tags.add("conversions")
        self.number("s0", "f")
        i = self.over(1, "i", self.pick("n", "n - 1, -1, -1"))
        value = self.at(a, i)
        value = self.pick(
            value,
            f"{value} * 3",
            f"{value} + {self.pick('100', '0.5', '-1')}",
            f"int({value})",
            f"-{value}" if kinds[0] != "b" else value,
        )
        depth = self.maybe(2, 0.2)
        self.emit(depth, f"{self.at(b, i)} {self.pick('=', '=', '+=')} {value}")
        self.more(2, 0.4)

    def in_part(self) -> None:
        """Values that some paths use, or the last iteration alone; all of them may warn."""
        x, y = self.array("r0", "f", "n", plain=False), self.array("r1", "f", "n")
        b = self.array("a2", "f", "n", plain=False, written=True)
        u = self.number("u", "f")
        i = self.over(1, "i", self.pick("n", "n - 1, -1, -1"))
        power = self.pick("+", "-", "*", "-", "*")
        self.emit(2, f"t = {self.at(x, i)} {power} {self.at(y, i)}")
        self.scalars.append(Variable("t", "f"))
        cond = self.condition(1)
        place, other = self.at(b, i), self.pick("2.0", u, self.at(y, i))
        form = self.pick("if", "else", "over", "kept", "store")
        if form == "if":
            self.emit(2, f"if {cond}:")
            self.emit(3, f"{place} = {self.pick('t', f't * {other}', f'min(t, {other})')}")
        elif form == "else":
            self.emit(2, f"{place} = {self.pick('t', 't + t')} if {cond} else {other}")
        elif form == "over":
            self.emit(2, f"if {cond}:")
            self.emit(3, f"t = {other}")
            self.emit(2, f"{place} = t")
        elif form == "kept":
            self.emit(2, f"{u} = t")
        else:
            self.emit(2, f"{self.at(b, self.pick('0', i))} = t")
            self.emit(2, f"if {cond}:")
            self.emit(3, f"{place} = {other}")
        self.more(2)


KINDS = (
    ["stencil"] * 3
    + ["sweep"] * 3
    + ["histogram"] * 2
    + ["scatter"] * 2
    + ["matrix_product"] * 2
    + ["search_best"] * 2
    + ["aliased"] * 3
    + ["conversions"] * 3
    + ["scan_text", "scan_bytes", "newton", "relax", "whole_numbers", "bisect", "sort", "table"]
    + ["window", "sieve", "elimination", "horner", "walk", "knapsack", "life", "appending"]
    + ["orbit", "complexes", "pairs", "in_part"]
)
