"""What loops go over where CPython computes it: results of calls, parts of them, dictionaries and views, once each."""

import itertools
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
from showing import attempt, show

made = []


def rows(n):
    made.append(n)
    return [i * 0.5 for i in range(n)]


def generated(n):
    for i in range(n):
        made.append(-i)
        yield i


def lists(n):
    t = 0.0
    for v in rows(n):  # native
        t += v
    for v in rows(n)[2:]:  # native
        t -= v
    for v in rows(n) + rows(3):  # native
        t += v * 2
    for v in tuple(rows(n)):  # native
        t += v
    return t, v


def arrays(a):
    t = 0.0
    for v in a.tolist():  # native
        t += v
    for v in a.reshape(-1)[::2]:  # native
        t += v
    for row in a.reshape(-1, 4).copy():  # native
        t += row[0] - row[3]
    for i in np.nonzero(a > 0.5)[0]:  # native
        t += a[i]
    return t


def side_by_side(n):
    t = 0.0
    for a, b in zip(rows(n), rows(n + 1)):  # native
        t += a * b
    for i, v in enumerate(rows(n), 3):  # native
        t += i * v
        if v > 100:
            break
    for i, v in enumerate(reversed(rows(n)), start=2):  # native
        t += i * v
    for (i, v), w in zip(enumerate(rows(n)), reversed(rows(n))):  # native
        t += i * v - w
    return t, i, v, w


def stopped(n):
    """CPython goes on with what is left, of the same lists."""
    t = 0
    for i, v in enumerate(rows(n)):
        t += 1 // (v - 20.0 if i != 40 else 1)
        if i == 50:
            t += len(str(i))
    else:
        t += 0.25
    return t


def assigned(n):
    x = rows(n)
    for x in sorted(x):  # native
        n += 1
    for n in rows(n):  # native
        x += n
    return x, n


def assigned_beside(xs, n):
    for xs, v in zip(xs, rows(n)):
        n += xs * v
    return xs, n


def assigned_by_the_call(n):
    x, t, xs = 0, 10, [1, 2, 3]

    def make(k):
        nonlocal x, t, xs
        x, t, xs = x + 5, t * 2, [7, 8, 9, 10]
        return [0.5] * k

    for x in make(n):
        t += x
    for v in make(n):
        t += v + xs[0]
    for a, b in zip(xs, make(n)):
        t += a * b
    return x, t, xs


def returned(n, limit):
    for k, v in enumerate(rows(n)):  # native
        if v > limit:
            return k
    else:
        k = -2
    return k


def inner(n):
    t = 0.0
    for i in range(3):
        for v in rows(n + i):
            t += v * i
    return t


def iterators(n):
    t = 0
    for v in generated(n):
        t += v
    for a, b in itertools.combinations(range(6), 2):
        t += a * b
    for v in map(abs, [-1, -2]):
        t += v
    for v in iter(rows(n)):
        t += v
    for a, b in zip(generated(n), rows(n)):
        t += a * b
    left = generated(4)
    for v in left:
        if v == 1:
            break
    return t, list(left)


def dictionary(d):
    t = 0
    for k in d:  # native
        t = t * 3 % 1000003 + k
    for k in d.keys():  # native
        t = t * 3 % 1000003 + k
    for v in d.values():  # native
        t = t * 5 % 1000003 + v
    for k, v in d.items():  # native
        t = t * 7 % 1000003 + k * v
    for i, (k, v) in enumerate(d.items()):  # native
        t = t * 11 % 1000003 + k * v + i
    for pair in d.items():
        t += pair[0]
    for k, v in sorted(d.items(), reverse=True):  # native
        t = t * 13 % 1000003 + k - v
    return t, k, v


def looked_up(d, other):
    t = 0
    for k in d:  # native
        t += d[k] * (k in d) + d.get(k + 1, 0) + len(d)
    for k, v in d.items():  # native
        other[k] = v * 2
    return t, other


def tuple_keys(d):
    t = 0
    for (a, b), w in d.items():  # native
        t += a * w - b
    for a, b in d:  # native
        t += a - b * 2
    return t


def words(d, name):
    n = 0
    last = None
    for w, count in d.items():  # native
        if w != name:
            n += count
            last = w
    return n, last


def sets(s):
    t = 0
    for v in set(s):  # native
        t = t * 3 % 1009 + v
    for v in frozenset(s):  # native
        t = t * 3 % 1009 + v
    return t


def total(d, k):
    t = 0
    for a, b in d.items():
        t += a * b + k
    return t


def inside(d, n):
    t = 0
    for i in range(n):  # native
        for k in d:
            t += k * i
        for k, v in d.items():
            t += k * v - i
        for j, v in enumerate(d.values()):
            t -= v * j
        for k, v in zip(d.keys(), reversed(d.values())):
            t += k - v
        t += total(d, i) + sum(v for v in d.values())
        t %= 10**9
    return t


def inside_and_changed(d, n):
    t = 0
    for i in range(n):
        for k in d:
            t += k
        d[i + 1000] = i
    for i in range(n):
        for k, v in d.items():
            d[k] = v + 1
            t += v
    return t, len(d)


def inside_of_a_list(d, n):
    t = 0
    for i in range(n):  # native
        for x in d:
            t += x
        d[i % 3] = i
    return t


def two(e):
    return e[3], e[4]


def inside_and_handed(d, n):
    t = 0
    for i in range(n):  # native
        for k in d:
            t += k
        for x in two(d):
            t += x
    return t


def changed_in_a_list(d, tables):
    t = 0
    for k, v in d.items():
        tables[0][k + 1 if k + 1 in d else k] = v * 10
        t += v
    return t, d


def changed_by_own_zip(d, n):
    t = 0
    for i in range(n):
        for k in d:
            t += k
        for k, v in own_zip(d, d):
            t += k * v
    return t


def own_zip(d, e):
    e[4] = d[3] + 1
    return ((d[3], e[4]),)


def own_max(d, n):
    def max(e):
        e[2] += 1
        return e[2]

    t = 0
    for k, v in d.items():
        t += max(d) * v
    return t, d


def grows(d):
    for k in d:
        d[k + 1000] = 1
    return d


def changed(d):
    for k in d:
        d[k] = k * 2
    for k, v in d.items():
        d[k] = v + 1
    return d


def changed_by_another_name(d):
    e = d
    for k, v in d.items():
        e[k + 1 if k + 1 in e else k] += v
    return d


def changed_in_a_function(d):
    for k, v in d.items():
        put(k, v)
    return d


def put(k, v):
    shared[k] = v * 10


class Odd(dict):
    def __iter__(self):
        return iter([7, 8, 9])

    def items(self):
        return [(1, 2), (3, 4)]


class Pairs:
    def items(self):
        return [(1, 2.5), (3, 4.5)]


def of_own_kind(d):
    t = 0
    for k in d.keys():
        t += k
    for k, v in d.items():
        t += k * v
    return t


def pairs_of(p):
    t = 0
    for k, v in p.items():
        t += k * v
    return t


def values(n):
    d = {i: i * 2 for i in range(n)}
    a = sum(v for v in d.values())  # native
    b = [k + v for k, v in d.items()]  # native
    c = max(v * 2 for v in rows(n))  # native
    e = [x for x in rows(n) if x > 3]
    g = sum(a * b for a, b in zip(rows(n), rows(n)))  # native
    h = any(v > 1e9 for v in rows(n))  # native
    k = [1 / v for v in rows(n)[1:]]  # native
    q = [[v + w for v in rows(3)] for w in rows(2)]
    lazy = sum(v for v in generated(4)), [v for v in generated(4)]
    return a, sum(b), c, len(e), g, h, sum(k), q, lazy


def failing_value(n):
    return [1 / v for v in rows(n)]


def fails(n):
    for v in n.missing():
        n += v


def not_iterable(n):
    for v in len([n]):
        n += v


data = np.arange(400) / 400.0
for n in (5, 200):
    show(lists(n))
    show(side_by_side(n))
    show(attempt(stopped, n))
    show(assigned(n), attempt(assigned_beside, [1, 2, 3], n), returned(n, 50.0), inner(n))
    show(iterators(n))
    show(assigned_by_the_call(n), assigned_by_the_call(0))
    show(values(n), attempt(failing_value, n))
    table = {i * 3 % 1000: i + 1 for i in range(n)}
    show(dictionary(table), looked_up(table, {})[0])
    show(dictionary(defaultdict(int, table)), dictionary(Counter(table)), dictionary(OrderedDict(table)))
    show(tuple_keys({(i, i % 7): i * 2 for i in range(n)}))
    show(words({f"w{i}": i for i in range(n)}, "w3"))
    show(sets(range(0, n * 3, 3)))
    hundreds = {k: k * 100 for k in range(n + 2)}
    show(inside_and_handed(hundreds, 30), changed_in_a_list(dict(hundreds), [hundreds])[0])
    show(attempt(changed_by_own_zip, dict(hundreds), 30), own_max(dict(hundreds), 3)[0])
    small = {k: k + 1 for k in range(12)}
    show(changed_in_a_list(small, [small]))
    show(inside(table, 40), inside_and_changed(dict(table), 30), inside_of_a_list([1, 2, 3] * n, 40))
    show(changed(dict(table)) == {k: k * 2 + 1 for k in table}, changed_by_another_name(dict(table)) == table)
    shared = dict(table)
    show(sorted(changed_in_a_function(shared).items())[:4])
show(arrays(data))
show(attempt(grows, dict.fromkeys(range(50), 0)))
show(attempt(dictionary, {}), attempt(tuple_keys, {}))
show(of_own_kind(Odd({1: 1})), pairs_of(Pairs()), pairs_of({2: 3}))
show(attempt(fails, 3), attempt(not_iterable, 3))
show(attempt(dictionary, {1: 2, "a": 3}), attempt(dictionary, {1: 2.5, 2: 10**30}))
show(len(made), sum(made))

queue = deque([3, 4, 5])
total = 0
for v in queue.copy():
    total += v
for name in sorted(rows(40), key=lambda v: -v):  # native
    total += name
show(total, name)
