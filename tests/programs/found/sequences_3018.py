# serial 1 
import collections
import heapq

def called(f, *given):
    f(*given)
    print([v for v in given])

def f2(a, s, q, p, h, d, n):
    x, y, i = (1, 0, 0)
    while i < n:
        i += 1
        q[5] += 0.5
        heapq.heappush(h, (a[9], x))
called(f2, list(range(40)), [], collections.deque(range(12)), [(1, 2), 'x'], [(1, 1), (2, 5), (3, 0)], {k: k for k in range(30)}, 40)
