"""Divisors, powers and forests."""

import math

import numpy as np
from showing import attempt, show


def find(p, x):
    while p[x] != x:
        p[x] = p[p[x]]
        x = p[x]
    return x


def kruskal(n, eu, ev, ew):
    order = sorted(range(len(ew)), key=lambda i: ew[i])
    parent = list(range(n))
    total = 0
    for e in order:  # native
        a = find(parent, eu[e])
        b = find(parent, ev[e])
        if a != b:
            parent[a] = b
            total += ew[e]
    return total


def collatz(n):
    best = 0
    arg = 0
    for s in range(1, n):  # native
        x = s
        c = 0
        while x != 1:
            if x % 2 == 0:
                x //= 2
            else:
                x = 3 * x + 1
            c += 1
        if c > best:
            best, arg = c, s
    return best, arg


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def coprime(n):
    c = 0
    for i in range(1, n):  # native
        for j in range(1, n):
            if gcd(i, j) == 1:
                c += 1
    return c


def perfect(n):
    out = [0] * 10
    k = 0
    for i in range(2, n):  # native
        s = 1
        for d in range(2, int(i**0.5) + 1):
            if i % d == 0:
                s += d
                if d != i // d:
                    s += i // d
        if s == i:
            out[k] = i
            k += 1
    return out, k


def powmod(b, e, m):
    r = 1
    b %= m
    while e > 0:  # native
        if e & 1:
            r = r * b % m
        b = b * b % m
        e >>= 1
    return r


def digits(n):
    t = 0
    for i in range(n):  # native
        x = i
        while x > 0:
            t += x % 10
            x //= 10
    return t


print(
    kruskal(6, [0, 1, 2, 3, 4, 0], [1, 2, 3, 4, 5, 5], [4, 2, 7, 1, 3, 9]),
    collatz(500),
    coprime(40),
    perfect(500),
    powmod(3, 12345, 10007),
    digits(500),
)


def by_math(n):
    gcds = roots = ways = 0
    facts = 1
    for i in range(n):  # native
        gcds += math.gcd(i * 12, -(i + 18)) + math.gcd(i, 0)
        roots += math.isqrt(i * i * 7 + 3)
        ways += math.comb(i % 30, i % 11) + math.comb(i % 5, 7)
        facts ^= math.factorial(i % 20)
    return gcds, roots, ways, facts


def near_the_top(values):
    s = 0
    for v in values:  # native
        s ^= math.isqrt(v)
    return s


def of_numpy(a):
    t = 0
    for x in a:  # native
        t = math.gcd(t, x)
    return t


def too_large(n):
    t = 0
    for i in range(n):  # native
        t = math.factorial(i)
    return t


def refused(f, values):
    t = 0
    for v in values:
        t += f(v, 6)
    return t


def negative(f, values):
    t = 0
    for v in values:  # native
        t += f(v)
    return t


show("by_math", *by_math(2000))
show("near_the_top", near_the_top([3037000499**2 - 1, 3037000499**2, 2**62, 2**52 + 1, 0] * 40))
show("near_the_top", near_the_top([2**63 - 1, 2**63 - 5, 9223372030926249001] * 40))
show("of_numpy", of_numpy(np.arange(0, 6000, 30)), of_numpy(np.full(90, 18, np.int16)))
show("too_large", too_large(90))
attempt(refused, math.gcd, [4, 6, True] * 30)
attempt(refused, math.gcd, [4.0, 6.0] * 30)
attempt(refused, math.gcd, np.array([True, False] * 30))
attempt(refused, math.gcd, np.array([4, 8] * 30, np.uint64))
attempt(refused, math.comb, [5, 9, 2] * 40)
attempt(refused, math.comb, [5, 9, -2] * 40)
attempt(negative, math.isqrt, [5, 9, 2] * 40 + [-1])
attempt(negative, math.factorial, [5, 9, 2] * 40 + [-1])
