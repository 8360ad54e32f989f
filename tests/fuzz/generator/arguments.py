"""The calls of a random function: arrays and lists of every type, odd values, views, aliases."""

from __future__ import annotations

import random

from .expressions import EDGE_FLOATS, EDGE_INTS
from .text import Array, Variable

FLOAT_TYPES = ["float64"] * 12 + ["float32"] * 6
INT_TYPES = ["int64"] * 5 + ["int32"] * 2 + ["int16", "int8", "uint8", "uint16", "uint32", "uint64"]
ODD_FORMS = [
    "readonly({})",
    "swapped({})",
    "unaligned({})",
    "({}).astype(object)",
    "({}).astype('float16')",
    "({}).astype('complex64')",
]
VIEWS = [
    "({})[::-1]",
    "twice({})[::2]",
    "inner({})",
    "inner({})",
    "({})[1:]",
    "twice({})[::-2]",
    "np.asfortranarray({})",
]
TEXTS = ["'banana and kiwi '", "'x\\u00e9\\u2713a m'", "'aeiou zz'", "'\\U0001f40d snake '"]


class Calls:
    """The calls of one function: first with types that nests can have natively, then others."""

    def __init__(self, rng: random.Random, name: str, arrays: list[Array], tags: set[str]):
        self.rng = rng
        self.name = name
        self.arrays = arrays
        self.tags = tags
        self.force_alias = False
        self.long = False
        self.alike: tuple[str, ...] = ()  # arrays that change places and so are of one type
        self.types: dict[str, str] = {}
        self.forms: dict[str, str] = {}
        self.sizes = {"n": 8, "m": 5}

    def pick(self, *choices):
        return self.rng.choice(choices)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    # -- one argument ----------------------------------------------------------------------------

    def choose(self, array: Array) -> None:
        """The type and the form of an array for the calls that follow."""
        kinds = {
            "f": FLOAT_TYPES,
            "i": INT_TYPES,
            "b": ["bool"],
            "c": ["complex128"],
        }
        kind = array.kind
        if self.chance(0.04) and kind in "if":
            kind = self.pick("i", "f")
        self.types[array.name] = self.rng.choice(kinds[kind])
        form = ""
        if array.plain:
            form = self.plain_form(array, kind)
        elif self.chance(0.25):
            form = self.rng.choice(VIEWS)
            if array.rank == 2 and self.chance(0.3) and len(set(array.sizes)) == 1:
                form = "({}).T"
            self.tags.add("views")
        self.forms[array.name] = form

    def plain_form(self, array: Array, kind: str) -> str:
        self.types[array.name] = {"f": "float64", "i": "int64"}.get(kind, "bool")
        if array.rank == 1 and kind in "if":
            if self.chance(0.12):
                codes = "dddf" if kind == "f" else "qqbBhHiIlQ"
                self.tags.add("array.array")
                code = self.rng.choice(codes)
                kinds = {
                    "b": "int8",
                    "B": "uint8",
                    "h": "int16",
                    "H": "uint16",
                    "i": "int32",
                    "I": "uint32",
                }
                kinds |= {"Q": "uint64", "f": "float32"}
                self.types[array.name] = kinds.get(code, self.types[array.name])
                return f"array({code!r}, ({{}}).tolist())"
            if not array.written and self.chance(0.15):
                return "tuple(({}).tolist())"
        return "({}).tolist()"

    def value(self, array: Array, odd: int) -> str:
        if array.text or array.name.startswith("t"):
            return self.text_value(array)
        shape = ", ".join(str(self.sizes[s]) for s in array.sizes)
        dtype = self.types[array.name]
        pokes = f", {odd}" if odd else ""
        if odd:
            pokes += self.pick("", "", ", 0.0", ", 0.7")
            self.tags.add("edges")
        text = f"data(({shape},), {dtype!r}, {self.rng.randint(0, 99)}{pokes})"
        form = self.forms[array.name]
        return form.format(text) if form else text

    def text_value(self, array: Array) -> str:
        length = self.sizes["n"]
        text = f"({self.rng.choice(TEXTS if array.text else TEXTS[::2])} * {length})[:{length}]"
        if array.text:
            return text
        encoded = f"{text}.encode()[:{length}]"
        return f"bytearray({encoded})" if self.chance(0.25) else encoded

    def scalar(self, parameter: Variable, edge: bool) -> str:
        usual, odd = (
            (("0.5", "-2.5", "3.0", "1e-3"), EDGE_FLOATS),
            (("2", "-3", "7", "1"), EDGE_INTS),
        )
        few, edges = usual if parameter.kind == "f" else odd
        if edge and self.chance(0.5):
            return self.rng.choice(edges)
        value = self.rng.choice(few)
        if parameter.name in self.types:
            return f"np.{self.types[parameter.name]}({value.lstrip('-')})"
        return value

    # -- all arguments of a call -----------------------------------------------------------------

    def choose_all(self, parameters: list[Variable]) -> None:
        for array in self.arrays:
            self.choose(array)
        for parameter in parameters:
            self.types.pop(parameter.name, None)
            if self.chance(0.3):
                few = FLOAT_TYPES if parameter.kind == "f" else INT_TYPES
                self.types[parameter.name] = self.rng.choice(few)
        for name in self.alike[1:] if self.chance(0.95) else ():
            self.types[name] = self.types[self.alike[0]]
            self.forms[name] = self.forms[self.alike[0]]
        kinds = {self.types[a.name] for a in self.arrays if a.name in self.types}
        if len(kinds) > 1:
            self.tags.add("mixed types")
        if len({a.plain for a in self.arrays}) > 1:
            self.tags.add("lists and arrays")

    def resize(self) -> None:
        n = self.pick(6, 8, 9, 12, 17, 23)
        self.sizes = {"n": n if not self.long else self.pick(1500, 2049), "m": self.pick(3, 5, 6)}

    def write(self, parameters: list[Variable], extras: dict[str, str], wrap: str) -> list[str]:
        """All calls: usual values first, then the same types with odd ones, then others."""
        self.choose_all(parameters)
        self.resize()
        lines = self.call(parameters, extras, wrap, self.pick(0, 0, 1), "usual")
        if self.chance(0.8):
            lines += self.call(parameters, extras, wrap, self.pick(1, 2, 4), "odd")
        if self.chance(0.35):
            if self.chance(0.5):
                self.choose_all(parameters)
            how = self.pick("alias", "alias", "small", "strange", "other")
            lines += self.call(parameters, extras, wrap, self.pick(0, 1, 3), how)
        return [*lines, ""]

    def call(
        self, parameters: list[Variable], extras: dict[str, str], wrap: str, odd: int, how: str
    ) -> list[str]:
        if how == "small":
            self.sizes["n"] = self.pick(0, 0, 1, 2, 3)
            self.tags.add("empty" if self.sizes["n"] == 0 else "small")
        values = [self.value(a, odd if self.chance(0.7) else 0) for a in self.arrays]
        count = str(self.sizes["n"])
        if how in ("odd", "other") and self.chance(0.15):
            count = self.pick("3", f"{count} + 1", f"np.int64({count})", f"{count} - 1", "True")
        if how == "strange" and self.arrays:
            self.make_strange(values)
        values += [count, str(self.sizes["m"])]
        values += [self.scalar(p, how != "usual") for p in parameters]
        values += extras.values()
        names = [f"v{k}" for k in range(len(values))]
        lines = [f"{name} = {value}" for name, value in zip(names, values, strict=True)]
        if self.force_alias or how == "alias":
            lines += self.overlap()
        arguments = ", ".join([self.name, *names])
        lines.append(f"attempt({wrap.format(self.name)}{arguments[len(self.name) :]})")
        lines.append(f"show({self.name!r}, {', '.join(names[: len(self.arrays)] or ['0'])})")
        if "h" in extras:
            h = names[len(values) - len(extras) + list(extras).index("h")]
            lines.append(f"show({self.name!r}, *{h}.__dict__.values())")
        return lines

    def make_strange(self, values: list[str]) -> None:
        """One argument as few are or as CPython alone takes it: stride 0, ints among floats."""
        at = self.rng.randrange(len(self.arrays))
        array = self.arrays[at]
        if array.text or array.name.startswith("t"):
            return
        self.tags.add("strange")
        if array.plain and array.rank == 1:
            values[at] = self.pick(
                f"[0] * len({values[at]})",
                f"mixed({values[at]})",
                f"[True, False] * len({values[at]})",
                f"range(len({values[at]}))",
            )
        elif not array.plain:
            values[at] = self.pick(
                f"repeated({values[at]})",
                f"repeated({values[at]})",
                self.rng.choice(ODD_FORMS).format(values[at]),
            )

    def overlap(self) -> list[str]:
        """Arrays that are views of one array, the same list, a list with one row twice."""
        ways: list[str] = []
        for k, first in enumerate(self.arrays):
            if first.plain and first.rank > 1:
                ways += [f"if len(v{k}) > 1: v{k}[1] = v{k}[0]"]
            for j, second in enumerate(self.arrays):
                same = first.rank == second.rank and first.sizes == second.sizes
                if j <= k or not same or first.text or second.text or first.name[0] == "t":
                    continue
                if first.plain != second.plain or second.name[0] == "t":
                    continue
                ways += [f"v{j} = v{k}"] * 2
                if not first.plain:
                    ways += [
                        f"v{j} = v{k}[::-1]",
                        f"v{k} = twice(v{k}); v{k}, v{j} = v{k}[1:-1], v{k}[:-2]",
                        f"v{k} = twice(v{k}); v{k}, v{j} = v{k}[:-1], v{k}[1:]",
                        f"v{k} = twice(v{k}); v{k}, v{j} = v{k}[::2], v{k}[1::2]",
                        f"v{k} = twice(v{k}); v{k}, v{j} = v{k}[::2], v{k}",
                    ]
        if not ways:
            return []
        self.tags.add("aliases")
        return [self.rng.choice(ways)]
