"""One-shot iterators are not touched before a loop has committed to them; nor is what they hold."""

import io

import numpy as np
from showing import attempt, show


def consume(it):
    s = 0
    for x in it:
        s += x
        if s > 10:
            break
    return s, list(it)


def consume_pairs(it):
    s = 0
    for i, x in it:
        s += i * x
        if i == 2:
            break
    return s, list(it)


def twice(it):
    s = 0
    for x in it:
        s += x
    for x in it:
        s += 1000
    return s


def inner_iterator(it, n):
    s = 0
    for i in range(n):
        for x in it:
            s += x * i
    return s


def inner_shared(it, n):
    s = 0
    for i in range(n):
        for x in it:
            if x % 3 == 0:
                break
            s += x * (i + 1)
    return s, list(it)


def named_zip(a, b):
    pairs = zip(a, b)
    s = 0
    for x, y in pairs:
        s += x * y
        if s > 5:
            break
    return s, list(pairs)


def named_enumerate(a):
    numbered = enumerate(a, 10)
    for i, x in numbered:
        if x > 2:
            break
    return i, x, next(numbered, None)


def named_reversed(a):
    backwards = reversed(a)
    next(backwards)
    s = 0
    for x in backwards:
        s = s * 10 + x
    return s


def named_range(n):
    r = range(n)
    s = 0
    for i in r:
        s += i
    return s, r


def generated(n):
    def numbers():
        for i in range(n):  # cpython
            yield i

    s = 0
    for x in numbers():
        s += x
    return s


def two_generators(n):
    log = []

    def numbers(name):
        for i in range(n):
            log.append((name, i))
            yield i

    s = 0
    for x, y in zip(numbers("a"), numbers("b")):
        s += x * y
    return s, log


def file_lines(text):
    f = io.StringIO(text)
    n = 0
    for line in f:
        n += len(line)
        if n > 4:
            break
    return n, f.read()


def zip_with_iterator(it, a):
    s = 0
    for x, y in zip(it, a):
        s += x * y
    return s, list(it)


def zip_with_longer_iterator(a, it):
    s = 0
    for x, y in zip(a, it):
        s += x * y
    return s, list(it)


def enumerate_iterator(it, n):
    s = 0
    for i, x in enumerate(it):
        s += i * x
        if i == n:
            break
    return s, list(it)


def iterator_fails_late(it, a):
    s = 0
    i = -1
    try:
        for i, x in enumerate(it):
            s += a[i] * x
    except IndexError:
        pass
    return s, i, list(it)


def dictionary_views(d):
    s = 0
    for k in d:
        s += k
    for v in d.values():
        s += v * 10
    return s


def array_iterator(a):
    it = iter(a)
    s = next(it)
    for x in it:
        s = s - x
    return s


def flat_iterator(A):
    s = 0
    for x in A.flat:
        s = s * 2 + x
    return s


def nditer(A):
    s = 0.0
    for x in np.nditer(A):
        s += x
    return float(s)


def ndindex(A):
    s = 0.0
    for i, j in np.ndindex(A.shape):
        s += A[i, j] * i
    for (i, j), x in np.ndenumerate(A):
        s += x * j
    return s


def strict_zip(a, b):
    s = 0
    for x, y in zip(a, b, strict=True):
        s += x * y
    return s


def empty_zip():
    n = 0
    for _ in zip():
        n += 1
    for x in enumerate([]):
        n += 1
    return n


def tuple_variable(a, b):
    s = 0
    for pair in zip(a, b):
        s += pair[0] * pair[1]
    return s, pair


l = [1, 2, 3, 4, 5, 6]
show("consume", *consume(iter(l)), *consume(l), *consume(x for x in l), *consume(map(int, "12345")))
show(
    "pairs",
    *consume_pairs(enumerate(l)),
    *consume_pairs(zip(l, l)),
    *consume_pairs([(0, 1), (2, 3)]),
)
show("twice", twice(l), twice(iter(l)), twice(range(4)), twice(np.arange(3)))
show("inner", inner_iterator(l, 3), inner_iterator(iter(l), 3), *inner_shared(iter(l), 3))
show("named", *named_zip(l, l), *named_enumerate(l), named_reversed(l), *named_range(5))
show("generated", generated(9), *two_generators(3), *file_lines("ab\ncd\nef\n"))
show("zip", *zip_with_iterator(iter(l), [1, 2]), *zip_with_longer_iterator([1, 2], iter(l)))
show("enumerate", *enumerate_iterator(iter(l), 2), *iterator_fails_late(iter(l), [1, 2, 3]))
show("views", dictionary_views({1: 2, 3: 4}), array_iterator(np.arange(5)), array_iterator(l))
A = np.arange(6.0).reshape(2, 3)
show("numpy", flat_iterator(A), nditer(A), ndindex(A))
attempt(strict_zip, l, l)
attempt(strict_zip, l, l[:3])
attempt(strict_zip, np.arange(3), l)
show("empty", empty_zip(), *tuple_variable(l, l), *tuple_variable(np.arange(3), [0.5] * 3))
