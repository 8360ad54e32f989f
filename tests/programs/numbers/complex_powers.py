"""Complex numbers from parts, of ints that become complex, and in small powers."""

import math

import numpy as np


def julia(w, h, c):
    t = 0
    for a in range(h):  # native
        for b in range(w):
            z = complex(b / w * 3 - 1.5, a / h * 3 - 1.5)
            for k in range(40):
                if abs(z) > 2.0:
                    break
                z = z**2 + c
            t += k
    return t, z


def mandel(w, h, limit):
    out = np.zeros((h, w), dtype=int)
    for y in range(h):  # native
        for x in range(w):
            c = complex(3 * x / w - 2, 2 * y / h - 1)
            z = 0
            n = 0
            while abs(z) <= 2 and n < limit:
                z = z * z + c
                n += 1
            out[y, x] = n
    return out.sum(), z


def powers(z, n):
    s = 0j
    for i in range(n):  # native
        w = z * (1 - i / n)
        s += w**3 - w**4 / 2 + w**7
    return s, w**5


def parts(a, b):
    t = 0.0
    for i in range(len(a)):  # native
        z = complex(a[i], b[i])
        t += math.hypot(z.real, z.imag) + abs(z) + math.copysign(1.0, z.imag)
    return t, z


def dft(x):
    n = len(x)
    out = [0j] * n
    for k in range(n):  # native
        s = 0j
        for i in range(n):
            a = -2 * math.pi * k * i / n
            s += x[i] * complex(math.cos(a), math.sin(a))
        out[k] = s
    return out


def fft(a):
    n = len(a)
    j = 0
    for i in range(1, n):  # native
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            a[i], a[j] = a[j], a[i]
    length = 2
    while length <= n:  # native
        angle = -2 * math.pi / length
        root = complex(math.cos(angle), math.sin(angle))
        for i in range(0, n, length):
            w = 1 + 0j
            for k in range(length // 2):
                u = a[i + k]
                v = a[i + k + length // 2] * w
                a[i + k] = u + v
                a[i + k + length // 2] = u - v
                w *= root
        length <<= 1
    return a


inf = float("inf")
print(julia(20, 16, -0.8 + 0.156j), mandel(24, 16, 30))
print(powers(1.25 - 0.5j, 9), powers(complex(-0.0, -0.0), 3), powers(complex(0.0, -2.0), 4))
print(parts([1.0, -0.0, inf], [-0.0, 2.5, -3.0]), parts([1, 2], [3, -4]))
print(parts(np.array([0.1, 0.7]), np.array([1e-300, -1e200])))
try:
    print(powers(1e200 + 1j, 2))
except OverflowError as error:
    print(error)
x = [complex(math.sin(0.3 * i), math.cos(i)) for i in range(16)]
print(dft(x), fft(x[:]), dft([1.0, 2.0, 4.0]))
print(fft([complex(-0.0, 0.0), 1j, complex(0.0, -0.0), -1j]))
