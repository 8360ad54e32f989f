"""What fires late and whatever the proofs about subscripts say: the chunk it happens in leaves no trace twice."""

import array

import numpy as np
from showing import show


def doubled(a):
    for i in range(1, len(a)):  # native
        a[i] = a[i] * 2 + a[i - 1]
    return a


def negated(a, n):
    for t in range(n):  # native
        for i in range(len(a)):
            a[i] = -a[i] - a[i]
    return a


def growing(a, n):
    for t in range(n):  # native
        for i in range(1, len(a)):
            a[i] = a[i] * a[i - 1] - t
            a[i - 1] = a[i]
    return a


def running(a, out):
    s = a[0]
    for i in range(len(a)):  # native
        s = s * 3 + a[i]
        out[i] = out[i] + s
    return s


def as_index(a, out):
    for i in range(len(a)):  # native
        out[int(a[i])] = out[int(a[i])] + a[i]
    return out


def narrow(a):
    for i in range(1, len(a)):  # native
        a[i] = a[i] + a[i - 1]
    return a


def steps(a, strides):
    for i in range(len(strides)):  # native
        for j in range(0, len(a), strides[i]):
            a[j] = a[j] * 2.0 + i
    return a


def past_the_end(a, n):
    for i in range(n):  # native
        a[i] = a[i] * 2 + a[i - 1]
    return a


def mixed(n):
    return [k if k % 3 else k + 0.5 for k in range(n)]


show(doubled(mixed(30)))
show(doubled(mixed(90)))
show(doubled([1.5, *range(200)]))
show(negated(mixed(40), 20))
show(negated(mixed(40), 70))
show(growing(mixed(12), 9))
values = [*mixed(60), 4, 5]
copy = list(values)
out = [0] * len(values)
try:
    show(running(values, out))
except Exception as error:
    show(type(error).__name__, str(error))
show(out, values == copy)
print(as_index([3, 1.5, 2, 0.25, 2], mixed(5)))
for kind in "bhiBHI":
    a = array.array(kind, [7] * 200)
    try:
        narrow(a)
    except OverflowError as error:
        print(error)
    print(a)
a = np.arange(50.0)
try:
    steps(a, [3, 2, 5, 7, 0, 3])
except ValueError as error:
    print(error)
print(a)
for a in (mixed(50), list(range(50)), [0.5] * 50, np.arange(50)):
    try:
        past_the_end(a, 51)
    except IndexError as error:
        print(error)
    show(a)
