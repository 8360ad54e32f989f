# github.com/numba/numba issue 9374 and 6439: dict with tuples of ints as keys, sums over its values
import random

random.seed(9)


def fill(a, b, c, N):
    d = {}
    for i in range(N):
        d[(random.randrange(N), random.randrange(N), random.randrange(N))] = (a, b, c)
    return d


def total(d):
    s = 0
    for k in d:
        s += d[k][2]
    return s


def histogram(pairs):
    counts = {}
    for p in pairs:
        key = (p[0] // 10, p[1] // 10)
        if key in counts:
            counts[key] += 1
        else:
            counts[key] = 1
    return counts


d = fill(1, 2, 1.3, 10_000)
s = 0.0
for rep in range(6):
    s += total(d)
pairs = [(random.randrange(1000), random.randrange(1000)) for _ in range(30_000)]
h = histogram(pairs)
print(len(d), repr(s), len(h), max(h.values()), list(h.items())[:2])
