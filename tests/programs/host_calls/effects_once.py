"""Whatever a guard undoes, an effect happens once, at its place: before an exception, and never behind one."""

import traceback
import warnings

import numpy as np
from showing import attempt, show


def index_error_after(n, a, log):
    total = 0
    for i in range(n):  # native
        for j in range(20):
            total += j * i % 7
        log.append(("in", i))
        total += a[i]
        log.append(("out", i, total))
    return total


def key_error_inside(n, table, log):
    total = 0
    for i in range(n):  # native
        for j in range(20):
            total += j * i % 7
        log.append([i, total])
        table[i] = total
        if i == 234:
            total += table[i * 1000]
    return total


def in_a_while(n, log):
    total = 0
    i = 0
    try:
        while True:  # native
            x = 0
            for j in range(30):
                x = (x * 31 + i + j) % 1009
            log.append((i, "x"))
            total += 1000 // (x - 500 if i > 70 else 1)
            i += 1
            if i >= n:
                break
    except ZeroDivisionError:
        log.append("zero")
    return i, total


def returns(n, log):
    for i in range(n):  # native
        x = 0
        for j in range(25):
            x += i * j
        log.append({"i": i, "x": x})
        if x > 10000:
            return i, x
    return None


def breaks(n, log):
    for i in range(n):  # native
        x = 0
        for j in range(25):
            x += i * j
        log.append((i, None))
        if x > 10000:
            break
    else:
        log.append("else")
    return i, x


def goes_on(n, log):
    for i in range(n):  # native
        x = 0
        for j in range(25):
            x += i * j
        if x % 4 == 0:
            continue
        log.append(f"{i} of {n}: {x:>8}")
    return i


def reads_what_it_changes(n, a):
    seen = set()
    total = 0
    for i in range(n):  # native
        x = 0
        for j in range(25):
            x = (x * 33 + i * j + 1) % 401
        if x in seen:
            total += 1
        seen.add(x)
        if x in seen:
            total += a[i]
    return total


def an_int_that_grows(n, log):
    p = 1
    for i in range(n):  # native
        for j in range(20):
            p += j
        log.append((i, "s"))
        p = p * 3
    return p


def printed(n):
    for i in range(n):  # native
        x = 0
        for j in range(25):
            x = (x * 33 + i * j + 1) % 401
        print(i, x, "%d" % x, "{} {}".format(i, x), f"{x:4d}|{i / 7:.3f}", sep=";")
        if i % 7 == 0:
            print("seven", str(x) + "!", end="\n")


def warned(n, log):
    z = np.zeros(3)
    s = 0.0
    for i in range(n):
        for j in range(25):
            s += j
        log.append((i, "a"))
        if i == 77:
            z[0] = np.float64(1.0) / z[1]
        log.append((i, "b"))
    return s, z


def lines_of(error):
    frames = traceback.extract_tb(error.__traceback__)
    return [(f.name, f.lineno, f.line) for f in frames]


def with_log(function, *arguments):
    log = [None]
    attempt(function, *arguments, log)
    show(function.__name__, len(log), log[-3:])


with_log(index_error_after, 300, list(range(250)))
with_log(index_error_after, 250, list(range(250)))
table = {7: 1}
with_log(key_error_inside, 300, table)
show("table", len(table), table[234])
with_log(in_a_while, 500)
with_log(returns, 1000)
with_log(breaks, 1000)
with_log(breaks, 20)
with_log(goes_on, 200)
with_log(an_int_that_grows, 60)
attempt(reads_what_it_changes, 300, list(range(250)))
printed(30)
with warnings.catch_warnings():
    warnings.simplefilter("default")
    with_log(warned, 100)
try:
    key_error_inside(300, {7: 1}, ["log"])
except KeyError as error:
    show("lines", lines_of(error))


def keywords_alone(n):
    s = 0
    for i in range(n):  # native
        s += i
        print(end="" if i % 500 else ".")
        print(sep="-", end="")
    return s


print(keywords_alone(5000))
