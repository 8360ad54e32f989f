"""Divisors, powers and forests."""


def find(p, x):
    while p[x] != x:
        p[x] = p[p[x]]
        x = p[x]
    return x


def kruskal(n, eu, ev, ew):
    order = sorted(range(len(ew)), key=lambda i: ew[i])
    parent = list(range(n))
    total = 0
    for e in order:  # native
        a = find(parent, eu[e])
        b = find(parent, ev[e])
        if a != b:
            parent[a] = b
            total += ew[e]
    return total


def collatz(n):
    best = 0
    arg = 0
    for s in range(1, n):  # native
        x = s
        c = 0
        while x != 1:
            if x % 2 == 0:
                x //= 2
            else:
                x = 3 * x + 1
            c += 1
        if c > best:
            best, arg = c, s
    return best, arg


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def coprime(n):
    c = 0
    for i in range(1, n):  # native
        for j in range(1, n):
            if gcd(i, j) == 1:
                c += 1
    return c


def perfect(n):
    out = [0] * 10
    k = 0
    for i in range(2, n):  # native
        s = 1
        for d in range(2, int(i**0.5) + 1):
            if i % d == 0:
                s += d
                if d != i // d:
                    s += i // d
        if s == i:
            out[k] = i
            k += 1
    return out, k


def powmod(b, e, m):
    r = 1
    b %= m
    while e > 0:  # native
        if e & 1:
            r = r * b % m
        b = b * b % m
        e >>= 1
    return r


def digits(n):
    t = 0
    for i in range(n):  # native
        x = i
        while x > 0:
            t += x % 10
            x //= 10
    return t


print(
    kruskal(6, [0, 1, 2, 3, 4, 0], [1, 2, 3, 4, 5, 5], [4, 2, 7, 1, 3, 9]),
    collatz(500),
    coprime(40),
    perfect(500),
    powmod(3, 12345, 10007),
    digits(500),
)
