"""The values that `infer` works with: types as far as text tells, and what operations make of them.

A value of None is unknown. Everything here is a guess for `nestwise explain`; a run looks at the
objects themselves.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, NamedTuple


class Number(NamedTuple):
    """A Python number."""

    kind: str  # int, float, bool, complex
    low: int | None = None  # of an int, where something is known
    high: int | None = None


class Scalar(NamedTuple):
    """A NumPy scalar."""

    dtype: str


class Array(NamedTuple):
    """An ndarray."""

    dtype: str
    rank: int


class Flat(NamedTuple):
    """A flat sequence (`bytes`, `bytearray`, `array.array`, `str`): the words that describe it, and
    its elements.
    """

    words: str
    item: Any


class Many(NamedTuple):
    """A list, tuple, or other iterable of values that are alike."""

    kind: str
    item: Any


class Row(NamedTuple):
    """A tuple, or a list display, of which each element is known by itself."""

    kind: str
    items: tuple[Any, ...]


class Table(NamedTuple):
    """A dictionary."""

    value: Any


class Module(NamedTuple):
    """A module that is not the script itself."""

    name: str


class Local(NamedTuple):
    """A module of the user's, beside the script."""

    scope: Any


class Known(NamedTuple):
    """A function or type of a module or of the builtins, by its canonical name."""

    name: str


class Function(NamedTuple):
    """A function of the script."""

    scope: Any


class Class(NamedTuple):
    """A class of the script."""

    scope: Any


class Instance(NamedTuple):
    """An object of a class of the script."""

    scope: Any


class Method(NamedTuple):
    """A method: the function of the script, or the name of one of a library's type."""

    owner: Any
    function: Any


class Other(NamedTuple):
    """An object of a type that only has a name."""

    name: str


class Slice(NamedTuple):
    """A slice, `...` or None in a subscript: it keeps an axis, or adds one."""

    adds: bool


INT32 = 2**31 - 1
COUNT = Number("int", 0, INT32)
INT = Number("int", -INT32 - 1, INT32)
FLOAT = Number("float")
BOOL = Number("bool")
COMPLEX = Number("complex")
CHARACTER = Other("char")
TEXT = Flat("str", CHARACTER)
BYTES = Flat("bytes", COUNT)
MISSING = Other("NoneType")


def constant(value: Any) -> Any:
    """The value of a literal."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return whole(value)
    kinds = {float: FLOAT, complex: COMPLEX, str: TEXT, bytes: BYTES, type(None): MISSING}
    return kinds.get(type(value))


def whole(value: int) -> Number:
    """Gives the range of an int that a signature would promise."""
    if 0 <= value <= INT32:
        return COUNT
    return INT if -INT32 - 1 <= value <= INT32 else Number("int")


def words(value: Any) -> str | None:
    """The description that the native part reads; None where there is nothing to say."""
    match value:
        case Number("int", int(low), int(high)):
            return f"int {low} {high}"
        case Number(kind):
            return kind
        case Scalar(dtype):
            return f"numpy {dtype}"
        case Array(dtype, rank):
            return f"ndarray {dtype} {rank}" if rank else f"numpy {dtype}"
        case Flat(name):
            return name
        case Module() | Local():
            return "module"
        case Known(name):
            return f"known {name}"
        case Instance() | Other("Random" | "RandomState" | "Generator"):
            return "object"
        case Method(Many() | Row(), "append"):
            return "append"
        case Other("char"):
            return "char"
        case Other(name):
            return f"other {name}"
        case Many() | Row():
            return _sequence(value)
        case Table():
            return "other dict"
        case Class():
            return "other type"
    return None


def _sequence(value: Many | Row) -> str:
    """Describes a list or tuple of numbers, or of such sequences; an empty list is one
    of floats.
    """
    rank, leaves = 0, [value]
    while leaves and all(isinstance(x, (Many, Row)) for x in leaves):
        rank += 1
        inner: list[Any] = []
        for leaf in leaves:
            inner += leaf.items if isinstance(leaf, Row) else [leaf.item]
        leaves = inner
    kinds = {x.kind for x in leaves if isinstance(x, Number)}
    if any(x is not None and not isinstance(x, Number) for x in leaves) or rank > 8:
        return f"other {value.kind}"
    if value.kind not in ("list", "tuple"):
        return f"other {value.kind}"
    kind = "float" if not kinds else kinds.pop() if len(kinds) == 1 else "number"
    return f"{value.kind} {kind} {rank}"


def join(values: Sequence[Any]) -> Any:
    """Joins values that are alike into one: the first that is known, with numbers widened."""
    known = [v for v in values if v is not None]
    if not known:
        return None
    if all(isinstance(v, Number) for v in known) and len({v.kind for v in known}) == 1:
        return max(known, key=lambda v: (v.low is None, -(v.low or 0)))
    return known[0]


def item(value: Any) -> Any:
    """Gives the value that iterating over a value yields."""
    match value:
        case Array(dtype, rank):
            return Array(dtype, rank - 1) if rank > 1 else Scalar(dtype)
        case Many(_, inner) | Flat(_, inner):
            return inner
        case Row(_, items):
            return join(items)
    return None


def element(value: Any, index: Sequence[Any], numbers: Sequence[int | None]) -> Any:
    """Gives the value of `value[index]`; `numbers` has the values of the indices that
    are literals.
    """
    match value:
        case Array(dtype, rank):
            return _indexed(dtype, rank, index)
        case Table(inner):
            return inner
        case Row(kind, items) if len(index) == 1:
            if isinstance(index[0], Slice):
                return Many(kind, join(items))
            at = numbers[0]
            return items[at] if at is not None and -len(items) <= at < len(items) else join(items)
        case Many() | Flat() if len(index) == 1:
            return value if isinstance(index[0], Slice) else item(value)
        case Known("numpy.mgrid"):
            return Many("tuple", Array("int64", len(index)))
    return None


def _indexed(dtype: str, rank: int, index: Sequence[Any]) -> Any:
    fancy = 0
    for i in index:
        if isinstance(i, Slice):
            rank += i.adds
        elif isinstance(i, Array) and i.dtype == "bool":
            rank, fancy = rank - i.rank, max(fancy, 1)
        else:
            rank -= 1
            fancy = max(fancy, rank_of(i))
    rank += fancy
    return Array(dtype, rank) if rank > 0 else Scalar(dtype)


def rank_of(value: Any) -> int:
    """Gives the number of axes of a value; 0 for what has none."""
    match value:
        case Array(_, rank):
            return rank
        case Many(_, inner):
            return 1 + rank_of(inner)
        case Row(_, items):
            return 1 + rank_of(join(items))
        case Flat():
            return 1
    return 0


def dtype_of(value: Any) -> str | None:
    """Gives the dtype that NumPy makes of a value."""
    match value:
        case Array(dtype) | Scalar(dtype):
            return dtype
        case Number(kind):
            return {"int": "int64", "float": "float64", "complex": "complex128"}.get(kind, kind)
        case Many() | Row():
            return dtype_of(item(value))
        case Known(name):
            return named(name)
    return None


_CLASSES = ("bool", "uint", "int", "float", "complex")
_ALIASES = {
    "bool_": "bool",
    "byte": "int8",
    "ubyte": "uint8",
    "short": "int16",
    "ushort": "uint16",
    "intc": "int32",
    "uintc": "uint32",
    "int": "int64",
    "int_": "int64",
    "intp": "int64",
    "longlong": "int64",
    "uint": "uint64",
    "uintp": "uint64",
    "float": "float64",
    "single": "float32",
    "double": "float64",
    "complex": "complex128",
    "cdouble": "complex128",
}
_DTYPES = {
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    "float32",
    "float64",
    "complex64",
    "complex128",
}
_CODES = {"i": "int", "u": "uint", "f": "float", "c": "complex"}


def named(name: str) -> str | None:
    """Gives the dtype that a name stands for: `numpy.float32`, `float`, `"f4"`."""
    name = name.removeprefix("numpy.").lstrip("=|<")
    if len(name) > 1 and name[0] in _CODES and name[1:].isdigit():
        name = f"{_CODES[name[0]]}{8 * int(name[1:])}"
    name = _ALIASES.get(name, name)
    return name if name in _DTYPES else None


def _parts(dtype: str) -> tuple[int, int]:
    """Splits a dtype into its class and its number of bits."""
    name = dtype.rstrip("0123456789")
    return _CLASSES.index(name), int(dtype[len(name) :] or 8)


def promote(a: Any, b: Any) -> str | None:
    """Gives the dtype that NumPy computes in (NEP 50: a Python number adapts to an array)."""
    x, y = dtype_of(a), dtype_of(b)
    if x is None or y is None:
        return x or y
    (i, m), (j, n) = _parts(x), _parts(y)
    if isinstance(a, Number) != isinstance(b, Number):
        return _adapted(a, y) if isinstance(a, Number) else _adapted(b, x)
    if i > j:
        (i, m), (j, n) = (j, n), (i, m)
    if i == j or i == 0:
        return f"{_CLASSES[j]}{n if i == 0 else max(m, n)}" if j else "bool"
    if (i, j) == (1, 2):  # unsigned and signed
        return f"int{max(2 * m, n)}" if m < 64 else "float64"
    if j == 3:
        return f"float{n if m <= 16 else 64}" if i < 3 else f"float{max(m, n)}"
    return "complex64" if n == 64 and (m <= 16 or (i == 3 and m == 32)) else "complex128"


def _adapted(number: Number, dtype: str) -> str | None:
    """Gives the dtype that a Python number takes beside a NumPy value."""
    kept, bits = _parts(dtype)
    if {"bool": 0, "int": 1, "float": 3, "complex": 4}[number.kind] <= kept:
        return dtype
    return "complex64" if (number.kind, kept, bits) == ("complex", 3, 32) else dtype_of(number)


def binary(op: ast.operator, a: Any, b: Any) -> Any:
    """Gives the value of `a op b`."""
    if isinstance(op, ast.MatMult):
        rank = rank_of(a) + rank_of(b) - 2
        dtype = promote(a, b)
        return dtype and (Array(dtype, rank) if rank > 0 else Scalar(dtype))
    sequences = (Many, Row, Flat)
    if isinstance(a, sequences) or isinstance(b, sequences):
        if not (isinstance(a, Array) or isinstance(b, Array)):
            return _of_sequences(op, a, b)
    if isinstance(a, Number) and isinstance(b, Number):
        return _of_numbers(op, a, b)
    known = a if b is None else b
    if a is None or b is None:
        # A number that nobody knows changes little about an array.
        return known if isinstance(known, Array) else None
    dtype = promote(a, b)
    if dtype is None:
        return None
    if isinstance(op, ast.Div) and _parts(dtype)[0] < 3:
        dtype = "float64"
    rank = max(rank_of(a), rank_of(b))
    return Array(dtype, rank) if rank else Scalar(dtype)


def _of_sequences(op: ast.operator, a: Any, b: Any) -> Any:
    """Gives the value of an operation on sequences, like `[0.0] * n` or `a + b`."""
    if isinstance(op, ast.Mult):
        found = a if isinstance(a, (Many, Row, Flat)) else b
        return Many(found.kind, item(found)) if isinstance(found, Row) else found
    if isinstance(op, ast.Add) and isinstance(a, (Many, Row)) and isinstance(b, (Many, Row)):
        return Many(a.kind, join([item(a), item(b)]))
    if isinstance(op, ast.Mod) and a == TEXT:
        return TEXT
    return a if isinstance(op, ast.Add) and a == b else None


def _of_numbers(op: ast.operator, a: Number, b: Number) -> Number:
    order = ("bool", "int", "float", "complex")
    kind = max(a.kind, b.kind, key=order.index)
    if isinstance(op, ast.Div):
        return Number(max(kind, "float", key=order.index))
    if kind == "bool" and isinstance(op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
        return BOOL
    if kind in ("bool", "int"):
        # Sizes are taken to stay sizes: in `len(a) - 1`, and where one is less another.
        return COUNT if (a.low, b.low) == (0, 0) else INT
    return Number(kind)
