"""Infers what calls of builtins, `math`, NumPy and the methods of their types give, for `infer`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from nestwise.inferred_types import values as g


class Call(NamedTuple):
    """The values of a call's arguments."""

    args: Sequence[Any]
    named: dict[str, Any]
    texts: dict[int | str, str]  # those of them that are literal strings

    def get(self, at: int, name: str) -> Any:
        """Gives an argument by its position, else by its name."""
        return self.args[at] if at < len(self.args) else self.named.get(name)


def function(name: str, call: Call) -> Any:
    """What a function of a library gives, by its canonical name."""
    module, _, short = name.rpartition(".")
    if module in ("", "builtins"):
        return _BUILTINS[short](call) if short in _BUILTINS else None
    if module in ("math", "cmath"):
        return _math(module, short)
    if module == "numpy.random":
        return _generator(short) or _drawn(short, call)
    if name == "numpy.linalg.norm":
        return g.Scalar("float64")
    if module == "numpy":
        return _numpy(short, call)
    if name in ("copy.copy", "copy.deepcopy"):
        return call.get(0, "x")
    if name == "array.array":
        return _typed_array(call)
    if module == "random":
        return g.Other("Random") if short == "Random" else method(g.Other("Random"), short, call)
    return {"time": g.FLOAT}.get(module)


def _typed_array(call: Call) -> Any:
    code = call.texts.get(0, "d")
    codes = {"b": "int8", "B": "uint8", "h": "int16", "H": "uint16", "i": "int32", "I": "uint32"}
    codes |= {"l": "int64", "q": "int64", "f": "float32", "d": "float64"}
    dtype = codes.get(code, "?")
    return g.Flat(f"array {dtype}", g.FLOAT if dtype.startswith("float") else g.INT)


def _math(module: str, short: str) -> Any:
    if module == "cmath":
        return g.FLOAT if short == "phase" else g.COMPLEX
    if short in ("floor", "ceil", "trunc", "gcd", "isqrt", "factorial", "comb", "perm", "lcm"):
        return g.INT
    return g.BOOL if short.startswith("is") else g.FLOAT


# ---- Builtins ------------------------------------------------------------------------------------


def _first(call: Call) -> Any:
    return call.args[0] if call.args else None


def _absolute(call: Call) -> Any:
    value = _first(call)
    if isinstance(value, g.Number):
        return {"complex": g.FLOAT, "bool": g.COUNT, "int": g.COUNT}.get(value.kind, value)
    return real(value)


def real(value: Any) -> Any:
    """The type of the real part of a value."""
    if isinstance(value, (g.Array, g.Scalar)) and value.dtype.startswith("complex"):
        return value._replace(dtype=f"float{int(value.dtype[7:]) // 2}")
    return value


def _extreme(call: Call) -> Any:
    return g.join(call.args) if len(call.args) > 1 else g.item(_first(call))


def _sum(call: Call) -> Any:
    inner = g.item(_first(call))
    return g.INT if inner == g.BOOL else inner


def _listed(kind: str) -> Callable[[Call], Any]:
    def make(call: Call) -> Any:
        value = _first(call)
        return g.Row(kind, value.items) if isinstance(value, g.Row) else g.Many(kind, g.item(value))

    return make


def _zipped(call: Call) -> Any:
    return g.Many("zip", g.Row("tuple", tuple(g.item(a) for a in call.args)))


def _enumerated(call: Call) -> Any:
    return g.Many("enumerate", g.Row("tuple", (g.COUNT, g.item(_first(call)))))


def _rounded(call: Call) -> Any:
    return g.INT if len(call.args) == 1 else _first(call)


def _power(call: Call) -> Any:
    return g.binary(ast.Pow(), *call.args[:2]) if len(call.args) > 1 else None


def _whole(call: Call) -> Any:
    """Infers `int(x)`; for an argument of the command line, it is a size."""
    value = _first(call)
    return value if isinstance(value, g.Number) and value.kind == "int" else g.COUNT


_BUILTINS: dict[str, Callable[[Call], Any]] = {
    "abs": _absolute,
    "bool": lambda call: g.BOOL,
    "bytearray": lambda call: g.Flat("bytearray", g.COUNT),
    "bytes": lambda call: g.BYTES,
    "chr": lambda call: g.CHARACTER,
    "complex": lambda call: g.COMPLEX,
    "dict": lambda call: g.Table(None),
    "divmod": lambda call: g.Row("tuple", (_first(call), _first(call))),
    "enumerate": _enumerated,
    "float": lambda call: g.FLOAT,
    "input": lambda call: g.TEXT,
    "int": _whole,
    "len": lambda call: g.COUNT,
    "list": _listed("list"),
    "max": _extreme,
    "min": _extreme,
    "ord": lambda call: g.COUNT,
    "pow": _power,
    "range": lambda call: g.Many("range", g.join(call.args)),
    "repr": lambda call: g.TEXT,
    "reversed": _listed("reversed"),
    "round": _rounded,
    "set": _listed("set"),
    "sorted": _listed("list"),
    "str": lambda call: g.TEXT,
    "sum": _sum,
    "tuple": _listed("tuple"),
    "zip": _zipped,
}


# ---- NumPy ---------------------------------------------------------------------------------------


def _shaped(shape: Any, dtype: str | None) -> Any:
    """An array of this shape."""
    rank = len(shape.items) if isinstance(shape, g.Row) else g.rank_of(shape) or 1
    return g.Array(dtype or "float64", rank) if rank else g.Scalar(dtype or "float64")


def _dtype(call: Call, at: int = 99) -> str | None:
    value = call.get(at, "dtype")
    if value == g.TEXT:
        return g.named(call.texts.get(at if at < len(call.args) else "dtype", "?"))
    return g.dtype_of(value) if isinstance(value, g.Known) else _written(value)


def _written(value: Any) -> str | None:
    """Gives the dtype that an expression like `a.dtype` writes out."""
    return value.name.partition(" ")[2] if isinstance(value, g.Other) else None


_SHAPED = ("zeros", "ones", "empty", "full")
_SHAPED_LIKE = tuple(f"{name}_like" for name in _SHAPED)
_INDICES = ("argsort", "searchsorted", "bincount", "flatnonzero", "digitize")
_FLAT = ("repeat", "unique", "ravel", "concatenate", "append", "cumsum", "cumprod", "hstack")
_REDUCTIONS = ("sum", "prod", "min", "max", "amin", "amax", "mean", "std", "var", "median")
_SEARCHES = ("argmin", "argmax", "count_nonzero")
_TESTS = ("all", "any")
_PLAIN = ("float", "int", "bool")


def _numpy(name: str, call: Call) -> Any:
    first, dtype = _first(call), _dtype(call)
    if (scalar := g.named(f"numpy.{name}")) is not None and name not in _PLAIN:
        return g.Array(scalar, g.rank_of(first)) if g.rank_of(first) else g.Scalar(scalar)
    if name in _SHAPED:
        default = g.dtype_of(call.get(1, "fill_value")) if name == "full" else None
        at = 2 if name == "full" else 1
        return _shaped(call.get(0, "shape"), dtype or _dtype(call, at) or default)
    if name in _SHAPED_LIKE:
        at = 2 if name == "full_like" else 1
        return g.Array(dtype or _dtype(call, at) or g.dtype_of(first) or "float64", _rank(first))
    if name == "arange":
        floats = "float64" in [g.dtype_of(a) for a in call.args]
        return g.Array(dtype or _dtype(call, 3) or ("float64" if floats else "int64"), 1)
    if name in ("linspace", "logspace", "geomspace", "hanning", "hamming", "fromfile"):
        return g.Array(dtype or "float64", 1)
    if name in ("eye", "identity", "tri", "diag"):
        return g.Array(dtype or "float64", 3 - _rank(first) if name == "diag" else 2)
    if name in ("array", "asarray", "ascontiguousarray", "frombuffer", "fromiter"):
        return _converted(first, dtype or _dtype(call, 1))
    if name == "meshgrid":
        dtypes = [g.dtype_of(a) or "float64" for a in call.args]
        return g.Row("list", tuple(g.Array(d, len(dtypes)) for d in dtypes))
    if name == "where" and len(call.args) == 3:
        rank = max(map(g.rank_of, call.args))
        return g.Array(g.promote(*call.args[1:]) or "float64", rank)
    if name in ("outer", "vstack", "stack", "column_stack"):
        both = call.args[:2] if name == "outer" else [g.item(first), None]
        return g.Array(g.promote(*both) or "float64", 2)
    if name in ("dot", "matmul", "vdot", "inner"):
        return g.binary(ast.MatMult(), *call.args[:2])
    return _elementwise(name, call, first, dtype)


def _rank(value: Any) -> int:
    return g.rank_of(value) or 1


def _converted(value: Any, dtype: str | None) -> Any:
    found = dtype or g.dtype_of(value) or "float64"
    return g.Array(found, _rank(value))


_FLOATS = (
    *("sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "arcsin"),
    *("arccos", "arctan", "sinh", "cosh", "tanh", "hypot", "arctan2", "cbrt", "true_divide"),
)
_QUESTIONS = ("isnan", "isinf", "isfinite", "logical_and", "logical_or", "logical_not")


def _elementwise(name: str, call: Call, first: Any, dtype: str | None) -> Any:
    """Infers the result of a ufunc, or of a function whose result is like the array it is given."""
    if first is None:
        return None
    if name in _REDUCTIONS + _SEARCHES + _TESTS + _INDICES + _FLAT:
        array = _converted(first, None)
        return method(array, name, call._replace(args=call.args[1:]))
    found = g.dtype_of(first)
    rank = max(g.rank_of(a) for a in call.args)
    if len(call.args) > 1:
        found = g.promote(*call.args[:2])
    if name in _FLOATS and found is not None and not found.startswith(("float", "complex")):
        found = "float64"
    if name in _QUESTIONS:
        found = "bool"
    if name in ("abs", "absolute"):
        found = real(g.Scalar(found)).dtype if found else None
    found = dtype or found or "float64"
    return g.Array(found, rank) if rank else g.Scalar(found)


def _generator(short: str) -> Any:
    made = {"default_rng": "Generator", "RandomState": "RandomState", "Generator": "Generator"}
    return g.Other(made[short]) if short in made else None


def _drawn(name: str, call: Call) -> Any:
    """Infers random numbers of NumPy's: a number, or an array of the `size`."""
    where = {"random": 0, "standard_normal": 0, "exponential": 1, "poisson": 1, "random_sample": 0}
    dtype = _dtype(call) or "float64"
    if name in ("integers", "randint", "poisson", "binomial", "geometric"):
        dtype = _dtype(call) or "int64"
    if name in ("rand", "randn"):
        size = g.Row("tuple", tuple(call.args)) if call.args else None
    elif name in ("permutation", "shuffle", "choice"):
        first = _first(call)
        found = first if isinstance(first, g.Array) else g.Array("int64", 1)
        if name == "choice" and call.get(1, "size") is None:
            return g.item(found)
        return found
    else:
        size = call.get(where.get(name, 2), "size")
    if size is None:
        return g.FLOAT if dtype == "float64" else g.Scalar(dtype)
    return _shaped(size, dtype)


# Methods of generators that native code knows.
DRAWN = {
    "random": (
        *("random", "uniform", "randint", "randrange", "choice"),
        *("gauss", "normalvariate", "expovariate"),
    ),
    "numpy.random": ("rand", "random", "random_sample", "uniform", "randint"),
    "numpy.random.Generator": ("random", "uniform"),
}
# By their classes.
MODULES = {
    "Random": "random",
    "RandomState": "numpy.random",
    "Generator": "numpy.random.Generator",
}


def draws(value: Any) -> str | None:
    """Gives the name of a generator's method that native code knows, such as `random.randint`; None
    for other methods.
    """
    match value:
        case g.Known(name):
            module, _, method = name.rpartition(".")
        case g.Method(g.Other(owner), str(method)):
            module = MODULES.get(owner, "")
        case _:
            return None
    return f"{module}.{method}" if method in DRAWN.get(module, ()) else None


# ---- Methods -------------------------------------------------------------------------------------


def method(owner: Any, name: str, call: Call) -> Any:
    """What a method of a library's type gives."""
    match owner:
        case g.Other("Random"):
            if name in ("randint", "randrange", "getrandbits"):
                return g.COUNT
            if name in ("choice", "sample"):
                inner = g.item(_first(call))
                return inner if name == "choice" else g.Many("list", inner)
            return g.FLOAT
        case g.Other("Generator" | "RandomState"):
            return _drawn(name, call)
        case g.Array() | g.Scalar():
            return _of_array(owner, name, call)
        case g.Many("list") | g.Row("list") if name in ("copy", "pop"):
            return owner if name == "copy" else g.item(owner)
        case g.Many() | g.Row() | g.Flat() if name in ("index", "count", "find"):
            return g.COUNT
        case g.Flat():
            return _of_text(owner, name)
        case g.Table(inner):
            rows = {"get": inner, "pop": inner, "values": g.Many("list", inner)}
            rows["items"] = g.Many("list", g.Row("tuple", (None, inner)))
            return rows.get(name)
        case g.Number(kind) if name == "bit_length" or kind == "complex":
            return g.COUNT if kind == "int" else owner
    return None


def _of_text(owner: g.Flat, name: str) -> Any:
    if name in ("split", "splitlines"):
        return g.Many("list", owner)
    if name in ("encode", "decode"):
        return g.BYTES if name == "encode" else g.TEXT
    return g.BOOL if name.startswith(("is", "starts", "ends")) else owner


def _of_array(owner: Any, name: str, call: Call) -> Any:
    dtype, rank = owner.dtype, g.rank_of(owner)
    if name == "astype":
        return _like(_dtype(call, 0) or dtype, rank)
    if name in ("tolist", "item"):
        kind = dtype.rstrip("0123456789").removeprefix("u")
        value: Any = {"int": g.INT, "float": g.FLOAT, "bool": g.BOOL}.get(kind, g.COMPLEX)
        for _ in range(rank if name == "tolist" else 0):
            value = g.Many("list", value)
        return value
    if name == "tobytes":
        return g.BYTES
    if name in _REDUCTIONS + _SEARCHES + _TESTS:
        return _reduced(dtype, rank, name, call)
    if name == "reshape":
        sizes = call.args[0] if len(call.args) == 1 else g.Row("tuple", tuple(call.args))
        return _shaped(sizes, dtype)
    if name in _INDICES:
        return g.Array("int64", 1)
    if name in _FLAT or name in ("flatten", "nonzero"):
        wide = "cumsum" in name and dtype.startswith(("int", "bool"))
        return g.Array("int64" if wide else dtype, 1)
    if name == "dot":
        return g.binary(ast.MatMult(), owner, _first(call))
    return owner


def _like(dtype: str, rank: int) -> Any:
    return g.Array(dtype, rank) if rank else g.Scalar(dtype)


def _reduced(dtype: str, rank: int, name: str, call: Call) -> Any:
    if name in _SEARCHES or (
        name in ("sum", "prod") and dtype in ("bool", "int32", "int16", "int8")
    ):
        dtype = "int64"
    if name in _TESTS:
        dtype = "bool"
    if name in ("mean", "std", "var", "median") and not dtype.startswith("float"):
        dtype = "float64"
    whole = call.get(0, "axis") is None and "keepdims" not in call.named
    return g.Scalar(dtype) if whole else _like(dtype, rank - ("keepdims" not in call.named))
