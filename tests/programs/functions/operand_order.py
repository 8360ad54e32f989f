"""Operands that a method called later in the expression changes, and calls that may not be made."""

from showing import show


class Counter:
    def __init__(self, start=0):
        self.count = start
        self.ring = [0] * 4

    def step(self):
        self.count += 1
        return 5

    def add(self, k):
        self.count = self.count + k
        return self.count

    def push(self, v):
        self.ring[self.count % 4] = v
        self.count += 1
        return self.count

    def differences(self, n):
        total = 0
        for k in range(n):  # native
            total += self.count - self.add(k)
        return total, self.count


class Generator:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state * 1103515245 + 12345) % 2147483648
        return self.state


def sums(c, n):
    total = 0
    for _ in range(n):  # native
        total += c.count + c.step()
        total += (c.count + 1) * c.step() - c.count
        total += -c.count + abs(c.count) * 2 + c.add(1) + c.count
    return total, c.count


def compared(c, n):
    total = 0
    for _ in range(n):  # native
        total += c.count < c.add(1)
        if c.count < c.add(1) < c.count + 1:
            total += 10
        total += max(c.count, c.step())
    return total, c.count


def elements(c, out, n):
    for k in range(n):  # native
        out[c.count % n] = c.count - c.add(k)
        out[c.count % n] += c.add(k)
    return out, c.count


def elements_augmented(c, out, n):
    for k in range(n):  # native
        out[c.count] += c.step() + k
        out[-c.count] ^= abs(c.step())
        out[c.count] -= c.step() if k % 3 else 2
        out[c.count] *= c.count < c.add(1) < 90
    return out, c.count


class Pair:
    def __init__(self):
        self.p, self.q = [1, 2, 3, 4], [5, 6, 7, 8]

    def swap(self, k):
        self.p, self.q = self.q, self.p
        return k


def swapped(pair, n):
    for k in range(n):
        pair.p[k] += pair.swap(k)
    return pair.p, pair.q


def headers(c, n):
    seen = []
    for k in range(c.add(3)):  # cpython
        seen.append(k)
    for k in range(c.count, c.add(2) + c.count):  # cpython
        seen.append(k + c.count)
    for k in range(c.add(1) - c.count):  # cpython
        seen.append(-k)
    for k in range(n):  # native
        for j in range(c.add(1) - k):
            seen.append(k * j)
    return seen, c.count


def augmented(c, n):
    for k in range(n):  # native
        c.count += c.add(k) % 7
    return c.count


def chosen(c, n):
    total = 0
    for k in range(n):  # native
        total += c.step()
        total += c.step() if k % 2 else 0
        total += 1 if k > 1 else c.add(2)
    return total, c.count


def either(c, n):
    total = 0
    for k in range(n):  # native
        if k % 2 and c.step() > 0:
            total += 1
        if k % 3 and c.step() > 0 and c.add(1) > 5:
            total += 1
        if k > 4 or c.add(1) == 7:
            total += 1
    return total, c.count


def chained(c, n):
    total = 0
    for k in range(n):  # native
        c.add(1)
        if k < 7 < c.add(2):
            total += 1
    return total, c.count


def pushed(c, n):
    for k in range(n):
        c.push(k)
        if k % 2 or c.push(-k) > 0:
            pass
    return c.ring, c.count


def tested(c, n):
    total = 0
    while c.add(1) < n:  # native
        total += c.count
        c.count += total % 2
    return total, c.count


def hits(r, n):
    found = 0
    for _ in range(n):  # native
        x = r.next() % 100
        y = r.next() % 100 if x > 50 else x
        if x * x + y * y < 5000:
            found += 1
    return found, r.state


show("sums", sums(Counter(), 20), Counter(1).differences(20), Counter(1.5).differences(20))
show("compared", compared(Counter(), 20))
show("elements", elements(Counter(), [0] * 20, 20))
show("elements augmented", elements_augmented(Counter(), [7] * 100, 15))
show("swapped", swapped(Pair(), 3))
show("headers", headers(Counter(), 4))
show("augmented", augmented(Counter(1), 20))
show("chosen", chosen(Counter(), 20))
show("either", either(Counter(), 20))
show("chained", chained(Counter(), 20))
show("pushed", pushed(Counter(), 20))
show("tested", tested(Counter(), 200), tested(Counter(300), 200))
show("hits", hits(Generator(1), 5000))
