"""Powers of ints and floats: exact, fractional, complex, negative, overflowing."""

import numpy as np
from showing import attempt, show


def squares(a):
    s = 0
    for x in a:  # native
        s += x**2
    return s


def cubes(a):
    s = 0
    for x in a:  # native
        s += x**3 - x**1 + x**0
    return s


def roots(a):
    s = 0.0
    for x in a:  # native
        s += x**0.5 + x**1.5
    return s


def power(a, n):
    s = 0
    for x in a:  # native
        s += x**n
    return s


def power_each(a, b, out):
    for i in range(len(a)):  # native
        for j in range(len(b)):
            out[i][j] = a[i] ** b[j]
    return out


def of_two(n):
    s = 0
    for i in range(n):  # native
        s += 2**i
    return s


def of_two_float(n):
    s = 0.0
    for i in range(-n, n):  # native
        s += 2.0**i
    return s


def negative_exponent(a):
    s = 0
    for x in a:  # native
        s += x**-2
    return s


def negative_base(n):
    s = 0
    for i in range(n):  # native
        s += (-1) ** i * i
        s += -(2**2)
    return s


def minus_one_float(n):
    s = 0.0
    for k in range(n):  # native
        s += (-1.0) ** k / (2 * k + 1)
    return s


def augmented(a):
    for i in range(len(a)):  # native
        a[i] **= 2
    return a


def squares_of_points(n):
    s = 0.0
    for i in range(n):  # native
        x = i * 0.001 + 1e-9 * i
        s += x**2 + x**2.0 - x**4
    return s


def distances(p, q):
    s = 0.0
    for i in range(len(p)):  # native
        for j in range(len(q)):
            s += ((p[i] - q[j]) ** 2 + 1.0) ** 0.5
            s += 1.0 / ((p[i] - q[j]) ** 2 + 1.0) ** 1.5
    return s


def mixed_type(a, n):
    out = []
    for x in a:
        out.append(x**n)
    return out


def polynomial(a):
    s = 0
    for x in a:  # native
        s += 3 * x**4 - 2 * x**3 + x**2 - x + 5
    return s


def builtin_pow(a, n):
    s = 0
    for x in a:  # native
        s += pow(x, n)
    return s


ints = [3, -2, 0, 1, 7, -5]
floats = [0.5, 2.25, 1e-3, 9.0, 1e10]
show("squares", squares(ints), squares(floats), squares(np.array(ints)), squares(np.array(floats)))
show("squares", squares(np.float32(floats)), squares(np.int8([3, -4])), squares([True, False]))
show("cubes", cubes(ints), cubes(floats), cubes(np.array(ints)), cubes(np.array(floats)))
show("roots", roots(floats), roots(np.array(floats)), roots([4, 9]), roots(np.array([4, 9])))
attempt(roots, [-8.0])
attempt(roots, [-8])
attempt(roots, np.array([-8.0]))
for n in (0, 1, 2, 5, 20, 63, 64, -1, -2, 0.5, -0.5, 2.0, 1 / 3, 1e3, True, 1j):
    attempt(power, ints, n)
    attempt(power, [2, 3], n)
    attempt(power, floats, n)
    attempt(power, np.array(floats), n)
    attempt(power, np.array([2, 3]), n)
    attempt(power, np.float32(floats[:4]), n)
    attempt(power, np.int16([2, 3]), n)
    attempt(power, np.uint8([2, 3]), n)
    attempt(builtin_pow, ints, n)
bases = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 1e300, float("inf"), -float("inf"), float("nan")]
exponents = [
    0.0,
    -0.0,
    1.0,
    2.0,
    3.0,
    -1.0,
    -2.0,
    0.5,
    -0.5,
    1e3,
    float("inf"),
    -float("inf"),
    float("nan"),
]
for x in bases:
    for y in exponents:
        attempt(power_each, [x], [y], [[0]])
with np.errstate(all="ignore"):
    show("array", power_each(np.array(bases), np.array(exponents), np.zeros((11, 13))))
fine = [2.0, 0.5, 1.0, 10.0]
show("array", power_each(np.array(fine), np.array([0.5, 2.0, -1.5, 3.0]), np.zeros((4, 4))))
show("array", power_each(np.array([2, 3, -5]), np.array([0, 1, 2, 7]), np.zeros((3, 4), dtype=int)))
show("lists", power_each([2, 3, -5], [0, 1, 2, 7], [[0] * 4 for _ in range(3)]))
show("of_two", of_two(10), of_two(64), of_two(100), of_two_float(30))
attempt(of_two_float, 1100)
attempt(negative_exponent, [1, 2, -4])
attempt(negative_exponent, [1, 0])
attempt(negative_exponent, [0.5, 0.0])
attempt(negative_exponent, np.array([1.0, 2.0]))
attempt(negative_exponent, np.array([1, 2]))
attempt(negative_exponent, np.array([0.0]))
show("negative", negative_base(10), minus_one_float(30), squares_of_points(5000))
show("augmented", augmented(np.arange(5)), augmented([1.5, 2]), augmented(np.float32([1.1, 2])))
show("distances", distances(floats, floats), distances(np.array(floats), np.array(floats)))
show("mixed", mixed_type([-8.0, 8.0, 4], 1 / 3), mixed_type([2, -2], -1))
show("polynomial", polynomial(ints), polynomial(floats), polynomial(np.array(ints)))
attempt(power, [1e200, 2.0], 2)
attempt(power, np.array([1e200]), 2)
attempt(power, [10**10], 2)
attempt(power, [10**10], 3)
