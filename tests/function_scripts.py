"""Scripts for test_floating_point.py: every function in every kind of loop, sums, errors."""

from __future__ import annotations

MATH = (
    "sqrt fabs exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh "
    "acosh atanh cbrt erf erfc"
).split()
MATH_TWO = ["atan2", "pow", "fmod", "copysign", "hypot"]
NUMPY = (
    "sqrt fabs rint exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh "
    "tanh arcsinh arccosh arctanh cbrt"
).split()
NUMPY_TWO = ["arctan2", "power", "fmod", "copysign", "hypot"]

HEAD = '''
import math
import sys

import numpy as np

EDGES = [0.0, 5e-324, 1e-310, 2.2e-308, 1e-300, 1e-150, 1e-20, 0.5, 0.9999, 1.0, 1.0625, 2.0, 15.0,
         26.0, 80.0, 700.0, 709.7, 745.0, 1e4, 1e6, 1e15, 1e22, 1e150, 1e300, 1.7e308, math.inf,
         math.nan]


def arguments(count, seed):
    """Edges, and random numbers of all sizes among them."""
    rng = np.random.default_rng(seed)
    edges = np.array(EDGES + [-v for v in EDGES])
    size = 10.0 ** rng.uniform(-12, 12, count // 4)
    parts = [edges, np.nextafter(edges, 0), rng.uniform(-1, 1, count // 4),
             rng.uniform(-30, 30, count // 4), rng.uniform(0, 700, count // 4), size, -size]
    found = np.concatenate(parts)
    rng.shuffle(found)
    return found


def accepted(function, dtype, *arrays):
    """The arguments for which nothing raises or warns; those with results that can be added."""
    with np.errstate(over="ignore", under="ignore"):
        arrays = [a.astype(dtype) for a in arrays]
    chosen = list(map(lambda *xs: judged(function, xs), *map(list, arrays)))
    every, some = np.array(chosen).T
    return [a[every] for a in arrays], [a[some] for a in arrays]


def judged(function, xs):
    try:
        with np.errstate(all="ignore"):
            result = function(*xs)
    except (ValueError, OverflowError, ZeroDivisionError):
        return False, False
    invalid = result != result and not any(map(math.isnan, xs))
    overflows = math.isinf(result) and all(map(math.isfinite, xs))
    fine = not invalid and not overflows
    return fine, fine and abs(result) < (1e290 if type(xs[0]) is np.float64 else 1e30)


def report(name, single, sums):
    """Results of single calls, and sums of many."""
    single, sums = (np.concatenate(list(map(np.atleast_1d, part))) for part in (single, sums))
    if SAVE is None:
        print(name, len(single), checksum(single), checksum(sums))
    else:
        SAVED[name], SAVED["sums " + name] = single, sums


def checksum(a):
    """Of the bits; every NaN is like every other."""
    import hashlib

    a = a.copy()
    a[a != a] = np.nan
    return hashlib.sha256(a.tobytes()).hexdigest()[:16]


SAVE = sys.argv[1] if len(sys.argv) > 1 else None
SAVED = {}
'''

ONE = """
def {name}(x, out):
    for i in range(len(x)):  # native
        out[i] = {call}(x[i])
    return out


def {name}_some(x, out):
    for i in range(len(x)):  # native
        if x[i] > 0.25:
            out[i] = {call}(x[i])
    return out


def {name}_sum(x, s):
    for i in range(len(x)):  # native
        s += {call}(x[i])
    return s


def {name}_rows(x, out):
    for i in range(x.shape[0]):  # native
        s = {zero}
        for j in range(x.shape[1]):
            s = s * {half} + {call}(x[i, j])
        out[i] = s
    return out


every, some = accepted({call}, {dtype}, arguments({count}, {seed}))
rows = some[0][: len(some[0]) // 9 * 9].reshape(-1, 9)
single = [{name}(every[0], np.zeros(len(every[0]), {dtype})),
          {name}_some(every[0], np.zeros(len(every[0]), {dtype}))]
sums = [{name}_sum(some[0], {zero}), {name}_rows(rows, np.zeros(len(rows), {dtype}))]
report("{name}", single, sums)
"""

TWO = """
def {name}(x, y, out):
    for i in range(len(x)):  # native
        out[i] = {call}
    return out


def {name}_sum(x, y, s):
    for i in range(len(x)):  # native
        s += {call}
    return s


given = arguments({count}, {seed}), arguments({count}, 1 + {seed})
every, some = accepted(lambda a, b: {scalar}, {dtype}, *given)
report("{name}", [{name}(*every, np.zeros(len(every[0]), {dtype}))], [{name}_sum(*some, {zero})])
"""

TAIL = """
if SAVE is not None:
    np.savez(SAVE, **SAVED)
"""


def _cases(numpy: bool, dtype: str):
    """Names, templates and fields of all functions of a module for arguments of a type."""
    module = "np" if numpy else "math"
    zero, half = ("0.0", "0.5") if dtype == "np.float64" else ("np.float32(0)", "np.float32(0.5)")
    common = {"dtype": dtype, "zero": zero, "half": half}
    kind = f"{module}_{dtype[-2:]}"
    for function in NUMPY if numpy else MATH:
        yield ONE, {"name": f"{function}_{kind}", "call": f"{module}.{function}", **common}
    for function in NUMPY_TWO if numpy else MATH_TWO:
        fields = {
            "call": f"{module}.{function}(x[i], y[i])",
            "scalar": f"{module}.{function}(a, b)",
        }
        yield TWO, {"name": f"{function}_{kind}", **fields, **common}


def functions(count: int) -> str:
    """A script that calls all functions on `count` random numbers and on edges, and prints what
    tells results apart (or saves them, if given a file name)."""
    text = HEAD
    cases = [*_cases(False, "np.float64"), *_cases(True, "np.float64"), *_cases(True, "np.float32")]
    power = {"call": "x[i] ** y[i]", "scalar": "a**b", "zero": "0.0", "dtype": "np.float64"}
    cases.append((TWO, {"name": "operator_64", **power}))
    for seed, (template, fields) in enumerate(cases):
        text += template.format(count=count, seed=seed, **fields)
    return text + TAIL


WARNINGS = """
import math

import numpy as np


def show(function, x):
    out = np.zeros(len(x), x.dtype)
    try:
        function(x, out)
    except (ValueError, OverflowError) as error:
        print(function.__name__, "raises", type(error).__name__, error)
    kinds = map(lambda v: "n" if v != v else "i" if math.isinf(v) else ".", out.tolist())
    print(function.__name__, "".join(kinds))

"""

WARNING = """
def {name}(x, out):
    for i in range(len(x)):  # native
        out[i] = {call}(x[i])


ordinary = np.full(50, {ordinary}, {dtype})
for bad in ({bad}):
    x = ordinary.copy()
    show({name}, x)
    x[37] = bad
    show({name}, x)
"""

BAD = {
    "exp": "1000.0, -1000.0, math.nan",
    "expm1": "1000.0, -0.0",
    "exp2": "2000.0, math.inf",
    "log": "0.0, -1.0, math.nan, math.inf",
    "log2": "0.0, -1.0",
    "log10": "0.0, -1.0",
    "log1p": "-1.0, -2.0",
    "sin": "math.inf, math.nan",
    "tan": "math.inf, -math.inf",
    "arcsin": "1.5, math.nan",
    "arccos": "-1.5",
    "arctanh": "1.0, -1.0, 2.0",
    "arccosh": "0.5",
    "sinh": "1000.0",
    "cosh": "1000.0, math.inf",
}
RENAMED = {"arcsin": "asin", "arccos": "acos", "arctanh": "atanh", "arccosh": "acosh"}


def domains() -> str:
    """A script of calls with arguments that raise or warn, one among many ordinary ones."""
    text = WARNINGS
    for name, bad in BAD.items():
        for module, dtype in (("math", "float"), ("np", "np.float64"), ("np", "np.float32")):
            call = f"{module}.{RENAMED.get(name, name) if module == 'math' else name}"
            text += WARNING.format(
                name=f"{name}_{module}_{dtype[-2:]}",
                call=call,
                ordinary="1.5" if name == "arccosh" else "0.5",
                dtype=dtype,
                bad=bad + ",",
            )
    return text


REDUCTIONS = """
import math

import numpy as np


def total(x, s):
    for i in range(len(x)):  # native
        s += x[i]
    return s


def mean_and_variance(x):
    s = 0.0
    for i in range(len(x)):  # native
        s += x[i]
    mean = s / len(x)
    v = 0.0
    for i in range(len(x)):  # native
        v += (x[i] - mean) * (x[i] - mean)
    return mean, v / (len(x) - 1)


def product(x):
    p = 1.0
    for i in range(len(x)):  # native
        p *= x[i]
    return p


def least(x, m):
    for i in range(len(x)):  # native
        if x[i] < m:
            m = x[i]
    return m


def greatest(x, m):
    for i in range(len(x)):  # native
        m = max(m, x[i])
    return m


def greatest_turned(x, m):
    for i in range(len(x)):  # native
        m = max(x[i], m)
    return m


def propagated(x, m):
    for i in range(len(x)):  # native
        m = np.minimum(m, x[i])
    return m


def dots(a, b, out):
    for i in range(a.shape[0]):  # native
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            out[i, j] = s
    return out


def column_sums(a, out):
    for i in range(a.shape[0]):  # native
        for j in range(a.shape[1]):
            out[j] += a[i, j]
    return out


def whole(x):
    n = 0
    for i in range(len(x)):  # native
        n += int(x[i] * 16) * 3
    return n


rng = np.random.default_rng(5)
for size in (1, 2, 7, 64, 1000, 60_001):
    x = rng.standard_normal(size) * 10.0 ** rng.integers(-6, 6, size)
    y = x.copy()
    y[::3] = -0.0
    y[1::3] = 0.0
    z = x.copy()
    z[size // 2] = math.nan
    for data in (x, y, z):
        show(size, total(data, 0.0), total(data.astype(np.float32), np.float32(0)))
        show(least(data, math.inf), greatest(data, -math.inf))
        show(greatest_turned(data, -math.inf), propagated(data, math.inf))
    show(product(1 + x * 1e-7), whole(x))
    if size > 1:
        show(*mean_and_variance(x))
a, b = rng.standard_normal((70, 90)), rng.standard_normal((90, 50))
show(dots(a, b, np.zeros((70, 50))).sum(), column_sums(a, np.zeros(90)).tobytes().hex())
"""

EXACT = """
import sys


def show(*values):
    print(*(v if isinstance(v, (str, int)) else float(v).hex() for v in values))

"""


def reductions() -> str:
    """A script of sums, products and extremes, with every NaN and zero where it may matter."""
    return EXACT.lstrip() + REDUCTIONS


FAST = """
import math
import sys

import numpy as np


def total(x, s):
    for i in range(len(x)):  # native
        s += x[i]
    return s


def dot(x, y, s):
    for i in range(len(x)):  # native
        s += x[i] * y[i]
    return s


def least(x, m):
    for i in range(len(x)):  # native
        if x[i] < m:
            m = x[i]
    return m


def counted(x):
    n = 0
    for i in range(len(x)):  # native
        n += int(x[i] * 16) * 3
    return n


def fused(x, y, z, out):
    for i in range(len(x)):  # native
        out[i] = x[i] * y[i] + z[i]
    return out


rng = np.random.default_rng(11)
found = {}
for size in (7, 1000, 40_001):
    x, y, z = (rng.standard_normal(size) * 10.0 ** rng.integers(-3, 3, size) for _ in range(3))
    found[f"x{size}"], found[f"y{size}"], found[f"z{size}"] = x, y, z
    found[f"total{size}"] = np.float64(total(x, 0.0))
    found[f"total32{size}"] = total(x.astype(np.float32), np.float32(0))
    found[f"dot{size}"] = np.float64(dot(x, y, 0.0))
    found[f"fused{size}"] = fused(x, y, z, np.zeros(size))
    found[f"counted{size}"] = np.int64(counted(x))
    found[f"least{size}"] = np.float64(least(x, math.inf))
    for name, bad in (("nan", math.nan), ("inf", math.inf)):
        w = x.copy()
        w[size // 2] = bad
        found[f"{name}{size}"] = np.float64(total(w, 0.0))
        found[f"{name}least{size}"] = np.float64(least(w, math.inf))
    w[0] = -math.inf
    # Nothing warns: Python floats.
    found[f"both{size}"] = np.float64(total(w.tolist(), 0.0))
np.savez(sys.argv[1], **found)
"""


def fast() -> str:
    """A script that saves sums and their terms, fused products, ints and extremes."""
    return FAST.lstrip()
