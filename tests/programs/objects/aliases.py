"""One object under several names: lists, rows, arrays, attributes."""

import numpy as np
from showing import show


def two_names(a, b):
    for i in range(1, len(a)):  # native
        a[i] = b[i - 1] + 1
    return a


def read_and_write(a, b, c):
    for i in range(len(a)):  # native
        a[i] = b[-1 - i] + c[i]
    return a


def matrix_of_itself(A, B):
    for i in range(len(A)):  # native
        for j in range(len(A[0])):
            A[i][j] = B[j][i] + 1
    return A


def row_and_matrix(A, row):
    for i in range(len(A)):  # native
        for j in range(len(row)):
            A[i][j] += row[j]
    return A, row


def row_written(A, row):
    for i in range(len(A)):  # native
        for j in range(len(row)):
            row[j] += A[i][j]
    return A, row


def outer_name(a):
    b = a
    total = 0
    for i in range(len(b)):  # native
        b[i] += 1
        total += a[i]
    return total, a


class Pair:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def run(self):
        for i in range(len(self.a)):  # native
            self.a[i] = i
            self.b[i] = self.a[i] + 1
        return self.a, self.b


def attribute_and_name(p, a):
    s = 0
    for i in range(len(a)):  # native
        a[i] = i * 2
        s += p.a[i]
    return s


def swapped_same(a, b):
    for t in range(3):
        for i in range(len(a)):
            a[i] += 1
        a, b = b, a
    return a, b


def shifted_and_swapped(a, b, by):
    # How one lies to the other changes with every step.
    for t in range(3):  # native
        for i in range(2, len(a) - 2):
            b[i] = a[i + by] + t
        a, b = b, a
    return a, b


def rows_shifted_and_swapped(a, b):
    for t in range(3):  # native
        for i in range(1, len(a) - 1):
            for j in range(1, len(a[0]) - 1):
                b[i, j] = a[i - 1, j] + a[i, j - 1]
        a, b = b, a
    return a, b


def number_in_two_names(n):
    m = n
    for i in range(5):  # native
        n += i
    return n, m


def element_as_bound(a):
    n = 0
    for i in range(3):
        for j in range(a[i]):
            a[i] -= 1
            n += 1
    return n, a


def element_kept_in_variable(a):
    x = a[0]
    for i in range(3):  # native
        a[0] += 10
        x = x + a[0]
    return x, a


def overlapping(memory, first, second):
    for i in range(len(first)):  # native
        first[i] = second[i] * 2
        second[i] += 1
    return memory


l = [1, 2, 3, 4]
show("same", two_names(l, l), read_and_write(l, l, l), outer_name(l))
a = np.arange(6)
show("same", two_names(a, a), read_and_write(a, a, a), outer_name(a))
show("shifted", two_names(a[1:], a[:-1]), read_and_write(a[::2], a[1::2], a[:3]), a)
A = [[1, 2], [3, 4]]
show("matrix", matrix_of_itself(A, A), row_and_matrix(A, A[0]), row_written(A, A[1]))
B = np.arange(9).reshape(3, 3)
show("matrix", matrix_of_itself(B, B), row_and_matrix(B, B[0]), row_written(B, B[1]), B)
show("matrix", matrix_of_itself(B, B.T), row_and_matrix(B, B[:, 1]), B)
row = [1.0, 2.0]
show("shared", row_and_matrix([row, [5.0, 6.0]], row), row_written([[1.0, 1.0], row], row), row)
p = Pair(l, l)
show("pair", p.run(), attribute_and_name(p, l), attribute_and_name(Pair(a, a), a))
q = Pair([0, 0], [5, 5])
show("pair", q.run(), attribute_and_name(q, [1, 1]), attribute_and_name(q, q.a))
show("swapped", swapped_same(l, l), swapped_same(a, a), swapped_same([1], [2]))
for by in range(-2, 3):
    for shift in range(-3, 4):
        m = np.arange(90) % 7
        first, second = m[3:80], m[3 + shift : 80 + shift]
        show("shifted", by, shift, shifted_and_swapped(first, second, by), m)
for down in (-1, 0, 1):
    for right in (-1, 0, 1):
        m = np.arange(400.0).reshape(20, 20) % 11
        first, second = m[1:17, 1:18], m[1 + down : 17 + down, 1 + right : 18 + right]
        show("rows shifted", down, right, rows_shifted_and_swapped(first, second), m)
show("numbers", number_in_two_names(10**20), number_in_two_names(3), element_as_bound([2, 3, 1]))
show("kept", element_kept_in_variable([1, 2]), element_kept_in_variable(np.array([1.5])))
m = np.arange(12.0)
show("overlap", overlapping(m, m[:6], m[3:9]), overlapping(m, m[::2], m[::-2]))
m = np.zeros(8, dtype=np.int64)
show("types", overlapping(m, m.view(np.int32)[:8], m), m)
