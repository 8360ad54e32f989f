"""Numbers rounded to digits, powers by a modulus, products, means: what CPython is called for in a loop."""

import math
import statistics

import numpy as np


def rounds(xs):
    t = 0.0
    for i in range(len(xs)):  # native
        t += round(xs[i] * 1.37, 2)
        if round(xs[i], 1) == 0.5:
            t += 1
    return t


def ints(n):
    t = 0
    for i in range(n):
        t += round(i * 17, -2) + pow(3, i % 50, 1000007) + pow(i + 1, -1, 1000003)
    return t


def isprime(n):
    if n < 2:
        return False
    for a in (2, 3, 5, 7, 11, 13):
        if n == a:
            return True
        if n % a == 0:
            return False
    d, s = n - 1, 0
    while d % 2 == 0:
        d //= 2
        s += 1
    for a in (2, 3, 5, 7):
        x = pow(a, d, n)
        if x == 1 or x == n - 1:
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def count(n):
    c = 0
    for k in range(n):  # native
        if isprime(k):
            c += 1
    return c


def stats(rows):
    t = 0.0
    for i in range(len(rows)):
        t += statistics.mean(rows[i]) + statistics.median(rows[i]) if i % 2 else 0.5
    return t


def prods(xs, n):
    t = 0.0
    for i in range(n):  # native
        t += math.prod(xs) * i
    return t


xs = [((i * 7919) % 1009) / 991 for i in range(20000)]
print(rounds(xs), ints(3000), count(30000))
print(prods(xs[:10], 2000), prods([1, 2, 3], 2000))
w = [1.5, 2.5, 4.0]
t = 0.0
for i in range(300):
    t += (
        statistics.mean(w) * i + statistics.stdev(w) + np.linalg.cond(np.eye(2))
        if i % 3
        else round(t, 3)
    )
print(t)
try:
    print(ints(-1), pow(2, -1, 4))
except ValueError as e:
    print(e)
