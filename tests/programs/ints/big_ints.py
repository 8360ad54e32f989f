"""Python ints grow past 64 bits; products reduced at once stay small."""

import numpy as np
from showing import attempt, show


def factorial(n):
    p = 1
    for i in range(2, n + 1):  # native
        p *= i
    return p


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):  # native
        a, b = b, a + b
    return a, b


def powers_of_two(n, out):
    x = 1
    for i in range(n):  # native
        out[i] = x
        x = x * 2
    return out, x


def lcg(seed, n):
    x = seed
    for _ in range(n):  # native
        x = (x * 6364136223846793005 + 1442695040888963407) % 18446744073709551616
    return x


def lcg_mask(seed, n):
    x = seed
    s = 0
    for _ in range(n):  # native
        x = (x * 25214903917 + 11) & ((1 << 48) - 1)
        s += x >> 17
    return x, s


def minstd(seed, n):
    x = seed
    for _ in range(n):  # native
        x = x * 48271 % 2147483647
    return x


def fnv(data):
    h = 14695981039346656037
    for c in data:  # native
        h ^= c
        h = h * 1099511628211 & 0xFFFFFFFFFFFFFFFF
    return h


def xorshift(seed, n):
    x = seed
    for _ in range(n):  # native
        x ^= (x << 13) & 0xFFFFFFFFFFFFFFFF
        x ^= x >> 7
        x ^= (x << 17) & 0xFFFFFFFFFFFFFFFF
    return x


def xorshift32(seed, n):
    x = seed
    for _ in range(n):  # native
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFFFFFF
    return x


def modular_power(base, exponent, modulus):
    result = 1
    base %= modulus
    while exponent > 0:  # native
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result


def product_mod(a, m):
    p = 1
    for x in a:  # native
        p = p * x % m
    return p


def sum_of_squares(n):
    s = 0
    for i in range(n):  # native
        s += i * i * i
    return s


def grows_in_list(a, n):
    for k in range(n):
        for i in range(1, len(a)):
            a[i] = a[i] + a[i - 1] * 3
    return a


def square_and_divide(n):
    x = 3
    for i in range(n):
        x = x * x // 7 + 1
    return x


def limits():
    out = []
    for x in (2**62, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 2**64):
        s = x
        for k in range(1):
            s = s + 1
        t = x
        for k in range(1):
            t = t - 1
        u = x
        for k in range(1):
            u = -u
        v = x
        for k in range(1):
            v = v * 2
        out += [s, t, u, v]
    return out


def abs_of_lowest(x):
    for k in range(2):
        y = abs(x)
        z = -x
        w = x // -1
        r = x % -1
    return y, z, w, r


def shift_up(n):
    x = 1
    for i in range(n):
        x <<= 1
    return x


def count_steps(n):
    k = 0
    while n < 10**25:
        n = n * 3 + 1
        k += 1
    return n, k


def into_array(a, x):
    for i in range(len(a)):
        a[i] = x
        x = x * 10
    return a


def compare_big(xs, limit):
    n = 0
    for x in xs:
        if x < limit:
            n += 1
        if x * x > limit:
            n += 100
    return n


def collatz_top(n):
    top = n
    while n != 1:  # native
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        if n > top:
            top = n
    return top


def digits_of(n):
    s = 0
    while n:
        n, d = divmod(n, 10)
        s += d
    return s


for n in (5, 20, 21, 25, 60):
    show("factorial", factorial(n))
for n in (10, 91, 92, 93, 150):
    show("fibonacci", *fibonacci(n))
for n in (62, 63, 64, 65, 70):
    show("powers", *powers_of_two(n, [0] * n))
show("lcg", lcg(1, 20), lcg(2**63 + 5, 20), lcg(2**64 - 1, 7), lcg(-5, 3), lcg(2**90, 3))
show("mask", *lcg_mask(12345, 50), minstd(1, 1000), fnv(b"hello world"), fnv(b""))
show(
    "xorshift", xorshift(88172645463325252, 30), xorshift(2**64 - 1, 9), xorshift32(2463534242, 30)
)
show("modular", modular_power(3, 1000, 10**9 + 7), modular_power(7, 10**15, 2**61 - 1))
show("modular", modular_power(12345678901234567, 10**12, 10**18 + 9), modular_power(2, 2**70, 97))
show("product", product_mod([10**17] * 9, 10**18 + 9), product_mod(np.arange(1, 20).tolist(), 101))
show("squares", sum_of_squares(1000), sum_of_squares(100000))
show("list", grows_in_list([1] * 8, 3), grows_in_list([10**15] * 8, 9))
show("square", square_and_divide(4), square_and_divide(9))
show("limits", limits())
show("abs", *abs_of_lowest(-(2**63)), *abs_of_lowest(-5), *abs_of_lowest(2**63))
show("shift", shift_up(62), shift_up(63), shift_up(200), *count_steps(7))
attempt(into_array, np.zeros(20, dtype=np.int64), 5)
attempt(into_array, np.zeros(25, dtype=np.uint64), 5)
attempt(into_array, np.zeros(25), 5)
attempt(into_array, [0] * 25, 5)
show("compare", compare_big([1, 10**10, 2**62], 10**19), compare_big([2**64, -1], 2**63))
show("collatz", collatz_top(27), collatz_top(837799), collatz_top(8528817511))
show("digits", digits_of(12345), digits_of(2**200))
