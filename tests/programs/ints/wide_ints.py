"""Ints of more than 64 bits in names: at entry, grown in a loop, handed on, returned, and beyond 128 bits."""

from showing import attempt, show


def total(s, lo, hi, scale):
    for i in range(lo, hi):  # native
        s += i * scale
    return s


def fibonacci(n, a, b):
    while n > 0:
        a, b = b, a + b
        n -= 1
    return a, b


def recurrence(n, a, b, m):
    for _ in range(n):  # native
        a, b = b, (a * 3 + b) % m
    return a, b


def hashed(h, n):
    mixed = 0
    for i in range(n):  # native
        h = (h ^ i) * 0x100000001B3
        h &= 0xFFFFFFFFFFFFFFFF
        mixed ^= h + i
        if mixed > 2**63 and i % 1000 == 0:
            mixed >>= 1
    return h, mixed


def shifted(x, n):
    most = least = x
    for i in range(n):  # native
        x = x << 1 | i & 1
        if x >= 1 << 100:
            x >>= 37
        elif i % 3 == 0:
            x = -x
        most = max(most, x)
        least = min(least, x)
    return x, most, least, -x, ~x, abs(x), bool(x), x > most, x == least


def parts(x, n):
    quotients = rests = 0
    for d in range(1, n):  # native
        quotients += x // d - (-x) // d
        rests += x % d - x % -d
        quotients ^= x >> (d & 63)
        rests |= x & ~d
    return quotients, rests


def compared(x, y, n):
    found = [0, 0, 0]
    for i in range(n):  # native
        if x < y:
            found[0] += 1
        elif x == y:
            found[1] += 1
        else:
            found[2] += 1
        x += i
        y = y if i % 2 else x + 1
    return found, x, y


def chosen(x, n):
    z = 0
    for i in range(n):  # native
        z = x if i % 5 == 0 else z - 1
        x += 1 if i & 1 else 2**61
    return z, x


def as_float(x, n):
    s = 0.0
    for i in range(n):
        s += x / 3 + float(x) * 0.5
        x += i
    return s, x


def kept(x, n):
    out = []
    for i in range(n):
        x += 2**62
        out.append(x)
    return out[0], out[-1], x


def under_key(x, n):
    d = {}
    for i in range(n):
        x += 2**61 + 1
        d[x & 7] = x
    return d, x


def told(x, n):
    for i in range(n):  # native
        x += 2**60 + i
        if i % 7000 == 0:
            print("at", i, x)
    return x


def indexed(xs, k):
    s = 0
    for i in range(len(xs)):
        s += xs[k - 2**70]
        k += 1 if i < len(xs) - 2 else 2
    return s


def back_and_forth(x, n):
    small = 0
    for i in range(n):  # native
        x += 2**63
        small += x % 1000
        x -= 2**63 - 1
    return x, small


def one(x):
    return x * 2 - 1


def called(x, n):
    for _ in range(n):  # native
        x = one(x) if x < 2**90 else one(x) >> 50
    return x


class Account:
    def __init__(self, held):
        self.held = held

    def grow(self, n):
        for i in range(n):  # native
            self.held += i * 10**11
        return self.held


def sizes(values):
    """Every width by turns: neither many plans nor lost ones."""
    s = 0
    for v in values:
        for _ in range(20_000):
            v += 3
        s ^= v
    return s


for start in (
    0,
    2**63 - 20,
    2**63,
    2**64 - 1,
    2**64,
    2**100,
    -(2**63),
    -(2**64),
    -(2**100),
    2**120,
    -(2**120),
    2**127,
    2**200,
):
    show(
        "total", start, total(start, 0, 20_000, 1), total(start, 10**13, 10**13 + 20_000, -(10**9))
    )
for n in (90, 92, 93, 94, 150, 171, 172, 173, 174, 200, 1000):
    show("fibonacci", n, fibonacci(n, 0, 1))
show(
    "recurrence",
    recurrence(30_000, 0, 1, 2**89 - 1),
    recurrence(30_000, 2**80, -1, 2**110),
    recurrence(30_000, 1, 2, 2**130),
)
show("hashed", hashed(14695981039346656037, 30_000), hashed(5, 30_000))
show("shifted", shifted(2**65, 20_000), shifted(1, 20_000), shifted(-(2**99), 20_000))
for x in (2**64, 2**64 + 12345, -(2**90) + 1, 3**70):
    show("parts", parts(x, 20_000))
show(
    "compared",
    compared(2**70, 2**70, 20_000),
    compared(5, 2**70, 20_000),
    compared(2**64 - 1, 2**63, 20_000),
)
show("chosen", chosen(2**66, 20_000), chosen(-3, 20_000))
show("as_float", as_float(2**65 + 1, 2000), as_float(2**53 + 1, 2000))
show("kept", kept(1, 3000), kept(2**70, 3000))
show("under_key", under_key(1, 3000), under_key(2**70, 3000))
show("told", told(2**62, 20_000))
attempt(indexed, list(range(1000)), 2**70)
show("back_and_forth", back_and_forth(0, 20_000), back_and_forth(2**64, 20_000))
show("called", called(1, 20_000), called(2**80, 20_000))
show("account", Account(7).grow(20_000), Account(2**63).grow(20_000))
show(
    "sizes",
    sizes([0, -1, 2**40, -(2**40), 2**63, 2**64, -(2**65), 5, 2**63 + 1, 2**119, 2**121, 7]),
)
