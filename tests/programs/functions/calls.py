"""Functions and methods of the user: called for their effect, early returns, keywords."""

import math

import numpy as np


def kw(x, *, scale=2.0, offset=1.0):
    return x * scale + offset


def po(x, y=3, /):
    return x * y


def update(A, i):
    for j in range(A.shape[1]):
        A[i, j] += i * j


def upd2(row, k, lim):
    if k > lim:
        return
    for j in range(len(row)):
        row[j] += k


def early(a, i):
    if a[i] < 0:
        a[i] = 0
        return
    a[i] *= 2


def noret(a, i):
    a[i] += 1
    return None


def run(a):
    s = 0.0
    for i in range(len(a)):  # native
        s += kw(a[i], scale=3.0) + kw(a[i]) + po(a[i])
    return s


def run2(A):
    for i in range(A.shape[0]):  # native
        update(A, i)
    return A


def run3(L):
    for k in range(len(L)):  # native
        upd2(L[k], k, 2)
    return L


def run4(a):
    for i in range(len(a)):  # native
        early(a, i)
        noret(a, i)
    return a


class P:
    def __init__(self, n):
        self.n = n
        self.w = 0.5
        self.u = np.arange(float(n))
        self.L = [float(i) for i in range(n)]

    def kernel(self, x):
        return self.w * x * x

    def relax(self, i):
        self.u[i] = 0.5 * (self.u[i - 1] + self.u[i + 1])

    def both(self, i):
        return self.kernel(self.L[i]) + self.u[i]

    def run(self):
        s = 0.0
        for i in range(self.n):  # native
            s += self.kernel(self.u[i])
        return s

    def sweep(self):
        for k in range(3):  # native
            for i in range(1, self.n - 1):
                self.relax(i)
        return self.u

    def sweep2(self):
        t = 0.0
        for i in range(self.n):
            t += self.both(i)
            self.L[i] = t
        return t, self.L


def outside(q, n):
    e = 0.0
    for i in range(n):  # native
        e += q.kernel(i * 1.0)
    return e


def comp(n):
    z = 0j
    s = 0.0
    for i in range(n):  # native
        for k in range(4):
            c = complex(i * 0.1, -k * 0.2)
            z = z * z * 0.01 + c
            s += abs(z) + z.real - z.imag + math.hypot(i, k)
    return z, s, math.prod((1, 2)), complex(0.0, -0.0)


def swap_rows(A, b):
    n = len(A)
    for k in range(n):  # native
        p = k
        for i in range(k + 1, n):
            if abs(A[i][k]) > abs(A[p][k]):
                p = i
        if p != k:
            A[k], A[p] = A[p], A[k]
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            f = A[i][k] / A[k][k]
            for j in range(k, n):
                A[i][j] -= f * A[k][j]
            b[i] -= f * b[k]
    return A, b


p = P(9)
print(run(np.arange(5.0)), run([1.0, 2.0]))
print(run2(np.ones((3, 4))), run3([[1, 2], [3, 4], [5, 6], [7, 8]]), run3([np.ones(2)]))
print(run4(np.array([1.0, -2, 3])), run4([1, -2, 3]))
print(p.run(), p.sweep(), p.sweep2(), outside(p, 5), comp(5))
print(swap_rows([[1.0, 2, 3], [4.0, 5, 6], [7.0, 8, 10]], [1.0, 2, 3]))
shared = [[1.0, 2, 3], [4.0, 5, 6], [7.0, 8, 10]]
first = shared[0]
print(swap_rows(shared, [1.0, 2, 3]), first)
