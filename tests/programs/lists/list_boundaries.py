"""Names of lists from outside that are made anew in the loop and stored into."""


def rows(prev, m, n):
    for t in range(n):  # native
        prev = [x + t for x in prev]
        prev[0] = t
        for j in range(1, m):
            prev[j] += prev[j - 1] % 7
    return prev


def table(prev, cost, n):
    for t in range(n):  # native
        curr = [0] * len(prev)
        curr[0] = prev[0] + cost[0]
        for j in range(1, len(prev)):
            curr[j] = min(prev[j], prev[j - 1], curr[j - 1]) + cost[j] * t
        curr[-1] += 1
        prev = curr
    return prev


def first(prev, n):
    """In the first iteration it is the caller's list."""
    for t in range(n):
        prev[0] += t
        prev = [x * 2 for x in prev]
        prev[1] = 0
    return prev


for n in (0, 1, 2, 5, 40):
    start = [3, 1, 4, 1, 5]
    print(rows(start, 5, n), start)
    print(table(start, [2, 7, 1, 8, 2], n), start)
    print(table([0.5, 2.0, 1.5], [1, 2, 3], n))
    print(first(start, n % 7), start)
