"""Something goes wrong somewhere in a long loop: what was done before is there, what comes after is not."""

import math
import traceback
import zlib

import numpy as np

PLACES = (0, 1, 7, 8, 63, 64, 500, 1501, 1999)
N = 2000


def digest(x):
    if isinstance(x, np.ndarray):
        return f"{zlib.crc32(np.ascontiguousarray(x).tobytes()):08x}"
    if isinstance(x, list):
        return f"{zlib.crc32(repr(x).encode()):08x}"
    return repr(x)


def by_index(a, p, out):
    for i in range(len(p)):  # native
        out[i] = out[i] * 2 + a[p[i]]
    return i


def by_division(a, p, out):
    for i in range(len(p)):  # native
        out[i] = out[i] + 1
        out[i] = a[i] / (p[i] - 7)
    return i


def by_floor(a, p, out):
    s = 0
    for i in range(len(p)):  # native
        s += i % (p[i] - 7)
        out[i] = s
    return s


def by_root(a, p, out):
    for i in range(len(p)):  # native
        out[i] += math.sqrt(4000000 - p[i])
        if i > 0:
            out[i - 1] = out[i] * 0.5
    return i


def by_log(a, p, out):
    t = 0.0
    for i in range(len(p)):  # native
        t += math.log(abs(p[i] - 7)) + math.exp(p[i] / 1e5)
        out[i] = t
    return t


def by_power(a, p, out):
    for i in range(len(p)):  # native
        out[i] = float(p[i]) ** 60
    return i


def nested(a, p, out):
    for i in range(20):  # native
        for j in range(100):
            k = i * 100 + j
            out[k] = a[p[k]] + out[k - 1]
        out[i] = -1
    return i, j, k


def by_check(a, p, out):
    for i in range(len(p)):  # native
        if p[i] > 10**6:
            out[i] = a[i + N]
        else:
            out[i] = a[i]
    return i


def reverse(a, p, out):
    for i in range(len(p) - 1, -1, -1):  # native
        out[i] = a[p[i]] + 1
    return i


def while_loop(a, p, out):
    i = 0
    while i < len(p):  # native
        out[i] = out[i] + a[p[i]]
        i += 1
    return i


def two_arrays(a, p, out):
    for i in range(len(p)):  # native
        a[i] = a[i] + 1
        out[p[i] % 2001 - 1 if p[i] < 10**5 else p[i]] = a[i]
    return i


def to_int(a, p, out):
    for i in range(len(p)):  # native
        out[i] = int(a[i] * 1e300 * (p[i] > 10**6) * 1e10)
    return i


FUNCTIONS = (
    by_index, by_division, by_floor, by_root, by_log, by_power, nested, by_check, reverse,
    while_loop, two_arrays, to_int,
)  # fmt: skip


def run(function, a, p, out):
    try:
        result = repr(function(a, p, out))
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        result = f"{type(error).__name__} {error} {frames[-1].lineno} {frames[-1].line}"
        caught = error.__traceback__.tb_next.tb_frame.f_locals
        result += " " + " ".join(f"{k}={v!r}" for k, v in sorted(caught.items()) if k in "ijkst")
    print(function.__name__, result, digest(a), digest(p), digest(out), sep="\n    ")


np.seterr(all="ignore")
for function in FUNCTIONS:
    for place in PLACES:
        for bad in (7, 5_000_000, -(10**7)):
            a = [k * 0.5 for k in range(N)]
            p = [(k * 37) % 1900 + 20 if k != place else bad for k in range(N)]
            run(function, a[:], p[:], [1.0] * N)
            run(function, a[:], p[:], [1] * N)
            run(function, np.array(a), np.array(p), np.ones(N))
            run(function, np.array(a), p[:], np.ones(N, np.float32))
            run(function, a[:], np.array(p, dtype=np.int32), [0] * N)
