"""Dictionaries and sets in loops: what is done with single entries, in every order, of every kind of key."""

import random
from collections import Counter, OrderedDict, defaultdict

import numpy as np
from showing import attempt, show


def counts(xs):
    seen = {}
    for x in xs:  # native
        if x in seen:
            seen[x] += 1
        else:
            seen[x] = 1
    return seen


def counts_by_get(xs):
    seen = {}
    for x in xs:  # native
        seen[x] = seen.get(x, 0) + 1
    return seen


def sums(xs, ys):
    total = {}
    for x, y in zip(xs, ys):  # native
        total[x] = total.get(x, 0.0) + y
        total[x] *= 0.5
        total[x] -= 1
    return total


def pairs(points):
    grid = {}
    for p in points:  # native
        key = (p[0] // 10, p[1] // 10)
        if key not in grid:
            grid[key] = 0
        grid[key] += p[0] - p[1]
    return grid


def triples(n):
    cells = {}
    for i in range(n):  # native
        cells[i % 7, i % 5, i % 3] = i * 0.5
    hits = 0.0
    for i in range(n):  # native
        hits += cells[(i % 7, i % 5, i % 3)]
        if (i, i, i) in cells:
            hits += cells.get((i, i + 1, i), 1.5)
    return cells, hits


def walk(steps):
    here, seen, back = (0, 0), {(0, 0)}, 0
    for s in steps:  # native
        here = (here[0] + s % 3 - 1, here[1] + s // 3 - 1)
        if here in seen:
            back += 1
        seen.add(here)
    return here, back, len(seen), sorted(seen)[:4]


def order_of_a_set(xs):
    some = set(range(5))
    for x in xs:  # native
        if x % 3 == 0:
            some.discard(x // 2 % 50)
        else:
            some.add(x % 97)
    return list(some)


def lengths(xs):
    some, table, most = set(), {}, 0
    for x in xs:  # native
        some.add(x % 1000)
        table[x % 77] = x
        if len(some) > 3 * len(table):
            most += 1
    return most, len(some), len(table)


def keys_that_are_equal(n):
    table = {True: 1, 2.0: 2, 3: 3}
    for i in range(n):  # native
        x = i % 9 * 0.5
        table[x] = table.get(x, 0) + 1
        table[i % 9] = table.get(i % 9, 5) + i
    return table


def keys_of_numpy(a):
    table, kinds = {}, set()
    for x in a:  # native
        if x in table:
            table[x] += 1
        else:
            table[x] = 1
        kinds.add(x)
    return table, len(kinds)


def letters(text):
    table = {"a": 10}
    for c in text:  # native
        table[c] = table.get(c, 0) + 1
        table["total"] = table.get("total", 0) + 1
    return table


def kinds_of_mappings(xs):
    counter, groups, floats = Counter({3: 2}), defaultdict(int), defaultdict(float)
    for x in xs:  # native
        counter[x] += 1
        groups[x % 7] += x
        floats[x % 3] += groups[x % 11] * 0.25
    return counter.most_common(3), groups, floats


def other_values(xs):
    table = {0: "zero", 1: None, 2: 2**80, 3: [1], 4: (1, 2)}
    total = 0
    for x in xs:
        if x % 50 == 7:
            table[x] = x
        total += table.get(x % 6 + 5, 1)
    return table, total


def beyond_64_bits(n):
    table = {1: 1, 2: 2}
    for i in range(n):
        table[1] *= 3
        table[2] += table[1]
    return table


def missing(n, table):
    total = 0
    for i in range(n):
        table[i % 100] = i
        total += table[i % 101]
    return total


def missing_later(n, table):
    total = 0.0
    for i in range(n):  # native
        for j in range(30):
            total += j * 0.5
        table[i] = total
        if i > 2000:
            total += table[-i]
    return total


def index_error(n, table, a):
    for i in range(n):  # native
        table[i % 10] += 1
        a[i] = table[i % 10]
    return a


def prints(n):
    table, seen = {}, {}
    for i in range(n):  # native
        x = 0
        for j in range(20):
            x = (x * 33 + i * j + 1) % 401
        table[x] = table.get(x, 0) + 1
        if i % 400 == 0:
            print(i, x)
        seen[x % 5] = i
    return table, seen


def one_dictionary_twice(n):
    a = {}
    b = a
    for i in range(n):
        a[i % 10] = i
        b[i % 5] = b.get(i % 10, 0) + 1
    return a


def seen_whole(n):
    table, snapshots = {}, []
    for i in range(n):
        table[i % 3] = i
        if i % 500 == 0:
            snapshots.append(sorted(table.items()))
    return snapshots


class Memory:
    def __init__(self):
        self.known = {}
        self.hits = 0

    def collatz(self, n):
        for start in range(1, n):  # native
            length, k = 0, start
            while k != 1:
                if k in self.known:
                    length += self.known[k]
                    self.hits += 1
                    break
                k = k // 2 if k % 2 == 0 else 3 * k + 1
                length += 1
            self.known[start] = length
        return max(self.known.values()), self.hits, len(self.known)


def tally(table, key, by):
    table[key] = table.get(key, 0) + by


def by_a_function(xs):
    table, other, both = {}, {}, {}
    for x in xs:  # native
        tally(table, x % 13, x)
        tally(other, (x % 3, x % 2), 1)
    for x in xs:
        tally(both, x % 13, x)
        tally(both, (x % 3, x % 2), 1)
    return table, other, both


def drawn_keys(n):
    random.seed(3)
    table = {}
    for _ in range(n):  # native
        table[random.randrange(10)] = random.random()
    return table, random.random()


def value_before_key(n):
    random.seed(1)
    ordered = OrderedDict()
    mixed = {}
    for i in range(n):  # native
        ordered[random.randrange(10)] = random.random()
        mixed[random.randrange(10)] = random.random()
        mixed[i % 3, 1] = random.random()
        mixed[random.randrange(5)] = mixed.get(random.randrange(7), 0) + random.randrange(3)
    return ordered, mixed, random.random()


def names_in_a_dictionary(n):
    memory = Memory()
    own, total = memory.__dict__, 0
    for i in range(n):
        own["hits"] += i
        total += memory.hits % 7
    return total, memory.hits


counter = 0


def globals_in_a_dictionary(n):
    own, total = globals(), 0
    for i in range(n):
        own["counter"] += i
        total += counter % 7
    return total, counter


def hardly_more_than_new_entries(n):
    pairs, seen, last = {}, {-1}, 0
    for i in range(n):  # native
        pairs[i, i % 7] = last
        if i in seen:
            last = i
        seen.add(i * 2)
        last += pairs[(i // 2, i // 2 % 7)] % 3
    return len(pairs), len(seen), last, list(pairs.items())[-2:], list(seen)[:3]


rng = random.Random(5)
xs = [rng.randrange(300) for _ in range(6000)]
ys = [rng.random() for _ in range(6000)]
points = [(rng.randrange(100), rng.randrange(100)) for _ in range(5000)]
show("counts", counts(xs))
show("counts_by_get", counts_by_get(xs))
show("counts", counts([]), counts([5]))
show("sums", sums(xs, ys))
show("sums", sums([1, 2, 1] * 900, [float("nan"), float("inf"), -0.0] * 900))
show("pairs", pairs(points))
show("triples", triples(3000))
show("walk", walk([x % 9 for x in xs]))
show("order_of_a_set", order_of_a_set(xs))
show("order_of_a_set", order_of_a_set([x * 7919 for x in xs]))
show("lengths", lengths(xs))
show("keys_that_are_equal", keys_that_are_equal(4000))
show("keys_of_numpy", keys_of_numpy(np.array(xs)), keys_of_numpy(np.array(xs).astype(np.uint8)))
show("keys_of_numpy", keys_of_numpy(np.array(ys[:3000])), keys_of_numpy(np.array(xs) > 200))
show("letters", letters("abracadabra é" * 400))
show("kinds_of_mappings", kinds_of_mappings(xs))
attempt(other_values, xs)
attempt(beyond_64_bits, 60)
full = {}
attempt(missing, 4000, full)
show("full", full)
partial = {}
attempt(missing_later, 4000, partial)
show("partial", len(partial), partial[2001])
tenth = dict.fromkeys(range(10), 0)
attempt(index_error, 5000, tenth, [0] * 4321)
show("tenth", tenth)
show("prints", prints(2000))
show("one_dictionary_twice", one_dictionary_twice(3000))
show("seen_whole", seen_whole(3000))
show("collatz", Memory().collatz(6000))
show("by_a_function", by_a_function(xs))
show("drawn_keys", drawn_keys(3000))
show("hardly_more_than_new_entries", hardly_more_than_new_entries(150_000))
show("names_in_a_dictionary", names_in_a_dictionary(3000), globals_in_a_dictionary(3000))
show("value_before_key", value_before_key(2500))
