"""The recursion limit, and exceptions in functions that call themselves."""

import sys


def bad(n):
    if n == 0:
        raise ValueError("zero")
    return bad(n - 1) + 1


def raising():
    s = 0
    out = []
    try:
        for i in range(5, -1, -1):
            s += 1
            s += bad(i)
    except ValueError as e:
        out.append((str(e), s, i))
    return out


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


def limit():
    s = 0
    try:
        for i in range(0, 3000, 100):  # native
            s += deep(i)
    except RecursionError as e:
        return s, i, str(e)[:40]
    return s, i


def calls_below(n):
    return limit() if n == 0 else calls_below(n - 1)


print(raising(), limit(), calls_below(400), calls_below(850))
sys.setrecursionlimit(5000)
print(limit(), calls_below(2000))
sys.setrecursionlimit(300)
print(limit(), calls_below(60))
