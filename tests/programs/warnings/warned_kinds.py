"""NumPy's warnings of unused values of every kind: functions, conversions, complex, float32.

One iteration has operands that warn, and is often one in which the value is not needed.
"""

import warnings

import numpy as np
from showing import show


def last_inner32(a, b, c, out):
    a = a.astype(np.float32)
    b = b.astype(np.float32)
    for k in range(4):  # native
        t = np.float32(0.0)
        for i in range(len(a)):
            t = a[i] - b[i]
        out[k] = t


def sign(a, b, c, out):
    for i in range(len(a)):  # native
        out[i] = np.copysign(1.0, (a[i] + b[i]) * (a[i] + b[i]))


def square_sign(a, b, c, out):
    for i in range(len(a)):  # native
        out[i] = np.sign(a[i] - b[i])


def nans(a, b, c, out):
    for i in range(len(a)):  # native
        out[i] = np.isnan(a[i] - b[i])


def real_only(a, b, c, out):
    z = a + 0j
    z.imag = b
    for i in range(len(a)):  # native
        out[i] = (z[i] * z[i]).real


def imag_only(a, b, c, out):
    z = a + 0j
    w = 0j + b
    for i in range(len(a)):  # native
        d = z[i] - w[i]
        out[i] = d.imag


def counter_last(a, b, c, out):
    p = np.float64(3e306)
    n = len(a)
    t = p
    for i in range(n):  # native
        t = p * (n - i)
        out[i] = 1.0
    out[0] = t


def min_unused(a, b, c, out):
    for i in range(len(a)):  # native
        t = a[i] - b[i]
        u = min(t, 3.0)
        if c[i] > 0:
            out[i] = u


def casts(a, b, c, out):
    for i in range(len(a)):  # native
        t = np.float32((1.0 - c[i]) * 1e300)
        if c[i] > 0:
            out[i] = t


def roots(a, b, c, out):
    for i in range(len(a)):  # native
        t = np.sqrt(c[i])
        if c[i] > 0:
            out[i] = t


def zero_masked(a, b, c, out):
    for i in range(len(a)):  # native
        out[i] = (a[i] - b[i]) * 0.0


def int_of(a, b, c, out):
    for i in range(len(a)):  # native
        k = np.int64((1.0 - c[i]) * 1e300)
        out[i] = 1.0 if c[i] <= 0 else k * 0


def floored(a, b, c, out):
    for i in range(len(a)):  # native
        t = a[i] // c[i]
        if c[i] > 0:
            out[i] = t


def powers(a, b, c, out):
    for i in range(len(a)):  # native
        t = (a[i] * 1e200) ** 2
        if c[i] > 0:
            out[i] = t


def finite(a, b, c, out):
    for i in range(len(a)):  # native
        out[i] = np.isfinite((a[i] + 1e300) * 1e300)


def absolute(a, b, c, out):
    for i in range(len(a)):  # native
        z = complex(a[i], b[i]) * np.complex128(1e10)
        if c[i] > 0:
            out[i] = abs(z)


def isnan_product(a, b, c, out):
    for i in range(len(a)):  # native
        out[i] = np.isnan(np.float64(i) * 2e307)


def same_compare(a, b, c, out):
    for i in range(len(a)):  # native
        t = np.float64(i) * 2e307
        out[i] = 1.0 if t != t else 2.0


def complex_equal(a, b, c, out):
    z = a + 0j
    z.imag = b
    for i in range(len(a)):  # native
        w = z[i] - z[0 if i == 0 else i]
        out[i] = 1.0 if w == 1 + 1j else 2.0


def complex_real(a, b, c, out):
    z = a + 0j
    z.imag = b
    for i in range(len(a)):  # native
        w = z[i] - z[i]
        out[i] = w.real


def complex_branch(a, b, c, out):
    z = a + 0j
    z.imag = b
    for i in range(len(a)):  # native
        w = z[i] * z[i]
        if c[i] > 0:
            out[i] = w.imag


def logs(a, b, c, out):
    for i in range(len(a)):  # native
        t = np.log(c[i])
        if c[i] > 0:
            out[i] = t


def exps(a, b, c, out):
    for i in range(len(a)):  # native
        t = np.exp(a[i] * 300.0 + 700.0)
        if a[i] < 0.01:
            out[i] = t


def single(a, b, c, out):
    x = a.astype(np.float32)
    y = b.astype(np.float32)
    o = out.astype(np.float32)
    for i in range(len(x)):  # native
        t = x[i] - y[i]
        if c[i] > 0:
            o[i] = t
    out[:] = o


def rounded_store(a, b, c, out):
    o = out.astype(np.float32)
    for i in range(len(a)):  # native
        o[i] = (1.0 - c[i]) * 1e40
        if c[i] <= 0:
            o[i] = 1.0
    out[:] = o


def rounded(a, b, c, out):
    o = out.astype(np.float32)
    for i in range(len(a)):  # native
        o[0] = c[i] * 1e300 if c[i] < 0 else 2.0
    out[:] = o


def quotient(a, b, c, out):
    z = c + 1.0
    for i in range(len(a)):  # native
        t = a[i] / z[i]
        if c[i] > 0:
            t = 1.0
        out[i] = t if c[i] > 1 else 0.5


def mandel(a, b, c, out):
    for i in range(len(a)):  # native
        x = a[i]
        y = b[i]
        u = 0.0
        k = 0
        while k < 30 and x < 1e200:
            u = x * y
            x = x * x + 3.0
            k += 1
        out[i] = u if c[i] > 5 else k


def maxima(a, b, c, out):
    for i in range(len(a)):  # native
        out[i] = max(a[i] - b[i], 0.0) if c[i] > 0 else np.maximum(a[i] - b[i], -1.0)


def maxima_idle(a, b, c, out):
    for i in range(len(a)):  # native
        t = np.maximum((a[i] - b[i]) * (a[i] - b[i]), -1.0)
        out[i] = t if c[i] > 0 else 1.0


def division_inner(a, b, c, out):
    for k in range(3):  # native
        q = 0.0
        for i in range(len(a)):
            q = 1.0 / (c[i] + 1.0)
        out[k] = q


def data(k):
    a, b = np.arange(60.0) / 60, np.full(60, 1 / 3)
    c, out = np.ones(60), np.zeros(60)
    if k is not None:
        a[k] = b[k] = np.inf
        c[k] = -1.0
    return a, b, c, out


FORMS = (
    last_inner32,
    sign,
    square_sign,
    nans,
    real_only,
    imag_only,
    counter_last,
    min_unused,
    casts,
    roots,
    zero_masked,
    int_of,
    floored,
    powers,
    finite,
    absolute,
    isnan_product,
    same_compare,
    complex_equal,
    complex_real,
    complex_branch,
    logs,
    exps,
    single,
    rounded_store,
    rounded,
    quotient,
    mandel,
    maxima,
    maxima_idle,
    division_inner,
)
for form in FORMS:
    for k in (None, 0, 31, 58, 59):
        a, b, c, out = data(k)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = form(a, b, c, out)
        texts = sorted({(str(w.message), w.lineno) for w in caught})
        show(form.__name__, str(k), result, out, len(caught))
        print("   ", *texts)
