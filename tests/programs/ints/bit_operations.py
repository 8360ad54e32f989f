"""Shifts and bitwise operators of Python and NumPy ints and bools."""

import numpy as np
from showing import attempt, show


def operators(a, b):
    s = 0
    for i in range(len(a)):  # native
        for j in range(len(b)):
            s = (s * 7 + int(a[i] & b[j])) % 1000003
            s = (s * 7 + int(a[i] | b[j])) % 1000003
            s = (s * 7 + int(a[i] ^ b[j])) % 1000003
            s = s + int(~a[i] & 63)
    return s


def left(a, n):
    s = 0
    for x in a:  # native
        s += x << n
    return s


def right(a, n):
    s = 0
    for x in a:  # native
        s += x >> n
    return s


def shift_of_one(n):
    s = 0
    for i in range(n):  # native
        s ^= 1 << i
    return s


def by_elements(a, b):
    s = 0
    for i in range(len(a)):  # native
        s += (a[i] >> b[i]) + (a[i] << b[i])
    return s


def count_bits(a):
    n = 0
    for x in a:  # native
        while x:
            n += x & 1
            x >>= 1
    return n


def kernighan(a):
    n = 0
    for x in a:  # native
        while x:
            x &= x - 1
            n += 1
    return n


def gray(n, out):
    for i in range(n):  # native
        out[i] = i ^ (i >> 1)
    return out


def reverse_bits(a, width):
    for k in range(len(a)):  # native
        x = a[k]
        r = 0
        for _ in range(width):
            r = r << 1 | x & 1
            x >>= 1
        a[k] = r
    return a


def masks(a):
    s = 0
    for x in a:  # native
        s += x & 0xFF | x >> 8 & 0xF0 ^ 3
        s ^= x & -x
        s += ~x
    return s


def parity_of_bools(flags):
    p = False
    q = True
    for f in flags:  # native
        p = p ^ f
        q = q & f | p
    return p, q


def invert_bools(flags):
    s = 0
    for f in flags:
        s += ~f
    return s


def subsets(n, weights):
    best = 0
    for mask in range(1 << n):  # native
        s = 0
        for k in range(n):
            if mask >> k & 1:
                s += weights[k]
        if s % 10 > best:
            best = s % 10
    return best, s, mask


def float_shift(a):
    s = 0
    for x in a:
        s += x << 1
    return s


ints = [5, 12, 255, 1023, 0, 7]
signed = [5, -12, 255, -1, 0, -(2**40)]
show("operators", operators(ints, ints), operators(signed, ints), operators(signed, signed))
for t in (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64):
    a = (np.array(ints) % 128).astype(t)
    show(
        np.dtype(t).name,
        operators(a, a[::-1]),
        left(a, 1),
        right(a, 2),
        count_bits(a),
        gray(6, a.copy()),
    )
    show(np.dtype(t).name, by_elements(a, a % 7), reverse_bits(a.copy(), 7), kernighan(a))
    for n in (7, 8, 31, 32, 63, 64, 200):
        attempt(left, a, n)
        attempt(right, a, n)
    attempt(left, a, -1)
    attempt(right, a, -1)
    attempt(by_elements, a, np.array([1, 2, 70, 3, 100, 1], dtype=t))
show("masks", masks(ints), masks(signed), masks(np.array(signed)))
for n in (0, 1, 62, 63, 64, 100):
    attempt(left, ints, n)
    attempt(left, signed, n)
    attempt(right, signed, n)
attempt(left, ints, -1)
attempt(right, ints, -1)
attempt(right, [2**70, 5], 60)
attempt(left, [0], 10**6)
show("one", shift_of_one(10), shift_of_one(64), shift_of_one(70), shift_of_one(0))
show("bits", count_bits(ints), kernighan(ints), gray(20, [0] * 20), reverse_bits(ints[:], 10))
show(
    "bools", *parity_of_bools([True, False, True]), *parity_of_bools(np.array([True, False, True]))
)
show("bools", invert_bools([True, False]), invert_bools(np.array([True, False])))
show("subsets", *subsets(8, [3, 7, 1, 9, 4, 2, 8, 5]), *subsets(6, np.arange(6) * 7))
attempt(float_shift, [1.5])
attempt(float_shift, np.array([1.5]))
attempt(shift_of_one, -3)
