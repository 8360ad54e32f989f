"""Loops of all kinds over sizes around those of vectors and thread parts, in every dtype."""

import zlib

import numpy as np

SIZES = (0, 1, 2, 7, 8, 9, 63, 64, 65, 257, 1030)
TYPES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16")


def digest(x):
    if isinstance(x, np.ndarray):
        # Which NaN it is, is no one's promise.
        if x.dtype.kind in "fc":
            x = np.where(x == x, x, np.array(np.nan, x.dtype))
        return f"{x.dtype.str}{zlib.crc32(np.ascontiguousarray(x).tobytes()):08x}"
    if isinstance(x, (list, tuple)):
        return f"{type(x).__name__}{zlib.crc32(repr(x).encode()):08x}"
    return f"{type(x).__name__} {x!r}"


def axpy(a, b, out):
    for i in range(len(a)):  # native
        out[i] = a[i] * 3 + b[i]


def where(a, b, out):
    for i in range(len(a)):  # native
        if a[i] > b[i]:
            out[i] = a[i]
        elif a[i] == b[i]:
            out[i] = b[i] * 2
        else:
            out[i] = b[i] - a[i]


def stencil(a, b, out):
    for i in range(1, len(a) - 1):  # native
        out[i] = a[i - 1] + a[i + 1] - b[i]


def backwards(a, b, out):
    for i in range(len(a) - 1, -1, -1):  # native
        out[i] = a[i] + b[len(a) - 1 - i]


def strided(a, b, out):
    for i in range(0, len(a), 3):  # native
        out[i] = a[i] + b[i]


def gather(a, b, out):
    for i in range(len(a)):  # native
        out[i] = a[(i * 7) % len(a)] + b[i]


def prefix(a, b, out):
    for i in range(1, len(a)):  # native
        out[i] = out[i - 1] + a[i]


def divided(a, b, out):
    for i in range(len(a)):  # native
        if b[i] != 0:
            out[i] = a[i] // b[i]


def remainder(a, b, out):
    for i in range(len(a)):  # native
        if b[i] != 0:
            out[i] = a[i] % b[i]


def bits(a, b, out):
    for i in range(len(a)):  # native
        out[i] = (a[i] & b[i]) ^ (a[i] | b[i])


def sums(a, b, out):
    s = 0
    t = 0.0
    count = 0
    for i in range(len(a)):  # native
        s += a[i]
        t += a[i] * 0.5
        if a[i] > b[i]:
            count += 1
    return s, t, count


def extremes(a, b, out):
    if len(a) == 0:
        return None
    lo = hi = a[0]
    at = 0
    for i in range(len(a)):  # native
        lo = min(lo, a[i])
        if a[i] > hi:
            hi = a[i]
            at = i
    return lo, hi, at


def rows(a, b, out):
    n = int(len(a) ** 0.5)
    A = a[: n * n].reshape(n, n)
    for i in range(n):  # native
        s = 0
        for j in range(n):
            s += A[i, j] * b[j]
        out[i] = s


def columns(a, b, out):
    n = int(len(a) ** 0.5)
    A = out[: n * n].reshape(n, n)
    for j in range(n):  # native
        for i in range(1, n):
            A[i, j] = A[i - 1, j] + a[i]


def found(a, b, out):
    for i in range(len(a)):  # native
        if a[i] == b[-1]:
            return i
    return -1


def until(a, b, out):
    i = 0
    while i < len(a) and a[i] != b[0] + 1:  # native
        out[i] = a[i]
        i += 1
    return i


def squares(a, b, out):
    for i in range(len(a)):  # native
        out[i] = a[i] ** 2
    return out


def roots(a, b, out):
    for i in range(len(a)):  # native
        out[i] = np.sqrt(abs(a[i])) + np.floor(b[i])


def tables(a, b, out):
    hist = [0] * 16
    for i in range(len(a)):  # native
        hist[int(a[i]) & 15] += 1
    return hist


FUNCTIONS = (
    axpy, where, stencil, backwards, strided, gather, prefix, divided, remainder, bits, sums,
    extremes, rows, columns, found, until, squares, roots, tables,
)  # fmt: skip

np.seterr(all="ignore")
rng = np.random.default_rng(5)
for dtype in TYPES:
    kind = np.dtype(dtype).kind
    for function in FUNCTIONS:
        words = []
        for n in SIZES:
            low = 0 if kind == "u" else -6
            a = rng.integers(low, 7, n).astype(dtype)
            b = rng.integers(low, 7, n).astype(dtype)
            if kind in "fc":
                a = (a * np.array(0.37, dtype)).astype(dtype)
            out = np.ones(n, dtype)
            try:
                result = digest(function(a, b, out))
            except Exception as error:
                result = f"{type(error).__name__} {error}"
            words.append(f"{result} {digest(out)}")
            if n <= 65:
                lists = a.tolist(), b.tolist(), out.tolist()
                try:
                    result = digest(function(*lists))
                except Exception as error:
                    result = f"{type(error).__name__} {error}"
                words.append(f"{result} {digest(lists[2])}")
        print(dtype, function.__name__, *words, sep="\n    ")
