"""abs min max int float bool round pow divmod sum len ord complex on every kind of number."""

import numpy as np
from showing import attempt, show


def use_abs(a):
    s = 0
    for x in a:  # native
        s += abs(x)
    return s, abs(x)


def use_min_max(a, b):
    s = 0
    for i in range(len(a)):  # native
        s += min(a[i], b[i]) - max(a[i], b[i])
        s += min(a[i], b[i], 3) * max(a[i], 2, b[i])
    lo = hi = a[0]
    for x in a:  # native
        lo = min(lo, x)
        hi = max(x, hi)
    return s, lo, hi


def use_int(a):
    s = 0
    for x in a:  # native
        k = int(x)
        s += k * 3
    return s, k


def use_float(a):
    s = 0.0
    for x in a:  # native
        f = float(x)
        s += f / 3
    return s, f


def use_bool(a):
    s = 0
    for x in a:  # native
        f = bool(x)
        s += f
    return s, f


def use_round(a):
    s = 0
    for x in a:  # native
        r = round(x)
        s += r
    return s, r


def use_round_digits(a):
    s = 0
    for x in a:
        r = round(x, 2)
        s += r
    return s, r


def use_pow(a, n):
    s = 0
    for x in a:  # native
        s += pow(x, n)
        s -= pow(x, 2)
    return s


def use_pow_mod(a, n, m):
    s = 0
    for x in a:
        s += pow(x, n, m)
    return s


def use_divmod(a, d):
    s = 0
    for x in a:  # native
        q, r = divmod(x, d)
        s += q * 7 - r
    return s, q, r


def use_sum(A):
    s = 0
    for i in range(len(A)):
        s += sum(A[i])
        s += sum(A[i], 10)
    return s


def use_sum_ints(A):
    s = 0
    for i in range(len(A)):  # native
        s += sum(A[i])
    return s


def use_len(A):
    s = 0
    for i in range(len(A)):  # native
        for j in range(len(A[i])):
            s += len(A) * i + len(A[i]) * j
    return s


def use_ord(text):
    h = 0
    for c in text:  # native
        h = (h * 31 + ord(c)) % 1000003
    return h


def use_complex(a):
    s = 0j
    for x in a:  # native
        s += complex(x, 2.0) * complex(1.5)
    return s


def empty_calls(n):
    s = 0
    for i in range(n):
        s += int() + float() + bool()
    return s


def string_conversions(texts):
    s = 0
    for t in texts:  # cpython
        s += int(t) + float(t)
    return s


def keyword_calls(a):
    s = 0
    for x in a:
        s += max(x, 1, key=lambda v: -v)
        s += min((x, 5), default=0)
    return s


ints = [3, -7, 0, 12, -1, 5]
floats = [0.5, -2.5, 1.5, 2.49999, -0.0, 1e10]
bools = [True, False, True]
for a in (ints, floats, bools, np.array(ints), np.array(floats), np.array(ints, dtype=np.int8)):
    show("abs", *use_abs(a))
    show("int", *use_int(a))
    show("float", *use_float(a))
    show("bool", *use_bool(a))
for a in (np.array(floats, dtype=np.float32), np.array([1, 200], dtype=np.uint8), np.array(bools)):
    show("abs", *use_abs(a))
    show("int", *use_int(a))
    show("float", *use_float(a))
    show("bool", *use_bool(a))
show("abs", *use_abs([3 + 4j, -1j]), *use_abs(np.array([3 + 4j, 5 - 12j])))
for a, b in ((ints, ints[::-1]), (floats, floats[::-1]), (np.array(ints), np.array(ints[::-1]))):
    show("min_max", *use_min_max(a, b))
show("min_max", *use_min_max(np.array(floats), np.array(floats[::-1])))
show("min_max", *use_min_max(np.array(ints, dtype=np.int16), np.array(ints, dtype=np.int16)))
show("round", *use_round(floats), *use_round([0.5, 1.5, 2.5, -0.5, -1.5, 1e15 + 0.5]))
show("round", *use_round(ints), *use_round(bools), *use_round(np.array(floats)))
show("round_digits", *use_round_digits([2.675, 1.005, -0.125]))
show("pow", use_pow(ints, 3), use_pow(floats, 3), use_pow([2.0, 3.5], 0.5), use_pow(ints, 0))
show("pow", use_pow(np.array(ints), 3), use_pow(np.array(floats), 2), use_pow([1, 2], -1))
show("pow_mod", use_pow_mod(ints, 5, 7))
show("divmod", *use_divmod(ints, 4), *use_divmod(ints, -4), *use_divmod(floats, 0.75))
show("divmod", *use_divmod(np.array(ints), 5), *use_divmod(np.array(floats), -1.5))
show("sum", use_sum([[1, 2], [3, 4]]), use_sum(np.arange(6).reshape(2, 3)))
show("sum", use_sum([[0.1, 0.2, 0.3], [1e16, 1.0, -1e16]]), use_sum(np.ones((2, 2)) * 0.1))
show("sum", use_sum_ints([[1, 2], [3, 4]]), use_sum([[True, True], [False, True]]))
show("len", use_len([[1, 2, 3], [4, 5, 6]]), use_len(np.zeros((4, 5))))
show("ord", use_ord("hello, wörld ✓ 𝄞"), use_ord(""))
show("complex", use_complex([1.0, -2.0]), use_complex(ints))
show("empty", empty_calls(3))
show("strings", string_conversions(["1", "23"]))
show("keywords", keyword_calls(ints))
attempt(use_abs, ["x"])
attempt(use_divmod, ints, 0)
attempt(use_int, [1.0, float("nan")])
attempt(use_int, [1.0, float("inf")])
attempt(use_round, [1.0, float("nan")])
attempt(use_round, [1.0, float("-inf")])
attempt(use_float, [1, 10**400])
attempt(use_int, [1e30, 2.5])
attempt(use_pow_mod, ints, -1, 0)
