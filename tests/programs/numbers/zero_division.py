"""Division by zero: Python raises, NumPy warns and goes on, nobody crashes."""

import numpy as np
from showing import attempt, show

written = []


def divide(a, b, out):
    written[:] = [out]
    for i in range(len(a)):  # native
        out[i] = a[i] / b[i]
    return out


def floor_divide(a, b, out):
    written[:] = [out]
    for i in range(len(a)):  # native
        out[i] = a[i] // b[i]
    return out


def modulo(a, b, out):
    written[:] = [out]
    for i in range(len(a)):  # native
        out[i] = a[i] % b[i]
    return out


def div_mod(a, b):
    s = 0
    for i in range(len(a)):  # native
        q, r = divmod(a[i], b[i])
        s += q * 10 + r
    return s


def by_constant(a, k):
    s = 0
    for x in a:  # native
        s += x / k
    return s


def reciprocal(a):
    s = 0.0
    for x in a:  # native
        s += 1 / x
    return s


def reciprocal_float(a):
    s = 0.0
    for x in a:  # native
        s += 1.0 / x
    return s


def guarded(a, b, out):
    for i in range(len(a)):  # native
        if b[i] != 0:
            out[i] = a[i] / b[i]
        else:
            out[i] = -1
    return out


def guarded_expression(a, b):
    s = 0
    for i in range(len(a)):  # native
        s += a[i] // b[i] if b[i] else 7
        s += b[i] and a[i] % b[i]
    return s


def guarded_condition(a, b):
    n = 0
    for i in range(len(a)):  # native
        if b[i] != 0 and a[i] / b[i] > 1:
            n += 1
        if b[i] == 0 or a[i] // b[i] == 1:
            n += 100
    return n


def lowest(a, b):
    q = r = 0
    for i in range(len(a)):
        q = a[i] // b[i]
        r = a[i] % b[i]
    return q, r


def partial(a, b, out):
    k = -1
    try:
        for k in range(len(a)):  # native
            out[k] = a[k] // b[k]
    except ZeroDivisionError as error:
        return k, str(error), out
    return k, None, out


def harmonic(n, start):
    s = 0.0
    for i in range(start, n):  # native
        s += 1 / i
    return s


def inside_loops(A):
    s = 0.0
    for i in range(len(A)):  # native
        for j in range(len(A)):
            s += A[i][j] / (i - j + 10)
    for i in range(len(A)):  # native
        for j in range(len(A)):
            s += A[i][j] / (i + j - 2)
    return s


def modulo_index(a, n):
    s = 0
    for i in range(5):  # native
        s += a[i % n]
    return s


a = [6, -7, 8, 9]
z = [2, -3, 0, 4]
o = [0, 0, 0, 0]
fa, fz = [6.0, -7.5, 8.0, 0.0], [2.0, 0.5, 0.0, 4.0]
for f in (divide, floor_divide, modulo):
    for x, y in (
        (a, z),
        (fa, fz),
        (a, fz),
        (fa, z),
        (a, [1, 2, 3, 4]),
        (fa, [1.0] * 4),
        (a, [False] * 4),
    ):
        attempt(f, x, y, o[:])
        show("written", *written)
        attempt(f, np.array(x), np.array(y), np.zeros(4))
        show("written", *written)
        attempt(f, np.array(x), y, np.zeros(4))
        attempt(f, x, np.array(y), np.zeros(4))
    for t in (np.int8, np.int32, np.uint8, np.uint64, np.float32):
        attempt(f, np.abs(a).astype(t), np.abs(z).astype(t), np.zeros(4))
        attempt(
            f,
            np.abs(a).astype(t),
            np.abs(z).astype(t),
            np.zeros(4, dtype=np.int64 if t != np.float32 else t),
        )
for x, y in ((a, z), (fa, fz), (a, [1, 2, 3, 4])):
    attempt(div_mod, x, y)
    attempt(div_mod, np.array(x), np.array(y))
    show("guarded", guarded(x, y, [0.0] * 4), guarded(np.array(x), np.array(y), np.zeros(4)))
    show("guarded", guarded_expression(x, y), guarded_expression(np.array(x), np.array(y)))
    show("guarded", guarded_condition(x, y), guarded_condition(np.array(x), np.array(y)))
    show("partial", *partial(x, y, [0] * 4))
for k in (2, 0, 0.0, -0.0, np.float64(0), np.int64(0)):
    attempt(by_constant, a, k)
    attempt(by_constant, np.array(a), k)
    attempt(by_constant, np.array(fa), k)
for f in (reciprocal, reciprocal_float):
    for x in ([1, 2], [1.0, 0.0, 2.0], [-0.0, 1.0], [3, 0]):
        attempt(f, x)
        attempt(f, np.array(x))
        attempt(f, np.float32(x))
low = np.iinfo(np.int64).min
show(
    "lowest", *lowest(np.array([low]), np.array([-1])), *lowest([low], [-1]), *lowest([-low], [-1])
)
for t in (np.int8, np.int16, np.int32):
    show("lowest", *lowest(np.array([np.iinfo(t).min], dtype=t), np.array([-1], dtype=t)))
attempt(harmonic, 20, 1)
attempt(harmonic, 20, -5)
attempt(inside_loops, [[1.0, 2.0], [3.0, 4.0]])
attempt(inside_loops, np.ones((4, 4)))
attempt(modulo_index, [1, 2, 3], 3)
attempt(modulo_index, [1, 2, 3], 0)
attempt(modulo_index, np.arange(3), -2)
attempt(modulo_index, np.arange(3), np.int64(0))
