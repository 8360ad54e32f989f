"""Stacks, queues and heaps: lists and deques that a loop appends to and takes from, in any order."""

import heapq
import random
from collections import deque

import numpy as np
from showing import attempt, show


def flood(n, walls):
    queue, seen, steps = deque([(0, 0)]), {(0, 0)}, 0
    while queue:  # native
        x, y = queue.popleft()
        steps += 1
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            nx, ny = x + dx, y + dy
            if 0 <= nx < n and 0 <= ny < n and (nx, ny) not in walls and (nx, ny) not in seen:
                seen.add((nx, ny))
                queue.append((nx, ny))
    return steps, len(queue), len(seen)


def shortest(n, cost):
    dist, heap, done = {(0, 0): 0.0}, [(0.0, 0, 0)], 0
    while heap:  # native
        d, x, y = heapq.heappop(heap)
        if d > dist[(x, y)]:
            continue
        done += 1
        for k in range(4):
            nx, ny = x + (1, -1, 0, 0)[k], y + (0, 0, 1, -1)[k]
            if nx < 0 or ny < 0 or nx >= n or ny >= n:
                continue
            nd = d + cost[nx][ny]
            if nd < dist.get((nx, ny), 1e18):
                dist[(nx, ny)] = nd
                heapq.heappush(heap, (nd, nx, ny))
    return done, dist[(n - 1, n - 1)], heap


def first_depth(adjacent):
    stack, seen, order = [0], [False] * len(adjacent), 0
    while stack:  # native
        u = stack.pop()
        if seen[u]:
            continue
        seen[u] = True
        order = (order * 31 + u) % 1000003
        for v in adjacent[u]:
            if not seen[v]:
                stack.append(v)
    return order, stack


def polish(n):
    stack, total = [], 0
    for i in range(n):  # native
        stack.append(i % 10)
        if len(stack) >= 2 and i % 3 == 0:
            b = stack.pop()
            a = stack.pop()
            stack.append((a * b + i) % 1000)
        if len(stack) > 40:
            total += stack.pop(0)
    return total, stack


def served(n):
    rng, queue, done, t = random.Random(1), [], 0, 0.0
    for _ in range(n):  # native
        t += rng.expovariate(1.0)
        queue.append(t)
        while queue and queue[0] < t - 5:
            queue.pop(0)
            done += 1
        queue[-1] += 0.25
    return done, queue


def window(xs, k):
    recent, best = deque(), []
    for i in range(len(xs)):  # native
        while recent and recent[0] <= i - k:
            recent.popleft()
        while recent and xs[recent[-1]] <= xs[i]:
            recent.pop()
        recent.append(i)
        if i >= k - 1:
            best.append(xs[recent[0]])
    return sum(best), recent


def both_ends(d, n):
    total = 0
    for i in range(n):  # native
        if i % 3:
            d.append(i)
        else:
            d.appendleft(-i)
        if len(d) > 30:
            total += d.popleft() - d.pop()
        d[i % 3] = total % 100
    return total


def events(n):
    heap, now, log = [(1.5, 0), (0.5, 1)], 0.0, 0
    for i in range(n):  # native
        now, kind = heapq.heappop(heap)
        log = (log * 3 + kind) % 10007
        heapq.heappush(heap, (now + 1.0 + kind * 0.5, kind))
        if i % 100 == 0:
            heapq.heappush(heap, (now, i))
    return now, log, sorted(heap)[:3], heap


def empty(n, stack):
    total = 0
    for i in range(n):  # native
        if i % 7 < 4:
            stack.append(i)
        else:
            total += stack.pop()
        if i > 3000:
            total += stack.pop()
    return total


def out_of_range(n, stack):
    for i in range(n):  # native
        stack.append(i * 0.5)
        if i > 2000:
            stack[2 * i] = 1.0
    return stack


def prints(n):
    stack = [3]
    for i in range(n):  # native
        for j in range(20):
            stack.append(j * i)
        for _ in range(19):
            stack.pop()
        if i % 400 == 0:
            print(i, stack[-1], len(stack))
    return len(stack)


def others(stack, n):
    total = 0
    for i in range(n):
        stack.append(i)
        total += len(stack)
        if i % 5 == 4:
            stack.pop()
    return total, len(stack), stack[:3]


def two_names(n):
    first = [1]
    second = first
    for i in range(n):
        first.append(i)
        if len(second) > 5:
            second.pop(0)
    return first


def limited(n):
    last = deque([0], maxlen=3)
    for i in range(n):
        last.append(i)
        if i % 10 == 0 and len(last) > 2:
            last.pop()
    return last


xs = [(i * 7919) % 5003 for i in range(6000)]
show("flood", flood(60, {(i, (i * 7) % 60) for i in range(1, 60)}))
cost = [[((i * 31 + j * 17) % 23) + 0.5 for j in range(40)] for i in range(40)]
show("shortest", shortest(40, cost))
show("first_depth", first_depth([[(i * 7 + 1) % 3000, (i * 13 + 5) % 3000] for i in range(3000)]))
show("polish", polish(6000))
show("served", served(6000))
show("window", window(xs, 50))
for start in ([], [1, 2, 3], range(50)):
    ends = deque(start)
    show(
        "both_ends", both_ends(ends, 4000) if len(ends) != 0 else attempt(both_ends, ends, 40), ends
    )
show("events", events(5000))
stack = [7]
attempt(empty, 5000, stack)
show("stack", stack)
stack = [0.5]
attempt(out_of_range, 4000, stack)
show("stack", len(stack), stack[-3:])
show("prints", prints(2001))
show("others", others(["a", None, (1, 2)], 3000), others([1.5, 2], 3000), others([], 3000))
show("others", others([np.float64(1)], 3000), others([2**70], 3000), others([True], 3000))
show("two_names", two_names(3000))
show("limited", limited(3000))
