"""break, continue, return, for-else and while-else, out of every depth."""

import numpy as np
from showing import show


def first_above(a, limit):
    for i in range(len(a)):  # native
        if a[i] > limit:
            break
    return i, a[i]


def skip_some(a):
    s = 0
    for i in range(len(a)):  # native
        if a[i] % 3 == 0:
            continue
        if a[i] % 5 == 0:
            s -= 1
            continue
        s += a[i]
    return s, i


def index_of(a, x):
    for i in range(len(a)):  # native
        if a[i] == x:
            return i
    return -1


def return_values(a):
    for i, x in enumerate(a):  # native
        if x < 0:
            return x, i, x * 0.5, i > 3
        a[i] = x + 1
    return None


def return_nothing(a):
    for i in range(len(a)):  # native
        a[i] += 1
        if a[i] == 5:
            return
    a[0] = -1


def return_kinds(a, way):
    for x in a:
        if x > 2:
            if way == 0:
                return x
            elif way == 1:
                return True
            else:
                return 2.5


def return_deep(A, x):
    for i in range(A.shape[0]):  # native
        for j in range(A.shape[1]):
            if A[i, j] == x:
                return i, j
    return None


def primes(n):
    count = 0
    last = 0
    for p in range(2, n):  # native
        for d in range(2, p):
            if d * d > p:
                count += 1
                last = p
                break
            if p % d == 0:
                break
        else:
            count += 1
            last = p
    return count, last, p, d


def else_after_break(a, x):
    for i in range(len(a)):  # native
        if a[i] == x:
            where = i
            break
    else:
        where = -1
        i = 1000
    return where, i


def else_without_break(a):
    s = 0
    for x in a:  # native
        s += x
    else:
        s = -s
    return s


def while_else(n, stop):
    k = 0
    while n > 0:  # native
        n //= 2
        k += 1
        if n == stop:
            break
    else:
        k = -k
    return k, n


def inner_while_else(a):
    total = 0
    for x in a:  # native
        k = x
        while k > 1:
            if k % 7 == 0:
                total += 1
                break
            k -= 2
        else:
            total += 1000
    return total, k, x


def break_two_levels(A, limit):
    found = False
    s = 0
    for i in range(A.shape[0]):  # native
        for j in range(A.shape[1]):
            s += A[i, j]
            if s > limit:
                found = True
                break
        if found:
            break
    return s, i, j, found


def continue_in_while(n):
    k = 0
    s = 0
    while k < n:  # native
        k += 1
        if k % 2:
            continue
        if k > 30:
            break
        s += k
    return s, k


def break_at_once(a):
    for i in range(len(a)):  # native
        break
    for j in range(len(a)):  # native
        continue
    return i, j


def writes_before_break(a, b):
    for i in range(len(a)):  # native
        b[i] = a[i] * 2
        if b[i] > 20:
            b[i] = -1
            break
        b[i] += 1
    return b, i


def else_continue_outer(A):
    rows = 0
    for i in range(A.shape[0]):  # native
        for j in range(A.shape[1]):
            if A[i, j] < 0:
                break
        else:
            rows += 1
            continue
        rows += 100
    return rows, i, j


def stop_when_negative(x):
    for k in range(1000):  # native
        x = x * 1.5 - 10.0
        if x < -1e6 or x > 1e6:
            break
    else:
        return 1, k, x
    return 0, k, x


a = np.arange(30) * 11 % 31
l = a.tolist()
show("first_above", *first_above(a, 20), *first_above(l, 20), *first_above(l, 1000))
show("skip_some", *skip_some(a), *skip_some(l))
show("index_of", index_of(a, 13), index_of(l, 13), index_of(a, 99), index_of(l, 99))
show("return_values", return_values(a - 5), return_values((a - 5).tolist()), return_values([1, 2]))
b = np.array([1, 2, 4, 8])
show("return_nothing", return_nothing(b), b, return_nothing(b), b)
for way in range(3):
    show("return_kinds", return_kinds(l, way), return_kinds([1], way))
    show("return_kinds", return_kinds(np.float32(a), way))
show("return_deep", return_deep(a.reshape(5, 6), 13), return_deep(a.reshape(5, 6), 99))
show("primes", *primes(200))
show("else", *else_after_break(a, 13), *else_after_break(a, 99), *else_after_break([], 1))
show("else", else_without_break(a), else_without_break(l), else_without_break([0.5]))
show("while_else", *while_else(1000, 7), *while_else(1000, 999))
show("inner_while_else", *inner_while_else(l), *inner_while_else(a))
show("two_levels", *break_two_levels(a.reshape(5, 6), 100), *break_two_levels(a.reshape(5, 6), 1e9))
show("continue", *continue_in_while(20), *continue_in_while(100))
show("at_once", *break_at_once(a))
show("before_break", *writes_before_break(a, np.zeros(30)), *writes_before_break([1, 2], [0, 0]))
show("else_continue", *else_continue_outer(np.array([[1, 2], [3, -1], [-1, 4], [0, 0]])))
show("stop", *stop_when_negative(20.0), *stop_when_negative(100.0), *stop_when_negative(-1.0))
