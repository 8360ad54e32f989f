"""Random functions whose loops only an exception ends, with their calls.

What comes before the end is anything that such loops do: they append, count in histograms, in
attributes and in globals, draw random numbers, print, swap names. Loops that a signal ends are in
interrupted.py, since of those only what must hold can be shown.
"""

from __future__ import annotations

import random

from .exception_head import HEAD
from .interrupted import Interrupted

SIZED = ("list", "list", "floats", "array", "bytes", "bytearray", "str", "rows", "tuple", "range",
         "ints", "float64", "uint8", "grid")  # fmt: skip
PLAIN = ("list", "list", "floats", "bytes", "ints", "float64", "rows", "bytearray", "array")
# An element of each kind of data as an int.
NUMBER = {"floats": "int(x)", "str": "ord(x)", "rows": "x[0]", "grid": "x[1]", "float64": "int(x)",
          "uint8": "int(x)", "texts": "x", "mixed": "x", "pairs": "x"}  # fmt: skip
# Forms of loops: the header, whether the loop itself counts, and whether it gives the elements.
LOOPS = {
    "while True": ("while True:", False, False),
    "while 1": ("while 1:", False, False),
    "while running": ("while running:", False, False),
    "while not over": ("while not over:", False, False),
    "while below": ("while {at} < n:", False, False),
    "for range": ("for {at} in range(n):", True, False),
    "for long range": ("for {at} in range(10**12):", True, False),
    "for count": ("for {at} in itertools.count():", True, False),
    "for generator": ("for {at} in endless():", True, False),
    "for data": ("for x in data:", False, True),
    "for cycle": ("for x in itertools.cycle(data[:7]):", False, True),
    "for sentinel": ("for x in iter(st.read, -1):", False, True),
    "for enumerate": ("for {at}, x in enumerate(data):", True, True),
    "for zip": ("for {at}, x in zip(itertools.count(), data):", True, True),
}
OFTEN = ("while True",) * 10 + ("while 1", "while running", "while below", "for range")

# What ends a loop in the iteration in which `at` has come to `stop`: lines before the loop, the
# lines in it, the exception, and the data that it takes.
ENDS = {
    "index": ("", "x = data[{at}]", "IndexError", SIZED),
    "grid": ("", "x = data[{at}, 0]", "IndexError", ("grid",)),
    "pop": ("stack = list(data)", "x = stack.pop()", "IndexError", ("list", "floats")),
    "next": ("it = iter(data)", "x = next(it)", "StopIteration", SIZED),
    "unpack": ("", "x, y = data[{at}]", "ValueError", ("pairs",)),
    "type": ("", "x = data[{at}] + 1", "TypeError", ("mixed",)),
    "int": ("", "x = int(data[{at}])", "ValueError", ("texts",)),
    "division": ("", "s += 1000 // max(stop - {at}, 0)", "ZeroDivisionError", ()),
    "quotient": ("", "t = 1.0 / max(stop - {at}, 0)", "ZeroDivisionError", ()),
    "remainder": ("", "s += 7 % max(stop - {at}, 0)", "ZeroDivisionError", ()),
    "sqrt": ("", "t += math.sqrt(stop - {at})", "ValueError", ()),
    "logarithm": ("", "t += math.log(stop - {at})", "ValueError", ()),
    "list.index": ("", "s += [3, 1, 0, 2].index({at} * 4 // stop)", "ValueError", ()),
    "small.index": ("ks = [3, 1, 0, 2]", "s += ks.index({at} * 4 // stop)", "ValueError", ()),
    "shift": ("", "s += 1 >> (stop - {at})", "ValueError", ()),
    "exp": ("", "t = math.exp(710.0 * {at} / stop)", "OverflowError", ()),
    "power": ("", "t = 1.5 ** ({at} * 1800 // stop)", "OverflowError", ()),
    "int of inf": ("", "y = int(1e308 * (0.5 + {at} * 2 // stop))", "OverflowError", ()),
    "int8": ("small = np.zeros(8, dtype=np.int8)", "small[{at} & 7] = {at} * 128 // stop",
             "OverflowError", ()),
    "signed char": ("small = array.array('b', bytes(8))", "small[{at} & 7] = {at} * 128 // stop",
                    "OverflowError", ()),
    "byte": ("buf = bytearray(8)", "buf[{at} & 7] = {at} * 256 // stop", "ValueError", ()),
    "key": ("table = {0: 3, 1: 5, 2: 0, 3: 1}", "s += table[{at} * 4 // stop]", "KeyError", ()),
    "raise": ("", "if {at} >= stop:\n    raise Found({at})", "Found", ()),
    "raise class": ("", "if {at} >= stop:\n    raise Found", "Found", ()),
    "raise first": ("", "if {at} >= stop and x_ != -1:\n    raise Found(x_, s)", "Found", ()),
    "function": ("", "check({at}, stop)", "Found", ()),
    "method": ("", "st.check({at}, stop)", "Found", ()),
    "assert": ("", "assert {at} < stop, {at}", "AssertionError", ()),
    "exit": ("", "if {at} >= stop:\n    sys.exit({at} & 3)", "SystemExit", ()),
    "name": ("", "if {at} >= stop:\n    s += nobody", "NameError", ()),
    "unbound": ("", "if {at} >= stop:\n    s += never\nif {at} < 0:\n    never = 1",
                "UnboundLocalError", ()),
    "attribute": ("", "if {at} >= stop:\n    s += st.nobody", "AttributeError", ()),
    "return": ("", "if {at} >= stop:\n    return dict(locals())", "", ()),
    "break": ("", "if {at} >= stop:\n    break", "", ()),
}  # fmt: skip
# As often as loops end so in programs that people write.
COMMON = ("index",) * 14 + ("next", "next", "raise", "division", "key", "int")

EFFECTS = {
    "appends": (
        "out.append(x_)", "out.append({at})", "out.append(({at}, x_))", "out.append(s)",
        "out.append(x_ * 2)\nmore.append({at})", "more.append(t)", "out.append(x_ + 1)",
        "push(out, x_)", "st.out.append(x_)", "st.push({at})", "out += [x_]",
        "if x_ & 1:\n    out.append({at})", "out.append(x_)\nif len(out) > 9:\n    out.pop()",
        "out.append(x_)\nout.append(-1)", "more.append([{at}, x_])", "out.extend((x_, {at}))",
        "more.append(x_)\ns += len(more) & 3", "out.append(x_)\ns += out[-1]",
    ),
    "histograms": (
        "h[x_ & 7] += 1", "h[{at} & 7] += x_", "hn[x_ & 7] += 1", "hf[{at} & 3] += 0.5",
        "grid[{at} & 3, x_ & 3] += 1", "rows[{at} & 1][x_ & 3] += 1", "ha[x_ & 7] += 1",
        "h[x_ & 7] += 1\nh[{at} & 7] -= 1", "bump(h, x_ & 7)", "hn[{at} & 7] = {at}",
        "st.h[x_ & 7] += 1", "hb[x_ & 7] = {at} & 255", "hn[:4] += 1",
    ),
    "attributes": (
        "st.count += 1", "st.total += x_", "st.last = {at}", "st.bump(x_)", "st.last = x_, {at}",
        "st.total = st.total * 3 + 1 & 1023\nst.count += 1",
    ),
    "globals": ("G += 1", "G = G * 3 + x_ & 1023", "G += x_\nst.count += G & 1", "log({at})"),
    "draws": (
        "s += random.randrange(10)", "t += random.random()", "s += np.random.randint(0, 5)",
        "if random.random() < 0.1:\n    k += 1", "t = np.random.rand()", "t += st.rng.random()",
        "s += int(st.rng.integers(7))", "h[random.randrange(8)] += 1",
        "out.append(random.random())",
    ),
    "rare prints": (
        "if {at} % (n // 4 + 1) == 3:\n    print('{me}', {at}, s)",
        "if {at} == stop // 2:\n    print('{me}', s, len(out))\n    s -= 1",
        "if {at} % (n // 3 + 1) == 1:\n    log({at})",
    ),
    "prints": ("if {at} % 7 == 2:\n    print('{me}', {at}, s)", "print('{me}', x_, {at})"),
    "inner loops": (
        "for j in range(3):\n    h[j] += x_ & 1", "for y in (1, 2, 5):\n    s += y",
        "j = 0\nwhile j < (x_ & 3):\n    j += 1\n    s += j", "for j in range(x_ & 3):\n    s += j",
        "while True:\n    s = s * 3 + 1 & 255\n    if s < 100:\n        break",
        "m = x_ + 1\nwhile m > 1:\n    m >>= 1\n    k += 1",
        "for j in range(3):\n    more.append(j)",
        "for j in range(4):\n    if j == (x_ & 3):\n        break\nelse:\n    k += 1",
        "for j, y in enumerate(ks):\n    s += j * y",
    ),
    "made lists": (
        "row = [x_, {at}, 0]\ns += row[1]", "row = [0] * 3\nrow[{at} % 3] = x_\ns += row[0]",
        "s += sum(v * 2 for v in ks)", "row = [v + x_ for v in ks]\ns += row[-1]",
        "row = [{at}] * 2", "ks = [ks[1], ks[2], ks[3], ks[0]]", "row = ks[:]\nrow[0] = x_",
    ),
    "swaps": (
        "p, q = q, (p + x_) & 1023", "p, q = q, p", "cur, nxt = nxt, cur\ncur[{at} & 3] = x_",
        "ks[0], ks[1] = ks[1], ks[0]", "nxt[{at} & 3] = cur[0] + 1\ncur, nxt = nxt, cur",
    ),
    "types": (
        "if {at} == stop // 2:\n    s = s + 0.5", "v = x_ if {at} % 5 else 0.5",
        "w = {at}\nw = w * 0.5", "if {at} == stop - 1:\n    k = 'end'",
        "v = x_ / 2 if x_ & 1 else x_",
        "p = None if {at} == 3 else p", "w = {at} > 5", "big = (big * 3 + 1) % (1 << 70)",
    ),
    "paths": (
        "if {at} % 3 == 2:\n    late = {at}", "if {at} > stop - 3:\n    last = x_",
        "if {at} == 0:\n    first = x_\nelse:\n    rest = {at}", "if x_ == 5:\n    del_ = s\n",
    ),
    "numbers": (
        "s += x_", "s = (s * 31 + x_) & 0xFFFFFFFF", "t = t * 0.999 + x_", "t += math.sqrt({at})",
        "s += mixed(x_, {at})", "if x_ & 4:\n    s -= 1\nelse:\n    s += 2", "s ^= {at}",
    ),
    "containers": (
        "d[x_ & 7] = d.get(x_ & 7, 0) + 1", "seen.add(x_ & 15)", "words.append(str({at}))",
    ),
}  # fmt: skip
USUAL = ("appends",) * 8 + ("histograms",) * 7 + ("numbers",) * 5 + ("attributes", "globals") * 2

# Errors that a handler in the loop goes on from: now and then, or often.
REPEATED = (
    "s += 100 // ({at} % {m})", "s += ks[{at} % {m} // ({m} - 1) * 9]",
    "if {at} % {m} == 1:\n    raise Found({at})", "check({at} % {m}, {m} - 1)",
    "s += table[{at} % {m}]", "s += int('12x'[{at} % {m} // ({m} - 1) * 2])",
    "t += math.sqrt(1 - {at} % {m} // ({m} - 1) * 2)",
)  # fmt: skip

PARSER = """\
while True:
    shift = value = 0
    while True:
        b = data[{at}]
        {at} += 1
        value |= (b & 0x7F) << shift
        shift += 7
        if b < {limit}:
            break
        if shift > 28:
            {more}
    {effect}"""

START = """\
s = k = p = 0
q, t, big, v = 1, 0.5, 1, 0
ks, more, cur, nxt, rows = [3, 1, 0, 2], [], [0] * 4, [1] * 4, [[0] * 4, [1] * 4]
hn, hf, grid = np.zeros(8, dtype=np.int64), np.zeros(4), np.zeros((4, 4), dtype=np.int64)
ha, hb, d, seen, words = array.array('l', [0] * 8), bytearray(8), {}, set(), []
table = {0: 3, 1: 5, 2: 0, 3: 1}"""

# What functions and loops may have assigned.
NAMES = ("s", "k", "p", "q", "t", "big", "v", "ks", "more", "cur", "nxt", "rows", "hn", "hf",
         "grid", "ha", "hb", "d", "seen", "words", "x", "y", "j", "m", "row", "w", "late", "last",
         "first", "rest", "how", "it", "stack", "small", "buf", "pos", "turn", "running", "over",
         "del_", "shift", "value", "b")  # fmt: skip


def indented(text: str, by: int = 1) -> list[str]:
    return ["    " * by + line for line in text.split("\n") if line.strip()]


class Program:
    """One function, and its calls."""

    def __init__(self, number: int, rng: random.Random):
        self.me, self.rng = f"f{number}", rng
        self.tags: list[str] = []
        self.at = self.pick(*["pos"] * 8, "st.pos", "POS")
        self.slow = False

    def pick(self, *of):
        return self.rng.choice(of)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def filled(self, text: str, number: str) -> str:
        made = text.replace("x_", number)
        for name, value in (("{at}", self.at), ("{me}", self.me)):
            made = made.replace(name, value)
        return made

    def effect(self, number: str) -> str:
        kind = self.pick(*USUAL, *EFFECTS)
        if kind in ("prints", "containers") and self.chance(0.5):
            kind = "appends"
        self.slow |= kind == "prints"
        self.tags.append(kind)
        return self.filled(self.pick(*EFFECTS[kind]), number)

    def repeated(self) -> str:
        """Statements with a handler of their own, after which the loop goes on."""
        modulus = self.pick("2", "3", "17", "1000", "5000")
        what = self.filled(self.pick(*REPEATED), "x_").replace("{m}", modulus)
        handler = self.pick("pass", "k += 1", "out.append(-1)", "s -= 1", "last = told(error)")
        names = "(IndexError, ValueError, KeyError, ZeroDivisionError, Found)"
        lines = ["try:", *indented(what), f"except {names} as error:", *indented(handler)]
        if self.chance(0.2):
            lines += ["else:", "    k += 2"]
        if self.chance(0.2):
            lines += ["finally:", "    st.count += 1"]
        self.tags.append("goes on" if modulus in ("1000", "5000") else "goes on often")
        return "\n".join(lines)

    def body(self) -> str:
        """The loop with what is before it; `self.raises` is then what ends it."""
        if self.chance(0.1):
            return self.parser()
        end = self.pick(*COMMON, *ENDS)
        before, ending, self.raises, kinds = ENDS[end]
        form = self.pick(*OFTEN, *LOOPS)
        header, counts, given = LOOPS[form]
        while given and kinds or counts and "x = next" in ending and self.chance(0.7):
            form = self.pick(*OFTEN)
            header, counts, given = LOOPS[form]
        if counts and self.at == "st.pos":
            self.at = "pos"
        self.tags += [end, form]
        self.ends_at_size = bool(kinds)
        if given:
            self.kind = self.pick("list", "tuple", "bytes", "floats", "str", "rows")
            self.kind = "range" if form == "for sentinel" else self.kind
        else:
            self.kind = self.pick(*kinds) if kinds else self.pick(*PLAIN)
        number = NUMBER.get(self.kind, "x") if "+ 1" not in ending else "x"
        number = "x" if end in ("int", "grid", "unpack") else number
        reading = []
        if not kinds and not given:
            number = self.pick(number, "x")
            reading = ["x = {at} * 7 % 50" if number == "x" else "x = data[{at}]"]
        effects = [self.effect(number) for _ in range(self.pick(1, 2, 2, 3, 3, 4, 6))]
        if self.chance(0.12):
            effects.insert(self.rng.randrange(len(effects) + 1), self.repeated())
        lines = [*([ending] if kinds else []), *reading, *effects]
        if not kinds:
            lines.insert(self.rng.randrange(len(reading), len(lines) + 1), ending)
        if self.chance(0.12):
            self.tags.append("stops before")
            lines.insert(len(reading), "if {at} >= n:\n    break")
        if form == "while running":
            lines.insert(-1, "if {at} >= n:\n    running = False")
        if form == "while not over":
            lines.insert(self.pick(-1, len(lines)), "over = {at} > n")
        if not counts:
            read = lines.index(ending) + 1 if kinds else len(reading)
            at = self.pick(len(lines), len(lines), len(lines), read)
            lines.insert(at, "{at} += " + self.pick("1", "1", "1", "1", "2"))
            if at < len(lines) - 1 and self.chance(0.3):
                lines.insert(at + 1, "if x_ & 3 == 1:\n    continue")
        self.reset = before
        if counts and self.at == "pos" and self.chance(0.5):
            self.reset += "\npos = -1"
        elif not self.at.startswith("st."):
            self.reset += "\n{at} = 0"
        self.reset += "\nrunning, over = True, False"
        if self.chance(0.1) and self.raises:
            lines = self.handled_inside(lines)
        text = "\n".join(self.filled(line, number) for line in lines)
        loop = [self.filled(header, number), *indented(text)]
        if self.chance(0.08) and not header.startswith(("while True", "while 1")):
            loop += ["else:", "    k += 100"]
        return "\n".join(loop)

    def handled_inside(self, lines: list[str]) -> list[str]:
        """The body in a `try` whose handler ends the loop."""
        self.tags.append("handled inside")
        text = "\n".join(lines)
        leave = self.pick("break", "break", "return dict(locals())", "k = told(error)\n    break")
        made = ["try:", *indented(text), f"except {self.raises} as error:", "    " + leave]
        if self.chance(0.2):
            made += ["finally:", "    st.count += 1"]
        if self.chance(0.2):
            made += ["out.append(0)"]
        self.raises = ""
        return ["\n".join(made)]

    def parser(self) -> str:
        self.tags += ["parser", "index", "while True"]
        self.raises, self.ends_at_size = "IndexError", True
        self.kind = self.pick("bytes", "bytearray", "list", "uint8", "array")
        if self.kind in ("list", "array"):
            self.tags.append("wide")
        self.reset = "{at} = 0"
        text = PARSER.replace("{limit}", self.pick("128", "64", "250"))
        text = text.replace("{more}", self.pick("break", "raise ValueError(value)", "shift = 0"))
        if "raise ValueError" in text:
            self.raises = "(IndexError, ValueError)"
        number = "int(value)" if self.kind == "uint8" else "value"
        if self.kind == "uint8":
            text = text.replace("data[{at}]", "int(data[{at}])")
        effects = [self.effect(number).replace("\n", "\n    ") for _ in range(self.pick(1, 1, 2))]
        return self.filled(text.replace("{effect}", "\n    ".join(effects)), number)

    def around(self, loop: str) -> list[str]:
        """What is around the loop: handlers, or none, so that the caller sees the exception."""
        raises = self.raises or "Found"
        reset = self.filled(self.reset, "x").strip("\n")
        shape = self.pick("try", "try", "try", "try", "finally", "none", "none", "suppress",
                          "repeated", "again", "both")  # fmt: skip
        self.tags.append(f"around: {shape}")
        note = self.pick("how = told(error)", "how = told(error)", "pass", "out.append('end')",
                         "st.log.append(told(error))\ns = -1")  # fmt: skip
        handler = [f"except {raises} as error:", *indented(note)]
        if shape == "none":
            return [*reset.split("\n"), *loop.split("\n")]
        if shape == "suppress":
            return [*reset.split("\n"), f"with contextlib.suppress({raises}):", *indented(loop)]
        if shape == "finally":
            last = f"st.log.append((k, {self.at}, len(out)))"
            lines = ["try:", *indented(loop), "finally:", *indented(last)]
            if self.chance(0.6):
                return [*reset.split("\n"), "try:", *indented("\n".join(lines)), *handler]
            return [*reset.split("\n"), *lines]
        if shape == "again":
            handler += indented(self.pick("raise", "raise Found(s) from None", "raise KeyError(k)"))
        if shape == "both":
            handler = ["except (MemoryError, OSError):", "    k = -5", *handler, "else:",
                       "    k = -6", "finally:", "    st.count += 1000"]  # fmt: skip
        lines = [*reset.split("\n"), "try:", *indented(loop), *handler]
        if shape == "repeated":
            text = "\n".join(lines)
            return ["for turn in range(3):", *indented(text)]
        return lines

    def calls(self) -> list[str]:
        rng, lines = self.rng, []
        size = self.pick(
            ("large", 80_000, 300_000),
            ("large", 50_000, 200_000),
            *[("middle", 10_000, 50_000)] * 2,
            ("small", 200, 3_000),
        )
        if self.slow:
            size = ("small", 200, 3_000)
        if "goes on often" in self.tags or "around: repeated" in self.tags:
            size = ("middle", 5_000, 30_000) if size[0] == "large" else size
        self.tags.append(size[0])
        most = rng.randrange(*size[1:])
        again = [most + 7] * self.pick(0, 1, 1, 3)
        # Kernels are made while one of these calls runs, or before, or behind.
        stops = self.pick(
            [rng.randrange(2, 40), most, *again, most // 3],
            [most // 10] * self.pick(3, 6, 12) + [most, most],
            [most // 3] * self.pick(1, 2, 4) + [most, *again],
            [rng.randrange(2, 2_000) for _ in range(20)] + [most, most],
            [most, *again, rng.randrange(2, 40)],
        )
        for stop in map(max, stops, [2] * len(stops)):
            bound = max(stop * 2 // 3, 1) if self.chance(0.1) else stop + self.pick(1, 2, 5, 50)
            length = stop if self.ends_at_size else 2 * max(stop, bound) + 60
            every = self.pick(*["0"] * 12, "0.001", "0.0002")
            end = f", {every}" if every != "0" else ""
            if end:
                self.tags.append("ticks")
            lines.append(f"call({self.me}, {self.kind!r}, {length}, {bound}, {stop}{end})")
        return lines

    def at_module_level(self, lines: list[str]) -> list[str]:
        """The loop outside of functions, where all names are globals; there is one call then."""
        self.tags.append("module level")
        made = self.calls()[-2].replace(f"({self.me}, ", "(", 1).replace("call(", "prepared(", 1)
        names = ", ".join(map(repr, NAMES))
        return [
            f"def {self.me}():",
            "    pass",
            f"# {self.me}: {', '.join(dict.fromkeys(self.tags))}",
            f"if begin({self.me!r}):",
            f"    forget({names})",
            f"    data, n, stop, st, out, h = {made}",
            "    try:",
            *indented("\n".join(lines), 2),
            "        print('ended returned')",
            "    except BaseException as error:",
            "        print('ended', told(error))",
            f"    ended(st, out, h, {names})",
            f"    done({self.me!r})",
        ]

    def in_a_closure(self, declared: list[str], lines: list[str]) -> list[str]:
        """The loop in a function inside of the function, whose variables it assigns."""
        self.tags.append("closure")
        start = START.split("\n")
        shared = "s, k, t, p, q, big, v, ks, cur, nxt, rows, ha, hb, hn, hf"
        shared += ", pos" * (self.at == "pos")
        inner = [*declared, f"nonlocal {shared}", *lines[len(start) :]]
        end = ["got = walk()", "return {**got, 's': s, 'k': k, 't': t, 'pos': pos}"]
        return [*start, "pos = 0", "def walk():", *indented("\n".join(inner)), *end]

    def build(self) -> list[str]:
        loop = self.body()
        lines = [*START.split("\n"), *self.around(loop), "return dict(locals())"]
        text = "\n".join(lines)
        if "return" not in "\n".join(lines[:-1]) and self.chance(0.08):
            return self.at_module_level(lines[:-1])
        head = f"def {self.me}(data, n, stop, st, out, h):"
        shared = [name for name in ("G", "POS") if f"{name} " in text or self.at == name]
        declared = [f"global {', '.join(shared)}"] if shared else []
        if self.chance(0.06):
            declared, lines = [], self.in_a_closure(declared, lines)
        function = [head, *indented("\n".join([*declared, *lines]))]
        calls = self.calls()
        return [
            *function,
            f"# {self.me}: {', '.join(dict.fromkeys(self.tags))}",
            f"if begin({self.me!r}):",
            *indented("\n".join(calls)),
            f"    done({self.me!r})",
        ]


def build(number: int, rng: random.Random) -> list[str]:
    if rng.random() < 0.2:
        return Interrupted(number, rng).build()
    return Program(number, rng).build()


def script(seed: int, functions: int) -> str:
    """The script that a seed stands for."""
    rng = random.Random(seed)
    parts = [HEAD, *("\n".join(build(number, rng)) for number in range(functions))]
    return "\n".join(parts) + "\n"
