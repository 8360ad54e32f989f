"""Every kind of sequence, start value, step, comparison and conversion, in one small loop each."""

import numpy as np, sys, warnings, array, fractions, decimal
from showing import attempt, show


def acc(a, s):
    for i in range(len(a)):
        s += a[i]
    return s


for s in (
    0,
    0.0,
    True,
    1j,
    np.int8(1),
    np.float32(0.5),
    np.uint64(3),
    np.bool_(True),
    fractions.Fraction(1, 2),
    decimal.Decimal(1),
    "x",
    None,
    [],
    np.array([1.0]),
    np.array(2),
):
    for a in (
        [1, 2],
        [1.5],
        np.arange(3),
        np.arange(3, dtype=np.uint8),
        np.arange(3, dtype=np.float32),
        np.array([True, False]),
        array.array("d", [1, 2]),
        array.array("b", [1, 2]),
        b"ab",
        (1, 2.5),
        range(3),
        "ab",
    ):
        attempt(acc, a, s)


def ext(a):
    s = 0
    for x in a:
        s += x
    return s


for a in (
    iter([1, 2]),
    (k for k in [1, 2]),
    {1, 2},
    {1: 2},
    zip([1], [2]),
    map(int, ["1"]),
    enumerate([1]),
    reversed([1, 2]),
    np.nditer(np.arange(3)),
    memoryview(b"ab"),
):
    try:
        print(ext(a))
    except TypeError as e:
        print(e)
it = iter(range(10))


def part(n):
    s = 0
    for i in range(n):
        s += next(it)
    return s


attempt(part, 3)
attempt(part, 3)
attempt(part, 9)


def zipped(a, b, c):
    s = 0
    for i, (x, y) in enumerate(zip(a, b), 5):
        s += x * y - i
        c[i - 5] = s
    return s, i


attempt(zipped, [1, 2, 3], [4, 5], [0] * 3)
attempt(zipped, np.arange(3), [4.5, 5, 6], np.zeros(3))
attempt(zipped, [], [], [])


def strict(a, b):
    s = 0
    for x, y in zip(a, b, strict=True):
        s += x * y
    return s


attempt(strict, [1, 2], [3])
attempt(strict, [1, 2], [3, 4])


def rev(a):
    s = 0
    for i, x in enumerate(reversed(a)):
        s = s * 3 + x * i
    return s


attempt(rev, [1, 2, 3])
attempt(rev, np.arange(4))
attempt(rev, "abc")


def steps(n, k):
    s = []
    t = 0
    for i in range(n, 0, k):
        t += i
    return t


attempt(steps, 10, -3)
attempt(steps, 10, 3)
attempt(steps, 10, 0)
attempt(steps, 2**70, -(2**68))


def big(n):
    s = 0
    for i in range(2**62, 2**62 + n):
        s = i
    return s


attempt(big, 5)


def huge(n):
    s = 0
    for i in range(2**64, 2**64 + n):
        s += 1
    return s, i


attempt(huge, 5)


def unpack(L):
    s = 0
    for a, b in L:
        s += a * b
    return s


attempt(unpack, [(1, 2), (3, 4)])
attempt(unpack, [[1, 2], [3, 4]])
attempt(unpack, np.arange(6).reshape(3, 2))
attempt(unpack, [(1, 2, 3)])
attempt(unpack, np.arange(6).reshape(2, 3))
attempt(unpack, ["ab"])


def strs(s, t):
    n = 0
    for i in range(min(len(s), len(t))):
        if s[i] == t[i]:
            n += 1
        elif s[i] < t[i]:
            n += 10
    return n


attempt(strs, "héllo\U0001f600", "hallo\U0001f600")
attempt(strs, b"ab", b"ac")
attempt(strs, "ab", b"ab")
attempt(strs, "a\ud800", "a\ud801")


def table(s):
    c = [0] * 256
    for ch in s:
        c[ord(ch) % 256] += 1
    return sum(c), c[97]


attempt(table, "banana")
attempt(table, b"banana")


def dp(s, t):
    D = [[0] * (len(t) + 1) for _ in range(len(s) + 1)]
    for i in range(len(s) + 1):
        D[i][0] = i
    for j in range(len(t) + 1):
        D[0][j] = j
    for i in range(1, len(s) + 1):
        for j in range(1, len(t) + 1):
            D[i][j] = min(
                D[i - 1][j] + 1, D[i][j - 1] + 1, D[i - 1][j - 1] + (s[i - 1] != t[j - 1])
            )
    return D[-1][-1], D


attempt(dp, "kitten", "sitting")


def bools(a, b):
    n = 0
    f = False
    for i in range(len(a)):
        f = a[i] and b[i] or not f
        n += f
    return f, n


attempt(bools, [True, False, True], [1, 0, 2])
attempt(bools, [0, 1.5, 2], [0.0, 3, ""])
attempt(bools, np.array([True, False]), np.array([0, 2]))
attempt(bools, np.array([1.5, 0]), [True, False])


def cplx(n):
    z = 0j
    out = []
    c = -0.5 + 0.5j
    k = 0
    for i in range(n):
        z = z * z + c
        if abs(z) > 2:
            break
        k = i
    return z, k, z.real, z.imag, z.conjugate()


attempt(cplx, 50)


def nz(a):
    for i in range(len(a)):
        if a[i]:
            a[i] = not a[i]
    return a


attempt(nz, [1, 0.0, 2])
attempt(nz, [True, False])
attempt(nz, np.array([1, 0]))
attempt(nz, np.array([True, False]))


def trunc(a, b):
    for i in range(len(a)):
        a[i] = b[i]
    return a


for dt in ("i1", "u1", "i4", "u4", "i8", "u8", "f4", "f8", "?"):
    for b in (
        [300, -1],
        [2.9, -2.9],
        [float("nan"), 1],
        [2**63, 0],
        [True, 2],
        np.array([300, -1]),
        np.array([2.9, 1e20]),
        np.array([1e300, np.inf]),
        [1e39, -1e39],
        np.float32([1e20, 3]),
        [1j, 2],
    ):
        with warnings.catch_warnings(record=True) as w:
            warnings.simplefilter("always")
            attempt(trunc, np.zeros(2, dt), b)
        print(sorted({str(x.message) for x in w}))
