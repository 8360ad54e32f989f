"""try/except around nests: state at the exception, finally, re-raised, nested, at depth."""

import traceback

import numpy as np
from showing import attempt, show


def caught(a, b):
    i = -1
    try:
        for i in range(len(a)):  # native
            a[i] = a[i] // b[i]
    except ZeroDivisionError as error:
        return "caught", i, str(error), a
    else:
        return "fine", i, a
    finally:
        a[0] = 77


def resumed(a, b):
    start = 0
    failures = []
    while start < len(a):
        try:
            for i in range(start, len(a)):  # native
                a[i] = 100 // b[i]
            start = len(a)
        except ZeroDivisionError:
            failures.append(i)
            a[i] = -1
            start = i + 1
    return a, failures


def accumulated(a, limit):
    total = 0
    seen = 0
    try:
        for i in range(limit):  # native
            seen += 1
            total += a[i]
            seen += 100
    except IndexError:
        pass
    return total, seen, i


def nested_state(A):
    row = col = -1
    s = 0.0
    try:
        for row in range(A.shape[0]):  # native
            for col in range(A.shape[0] + 1):
                s += A[row, col]
                A[row, col] = -1
    except IndexError as error:
        return row, col, s, A, str(error)
    return row, col, s, A


def wrong_type(a):
    s = 0
    for x in a:
        s += x
    return s


def unbound(n):
    for i in range(n):
        s += i
    return s


def undefined(a):
    for x in a:
        y = x + not_defined
    return y


def attribute_missing(a):
    for i in range(3):
        a[i] = a.nothing
    return a


def not_callable(a):
    f = 3
    for x in a:
        y = f(x)
    return y


def not_iterable(n):
    for x in n:
        pass
    return x


def not_subscriptable(x):
    s = 0
    for i in range(3):
        s += x[i]
    return s


def unpack_mismatch(pairs):
    s = 0
    for x, y in pairs:
        s += x
    return s


def raise_in_called(a):
    def inverse(x):
        return 1 / x

    s = 0
    for x in a:  # native
        s += inverse(x)
    return s


def raise_in_condition(a):
    n = 0
    for i in range(len(a)):  # native
        if 10 // a[i] > 3:
            n += 1
    return n


def raise_in_bound(a):
    n = 0
    for i in range(len(a)):  # native
        for j in range(10 // a[i]):
            n += j
    return n


def raise_in_while(a):
    i = 0
    n = 0
    while 10 // a[i] > 0:  # native
        n += a[i]
        a[i] = 0
        i += 1
    return n


def raise_in_else(a):
    s = 0
    for x in a:  # native
        s += x
    else:
        s = s // (s - 6)
    return s


def raise_in_index(a):
    for i in range(len(a)):
        a[6 // a[i] - 1] += 1
    return a


def raise_in_augmented(a, b):
    for i in range(len(a)):  # native
        a[i] += 1
        a[i] //= b[i]
        a[i] += 1
    return a


def chained_handlers(a):
    try:
        try:
            for x in a:  # native
                y = 1 // x
        except ZeroDivisionError as error:
            raise ValueError("worse") from error
    except ValueError as error:
        return str(error), type(error.__cause__).__name__, x


def with_context(a):
    log = []

    class Context:
        def __enter__(self):
            log.append("in")

        def __exit__(self, *args):
            log.append(args[0].__name__ if args[0] else "out")
            return True

    with Context():
        for i in range(len(a)):  # native
            a[i] = 1 // a[i]
    return log, a, i


def finally_in_loop(a):
    log = []
    for k in range(3):
        try:
            for i in range(len(a)):  # native
                a[i] = 4 // (a[i] + k - 1)
        except ZeroDivisionError:
            log.append((k, i))
            continue
        finally:
            log.append(k)
    return log, a


def parallel_order(a, b):
    # Two iterations would fail; the first one's exception counts and nothing after it is written.
    for i in range(len(a)):  # native
        if b[i] == 1:
            a[i] = a[i + 1000]
        elif b[i] == 2:
            a[i] = 1 // (b[i] - 2)
        else:
            a[i] = i
    return a


show("caught", *caught([4, 6, 8], [2, 0, 1]), *caught([4, 6, 8], [2, 3, 1]))
show("resumed", *resumed([0] * 6, [5, 0, 3, 0, 0, 7]), *resumed(np.zeros(3), [1, 0, 2]))
show(
    "accumulated",
    *accumulated([1, 2, 3], 3),
    *accumulated([1, 2, 3], 9),
    *accumulated(np.arange(4), 5),
)
show("nested", *nested_state(np.arange(9.0).reshape(3, 3)), *nested_state(np.ones((3, 5))))
attempt(wrong_type, [1, 2, "x"])
attempt(wrong_type, [1, None])
attempt(wrong_type, ["x"])
attempt(unbound, 3)
attempt(unbound, 0)
attempt(undefined, [1])
attempt(undefined, [])
attempt(attribute_missing, [1, 2, 3])
attempt(attribute_missing, np.zeros(3))
attempt(not_callable, [1])
attempt(not_iterable, 5)
attempt(not_iterable, np.array(5))
attempt(not_subscriptable, 5)
attempt(not_subscriptable, {0: 1, 1: 2})
attempt(unpack_mismatch, [(1, 2), (3,)])
attempt(unpack_mismatch, [(1, 2, 3)])
attempt(unpack_mismatch, np.zeros((2, 3)))
attempt(unpack_mismatch, [1])
attempt(raise_in_called, [1, 2, 0])
attempt(raise_in_condition, [1, 2, 5, 0])
attempt(raise_in_bound, [1, 2, 0])
attempt(raise_in_while, [1, 2, 0])
attempt(raise_in_else, [1, 2])
attempt(raise_in_else, [1, 2, 3])
attempt(raise_in_index, [1, 2, 3, 6])
attempt(raise_in_index, [1, 2, 0, 6])
for f in (raise_in_augmented,):
    x = [8, 9, 10]
    attempt(f, x, [2, 0, 1])
    show("left", x)
    attempt(f, x, [2, 3, 1])
    x = np.array([8, 9, 10])
    attempt(f, x, [2, 0, 1])
    show("left", x)
show("chained", *chained_handlers([3, 0, 1]))
show("with", *with_context([1, 2, 0, 4]), *finally_in_loop([5, 1, 0, 2]))
x = list(range(20))
attempt(parallel_order, x, [0] * 7 + [2, 0, 1] + [0] * 10)
show("left", x)
x = np.arange(20)
attempt(parallel_order, x, np.array([0] * 7 + [1, 0, 2] + [0] * 10))
show("left", x)


def outer():
    middle()


def middle():
    data = [1, 2, 0]
    for i in range(3):  # native
        data[i] = (
            10
            // data[i]
        )  # fmt: skip


try:
    outer()
except ZeroDivisionError:
    traceback.print_exc()
