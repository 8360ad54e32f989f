"""`try` inside loops: natively what it guards; with an exception, CPython's iteration and handlers."""

import random

import numpy as np
from showing import attempt, show


def divided(values):
    total, bad = 0, 0
    for v in values:  # native
        try:
            total += 1000 // v
        except ZeroDivisionError:
            bad += 1
            total -= 1
    return total, bad


def nested(values, table):
    total = 0.0
    for i in range(len(values)):  # native
        try:
            try:
                x = table[values[i]]
            except IndexError:
                x = -1.0
            else:
                total += 0.5
            if x > 40:
                raise ValueError("large")
            total += x
        except (ValueError, OverflowError) as error:
            total -= len(str(error))
        finally:
            total += 0.25
    return total, x


def continues(values):
    kept = []
    for v in values:  # native
        try:
            y = 100 % v
        except ZeroDivisionError:
            continue
        kept.append(y)
    return kept


def breaks(values):
    n = 0
    for v in values:  # native
        try:
            n += 12 // v
        except ZeroDivisionError:
            break
    else:
        n = -n
    return n, v


def through_finally(values):
    n = 0
    for v in values:
        try:
            if v == 7:
                continue
            n += v
        finally:
            n += 1
    return n


def others_raise(values):
    for v in values:  # native
        try:
            n = 5 // v
        except IndexError:
            n = 0
    return n


def handler_assigns(values, limit):
    total = 0
    for v in values:  # native
        try:
            total += 100 // (limit - v)
        except ZeroDivisionError:
            limit += 50
    return total, limit


def handler_takes_another_list(xs):
    total = 0
    for x in xs:
        try:
            total += 60 // (x - 50)
        except ZeroDivisionError:
            xs = [1, 2, 3]
    return total, xs


def known(keys):
    table, missing = {}, 0
    for k in keys:  # native
        try:
            table[k] += 1
        except KeyError:
            table[k] = 1
            missing += 1
    return table, missing


def by_function(values):
    def safe(v):
        try:
            return 60 // v
        except ZeroDivisionError:
            return -1

    total = 0
    for v in values:  # native
        total += safe(v)
    return total


def everything(values):
    total = 0
    for v in values:
        try:
            total += 10 // v
        except:  # noqa: E722
            total += 2
    return total


def in_arrays(a):
    b = np.zeros(len(a))
    for i in range(len(a) + 3):  # native
        try:
            b[i] = a[i] * 2
        except IndexError:
            b[-1] += 1
    return b.sum(), b[-1]


rng = random.Random(2)
values = [rng.randrange(1, 60) for _ in range(4000)]
values[1500] = values[2500] = values[2501] = 0
show("divided", divided(values))
show("nested", nested(values, [k * 1.0 for k in range(50)]))
show("continues", sum(continues(values)), len(continues(values)))
show("breaks", breaks(values), breaks(values[:1000]))
show("through_finally", through_finally(values))
attempt(others_raise, values)
show("handler_assigns", handler_assigns(list(range(1, 4000)), 2000))
show("handler_takes_another_list", handler_takes_another_list([v + 51 for v in range(-40, 2000)]))
show("known", known([v % 40 for v in values]))
show("by_function", by_function(values))
show("everything", everything(values))
show("in_arrays", in_arrays(np.arange(3000.0)))
