"""Lanes that have left a loop while others go on: what they held when they left is what counts, whatever is computed
for them afterwards."""

import numpy as np
from showing import show


def escape(re, im, counts, last):
    for i in range(len(re)):  # native
        x = y = 0.0
        n = 0
        while x * x + y * y <= 4.0 and n < 90:
            x, y = x * x - y * y + re[i], 2.0 * x * y + im[i]
            n += 1
        counts[i] = n
        last[i] = x - y


def escape_dead(re, im, counts):
    for i in range(len(re)):  # native
        x = y = 0.0
        n = 0
        while x * x + y * y <= 4.0 and n < 60:
            x, y = x * x - y * y + re[i], 2.0 * x * y + im[i]
            n += 1
        counts[i] = n
    return n


def escape_complex(z0, c, shade, last):
    for i in range(len(shade)):  # native
        z = z0[i]
        for step in range(50):
            if z.real * z.real + z.imag * z.imag > 16.0:
                shade[i] = step
                break
            z = z * z + c
        else:
            shade[i] = -1.0
        last[i] = z


def nested(a, out, inner, total):
    for i in range(len(a)):  # native
        x = a[i]
        s = 0.0
        n = 0
        while n < 12 and x < 40.0:
            y = x
            k = 0
            while y < 50.0 and k < 9:
                y = y * 1.5 + x
                k += 1
            s = s + y - x
            if k > 4:
                x = x + 0.25 * s
            else:
                x = x * 1.25
            n += 1
        out[i] = x
        inner[i] = y
        total[i] = s


def comes_back(a, out):
    for i in range(len(a)):  # native
        x = a[i]
        for k in range(20):
            x = x * 1.0625
            if x > 3.0:
                continue
            x = x + 0.5
            if k > 12:
                break
        out[i] = x


def leaves_both(a, out, seen):
    for i in range(len(a)):  # native
        x = a[i]
        total = 0.0
        for k in range(8):
            x = x + 0.375
            for m in range(6):
                total = total + x
                x = x * 1.125
                if total > 60.0:
                    break
            if x > 9.0:
                break
        out[i] = x
        seen[i] = total + k


def warned(a, c, out):
    for i in range(len(a)):
        x = a[i]
        n = 0
        while n < 40 and x < 1e300:
            x = x * x + c[i]
            n += 1
        out[i] = x


def until_unset(a, out):
    for i in range(len(a)):  # native
        if a[i] > 0.5:
            y = a[i]
            while y < 10.0:
                y = y * 1.5
            out[i] = y
        else:
            y = 1.0 - a[i]
            out[i] = y


rng = np.random.default_rng(21)
for n in (0, 1, 7, 8, 9, 16, 31, 200):
    re, im = rng.uniform(-2.1, 0.8, n), rng.uniform(-1.2, 1.2, n)
    if n > 8:
        re[3], im[4], re[6] = np.nan, np.inf, -np.inf
    re, im = re.tolist(), im.tolist()
    counts, last = [0] * n, [0.0] * n
    escape(re, im, counts, last)
    show("escape", counts, last)
    if n:
        show("dead", escape_dead(re, im, counts), counts)
    z0 = (rng.uniform(-1.5, 1.5, n) + 1j * rng.uniform(-1.5, 1.5, n)).tolist()
    shade, ends = [0.0] * n, [0j] * n
    escape_complex(z0, -0.8 + 0.156j, shade, ends)
    show("complex", shade, ends)
    a = rng.uniform(-3.0, 6.0, n).tolist()
    out, inner, total = [0.0] * n, [0.0] * n, [0.0] * n
    nested(a, out, inner, total)
    show("nested", out, inner, total)
    comes_back(a, out)
    show("comes back", out)
    leaves_both(a, out, total)
    show("both", out, total)
    until_unset(rng.random(n).tolist(), out)
    show("unset", out)
    b, c, d = rng.uniform(0.0, 2.0, n), rng.uniform(-1.0, 1.0, n), np.zeros(n)
    warned(b, c, d)
    show("warned", d)

# Large enough for vectors to pay.
n = 3000
re, im = rng.uniform(-2.1, 0.8, n), rng.uniform(-1.2, 1.2, n)
counts, last = np.zeros(n, np.int64), np.zeros(n)
for _ in range(3):
    escape([*map(float, re)], [*map(float, im)], counts, last)
    show("many", counts.sum(), last)
z0, ends = rng.uniform(-1.5, 1.5, n) + 1j * rng.uniform(-1.5, 1.5, n), np.zeros(n, complex)
shade = np.zeros(n)
for _ in range(3):
    escape_complex(z0, -0.8 + 0.156j, shade, ends)
    show("many complex", shade.sum(), ends)
out, inner, total = np.zeros(n), np.zeros(n), np.zeros(n)
a = rng.uniform(-3.0, 6.0, n).tolist()
for _ in range(3):
    nested(a, out, inner, total)
    leaves_both(a, out, total)
    show("many nested", out, inner, total)
