"""NumPy's warnings of operations whose operands are known before anything runs."""

import warnings

import numpy as np

n = 6
flags = np.arange(n) % 2 == 0
negative = np.array([-1.0, 4.0, -1.0, 4.0, 4.0, 0.0, -2.0, 1.0])


def told(f, *args):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            result = f(*args)
        except ValueError as error:
            result = error
    print(f.__name__, repr(result), [str(w.message) for w in found])


def truth(x):
    k = 0
    for i in range(len(x)):  # native
        if np.sqrt(x[i]):
            k += 1
    return k


def named_truth(x):
    k = 0
    for i in range(len(x)):  # native
        root = np.sqrt(x[i])
        if not root:
            k += 1
        root = 1.0
    return k, root


def of_constants(n):
    k = 0
    for i in range(n):
        large = np.float64(1e300)
        k += large * 1e10 > 1.0
    return k


def by_branches(flags):
    k = 0
    for i in range(len(flags)):  # native
        if flags[i]:
            large = np.float64(1e300)
        else:
            large = np.float64(2.0)
        k += large * 1e10 > 1.0
    return k


def by_choice(flags):
    s = 0.0
    for i in range(len(flags)):  # native
        large = np.float64(1e300) if flags[i] else np.float64(2.0)
        s += large * 1e10
    return s


def by_truth(flags):
    s = 0.0
    for i in range(len(flags)):  # native
        s += flags[i] * 1e300 * 1e10
    return s


def by_elements(a):
    s = 0.0
    for i in range(len(a)):
        a[i] = 1e300
        s += a[i] * 1e10
    return s


def of_float32(f):
    for i in range(len(f)):
        f[i] = np.float32(1e30) * np.float32(1e30)
    return f[0]


def differences(n):
    s = 0.0
    for i in range(n):  # native
        large = np.float64(np.inf) if i % 2 else np.float64(1.0)
        s += (large - large) * 0.0
    return s


def roots(n):
    k = 0
    for i in range(n):  # native
        small = np.float64(-4.0) if i % 2 else np.float64(4.0)
        k += np.sqrt(small) > 1.0
    return k


def small(n):
    s = 0.0
    for i in range(n):  # native
        s += np.float64(1e-300) * 1e-300
    return s


def whole(a):
    s = 0.0
    for i in range(3):
        z = np.ones_like(a) * 1e308 * 10
        s += z[0]
    return s


def into_nothing(m, x):
    for i in range(3):
        m[i, 3:3] = x
    return m.sum()


def lengths(a, b):
    for i in range(len(a)):  # native
        h = np.hypot(a[i], b[i])
        t = np.arctan2(a[i], b[i])
    return h, h.dtype, t, t.dtype


told(truth, negative)
told(named_truth, negative)
told(of_constants, n)
told(by_branches, flags)
told(by_choice, flags)
told(by_truth, flags)
told(by_elements, np.zeros(n))
told(of_float32, np.zeros(n, np.float32))
told(differences, n)
told(roots, n)
told(small, n)
with np.errstate(under="raise"):
    try:
        print(small(n))
    except FloatingPointError as error:
        print(error)
told(whole, np.zeros(n))
for value in (np.float64(1.5), np.float64(np.nan), 2, np.int8(3)):
    told(into_nothing, np.ones((3, 4), int), value)
told(lengths, np.arange(4, dtype=np.uint16), np.arange(4, dtype=np.int16))
told(lengths, np.arange(4, dtype=np.int8), np.arange(4, dtype=np.uint16))
told(lengths, np.arange(4, dtype=np.int16), np.arange(4, dtype=np.int32))
