"""Loops for a graphics card (`gpu.py`): each is all one thing that a card does."""


def crosses(a, o):
    for i in range(len(o)):
        o[i] = a[i]


def fills(o):
    for i in range(len(o)):
        o[i] = 1.0


def fills_three(o, p, q):
    for i in range(len(o)):
        o[i] = 1.0
        p[i] = 2.0
        q[i] = 3.0


def steps(o, m):
    for _ in range(m):
        for i in range(len(o)):
            o[i] = o[i] + 1.0


def streams(a, b, o, m):
    for _ in range(m):
        for i in range(len(o)):
            o[i] = a[i] + b[i]


def simple(o, m):
    for i in range(len(o)):
        x = o[i]
        for _ in range(m):
            x = x * 0.999 + 0.001
        o[i] = x


def slow(o, m):
    for i in range(len(o)):
        x = o[i]
        for _ in range(m):
            x = 1.0 / (x + 1.0)
        o[i] = x


def access(a, o, m):
    for i in range(len(o)):
        x = o[i]
        for k in range(m):
            x = x + a[k]
        o[i] = x
