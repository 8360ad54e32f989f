"""One program: a function around random loops, what stands around these, and its calls."""

from __future__ import annotations

import random
import re

from .arguments import Calls
from .more_idioms import KINDS, MoreIdioms
from .text import Variable

# Idioms whose time is linear in the first size, so that it may be large.
LINEAR = (
    "sweep",
    "histogram",
    "scatter",
    "search_best",
    "aliased",
    "conversions",
    "window",
    "walk",
)
ERRORS = "(ArithmeticError, LookupError, ValueError, TypeError)"


class Function(MoreIdioms):
    """Generates one function and the calls of it."""

    def __init__(self, number: int, rng: random.Random):
        super().__init__(rng)
        self.name = f"f{number}"
        self.long = rng.random() < 0.06
        self.force_alias = False
        self.alike: tuple[str, ...] = ()
        self.late = []
        self.shown: list[str] = []  # further names to return
        self.parameters: list[Variable] = []
        self.extras: dict[str, str] = {}  # further parameters with their values
        self.wrap = "{}"  # what the calls call

    def build(self) -> list[str]:
        idiom = self.chance(0.5)
        if idiom:
            self.idiom()
        else:
            self.free()
        for around, odds in ((self.around_nest, 0.3), (self.around_function, 0.12)):
            if self.chance(odds):
                around()
        names = [a.name for a in self.arrays_given] + ["n", "m"]
        names += [p.name for p in self.parameters] + list(self.extras)
        head = f"def {self.name}({', '.join(names)}):"
        calls = Calls(self.rng, self.name, self.arrays_given, self.tags)
        calls.long, calls.force_alias, calls.alike = self.long, self.force_alias, self.alike
        if self.long:
            self.tags.add("long")
        called = calls.write(self.parameters, self.extras, self.wrap)
        tags = f"# {self.name}: {', '.join(sorted(self.tags))}"
        return [tags, head, *self.lines, "", "", *called]

    # -- what the function is about --------------------------------------------------------------

    def idiom(self) -> None:
        kind = self.rng.choice([k for k in KINDS if k in LINEAR] if self.long else KINDS)
        self.tags.add(kind.replace("_", " "))
        if self.chance(0.3):
            self.parameters.append(Variable("c0", self.pick("i", "f")))
            self.scalars += self.parameters
        getattr(self, kind)()
        self.arrays_given = list(self.arrays)
        self.finish()

    def free(self) -> None:
        self.tags.add("free")
        kinds = [self.pick("i", "f", "f") for _ in range(self.rng.randint(1, 3))]
        for number, kind in enumerate(kinds):
            kind = self.pick("b", "c") if self.chance(0.05) else kind
            rank = self.pick(1, 1, 1, 2, 2, 3) if number < 2 and not self.long else 1
            written = number == 0 or self.chance(0.4)
            name = f"{'a' if written else 'r'}{number}"
            self.array(
                name,
                kind,
                *["n", "m", "m"][:rank],
                plain=kind != "c" and self.chance(0.35),
                written=written,
            )
        if self.chance(0.12):
            self.text("t9", self.pick("str", "bytes"))
        self.arrays_given = list(self.arrays)
        self.parameters = [
            Variable(f"c{k}", self.pick("i", "f")) for k in range(self.rng.randint(0, 2))
        ]
        self.scalars += self.parameters
        if self.chance(0.1):
            self.extras["h"] = "Holder(0.5, 3)"
            self.tags.add("attributes")
            self.scalars += [Variable("h.t", "f"), Variable("h.m", "i")]
        for k in range(self.rng.randint(1, 3)):
            kind = self.pick("i", "f", "f", "b") if k else self.pick("i", "f")
            self.number(f"s{k}", kind, self.constant(kind) if self.chance(0.2) else None)
        self.budget = self.rng.randint(2, 5)
        self.loop(1)
        if not self.long and self.chance(0.12):
            self.budget = 2
            self.loop(1)
        self.finish()

    def finish(self) -> None:
        """What the function returns, and which names it may find unbound."""
        body = "\n".join(self.lines)
        counters = [
            c for c in ("i", "j", "k", "p", "q") if re.search(rf"\bfor {c}\b|\b{c} =", body)
        ]
        names = [s.name for s in self.scalars if "." not in s.name]
        names += [n for n in counters if n not in names]
        known = {p.name for p in self.parameters} | set(re.findall(r"^    (\w+) = ", body, re.M))
        loose = [n for n in [*names, *self.late] if n not in known]
        if self.chance(0.7):
            start = " = ".join(loose)
            self.lines[:0] = [f"    {start} = -1"] if loose else []
            names += self.late
        elif loose:
            self.tags.add("perhaps unbound")
            names += self.late[:1]
        elif self.late:
            names += self.late
        self.results = list(dict.fromkeys(names + self.shown))
        self.finished = f"return {', '.join(self.results) or '0'}"
        self.emit(1, self.finished)

    # -- what stands around it -------------------------------------------------------------------

    def indented(self, turns: int = 1) -> list[str]:
        """The lines but the last, which returns, further to the right."""
        return ["    " * turns + line for line in self.lines[:-1]]

    def around_nest(self) -> None:
        how = self.pick("try", "try", "tries", "with", "errstate", "swaps", "steps")
        body, last = self.indented(), self.lines[-1]
        self.tags.add({"tries": "try", "errstate": "with", "steps": "swaps"}.get(how, how))
        if how == "try":
            self.lines = ["    caught = ''", "    try:", *body]
            self.lines += [
                f"    except {ERRORS} as error:",
                "        caught = type(error).__name__",
            ]
            if self.chance(0.3):
                self.lines += ["    finally:", "        caught += '.'"]
            last += ", caught"
        elif how == "tries":
            self.lines = [
                "    caught = ''",
                "    for step in range(2):",
                "        try:",
                *self.indented(2),
            ]
            self.lines += [f"        except {ERRORS}:", "            caught += '!'"]
            self.lines += ["            continue"] if self.chance(0.5) else []
            last += ", caught"
        elif how == "with":
            swallows = self.pick("True", "False")
            self.lines = [f"    with Guard({swallows}) as guard:", *body]
            last += ", guard.seen"
        elif how == "errstate":
            context = self.pick(
                "contextlib.nullcontext()", "np.errstate(over='ignore')", "Guard(False)"
            )
            self.lines = [f"    with {context}:", *body]
        else:
            self.around_swaps(how)
        self.lines = self.lines if how in ("swaps", "steps") else [*self.lines, last]

    def around_swaps(self, how: str) -> None:
        """A time loop that has two arrays change places."""
        alike = [a for a in self.arrays_given if not a.text and a.name[0] in "ar"]
        first = alike[0] if alike else None
        same = [
            a
            for a in alike[1:]
            if first and a.sizes == first.sizes and (a.plain, a.kind) == (first.plain, first.kind)
        ]
        if not first or not same:
            return
        a, b = first.name, same[0].name
        self.alike = (a, b)
        swap = f"        {a}, {b} = {b}, {a}"
        self.lines = ["    for step in range(3):", *self.indented(), swap, self.lines[-1]]

    def around_function(self) -> None:
        how = self.pick("generator", "closure", "global")
        if how == "generator" and "return" not in "\n".join(self.lines[:-1]):
            self.tags.add("generator")
            self.wrap = "drained({})"
            self.lines[-1] = f"    yield {self.results[0] if self.results else 0}"
            self.lines.append(f"    yield {self.finished.removeprefix('return ')}")
        elif how == "closure":
            self.tags.add("closure")
            own = [p.name for p in self.parameters]
            swapped = re.findall(r"^        (\w+), (\w+) = \2, \1$", "\n".join(self.lines), re.M)
            own += [name for pair in swapped for name in pair]
            head = ["    def inner():"] + ([f"        nonlocal {', '.join(own)}"] if own else [])
            self.lines = [*head, *["    " + line for line in self.lines], "", "    return inner()"]
        elif how == "global":
            self.tags.add("global")
            number = next((s.name for s in self.scalars if s.name.startswith("s")), "")
            if number:
                self.lines = [
                    re.sub(rf"\b{number}\b", f"g{self.name}", line) for line in self.lines
                ]
                self.lines.insert(0, f"    global g{self.name}")
