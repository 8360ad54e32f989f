"""complex128 arrays, Python complex numbers, and everything that can be done with them."""

import numpy as np
from showing import attempt, show


def arithmetic(a, b, c):
    for i in range(len(a)):  # native
        c[i] = a[i] * b[i] + a[i] - b[i] * 2 + 1j * a[i]
    return c


def quotients(a, b, c):
    for i in range(len(a)):  # native
        c[i] = a[i] / b[i]
        c[i] += a[i] / 2 + 1 / b[i]
    return c


def parts(a):
    s = 0.0
    for z in a:  # native
        s += z.real * 2 - z.imag
    return s, z


def magnitudes(a):
    s = 0.0
    for z in a:  # native
        s += abs(z)
    return s


def conjugates(a):
    s = 0j
    for z in a:
        s += z.conjugate() * z
    return s


def julia(points, c):
    total = 0
    for z in points:  # native
        k = 0
        while k < 40 and z.real * z.real + z.imag * z.imag < 4.0:
            z = z * z + c
            k += 1
        total += k
    return total, z


def escape(points):
    total = 0
    for c in points:  # native
        z = 0j
        for k in range(30):
            z = z * z + c
            if abs(z) > 2.0:
                break
        total += k
    return total


def build(n, out):
    for k in range(n):  # native
        z = complex(k, -0.5 * k)
        w = k + 2j
        out[k] = z * w
    return out, z, w


def compare(a, b):
    n = 0
    for i in range(len(a)):  # native
        if a[i] == b[i]:
            n += 1
        if a[i] != 0:
            n += 10
        if a[i]:
            n += 100
    return n


def butterfly(x, w):
    half = len(x) // 2
    for k in range(half):  # native
        t = w[k] * x[k + half]
        x[k + half] = x[k] - t
        x[k] = x[k] + t
    return x


def horner(coefficients, z):
    s = 0j
    for c in coefficients:  # native
        s = s * z + c
    return s


def sum_of(a):
    s = 0
    for z in a:  # native
        s += z
    t = 0.0
    for z in a:  # native
        t += z
    return s, t


def product_of(a):
    p = 1
    for z in a:  # native
        p *= z
    return p


def powers(a):
    s = 0j
    for z in a:
        s += z**2 + z**0.5 + z**-1
    return s


def negate(a, c):
    for i in range(len(a)):  # native
        c[i] = -a[i] + +a[i]
        c[i] -= -(a[i] * 1j)
    return c


def set_parts(a):
    for i in range(len(a)):
        a.real[i] = i
        a.imag[i] = -i
    return a


def order(a):
    for i in range(1, len(a)):
        if a[i] < a[i - 1]:
            return i


def into_float(a, out):
    for i in range(len(a)):
        out[i] = a[i]
    return out


def divide(a, b):
    s = 0
    for i in range(len(a)):  # native
        s = a[i] / b[i]
    return s


nan, inf = float("nan"), float("inf")
a = np.exp(1j * np.arange(20)) * np.linspace(0.1, 3, 20)
b = np.cos(np.arange(20)) + 1j * np.linspace(-1, 2, 20)
l, m = a.tolist(), b.tolist()
show("arithmetic", arithmetic(a, b, np.zeros_like(a)))
attempt(arithmetic, l, m, np.zeros_like(a))
show("quotients", quotients(a, b, np.zeros_like(a)))
show("parts", *parts(a), magnitudes(a), conjugates(a), *parts(l), magnitudes(l), conjugates(l))
show("julia", *julia(a, -0.4 + 0.6j), *julia(b, np.complex128(0.2 - 0.5j)), *julia(l, 0.1j))
show("escape", escape(a * 0.5), escape(m))
show("build", *build(12, np.zeros(12, dtype=complex)))
show("compare", compare(a, b), compare(a, a.copy()), compare(a * 0, b))
show("butterfly", butterfly(a.copy(), b))
show("horner", horner(a, 0.9 + 0.1j), horner([1, 2.5, 3j], 0.5 - 1j))
show("sums", *sum_of(a), product_of(a[:6]), *sum_of(l), product_of(l[:6]))
show("powers", powers(l[:5]), powers(a[:5]))
show("negate", negate(a, np.zeros_like(a)))
show("set_parts", set_parts(a.copy()))
attempt(order, a)
attempt(order, l)
attempt(into_float, l, np.zeros(20))
corner = [
    0j,
    1 + 0j,
    1j,
    -1j,
    complex(inf, 1),
    complex(1, -inf),
    complex(nan, 0),
    -0.0 - 0.0j,
    1e308 + 1e308j,
]
for z in corner:
    for w in corner:
        attempt(divide, [z], [w])
        show("product", product_of([z, w]), *sum_of([z, w]))
with np.errstate(all="ignore"):
    for z in corner:
        for w in corner:
            attempt(divide, np.array([z]), np.array([w]))
            show("product", product_of(np.array([z, w])))
z = np.array(corner[:4] + corner[7:8])
for w in (1 + 0j, 1e-310 + 0j, 2.5 - 3e200j, -3e-200 + 1j):
    show("divide", *(divide(np.array([v]), np.array([w])) for v in z))
    show("divide", *(divide([complex(v)], [w]) for v in z))
    show("abs", magnitudes([w, w * 2]), magnitudes(np.array([w, w * 2])))
