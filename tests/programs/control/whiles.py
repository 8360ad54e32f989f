"""`while` with scalar conditions, alone and inside `for`."""

import numpy as np
from showing import attempt, show


def countdown(n):
    steps = 0
    while n > 0:  # native
        n -= 3
        steps += 1
    return n, steps


def collatz(n):
    length = 0
    top = n
    while n != 1:  # native
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        if n > top:
            top = n
        length += 1
    return length, top, n


def newton(x):
    guess = x
    rounds = 0
    while abs(guess * guess - x) > 1e-12 * x and rounds < 100:  # native
        guess = 0.5 * (guess + x / guess)
        rounds += 1
    return guess, rounds


def gcd_all(a, b, out):
    for i in range(len(a)):  # native
        x, y = a[i], b[i]
        while y:
            x, y = y, x % y
        out[i] = x
    return out, x, y


def bisect(xs, wanted, out):
    for k in range(len(wanted)):  # native
        low = 0
        high = len(xs)
        while low < high:
            middle = (low + high) // 2
            if xs[middle] < wanted[k]:
                low = middle + 1
            else:
                high = middle
        out[k] = low
    return out, low, high


def mandelbrot(out):
    for i in range(out.shape[0]):  # native
        for j in range(out.shape[1]):
            cr, ci = -2.0 + 0.25 * j, -1.0 + 0.25 * i
            zr = zi = 0.0
            k = 0
            while zr * zr + zi * zi <= 4.0 and k < 50:
                zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
                k += 1
            out[i, j] = k
    return out, zr, zi, k


def insertion_sort(a):
    for i in range(1, len(a)):  # native
        x = a[i]
        j = i - 1
        while j >= 0 and a[j] > x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = x
    return a, j, x


def scan_until(a, limit):
    i = 0
    s = 0.0
    while i < len(a) and s < limit:  # native
        s += a[i]
        i += 1
    return i, s


def forever(a):
    i = 0
    while True:  # native
        if a[i] < 0:
            break
        i += 1
    return i


def one_or(n):
    k = 0
    while n or k < 5:  # native
        n >>= 1
        k += 1
    return n, k


def not_condition(a):
    done = False
    rounds = 0
    while not done:  # native
        done = True
        for i in range(len(a) - 1):
            if a[i] > a[i + 1]:
                a[i], a[i + 1] = a[i + 1], a[i]
                done = False
        rounds += 1
    return a, rounds, done


def until_converged(A, tolerance):
    change = 1.0
    sweeps = 0
    while change > tolerance:  # native
        change = 0.0
        for i in range(1, len(A) - 1):
            new = 0.5 * (A[i - 1] + A[i + 1])
            change = max(change, abs(new - A[i]))
            A[i] = new
        sweeps += 1
    return A, sweeps, change


def array_condition(a):
    i = 0
    while a[i]:  # native
        a[i] -= 1
        i = (i + 1) % len(a)
    return a, i


show("countdown", *countdown(100), *countdown(0), *countdown(1))
for n in (27, 97, 1, 871):
    show("collatz", *collatz(n))
show("newton", *newton(2.0), *newton(1e10), *newton(np.float64(3.0)))
a = np.arange(1, 25) * 6
b = np.arange(24, 0, -1) * 10
show("gcd_all", *gcd_all(a, b, np.zeros(24, dtype=np.int64)))
show("gcd_all", *gcd_all(a.tolist(), b.tolist(), [0] * 24))
xs = np.arange(0.0, 30.0, 1.7)
show("bisect", *bisect(xs, np.arange(-1.0, 31.0, 3.3), np.zeros(10, dtype=np.int32)))
show("bisect", *bisect(xs.tolist(), [0.0, 5.1, 99.0], [0, 0, 0]))
show("mandelbrot", *mandelbrot(np.zeros((9, 13), dtype=np.int32)))
show("insertion_sort", *insertion_sort(np.arange(30) * 17 % 31))
show("insertion_sort", *insertion_sort([k * 0.7 % 1.0 for k in range(25)]))
show("scan_until", *scan_until(xs, 40.0), *scan_until(xs, 1e9), *scan_until(xs.tolist(), 3.0))
show("forever", forever(np.array([3, 2, 1, 0, -1, 5])))
attempt(forever, np.array([3, 2, 1]))
show("one_or", *one_or(1000), *one_or(0))
show("not_condition", *not_condition(np.arange(12) * 7 % 13), *not_condition([3, 1, 2]))
show("until_converged", *until_converged(np.array([0.0] * 6 + [1.0]), 1e-3))
show("array_condition", *array_condition(np.array([3, 2, 4])), *array_condition([5, 6, 1]))
show("array_condition", *array_condition(np.array([1.0, 2.0])))
