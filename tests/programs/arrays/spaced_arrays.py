"""Loops over np.linspace and np.arange, and arrays of them: every bit, every type, no element, one, and many."""

import numpy as np


def spaced(a, b, n):
    out = np.zeros(n + 1)
    x = None
    for i, x in enumerate(np.linspace(a, b, n)):  # native
        out[i] = x
    same = out[:n].tobytes() == np.linspace(a, b, n).tobytes()
    return same, type(x).__name__, None if x is None else x.hex()


ENDS = [(0, 1), (1, 0), (-2.0, 0.7), (0.1, 0.3), (3, 3), (-0.0, 0.0), (1e300, -1e300), (1e-5, 1e7),
        (np.float64(0.3), 2), (7, 10**6), (5e-324, 1e-320), (1.0, np.nextafter(1.0, 2.0))]  # fmt: skip
for a, b in ENDS:
    print(a, b, [spaced(a, b, n) for n in (0, 1, 2, 3, 7, 50, 1001)])


def too_close(a, b, n):
    out = np.zeros(n)
    for i, x in enumerate(np.linspace(a, b, n)):
        out[i] = x
    return [v.hex() for v in out]


# The step is no float other than zero.
print(too_close(0.0, 5e-324, 4), too_close(5e-324, 0.0, 9))


def usual(a, b):
    s = 0.0
    for x in np.linspace(a, b):  # native
        s += x
    return s.hex(), x.hex()


print(usual(0, 1), usual(-1.5, 2))


def image(w, h, limit):
    out = np.zeros((h, w), dtype=int)
    for i, y in enumerate(np.linspace(-1.2, 1.2, h)):  # native throughout
        for j, x in enumerate(np.linspace(-2, 1, w)):
            c = complex(x, y)
            z = 0j
            n = 0
            while abs(z) < 2 and n < limit:
                z = z * z + c
                n += 1
            out[i, j] = n
    return out.sum(), x, y


print(image(40, 30, 60))


def subscripts(n):
    t = np.linspace(0, 1, n)
    s = 0.0
    for k in range(n):  # native
        u = np.linspace(0, 2, n)
        s += t[k] * u[n - 1 - k]
    return s.hex()


print(subscripts(9))


def places(n):
    s, kinds = 0, ""
    for k in np.arange(n):  # native
        s += k * k
    for i, k in zip(range(n), reversed(np.arange(n))):  # native
        s += i * k
    return s, type(s).__name__


print(places(1), places(30))


def constants(n):
    s = 0.0
    for x in np.zeros(n) + 0.25:  # native
        s += x
    for v in np.array([1.5, 2.5, 4.0]):  # native
        s *= v
    return s.hex()


print(constants(1), constants(12))


def stored_meanwhile(n):
    a = np.arange(float(n))
    for x in a + 1:  # cpython
        a[0] = x
    return a[0]


print(stored_meanwhile(6))


def broken_off(n):
    for x in np.linspace(0, 1, n):  # native
        if x > 0.5:
            break
    else:
        return "through"
    return x.hex()


print(broken_off(11), broken_off(1))


def bad(n):
    try:
        for x in np.linspace(0, 1, n):
            n += 1
    except ValueError as e:
        return str(e)
    return n


print(bad(-3), bad(3))
