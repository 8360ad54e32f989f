"""Iterations that get to what only CPython can do: it runs them, compiled code the others."""

import math

from showing import attempt, show


def logistic(n):
    total, y = 0.0, 0.5
    for k in range(n):  # native
        y = 3.7 * y * (1 - y)
        total += y
        if k % 1000 == 0:
            print(k, repr(y), f"{total:.6f}")
    return total, y, k


def noted(values):
    seen, large = set(), {}
    best = None
    for at, v in enumerate(values):  # native
        if v % 997 == 0:
            seen.add(v)
        elif v > 9_990_000:
            large[v] = at
            best = {"at": at}
    return sorted(seen), large, best


def shrinking(values):
    total = 0
    for at, v in enumerate(values):  # native
        total += v * v % 7
        if v == 5000:
            values.pop(3)
            values[at + 2] = 17
    return total, at, v, len(values)


def renamed(n):
    scale, names = 1, []
    total = 0
    for k in range(n):  # native
        total += scale * k
        if k % 500 == 499:
            scale = len(f"{k}" * 2)
            names.append((str(k), scale))
            total += 1
    return total, scale, names


def changing(n):
    total = 0
    step = 1
    for k in range(n):
        total += step
        if k == 700:
            step = eval("1.5")
        if k == 900:
            step = math.comb(70, 35) * [1][0]
    return total, step


def stopped(n):
    k, out = 0, []
    while k < n:  # native
        k += 1
        if k % 700 == 0:
            out.extend([k, str(k)])
            if len(out) > 8:
                break
        elif k == 77:
            x = {1: k}
    else:
        out.append("all")
    return k, out, x


def failing(n, table):
    total = 0
    for k in range(n):  # native
        total += k
        if k % 300 == 299:
            table[k] = total
            total = table["none"] if k > 1500 else total
    return total


def nested(n):
    out = []
    for k in range(n):  # native
        if k % 50 > 40:
            if k % 100 == 99:
                out.append({k})
            elif k % 100 == 98:
                raise ValueError(k, out) if k > 2000 else KeyError(k)
    return out


def often(n):
    seen = {}
    for k in range(n):
        if k % 3 != 1:
            seen[k % 7] = k
    return seen


def yielding(n):
    total = 0
    for k in range(n):  # cpython
        total += k
        if k % 1000 == 0:
            yield total


show("logistic", logistic(5000))
show("noted", noted([(k * 7919) % 10_000_019 for k in range(20_000)]))
show("shrinking", shrinking(list(range(20_000))))
show("renamed", renamed(5000))
show("changing", changing(2000))
show("stopped", stopped(5000), stopped(900))
table = {}
attempt(failing, 5000, table)
show("table", table)
attempt(nested, 5000)
show("often", often(3000))
show("yielding", list(yielding(5000)))
