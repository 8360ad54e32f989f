"""Global, nonlocal, closure and nested-function names; names that may be unbound."""

import numpy as np
from showing import attempt, show

total = 0
table = [3, 1, 4, 1, 5]
grid = np.arange(12.0).reshape(3, 4)
n_global = 6


def read_globals():
    s = 0
    for i in range(n_global):  # native
        s += table[i % len(table)] * i
    for row in grid:  # native
        for x in row:
            s += x
    return s


def write_globals(a):
    global total, seen
    for x in a:  # native
        total += x
        seen = x
    return total


def delete_and_write(n):
    global fresh
    for i in range(n):  # native
        fresh = i * 2


def counter():
    count = 0
    last = None

    def add(a):
        nonlocal count, last
        for x in a:  # native
            count += x
            last = x
        return count

    def get():
        return count, last

    return add, get


def cells(a):
    s = 0.0
    for i in range(len(a)):  # native
        s += a[i]
        k = i * 2

    def see():
        return s, k, i

    return see()


def closure_reads(k):
    weights = [1, 2, 3]

    def run(a):
        s = 0
        for i in range(len(a)):  # native
            s += a[i] * weights[i % 3] + k
        return s

    return run


def nested_functions(a):
    def inner(b):
        t = 0
        for x in b:  # native
            t += x * x
        return t

    def middle(b):
        s = 0
        for i in range(3):
            s += inner(b) + i
        return s

    return middle(a)


def shadows(a):
    sum = 0
    len = 3
    for i in range(len):  # native
        sum += a[i]
    return sum, len


def shadowed_range(a):
    def range(n):
        return [2, 1, 0][:n]

    s = []
    for i in range(2):
        s.append(a[i])
    return s


def maybe_unbound(flag, n):
    if flag:
        x = 10
    for i in range(n):
        if i == 2:
            x = i
    return x


def read_before_write(n):
    for i in range(n):
        y = x_local + i
        x_local = y
    return y


def deleted(a):
    i = 3
    del i
    s = 0
    for x in a:
        s += x + i
    return s


def locals_after(a):
    s = 0
    for i, x in enumerate(a):  # native
        s += x
        d = s * 2
    return sorted(locals().items(), key=str)


def seen_by_comprehension(a):
    s = 0
    for x in a:  # native
        s += x
    return [s * y for y in (1, 2)], x


def default_argument(a, n=4, step=2):
    s = 0
    for i in range(0, n, step):  # native
        s += a[i]
    return s


def star_arguments(*args, **kwargs):
    s = 0
    for x in args:
        s += x * kwargs["k"]
    return s


def star_numbers(*args):
    s = 0
    for x in args:  # native
        s += x * x
    return s


def generator(a):
    for block in range(3):
        s = 0
        for x in a:  # native
            s += x * block
        yield s


def many_names(a):
    a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = a8 = a9 = 0
    b0, b1, b2, b3, b4 = 1, 2, 3, 4, 5
    for x in a:  # native
        a0 += x * b0
        a1 += a0 * b1
        a2 += a1 % 7 * b2
        a3 += a2 % 7 * b3
        a4 += a3 % 7 * b4
        a5, a6 = a6, a5 + 1
        a7 = a5 - a6
        a8 = a7 if a8 > a7 else a8 + 1
        a9 = a9 + a8
    return a0, a1, a2, a3, a4, a5, a6, a7, a8, a9


show("read_globals", read_globals())
n_global = 9
table = [2.5, 1.5]
show("read_globals", read_globals())
show("write_globals", write_globals([1, 2, 3]), total, seen)
show("write_globals", write_globals(np.float32([0.5, 0.25])), total, seen)
delete_and_write(0)
show("fresh", "fresh" in globals())
delete_and_write(3)
show("fresh", fresh)
add, get = counter()
show("counter", add([1, 2]), add([]), add(np.int8([3, 4])), *get())
show("cells", *cells(np.arange(5.0)), *cells([1, 2]))
show("closure", closure_reads(2)(np.arange(7)), closure_reads(0.5)([1, 2, 3, 4]))
show("nested", nested_functions([1, 2, 3]), nested_functions(np.arange(4.0)))
show("shadows", *shadows([5, 6, 7]), shadowed_range([7, 8, 9]))
attempt(maybe_unbound, True, 2)
attempt(maybe_unbound, True, 5)
attempt(maybe_unbound, False, 5)
attempt(maybe_unbound, False, 2)
attempt(read_before_write, 3)
attempt(read_before_write, 0)
attempt(deleted, [1, 2])
attempt(locals_after, [1, 2, 3])
show("comprehension", *seen_by_comprehension([1, 2, 3]))
show("default", default_argument(np.arange(9)), default_argument([1] * 9, 9, 3))
show("star", star_arguments(1, 2, 3, k=2), star_numbers(1, 2, 3), star_numbers(0.5))
show("generator", list(generator([1, 2, 3])))
show("many", *many_names([5, 7, 11, 13]), *many_names(np.arange(9)))
print(sorted(k for k in globals() if not k.startswith("__")))
