"""The worst errors, in units in the last place, of functions under `--fp faithful`.

    python bench/ulps.py [--count 200000] [--write]

Each function runs over its range in a loop under nestwise, with `--fp strict` and with
`--fp faithful`: random numbers evenly spread, by magnitude and near 0 and 1, and the ends of the
range. Results are compared with long doubles, whose own error is below a thousandth of a double's
unit; the worst of them (a sample of all, where there is no such function) with mpmath's, computed
to 60 digits. A unit is that of the correct result, at least the smallest number of full precision.
`--write` puts the table into docs/results/function_errors.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

import mpmath
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "results" / "function_errors.md"
BEGIN, END = "<!-- ulps -->", "<!-- end of ulps -->"
# Worst arguments by long doubles that are looked at with mpmath.
LOOKED_AT = 40
# Arguments of functions that NumPy has no long double form of.
WITHOUT = 6_000

# Name in math, name in NumPy, the ends of its range for doubles and for float32. Arguments outside
# of it take the same functions as under `strict`.
RANGES = {
    "exp": ("exp", (-700, 700), (-80, 80)),
    "exp2": ("exp2", (-1000, 1000), (-120, 120)),
    "expm1": ("expm1", (-700, 700), (-80, 80)),
    "log": ("log", (1e-300, 1e300), (1e-30, 1e30)),
    "log2": ("log2", (1e-300, 1e300), (1e-30, 1e30)),
    "log10": ("log10", (1e-300, 1e300), (1e-30, 1e30)),
    "log1p": ("log1p", (-0.9999, 1e300), (-0.9999, 1e30)),
    "sin": ("sin", (-1e4, 1e4), (-1e4, 1e4)),
    "cos": ("cos", (-1e4, 1e4), (-1e4, 1e4)),
    "tan": ("tan", (-1e4, 1e4), (-1e4, 1e4)),
    "asin": ("arcsin", (-0.999999, 0.999999), (-0.999999, 0.999999)),
    "acos": ("arccos", (-0.999999, 0.999999), (-0.999999, 0.999999)),
    "atan": ("arctan", (-1e150, 1e150), (-1e18, 1e18)),
    "sinh": ("sinh", (-700, 700), (-80, 80)),
    "cosh": ("cosh", (-700, 700), (-80, 80)),
    "tanh": ("tanh", (-1e300, 1e300), (-1e30, 1e30)),
    "asinh": ("arcsinh", (-1e15, 1e15), (-1e6, 1e6)),
    "acosh": ("arccosh", (1.0625, 1e15), (1.0625, 1e6)),
    "atanh": ("arctanh", (-0.9999, 0.9999), (-0.9999, 0.9999)),
    "cbrt": ("cbrt", (-1e300, 1e300), (-1e30, 1e30)),
    "erf": (None, (-1e300, 1e300), None),
    "erfc": (None, (-1e300, 26), None),
    "atan2": ("arctan2", (-1e150, 1e150), (-1e18, 1e18)),
    "pow": ("power", (2.0**-64, 2.0**64), (2.0**-16, 2.0**16)),
}
# The second argument's, where it is another range.
SECOND = {"pow": ((-15, 15), (-7, 7))}
TWO = ("atan2", "pow")

LOOP = """
def {name}({arguments}, out):
    for i in range(len(x)):
        out[i] = {call}
    return out


"""
SCRIPT_HEAD = """import math
import sys

import numpy as np

given = np.load(sys.argv[1])
found = {}
"""
SCRIPT_TAIL = "np.savez(sys.argv[2], **found)\n"


def arguments(ends: tuple[float, float], dtype: type, count: int, seed: int) -> np.ndarray:
    """Numbers of a range: even, by magnitude, near 0, near 1, everyday ones, and its ends."""
    low, high = map(float, ends)
    rng = np.random.default_rng(seed)
    part = count // 5
    tiny = float(np.finfo(dtype).tiny)

    def sizes(most: float) -> np.ndarray:
        least = low if low > 0 else tiny
        return np.exp(rng.uniform(np.log(least), np.log(most), part))

    signed = np.where(rng.random(part) < 0.5, 1.0, -1.0) if low < 0 else np.ones(part)
    parts = [
        rng.uniform(low, high, part) if high < 1e20 else rng.uniform(low, 1e20, part) % 1e5,
        sizes(high) * signed,
        rng.uniform(-1, 1, part) * 2.0 ** rng.integers(-12, 4, part),
        1 + rng.standard_normal(part) * 1e-3,
        rng.uniform(-25, 25, part),
    ]
    parts = [np.clip(p, low, high) for p in parts]
    ends_and_zero = [low, high, *([0.0, -0.0, tiny, -tiny] if low < 0 else [])]
    every = np.concatenate([*parts, ends_and_zero]).astype(dtype)
    inside = (every.astype(float) >= low) & (every.astype(float) <= high)
    return every[inside]


def cases(count: int):
    """Key, loop, arguments, function."""
    for seed, (name, (numpy_name, doubles, floats)) in enumerate(RANGES.items()):
        for kind, dtype, ends in (("math", np.float64, doubles), ("np", np.float32, floats)):
            if ends is None or (kind == "np" and numpy_name is None):
                continue
            function = f"math.{name}" if kind == "math" else f"np.{numpy_name}"
            first = arguments(ends, dtype, count, seed)
            given = [first]
            if name in TWO:
                other = SECOND.get(name, (doubles, floats))[kind == "np"]
                second = arguments(other, dtype, count, seed + 1000)
                np.random.default_rng(seed).shuffle(second)
                length = min(len(first), len(second))
                given = [first[:length], second[:length]]
                if name == "atan2":
                    least = 1e-150 if dtype is np.float64 else 1e-18
                    keep = (np.abs(given[0]) >= least) & (np.abs(given[1]) >= least)
                    given = [a[keep] for a in given]
            two = len(given) == 2
            loop = LOOP.format(
                name=f"{name}_{kind}",
                arguments="x, y" if two else "x",
                call=f"{function}(x[i], y[i])" if two else f"{function}(x[i])",
            )
            yield f"{name}_{kind}", loop, given


def computed(mode: str, text: str, given: dict[str, np.ndarray], folder: Path) -> dict:
    """What the script gives under a mode; every loop must have run natively."""
    script, inputs, outputs = (folder / n for n in ("all.py", "given.npz", f"{mode}.npz"))
    script.write_text(text)
    np.savez(inputs, **given)
    report = folder / "report.json"
    words = [sys.executable, "-m", "nestwise", "run", "--device", "serial", "--fp", mode]
    words += ["--report=json", "--report-file", report, script, inputs, outputs]
    subprocess.run(list(map(str, words)), check=True, env=dict(os.environ, NESTWISE_NO_CACHE="1"))
    for nest in json.loads(report.read_text())["nests"]:
        if nest["fallbacks"] or not nest["launches"]:
            raise SystemExit(f"{mode}: line {nest['line']} did not run natively: {nest}")
    with np.load(outputs) as found:
        return dict(found)


def reference(name: str, xs: list) -> mpmath.mpf:
    if name in ("exp2", "log2", "log10", "cbrt"):
        x = mpmath.mpf(float(xs[0]))
        if name == "exp2":
            return mpmath.power(2, x)
        if name == "cbrt":
            return mpmath.sign(x) * mpmath.cbrt(abs(x))
        return mpmath.log(x, 2 if name == "log2" else 10)
    known = {"pow": mpmath.power}
    function = known.get(name) or getattr(mpmath, name)
    return function(*(mpmath.mpf(float(x)) for x in xs))


def exact_ulps(name: str, xs: list, got, dtype: type) -> float:
    right = reference(name, xs)
    info = np.finfo(dtype)
    size = max(abs(right), mpmath.mpf(float(info.tiny)))
    unit = mpmath.ldexp(1, int(mpmath.floor(mpmath.log(size, 2))) - info.nmant)
    return float(abs(mpmath.mpf(float(got)) - right) / unit)


def near_ulps(name: str, given: list[np.ndarray], got: np.ndarray) -> np.ndarray | None:
    """Errors by long doubles; None where NumPy lacks the function."""
    numpy_name = RANGES[name][0]
    if numpy_name is None:
        return None
    with np.errstate(all="ignore"):
        right = getattr(np, numpy_name)(*(a.astype(np.longdouble) for a in given))
        info = np.finfo(got.dtype)
        size = np.maximum(np.abs(right), np.longdouble(info.tiny))
        unit = np.ldexp(np.longdouble(1), np.frexp(size)[1] - 1 - info.nmant)
        return (np.abs(got.astype(np.longdouble) - right) / unit).astype(float)


def worst(name: str, given: list[np.ndarray], got: np.ndarray) -> tuple[float, list[float]]:
    near = near_ulps(name, given, got)
    if near is None:
        step = max(1, len(got) // WITHOUT)
        chosen = list(range(0, len(got), step)) + list(range(len(got) - 6, len(got)))
    else:
        chosen = np.argsort(near)[-LOOKED_AT:].tolist()
    found = [(exact_ulps(name, [a[k] for a in given], got[k], got.dtype.type), k) for k in chosen]
    ulps, at = max(found)
    return ulps, [float(a[at]) for a in given]


def table(rows: dict[str, dict[str, tuple[float, list[float]]]]) -> list[str]:
    lines = [
        "| function | range | `math`, strict | faithful | at | `np` float32, strict | faithful |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, (_, doubles, _) in RANGES.items():
        row = rows[name]
        where = ", ".join(f"{v:.6g}" for v in row["math faithful"][1])
        cells = [f"{row[k][0]:.2f}" if k in row else "" for k in ("np strict", "np faithful")]
        both = f"{doubles[0]:g} to {doubles[1]:g}"
        if name == "pow":
            both += ", exponents -15 to 15"
        math_cells = [f"{row[k][0]:.2f}" for k in ("math strict", "math faithful")]
        lines.append(
            f"| `{name}` | {both} | {' | '.join(math_cells)} | {where} | {' | '.join(cells)} |"
        )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200_000, help="arguments per function")
    parser.add_argument("--write", action="store_true", help="into docs/results/function_errors.md")
    options = parser.parse_args()
    mpmath.mp.dps = 60
    text, given, all_cases = SCRIPT_HEAD, {}, []
    for key, loop, arrays in cases(options.count):
        text += loop
        names = [f"{key}_{k}" for k in range(len(arrays))]
        given |= dict(zip(names, arrays, strict=True))
        reads = ", ".join(f"given['{n}']" for n in names)
        text += f"found['{key}'] = {key}({reads}, np.zeros_like(given['{names[0]}']))\n"
        all_cases.append((key, arrays))
    text += SCRIPT_TAIL
    rows: dict[str, dict] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for mode in ("strict", "faithful"):
            found = computed(mode, text, given, Path(scratch))
            for key, arrays in all_cases:
                name, kind = key.rsplit("_", 1)
                result = worst(name, arrays, found[key])
                rows.setdefault(name, {})[f"{kind} {mode}"] = result
                print(f"{mode:9} {kind:5} {name:6} {result[0]:.3f} at {result[1]}", flush=True)
    lines = table(rows)
    print("\n".join(lines))
    if options.write:
        before, rest = DOCUMENT.read_text().split(BEGIN)
        after = rest.split(END)[1]
        libraries = f"glibc {platform.libc_ver()[1]} and NumPy {np.__version__}"
        where = f"{date.today()}: {libraries}, {options.count} arguments each."
        body = "\n".join([BEGIN, where, "", *lines, END])
        DOCUMENT.write_text(before + body + after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
