"""Checksums, generators and histograms."""

import numpy as np


def checksum(data):
    a, b = 1, 0
    for x in data:  # native
        a = (a + x) % 65521
        b = (b + a) % 65521
    return (b << 16) | a


def crc32(data):
    c = 0xFFFFFFFF
    for byte in data:  # native
        c ^= byte
        for _ in range(8):
            c = (c >> 1) ^ (0xEDB88320 & -(c & 1))
    return c ^ 0xFFFFFFFF


def fnv(data):
    h = 14695981039346656037
    for b in data:  # native
        h ^= b
        h = (h * 1099511628211) & 0xFFFFFFFFFFFFFFFF
    return h


def djb(s):
    h = 5381
    for ch in s:  # native
        h = ((h << 5) + h + ord(ch)) & 0xFFFFFFFF
    return h


def xorshift(n):
    x = 123456789
    t = 0
    for _ in range(n):  # native
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
        t += x & 1
    return x, t


def popcount(n):
    t = 0
    for i in range(n):  # native
        v = i
        while v:
            v &= v - 1
            t += 1
    return t


def gray(n):
    s = 0
    for i in range(n):  # native
        s += i ^ (i >> 1)
    return s


def histogram(x, nb, lo, hi):
    h = np.zeros(nb, dtype=np.int64)
    w = (hi - lo) / nb
    for v in x:  # native
        k = int((v - lo) / w)
        if k < 0 or k >= nb:
            continue
        h[k] += 1
    return h


def days(y0, y1):
    t = 0
    for y in range(y0, y1):  # native
        leap = (y % 4 == 0 and y % 100 != 0) or y % 400 == 0
        t += 366 if leap else 365
    return t


def fizz(n):
    f = b = fb = 0
    for i in range(1, n + 1):  # native
        if i % 15 == 0:
            fb += 1
        elif i % 3 == 0:
            f += 1
        elif i % 5 == 0:
            b += 1
    return f, b, fb


data = bytes(range(256))
print(
    checksum(data),
    crc32(data),
    fnv(data),
    djb("hello world"),
    xorshift(1000),
    popcount(500),
    gray(300),
    histogram(np.linspace(-1, 2, 100), 10, 0.0, 1.0),
    days(1900, 2024),
    fizz(100),
)
