"""Dictionaries, sets, deques, heaps: what a nest has CPython do, beside loops that run natively."""

import bisect
import heapq
from collections import Counter, OrderedDict, defaultdict, deque

from showing import attempt, show


def membership(n, seen, banned):
    hits = 0
    for i in range(n):  # native
        x = 0
        for j in range(25):
            x = (x * 33 + i * j + 1) % 401
        if x in seen:
            hits += 1
        if (x, i % 5) not in banned:
            hits += 2
    return hits


def counted(n):
    counts = {}
    for i in range(n):  # native
        x = 0
        for j in range(25):
            x = (x * 33 + i * j + 1) % 401
        if x in counts:
            counts[x] += 1
        else:
            counts[x] = 1
    return counts


def counted_by_get(n):
    counts = {}
    for i in range(n):  # native
        x = 0
        for j in range(25):
            x = (x * 33 + i * j + 1) % 401
        counts[x] = counts.get(x, 0) + 1
    return counts


def kinds_of_mappings(n):
    counter = Counter()
    groups = defaultdict(int)
    ordered = OrderedDict()
    pairs = {}
    for i in range(n):  # native
        x = 0
        for j in range(25):
            x = (x * 33 + i * j + 1) % 401
        counter[x] += 1
        groups[x % 7] += x
        ordered[x] = i
        pairs[x, i % 3] = x * 0.5
    return counter.most_common(3), sorted(groups.items()), list(ordered.items())[:4], pairs


def a_set_that_grows(n):
    seen = set()
    first = 0
    for i in range(n):  # native
        x = 0
        for j in range(25):
            x = (x * 33 + i * j + 1) % 401
        if x not in seen:
            seen.add(x)
            first += i
    return first, list(seen)


def a_queue(n):
    queue = deque([(0, 0, "start")])
    longest = 0
    for i in range(n):  # native
        x = 0
        for j in range(25):
            x = (x * 33 + i * j + 1) % 401
        if x % 3:
            queue.append((x, i, "x"))
        elif len(queue) > 3:
            queue.popleft()
        longest = max(longest, len(queue))
    return longest, len(queue), queue[0], queue[-1]


def a_heap(n):
    heap = [(3.0, 1, "first")]
    total = 0
    for i in range(n):  # native
        x = 0
        for j in range(25):
            x = (x * 33 + i * j + 1) % 401
        heapq.heappush(heap, (x * 0.5, i, "later"))
        if i % 3 == 2:
            heapq.heappop(heap)
        total += len(heap)
    return total, heap[:3]


def a_stack(n):
    stack = [0]
    total = 0
    for i in range(n):  # native
        x = 0
        for j in range(25):
            x = (x * 33 + i * j + 1) % 401
        if x % 3:
            stack.append(x)
        elif len(stack) > 2:
            total += stack.pop()
        total += stack[-1]
    return total, stack


def kept_in_order(n):
    values = [0.5]
    below = 0
    for i in range(n):  # native
        x = 0
        for j in range(25):
            x = (x * 33 + i * j + 1) % 401
        bisect.insort(values, x * 0.25)
        below += bisect.bisect_left(values, 50.0)
    return below, values


class Visits:
    def __init__(self):
        self.seen = set()
        self.order = [1]
        self.last = {1: 2}

    def walk(self, n):
        for i in range(n):  # native
            x = 0
            for j in range(25):
                x = (x * 33 + i * j + 1) % 401
            if x not in self.seen:
                self.seen.add(x)
                self.order.insert(0, x)
            self.last[x] = i
        return self


def values_of(n, table):
    total = 0
    for i in range(n):  # native
        for j in range(25):
            total += j
        total += table[i]
    return total


def until_full(limit):
    seen = set()
    k = 0
    while len(seen) < limit:  # native
        x = 0
        for j in range(25):
            x = (x * 33 + k * j + 1) % 401
        seen.add((x, "t"))
        k += 1
    return k, len(seen)


show("membership", membership(700, {3, 5, 7, 11, 100}, {(5, 0), (7, 1)}))
show("counted", counted(700))
show("counted_by_get", counted_by_get(700))
show("kinds", kinds_of_mappings(500))
show("set", a_set_that_grows(700))
show("queue", a_queue(700))
show("heap", a_heap(700))
show("stack", a_stack(700))
show("in order", kept_in_order(300))
visits = Visits().walk(500)
show("attributes", list(visits.seen), visits.order, visits.last)
show("ints", values_of(300, {i: i for i in range(300)}))
table = {i: i for i in range(300)}
table[121] = 2.5
show("a float among ints", values_of(300, table))
table[121] = 2**70
show("a long int", values_of(300, table))
table[121] = True
show("a bool", values_of(300, table))
attempt(values_of, 301, table)
show("while", until_full(150))
