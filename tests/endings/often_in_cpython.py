# Loops with a rare statement that only CPython can do: attempts at native code must not cost more than a share of what CPython
# takes, however often they end at once.


def visited(values, n, every):
    seen, s = set(), 0
    for i in range(n):
        s = (s * 31 + values[i % len(values)]) & 0xFFFF
        if i % every == 0:
            seen.add(s)
    return s, len(seen)


def visited_until_the_end(values, every):
    seen, s, i = set(), 0, 0
    try:
        while True:
            s = (s * 31 + values[i]) & 0xFFFF
            if i % every == 0:
                seen.add(s)
            i += 1
    except IndexError:
        pass
    return s, i, len(seen)


def counted(values, counts, n, every):
    seen = set()
    for i in range(n):
        counts[values[i % len(values)] & 15] += 1
        if i % every == 0:
            seen.add(counts[0])
    return sum(counts), len(seen)


values = list(range(20_000))
for every in (1, 2, 5, 40, 1000):
    for _ in range(3):
        print(every, visited(values, 60_000, every), visited_until_the_end(values * 3, every))
        print(every, counted(values, [0] * 16, 60_000, every))
