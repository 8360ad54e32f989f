"""Lists, arrays and singletons keep their identity; numbers keep their values, and no loop is left for more."""

import numpy as np
from showing import show


def copied(a, b):
    for i in range(len(a)):  # native
        b[i] = a[i]
    return b


def moved(a):
    for i in range(len(a) - 1, 0, -1):  # native
        a[i] = a[i - 1]
    return a


def swapped(a):
    for i in range(len(a) // 2):  # native
        a[i], a[-1 - i] = a[-1 - i], a[i]
    return a


def rotated_by_variable(a):
    first = a[0]
    for i in range(len(a) - 1):  # native
        a[i] = a[i + 1]
    a[-1] = first
    return a


def every_third_written(a):
    for i in range(0, len(a), 3):  # native
        a[i] = 0.0
    return a


def condition_written(a):
    for i in range(len(a)):  # native
        if a[i] > 1000:
            a[i] = 1000
    return a


def rewritten_with_itself(a):
    for i in range(len(a)):  # native
        a[i] = a[i]
    return a


def matrix_copied(A, B):
    for i in range(len(A)):  # native
        for j in range(len(A[0])):
            B[j][i] = A[i][j]
    return B


def last_element(a):
    x = None
    for x in a:  # native
        pass
    return x


def best_element(a):
    best = a[0]
    for x in a:  # native
        if x > best:
            best = x
    return best


def conditional_copy(a, b):
    for i in range(len(a)):  # native
        b[i] = a[i] if a[i] > 0 else b[i]
    return b


def whole_lists(L):
    first = L[0]
    for i in range(len(L)):
        for j in range(len(first)):
            L[i][j] += 1
    return first


def partly(a, out):
    for i in range(len(out)):  # native
        out[i] = a[i] * 2
    return out


def through_tuple(t, out):
    for i in range(len(t)):  # native
        out[i] = t[i]
    return out


def inserted(a):
    # Insertion sort moves objects and keeps them.
    for i in range(1, len(a)):  # native
        x = a[i]
        j = i - 1
        while j >= 0 and a[j] > x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = x
    return a


nan = float("nan")
big = [float(1000 + k) for k in range(7)]
ints = [10**6 + k for k in range(7)]
for source in (big, ints):
    out = copied(source, [None] * 7)
    show("copied", out, [type(x).__name__ for x in out])
    out = copied(source, [0.5] * 7)
    show("copied", out, [type(x).__name__ for x in out])
    out = moved(source[:])
    show("moved", out, [type(x).__name__ for x in out])
    out = swapped(source[:])
    show("swapped", out, [type(x).__name__ for x in out])
    out = rotated_by_variable(source[:])
    show("rotated", out, [type(x).__name__ for x in out])
    out = every_third_written(source[:])
    show("third", out, [type(x).__name__ for x in out])
    out = condition_written(source[:])
    show("condition", out, [type(x).__name__ for x in out])
    out = rewritten_with_itself(source[:])
    show("itself", out, [type(x).__name__ for x in out])
    A = [source[:3], source[3:6]]
    B = matrix_copied(A, [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    show("matrix", B)
    show("last", last_element(source), best_element(source))
    out = inserted(source[::-1])
    show("inserted", out, [type(x).__name__ for x in out])
    out = conditional_copy(source, [0.0] * 7)
    show("conditional", out, [type(x).__name__ for x in out])
    out = through_tuple(tuple(source), [0.0] * 7)
    show("tuple", out, [type(x).__name__ for x in out])
nans = [nan, 1.0, nan]
out = copied(nans, [0.0] * 3)
show("nan", out, moved(nans[:]))
show("nan", copied(np.array(nans), [0.0] * 3))
row = [1.5, 2.5]
L = [row, row, [3.5, 4.5]]
show("shared", whole_lists(L), L, L[0] is L[1] is row)
untouched = [10**9, 2.5, "text", None]
show("untouched", partly(untouched, [0, 0]), untouched)
mixed = [1, 2.0, 3]
out = partly([4, 5.5, 6], mixed)
show("types", out, [type(x).__name__ for x in out])
flags = [True, False]
out = copied(flags, [None, None])
show("bools", out, out[0] is True, out[1] is False)
small = copied([1, 2, 256, -5], [0] * 4)
show("small", small[0] is 1 + 0, small[2] is int("256"), small[3] is -int("5"))


def one_tuple_two_names(a):
    for i in range(len(a)):
        p = q = (i, a[i])
        r = p
    return p is q, r is p


def kept_elements(a):
    t = None
    for i in range(len(a)):
        t = (a[i], 0.5)
    return t


show("tuples", *one_tuple_two_names([1.5, 2.5]), kept_elements([1.5, 2.5]))
