"""Functions of whole arrays under the names of operators, means and spreads of float32, extremes with NaN and zeros of both
signs among them, and NumPy's functions of arrays of every length."""

import warnings

import numpy as np

warnings.simplefilter("ignore")
random = np.random.default_rng(12)


def compared(a, b, out, marks, k):
    for i in range(k):
        less = np.less(a, b)
        out[less] = i
        marks[i % 4] += np.sum(np.greater_equal(a, 0.5 + 0.01 * i))
        marks[4] += np.sum(np.not_equal(b, a)) + np.sum(np.equal(a, a))
        marks[5] += np.sum(np.logical_and(np.less_equal(a, 0.3), np.greater(b, 0.2)))
        out += np.negative(b) * 0.25


def bits(m, n, out, k):
    for i in range(k):
        out[:] = np.bitwise_xor(np.bitwise_and(m, n), np.bitwise_or(m, i))


def numbers(x, y, k):
    s = 0
    for i in range(k):
        if np.less(x[i], y[i]) and not np.equal(x[i], 3):
            s += 1
        if np.greater(x[i], i):
            s += 10
        s += int(np.negative(y[i]) * 8)
    return s


def normed(x, k, eps):
    for _ in range(k):
        mean = np.mean(x, axis=0, keepdims=True)
        spread = np.std(x, axis=0, keepdims=True)
        x = (x - mean) / np.sqrt(spread + eps)
        x = np.maximum(x, 0) + np.float32(0.1)
    return x


def spreads(x, out, k):
    for i in range(k):
        out[i, 0] = np.mean(x[i])
        out[i, 1] = np.var(x[i])
        out[i, 2] = x[i].std()
        out[i, 3] = x[i, : i + 1].mean()
        out[i, 4] = np.sum(np.mean(x[: i + 1], axis=1))
        out[i, 5] = np.sum(np.var(x[: i + 2], axis=0, ddof=1))


def extremes(x, out, k):
    for i in range(k):
        out[i, 0] = np.max(x[i])
        out[i, 1] = np.min(x[i])
        out[i, 2] = np.max(x[i, i:])
        out[i, 3] = np.sum(np.max(x, axis=0)) - np.sum(np.min(x[: i + 1], axis=1))


def signs(x, out, k):
    for i in range(k):
        out[i] = np.max(x[i]) + 1 / np.min(x[i])


def elementary(x, out, k):
    for i in range(k):
        out[: i + 1] = np.exp(x[: i + 1]) - np.log(x[: i + 1] * x[: i + 1] + 0.5)
        out[i:] += np.sin(x[i:]) * np.tanh(x[i:]) + np.arctan2(x[i:], 0.5)


def softmax(x, out, k):
    for _ in range(k):
        top = np.max(x, axis=-1, keepdims=True)
        e = np.exp(x - top)
        out[:] = e / np.sum(e, axis=-1, keepdims=True)
        x = x + out


def products(a, b, c, k):
    for i in range(k):
        c += (a[i] @ b[i].T) * 0.125
        c[0] += np.dot(b[i], a[i][0])
    return c


for ty in (np.float64, np.float32):
    a, b = random.random((2, 40, 30)).astype(ty)
    out, marks = np.zeros((40, 30), ty), np.zeros(6, np.int64)
    compared(a, b, out, marks, 40)
    print(ty.__name__, out.sum(), marks.tolist())
    print(repr(numbers(a[:, 0] * 40, b[:, 1] * 40, 40)))
    x = normed(random.random((50, 7)).astype(ty), 30, 1e-5)
    print(x.dtype, x.tobytes().hex()[:64])
    out = np.zeros((30, 6), ty)
    spreads(random.random((31, 65)).astype(ty), out, 30)
    print(out.tobytes().hex()[-96:], float(out.sum()))
    x = random.standard_normal((33, 33)).astype(ty)
    out = np.zeros((33, 4), ty)
    extremes(x, out, 33)
    print(out.tobytes().hex()[-64:], float(out.sum()))
    x[7, 5] = np.nan
    x[9] = 0.0
    x[9, 1::3] = -0.0
    x[11] = -0.0
    x[12, 4] = np.inf
    extremes(x, out, 33)
    print(np.nan_to_num(out).sum(), [str(v) for v in out[7:13, 0]], np.signbit(out[9:12]).tolist())
    signs(x, out[:, 0], 33)
    print([str(v) for v in out[7:13, 0]])
    x = (random.standard_normal(203) * 3).astype(ty)
    out = np.zeros(203, ty)
    elementary(x, out, 203)
    print(out.tobytes().hex()[:96])
    x[::17] = [np.nan, np.inf, -np.inf, 1e3, -1e3, 0.0, -0.0, 710, -750, 88, -104, 5e-324][
        : len(x[::17])
    ]
    elementary(x, out, 203)
    print(np.isnan(out).sum(), np.nan_to_num(out, posinf=1, neginf=2).tobytes().hex()[:96])
    out = np.zeros((37, 19), ty)
    softmax(random.random((37, 19)).astype(ty), out, 20)
    print(out.tobytes().hex()[:96])
    a, b = random.random((2, 9, 6, 5)).astype(ty)
    print(products(a, b, np.zeros((6, 6), ty), 9).tobytes().hex()[:96])

m, n = random.integers(0, 1 << 40, (2, 64))
out = np.zeros(64, np.int64)
bits(m, n, out, 50)
print(out.sum(), numbers(m % 50, n % 50, 50))
flags = random.random((2, 64)) < 0.5
bits(flags[0], flags[1], out, 2)
print(out.sum())


def raised(x, k):
    """The flags that warn are those of CPython's operations."""
    caught = []
    for scale in (1.0, 1e3, 1e300):
        with warnings.catch_warnings(record=True) as log:
            warnings.simplefilter("always")
            y = np.zeros(len(x))
            for i in range(k):
                y[:] = np.exp(x * scale) - np.exp(x)
                y += 1.0 / (x + 3.0)
            caught.append((sorted({str(w.message) for w in log}), float(np.nan_to_num(y).max())))
    return caught


print(raised(random.random(77), 40))
