"""Windows of lists: slices whose lengths only running tells, summed, named, grown, compared, sliced again."""

import math


def peaks(x, lag, th):
    hits = []
    for i in range(lag, len(x)):  # native
        win = x[i - lag : i]
        m = sum(win) / lag
        sd = math.sqrt(sum((v - m) ** 2 for v in win) / lag)
        if abs(x[i] - m) > th * sd:
            hits.append(i)
    return hits


def means(x, w):
    out = []
    for i in range(len(x)):  # native
        part = x[max(0, i - w) : i + w + 1]
        out.append(sum(part) / len(part))
    return out


def longest(x, n):
    best = 0
    for i in range(n):  # native
        for j in range(i + 1, n + 1):
            sub = x[i:j]
            if sum(sub) > 0 and len(sub) > best:
                best = len(sub)
    return best, sub


def direct(x, w):
    t = 0.0
    for i in range(len(x) - w):  # native
        t += max(x[i : i + w]) - min(x[i : i + w]) + len(x[i::3])
    return t


def strided(x):
    t = 0
    for s in range(1, 8):  # native
        y = x[s::s] if False else x[s:]
        t += sum(y[: s * 3]) + len(y)
        y[0] = 5
    return t, y[:4]


def empty(x, n):
    c = 0
    for i in range(n):
        y = x[i:3]
        for v in y:
            c += v
        c += len(y)
        if y:
            c += y[0] + y[-1]
        if y == x[:2]:
            c += 100
    return c, y


def grows(x):
    t = 0
    for i in range(10, 40):  # native
        y = x[i - 10 : i]
        y.append(i)
        y[0] = 3
        t += sum(y) + len(y) + y[-1]
    return t, y


def neg(x):
    t = 0
    for i in range(5, 30):  # native
        t += sum(x[-i:]) + sum(x[:-i]) + len(x[-i:-3])
    return t


x = [((i * 7919) % 101) / 50 - 1 for i in range(3000)]
k = [(i * 7919) % 101 - 50 for i in range(300)]
print(peaks(x, 30, 1.6)[:9], sum(means(x, 5)), longest(k, 60), direct(x, 9))
print(strided(k), empty(k, 10), grows(k), neg(k), peaks([], 3, 1), means([], 3))
