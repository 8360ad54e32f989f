"""Subscripts: A[i, j] and A[i][j], negative, NumPy ints, bools, indices out of arrays."""

import numpy as np
from showing import attempt, show


def both_forms(A, B):
    for i in range(A.shape[0]):  # native
        for j in range(A.shape[1]):
            B[i][j] = A[i, j] + A[i][j]
            B[i, j] += A[i - 1][j - 1]
    return B


def negative(a):
    s = 0
    for i in range(1, len(a) + 1):  # native
        s = s * 3 % 1009 + a[-i]
    for i in range(-len(a), len(a)):  # native
        s = s * 5 % 1009 + a[i]
    a[-1] = s
    return s, a


def negative_matrix(A):
    n, m = A.shape
    for i in range(n):  # native
        for j in range(m):
            A[-1 - i, j - m] += A[i, -j]
    return A


def wrap_around(a, out):
    n = len(a)
    for i in range(n):  # native
        out[i] = a[i - 1] + a[(i + 1) % n] - a[(i - 5) % n]
    return out


def numpy_index(a, idx):
    s = 0
    for k in range(len(idx)):  # native
        s += a[idx[k]]
    for k in idx:  # native
        s += 2 * a[k]
    return s


def bool_index(l, flags):
    s = 0
    for f in flags:  # native
        s += l[f]
    s += l[True]
    return s


def constants(A):
    s = 0.0
    for i in range(len(A)):  # native
        s += A[i, 0] + A[0, i] - A[-1, i] + A[i, -1] * A[2, 1]
    return s


def computed(a, b):
    for i in range(len(a)):  # native
        b[i // 2] += a[i]
        b[i * i % len(b)] += a[-(i // 3)]
        b[int(i * 0.7)] -= 1
        b[min(i, 3)] *= 2
        b[i if i % 2 else 0] += 1
    return b


def index_in_element(p, a):
    k = 0
    for _ in range(len(p)):  # native
        a[k] += 1
        k = p[k]
    return k, a


def same_element(a):
    for i in range(10):  # native
        a[3] = a[3] * 0.5 + i
        a[-2] += a[3]
    return a


def list_of_lists(L):
    s = 0
    for i in range(len(L)):  # native
        for j in range(len(L[i])):
            L[i][j] += L[-1 - i][-1 - j]
            s += L[i][j]
    return L, s


def three_levels(L):
    s = 0
    for i in range(len(L)):  # native
        for j in range(len(L[0])):
            for k in range(len(L[0][0])):
                s += L[i][j][k] * (i + 2 * j + 3 * k)
                L[i][j][k] = s
    return L, s


def partial_chain(A):
    s = 0.0
    for i in range(A.shape[0]):  # native
        for j in range(A.shape[1]):
            for k in range(A.shape[2]):
                s += A[i][j, k] + A[i, j][k] * 2 + A[i][j][k] * 3
    return s


def index_expression_type(a, i):
    s = 0
    for k in range(3):  # native
        s += a[i + k]
        s += a[i - k]
    return s


def mixed_row_index(A, rows):
    s = 0.0
    for r in rows:  # native
        for j in range(A.shape[1]):
            s += A[r, j] * j
            A[r][j] = s
    return A, s


def ellipsis_and_slices(A):
    s = 0.0
    for i in range(len(A)):
        s += A[i, ...].sum() + A[i, :2].sum() + A[..., i % 2].sum()
    return s


def fancy(a, idx):
    s = 0
    for i in range(3):
        s += a[[0, i]].sum() + a[idx == i].sum()
    return s


def out_of_a_zero_dimension(z):
    s = 0
    for i in range(3):
        s += z[()] + i
    return s


def too_few(A):
    s = 0.0
    for i in range(len(A)):
        s = s + A[i]
    return s


def too_many(a):
    s = 0.0
    for i in range(len(a)):
        s += a[i, 0]
    return s


def float_index(a):
    s = 0
    for i in range(3):
        s += a[i / 2]
    return s


def string_index(a):
    for i in range(3):
        a["x"] = i


def huge_index(a, k):
    s = 0
    for i in range(3):  # native
        s += a[i]
    for i in range(k, k + 2):
        s += a[i]
    return s


A = np.arange(20.0).reshape(4, 5)
show("both", both_forms(A.copy(), np.zeros((4, 5))))
show("negative", *negative(np.arange(9)), *negative(list(range(9))))
show("negative", negative_matrix(A.copy()))
show("wrap", wrap_around(np.arange(9), np.zeros(9)), wrap_around(list(range(6)), [0] * 6))
for t in (np.int8, np.int32, np.int64, np.uint8, np.uint64):
    idx = np.array([3, 0, 2, 5], dtype=t)
    show("numpy", numpy_index(np.arange(6) * 7, idx), numpy_index([1.5, 2.5, 3, 4, 5, 6], idx))
show("numpy", numpy_index(np.arange(6), [5, -6, 0]), numpy_index((1, 2, 3), [2, -3, 0]))
show("bool", bool_index([10, 20], [True, False]))
attempt(bool_index, np.array([10, 20]), [True, False])
show("constants", constants(np.arange(16.0).reshape(4, 4)))
show("computed", computed(np.arange(12), np.zeros(12)), computed([1, 2, 3, 4], [1, 2, 3, 4]))
show("in_element", *index_in_element(np.array([2, 0, 3, 1]), np.zeros(4)))
show("in_element", *index_in_element([2, 0, 3, 1], [0] * 4))
show("same", same_element(np.zeros(5)), same_element([0.0] * 5))
show("lists", *list_of_lists([[1, 2, 3], [4, 5, 6]]), *list_of_lists([[0.5], [1.5]]))
show("three", *three_levels(np.arange(12).reshape(2, 3, 2).tolist()))
show("chain", partial_chain(np.arange(24.0).reshape(2, 3, 4)))
show("type", index_expression_type(np.arange(9), 4), index_expression_type(list(range(9)), 4))
show("type", index_expression_type(np.arange(9), np.int8(4)))
show("rows", *mixed_row_index(A.copy(), [2, -1, 0]), *mixed_row_index(A.copy(), np.array([1, 3])))
show("slices", ellipsis_and_slices(A), fancy(np.arange(3), np.arange(3)))
show("zero", out_of_a_zero_dimension(np.array(2.5)), too_few(A))
attempt(too_many, np.arange(3))
attempt(float_index, np.arange(3))
attempt(float_index, [1, 2, 3])
attempt(string_index, np.arange(3))
attempt(string_index, [1, 2])
attempt(huge_index, np.arange(5), 2**40)
attempt(huge_index, [1, 2, 3], 2**62)
attempt(huge_index, [1, 2, 3], 2**70)
attempt(huge_index, np.arange(5), 2**70)
attempt(huge_index, [1, 2, 3], -(2**63))
