"""Comprehensions and generator expressions in no loop: each is computed as a whole, or not at all."""

import math
import sys
from functools import reduce

import numpy as np
from showing import attempt, show

N = 300
xs = [math.sin(k) * 3 for k in range(N)]  # native throughout
ys = [k * k % 17 for k in range(N)]  # native throughout


def squares(n):
    return [k * k for k in range(n)]  # native throughout


def weighed(a, b):
    return sum(x * y for x, y in zip(a, b))  # native throughout


def together(a, b):
    return [x - 2 * y for x, y in zip(a, b)]  # native throughout


def product(a, b):
    return [[sum(r * b[k][j] for k, r in enumerate(row)) for j in range(3)] for row in a]  # native


def above(a, limit):
    return [x for x in a if x > limit]  # native throughout


def between(a, low, high):
    return [(x - low) / (high - low) for x in a if x >= low if x < high]  # native throughout


def pairs(n, m):
    return [i * m - j for i in range(n) for j in range(m)]  # native throughout


def coprime(n):
    return [i * 1000 + j for i in range(1, n) for j in range(1, n) if math.gcd(i, j) == 1]  # native


def triangle(n):
    return sum(i * j for i in range(n) for j in range(i))  # native throughout


def has_factor(n):
    return any(n % d == 0 for d in range(2, n))  # native throughout


def pythagorean(n):
    return any(a * a + b * b == n * n for a in range(1, n) for b in range(a, n))  # native


def ordered(a):
    return all(a[k] <= a[k + 1] for k in range(len(a) - 1))  # native throughout


def farthest(points, x, y):
    return max(math.hypot(p - x, q - y) for p, q in points)  # native throughout


def stretches(n):
    head = [k for k in range(3, n)]  # native throughout
    steps = [k * 0.5 for k in range(0, n, 3)]  # native throughout
    back = [k for k in range(n, 0, -2)]  # native throughout
    return head, steps, back, [0] * 3 + head[:2]


def primes(n):
    return [p for p in range(2, n) if all(p % d for d in range(2, int(p**0.5) + 1))]  # native


def grid(h, w):
    return [[y * w + x for x in range(w)] for y in range(h)]  # native throughout


def transposed(rows):
    return [[row[j] for row in rows] for j in range(len(rows[0]))]  # native throughout


def of_array(a):
    return [float(v) * 0.5 for v in a], sum(abs(v) for v in a)  # native


def in_other_statements(a, limit):
    total = 0.0
    total += sum(v * v for v in a)  # native throughout
    if any(v > limit for v in a):  # native throughout
        total = -total
    kept = tuple([v for v in a if v < 0])  # native
    print("sum", round(sum(v / 2 for v in a), 6), f"{max(abs(v) for v in a):.4f}")  # native
    for k in [round(v) for v in a[:3]]:
        print(k, end=" ")
    print()
    return total, len(kept), kept[:2]


show("squares", squares(200)[-3:], squares(0), squares(-4))
show("weighed", weighed(xs, ys), weighed([], []), weighed(xs, [1] * 5))
show("together", together(xs, ys)[:4], together(xs[:2], ys), together([], ys))
small = [[1.5, 2.0, -1.0], [0.0, 3.0, 1.0], [2.5, 0.5, 4.0]]
show("product", product(small * 40, small)[:2])
show("above", above(xs, 2.0)[:5], len(above(xs, 2.0)), above(xs, 9), above(ys, 12)[:5])
show("between", between(xs, -1.0, 1.0)[:5], attempt(between, xs, 1, 1))
show("pairs", pairs(30, 20)[-5:], pairs(0, 5), pairs(5, 0), pairs(-1, -1), len(pairs(7, 11)))
show("coprime", coprime(25)[-5:], len(coprime(25)))
show("triangle", triangle(60), triangle(1))
show("has_factor", has_factor(9973), has_factor(9991), has_factor(1))
show("pythagorean", pythagorean(65), pythagorean(66))
show("ordered", ordered(sorted(xs)), ordered(xs), ordered([]))
show("farthest", farthest(list(zip(xs, ys)), 1.0, 2.0), attempt(farthest, [], 0, 0))
show("stretches", stretches(40), stretches(2))
show("primes", primes(300)[-5:], len(primes(300)))
show("grid", grid(20, 30)[-1][-3:], grid(0, 3), grid(2, 0))
show("transposed", transposed(grid(20, 30))[-1], attempt(transposed, []))
show("of_array", of_array(np.arange(50) * 0.25))
show("other", in_other_statements(xs, 2.9), in_other_statements([0.5, 1.5, 2.5], 9))


# What CPython evaluates after all, from the beginning.
calls = []


def noted(x):
    calls.append(x)
    return x + 1


def with_effects(a):
    return [noted(x) for x in a]  # native throughout


def divided(a):
    return [1 / x for x in a]  # native


def growing(n):
    return [3**k for k in range(n)]


show("effects", with_effects([1, 2, 3]), calls)
show("divided", divided([1.0, 2.0, 4.0] * 40)[:3], attempt(divided, [1.0, 0.0]))
show("growing", growing(60)[-1], sum(growing(30)))
show("strings", [s.upper() for s in ["a", "b"]], [c for c in "text" if c != "t"])
show("dicts", sum(v for v in {"a": 1, "b": 2}.values()), max(len(w) for w in ("ab", "c")))
show("generators", sum(x for x in (y for y in range(50))), sum(x for x in iter([1, 2])))
show("once", sum(x for x in map(noted, range(3))), len(calls))
show("empty", attempt(lambda: max(x for x in [])), [x for x in []], sum(x for x in ()))
show("types", [True for _ in range(3)], [x == 2 for x in range(4)], [x * 1j for x in range(3)])
show("mixed", [x if x % 2 else x / 2 for x in range(6)], [0 for x in range(3)])
show("ragged", [[0] * k for k in range(4)], sum(len(r) for r in [[1], [1, 2]]))


class Signal:
    scale = 2.0
    table = [k * 0.5 for k in range(4)]

    def __init__(self, n):
        self.samples = [self.scale * math.cos(k) for k in range(n)]

    def power(self):
        return sum(s * s for s in self.samples) / len(self.samples)

    def clipped(self, __high):
        return [min(max(s, -__high), __high) for s in self.samples]


signal = Signal(200)
show("signal", signal.power(), signal.clipped(1.0)[:4], Signal.table)


def nested_functions(n):
    scale = 3

    def inner(a):
        return [x * scale for x in a]

    values = inner(range(n))
    scale = 4
    return values[-1], inner(range(n))[-1], [(lambda y: y + x)(1) for x in range(3)]


def unbound(flag):
    if flag:
        late = 2
    return [late * k for k in range(5)]


def shadowing(x):
    x = [x + x for x in range(x)]
    return sum(x for x in x), x[-1]


def generator(n):
    for block in range(2):
        yield [block * n + k for k in range(n)]


def recursive(n):
    return 1 if n < 2 else sum(recursive(k) for k in range(n))


show("functions", nested_functions(40), attempt(unbound, False), unbound(True), shadowing(30))
show("generator", list(generator(4)), recursive(8))
show("lambda", (lambda a: [v for v in a])(ys)[:3])
one, two = [k for k in range(3)], [k for k in range(3)]
one[0] = 9
show("apart", one, two)
[r for r in [one, two]][0][1] = 8
show("the same", one)
rows = [[0] * 3 for _ in range(2)]
rows[0][1] = 5
show("rows", rows, reduce(lambda a, b: a + b, [k for k in range(10)]))
first, *rest = [k * 2 for k in range(5)]
show("unpacked", first, rest, {k: [j for j in range(k)] for k in range(3)})
show("conditional", [k for k in range(3)] if len(xs) > 5 else None, xs and sum(k for k in ys))
show("names", sorted(n for n in dir() if n.startswith("<")), "k" in dir(), sys.getrefcount(one) < 9)
