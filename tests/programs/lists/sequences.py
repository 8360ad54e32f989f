"""array.array, bytes, bytearray, memoryview, the characters of a str, tuples of numbers."""

from array import array

import numpy as np
from showing import attempt, show


def read(a):
    s = 0
    for i in range(len(a)):  # native
        s += a[i] * (i + 1)
    for x in a:  # native
        s -= x
    return s, x


def write(a):
    for i in range(len(a)):  # native
        a[i] = a[i] // 2 + i
    return a


def write_float(a):
    for i in range(len(a)):  # native
        a[i] = a[i] * 0.1 + i
    return a


def stencil(a, b):
    for i in range(1, len(a) - 1):  # native
        b[i] = a[i - 1] + a[i + 1]
    return b


def overflow(a, x):
    for i in range(len(a)):  # native
        a[i] = i
        if i == 2:
            a[i] = x
    return a


def checksum(data):
    a, b = 1, 0
    for c in data:  # native
        a = (a + c) % 65521
        b = (b + a) % 65521
    return b << 16 | a


def crc(data):
    value = 0xFFFFFFFF
    for byte in data:  # native
        value ^= byte
        for _ in range(8):
            if value & 1:
                value = value >> 1 ^ 0xEDB88320
            else:
                value >>= 1
    return value ^ 0xFFFFFFFF


def count_letters(text, letter):
    n = 0
    for c in text:  # native
        if c == letter:
            n += 1
    for i in range(len(text)):  # native
        if text[i] != letter:
            n += 100
        if "a" <= text[i] <= "m":
            n += 10000
    return n, c


def common_subsequence(s, t):
    L = np.zeros((len(s) + 1, len(t) + 1), dtype=np.int64)
    for i in range(len(s)):  # native
        for j in range(len(t)):
            if s[i] == t[j]:
                L[i + 1, j + 1] = L[i, j] + 1
            else:
                L[i + 1, j + 1] = max(L[i, j + 1], L[i + 1, j])
    return L


def palindrome(s):
    for i in range(len(s) // 2):  # native
        if s[i] != s[-1 - i]:
            return False
    return True


def literals(text):
    n = 0
    for c in text:  # native
        if c == "x" or c == "é":
            n += 1
    for k in range(3):  # native
        if "abc"[k] < "b":
            n += 10
        n += b"xyz"[k]
    return n


def tuples(t):
    s = 0
    for x in t:  # native
        s += x
    for i in range(len(t)):  # native
        s += t[i] * i
    return s


def offsets(A, steps=((0, 1), (1, 0), (0, -1), (-1, 0))):
    out = np.zeros_like(A)
    n, m = A.shape
    for i in range(n):  # native
        for j in range(m):
            for di, dj in steps:
                if 0 <= i + di < n and 0 <= j + dj < m:
                    out[i, j] += A[i + di, j + dj]
    return out


def literal_tuple(n):
    s = 0
    for i in range(n):  # native
        for d in (1, -2, 3):
            s += i * d
        s += (5, 7, 9)[i % 3]
    return s, d


def literal_list(n):
    s = 0
    for i in range(n):
        for d in [1, -2, 3]:
            s += i * d
    return s


def tuple_write(t):
    for i in range(len(t)):
        t[i] = 0
    return t


def bytes_write(t):
    for i in range(len(t)):
        t[i] = 0
    return t


def last_character(text):
    best = text[0]
    for c in text:  # native
        if c > best:
            best = c
    return best


def joined(text):
    out = ""
    for c in text:
        out = c + out
    return out


def hashes(text):
    h = 5381
    for c in text:  # native
        h = (h * 33 ^ ord(c)) & 0xFFFFFFFF
    return h


def tuples_of_tuples(t):
    s = 0
    for i in range(len(t)):  # native
        for j in range(len(t[0])):
            s += t[i][j] * (i - j)
    return s


for code in "bBhHiIlLqQfd":
    a = array(code, [1, 5, 100, 7, 0, 20])
    show(code, *read(a), str(stencil(a, array(code, [0] * 6))))
    if code in "fd":
        show(code, str(write_float(a)))
    else:
        show(code, str(write(a)))
        for x in (127, 128, 255, 256, -1, -129, 2**31, 2**32, 2**63, 2**64, 1.5):
            b = array(code, [9] * 4)
            attempt(lambda v=b, x=x: str(overflow(v, x)))
            show("left", str(b))
show("d", str(overflow(array("d", [0] * 4), 7)), str(overflow(array("f", [0] * 4), 0.1)))
attempt(overflow, array("d", [0] * 4), 10**400)
attempt(lambda: str(overflow(array("f", [0] * 4), 1e300)))
text = "the quick brown fox jumps over the lazy dog é ✓ 𝄞"
for data in (text.encode(), bytearray(text.encode()), memoryview(text.encode())):
    show("bytes", checksum(data), crc(data), *read(data))
show("bytearray", write(bytearray(b"hello")), stencil(b"hello", bytearray(5)))
attempt(overflow, bytearray(4), 256)
attempt(overflow, bytearray(4), -1)
show("memoryview", write(memoryview(bytearray(b"hello"))).tobytes())
show("str", *count_letters(text, "o"), *count_letters("plain", "x"), *count_letters(text, "fo"))
show("common", common_subsequence("kitten", "sitting"), common_subsequence(b"abcb", b"bdcab"))
show("common", common_subsequence("naïve", "naive"), common_subsequence("✓𝄞", "𝄞✓"))
show(
    "palindrome",
    palindrome("abccba"),
    palindrome("abcdba"),
    palindrome([1, 2, 1]),
    palindrome(b"aa"),
)
show("literals", literals("xéy"), last_character(text), joined("abc"), hashes(text))
show("tuples", tuples((1, 2, 3)), tuples((0.5, 1.5)), tuples((1, 0.5)), tuples((True, False)))
show("tuples", tuples(()), tuples((np.int8(3), 2)), tuples_of_tuples(((1, 2), (3, 4))))
show("offsets", offsets(np.arange(12).reshape(3, 4)), *literal_tuple(7), literal_list(5))
attempt(tuple_write, (1, 2))
attempt(bytes_write, b"abc")
attempt(tuples, ("a",))
