"""Functions of numbers that call themselves and each other."""


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def ack(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ack(m - 1, 1)
    return ack(m - 1, ack(m, n - 1))


def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)


def collatz(n, d=0):
    if n == 1:
        return d
    if n % 2 == 0:
        return collatz(n // 2, d + 1)
    return collatz(3 * n + 1, d=d + 1)


def power(x, n):
    if n == 0:
        return 1.0
    h = power(x, n // 2)
    if n % 2:
        return h * h * x
    return h * h


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def minmax(lo, hi):
    if hi - lo < 2:
        return lo * 7 % 13, lo * 7 % 13
    mid = (lo + hi) // 2
    a, b = minmax(lo, mid)
    c, d = minmax(mid, hi)
    return min(a, c), max(b, d)


def catalan(n):
    if n <= 1:
        return 1
    t = 0
    for i in range(n):
        t += catalan(i) * catalan(n - 1 - i)
    return t


def binom(n, k):
    return 1 if k == 0 or k == n else binom(n - 1, k - 1) + binom(n - 1, k)


def hanoi(n, a, b, c):
    if n == 0:
        return 0
    return hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)


def simpson(a, b, fa, fm, fb, eps, depth):
    m = (a + b) / 2
    l, r = (a + m) / 2, (m + b) / 2
    fl, fr = l**3 - l, r**3 - r
    left = (m - a) * (fa + 4 * fl + fm) / 6
    right = (b - m) * (fm + 4 * fr + fb) / 6
    whole = (b - a) * (fa + 4 * fm + fb) / 6
    if depth <= 0 or abs(left + right - whole) < eps:
        return left + right
    return simpson(a, m, fa, fl, fm, eps / 2, depth - 1) + simpson(
        m, b, fm, fr, fb, eps / 2, depth - 1
    )


def both(a, b):
    return a and b or (both(a - 1, b) if a > 0 else b > 3 and both(a, b - 1))


def sums(n):
    s = 0
    for i in range(n):  # native
        s += fib(i)
    return s


def deeper():
    s = 0
    for i in range(40):  # native
        s += ack(1, i) + ack(2, i % 9)
    return s


def tails():
    s = 0
    for i in range(1, 3000):  # native
        s += gcd(i * 7919, 30030) + collatz(i)
    return s


def powers():
    s = 0.0
    for i in range(2000):  # native
        s += power(1.0001, i)
    return s


def each_other():
    c = 0
    for i in range(200):  # native
        if is_even(i):
            c += 1
    return c


def pairs():
    c = 0
    for i in range(2, 300):  # native
        lo, hi = minmax(0, i)
        c += lo + hi
    return c


def towers():
    s = 0
    for n in range(14):  # native
        s += hanoi(n, 0, 1, 2)
    return s


def adaptive():
    s = 0.0
    for k in range(50):  # native
        b = 1.0 + k * 0.1
        s += simpson(0.0, b, 0.0, (b / 2) ** 3 - b / 2, b**3 - b, 1e-18, 8)
    return s


def logic():
    t = []
    for a in range(4):
        for b in range(7):
            x = both(a, b)
            t.append(x)
    return t


print(sums(24), deeper(), tails(), powers(), each_other(), pairs(), towers(), adaptive(), logic())
rows = [catalan(i) for i in range(11)], [binom(14, i) for i in range(15)]  # native
print(rows)
