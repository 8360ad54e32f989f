"""Loops in generators, coroutines, finally clauses, handlers, callbacks and recursion."""

import asyncio
import functools

import numpy as np
from showing import attempt, show


def numbers(a):
    s = 0
    for i in range(3):
        for x in a:  # native
            s += x
        yield s
    for x in a:  # native
        s -= x
    return s


def sent(a):
    s = 0
    k = yield
    while k is not None:
        for x in a:  # native
            s += x * k
        k = yield s


def delegated(a):
    last = yield from numbers(a)
    for i in range(last + 3):  # native
        last += i
    yield last


async def coroutine(a, pause):
    s = 0
    for k in range(3):
        for x in a:  # native
            s += x * k
        await asyncio.sleep(pause)
    return s


async def gathered():
    return await asyncio.gather(*(coroutine([k, k + 1], 0.001 * k) for k in range(3)))


def in_finally(a):
    try:
        for i in range(len(a) + 1):  # native
            a[i] += 1
    finally:
        for i in range(len(a)):  # native
            a[i] *= 10
    return a


def return_through_finally(a):
    log = []
    try:
        for i in range(len(a)):
            if a[i] > 2:
                return i, log
    finally:
        for i in range(len(a)):  # native
            a[i] = -a[i]
        log.append("done")


def in_handler(a):
    try:
        a[99]
    except IndexError as error:
        s = 0
        for x in a:  # native
            s += x
        return s, str(error)


def break_in_finally(a):
    for k in range(3):
        try:
            for i in range(len(a)):  # native
                a[i] //= k
        except ZeroDivisionError:
            continue
        finally:
            if k == 2:
                break
    return k, a


@functools.cache
def cached(n):
    s = 0
    for i in range(n):  # native
        s += i * i
    return s


def callback(f, n):
    out = []
    for i in range(n):
        out.append(f(i))
    return out


def key_function(k):
    s = 0
    for i in range(k):  # native
        s = (s * 31 + i) % 7
    return s


def mutual(n, a):
    s = 0
    for x in a:  # native
        s += x
    return s if n == 0 else s + other(n - 1, a)


def other(n, a):
    p = 1
    for x in a:  # native
        p = p * x % 1000
    return p if n == 0 else p - mutual(n - 1, a)


def comprehension(a):
    return [total for k in range(3) for total in [inner(a, k)]]  # native


def inner(a, k):
    s = 0
    for x in a:
        s += x * k
    return s


def thrown(a):
    g = numbers(a)
    next(g)
    try:
        g.throw(ValueError("stop"))
    except ValueError as error:
        return str(error), list(g)


def matched(value, a):
    match value:
        case 0:
            s = 0
            for x in a:  # native
                s += x
        case [first, *_]:
            s = first
            for x in a:  # native
                s -= x
        case _:
            s = None
    return s


show("generator", list(numbers([1, 2])), list(numbers(np.arange(3))), list(delegated([1, 2])))
g = sent([1, 2, 3])
next(g)
show("sent", g.send(2), g.send(0.5), g.send(np.int8(3)))
show("async", asyncio.run(gathered()))
x = [1, 2]
attempt(in_finally, x)
show("finally", x, return_through_finally([1, 2, 3]), return_through_finally([1]))
show("handler", in_handler([1, 2]), in_handler(np.arange(4)), break_in_finally([5, 6]))
show("cached", cached(5), cached(5), cached(np.int64(5)), callback(lambda i: i * 2, 3))
show("sorted", sorted(range(9), key=key_function), list(map(key_function, (3, 4))))
show("mutual", mutual(4, [1, 2, 3]), comprehension([1, 2]), thrown([1, 2]))
show("matched", matched(0, [1, 2]), matched([5, 6], [1, 2]), matched("x", [1]))
