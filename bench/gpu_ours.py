"""Five nests as anybody would write them, timed; bench/gpu_check.py runs this.

    nestwise run --device gpu --report=json --report-file F bench/gpu_ours.py [NAME=SIZE ...]

Prints a line of JSON for each: {"by", "name", "size", "seconds" of the calls after the first,
"kernel_seconds" of those by the card's clock, "checksum"}.
"""

import json
import math
import sys
import time

import nestwise
import numpy as np

SIZES = {
    "matmul": 2048,
    "stencil": 4096,
    "nbody": 65536,
    "reduction": 1 << 26,
    "black_scholes": 1 << 24,
}
CALLS = 3
STEPS = 20


def matmul(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s


def stencil(a, b, steps):
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i - 1, j] + a[i + 1, j])
        a, b = b, a


def nbody(x, y, z, m, ax, ay, az):
    for i in range(len(x)):
        fx = fy = fz = 0.0
        for j in range(len(x)):
            dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
            r2 = dx * dx + dy * dy + dz * dz + 0.01
            pull = m[j] / (r2 * math.sqrt(r2))
            fx += pull * dx
            fy += pull * dy
            fz += pull * dz
        ax[i], ay[i], az[i] = fx, fy, fz


def reduction(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


def black_scholes(s, k, t, call):
    for i in range(len(s)):
        root = 0.3 * math.sqrt(t[i])
        d1 = (math.log(s[i] / k[i]) + (0.02 + 0.045) * t[i]) / root
        d2 = d1 - root
        n1 = 0.5 * (1.0 + math.erf(d1 / math.sqrt(2.0)))
        n2 = 0.5 * (1.0 + math.erf(d2 / math.sqrt(2.0)))
        call[i] = s[i] * n1 - k[i] * math.exp(-0.02 * t[i]) * n2


def arguments(name, n):
    """(what it is called with, what tells its result)."""
    rng = np.random.default_rng(7)
    if name == "matmul":
        given = rng.random((n, n)), rng.random((n, n)), np.zeros((n, n))
        return given, given[2]
    if name == "stencil":
        given = rng.random((n, n)), np.zeros((n, n)), STEPS
        return given, given[0]
    if name == "nbody":
        given = (*rng.random((4, n)), *np.zeros((3, n)))
        return given, given[4]
    if name == "reduction":
        given = (rng.random(n),)
        return given, given[0]
    given = rng.random(n) + 1.0, rng.random(n) + 1.0, rng.random(n) + 0.1, np.zeros(n)
    return given, given[3]


def on_card():
    """Seconds that kernels have taken so far."""
    return sum(nest["transfers"]["seconds_kernels"] for nest in nestwise.report()["nests"])


def main():
    sizes = SIZES | {k: int(v) for k, v in (word.split("=") for word in sys.argv[1:])}
    functions = (matmul, stencil, nbody, reduction, black_scholes)
    for function in functions:
        name = function.__name__
        if sizes[name] == 0:
            continue
        given, told = arguments(name, sizes[name])
        taken, kernels = [], []
        for _ in range(CALLS):
            before = on_card()
            begun = time.perf_counter()
            result = function(*given)
            taken.append(time.perf_counter() - begun)
            kernels.append(on_card() - before)
        line = {"by": "nestwise", "name": name, "size": sizes[name]}
        line |= {"seconds": taken[1:], "kernel_seconds": kernels[1:]}
        line["checksum"] = float(np.sum(told)) if result is None else float(result)
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
