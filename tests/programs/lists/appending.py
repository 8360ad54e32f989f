"""Lists that grow: by scalars of every kind, by tuples, in methods, up to an exception."""

import math

import numpy as np
from showing import attempt, show


def runge_kutta(f, y, t, end, n):
    h = (end - t) / n
    ts = [t]
    ys = [y]
    for _ in range(n):  # native
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h * k1 / 2)
        y += h * (k1 + k2) / 2
        t += h
        ts.append(t)
        ys.append(y)
    return ts, ys


def decay(t, y):
    return -0.5 * y + math.sin(t)


def primes(n):
    out = []
    for k in range(2, n):  # native
        prime = True
        d = 2
        while d * d <= k:
            if k % d == 0:
                prime = False
                break
            d += 1
        if prime:
            out.append(k)
    return out


def ints_and_floats(n):
    out = []
    for i in range(n):  # native
        if i % 3 == 0:
            out.append(i)
        else:
            out.append(i * 0.5)
    return out


def pairs(n):
    out = [("a", None)]
    for i in range(n):  # native
        for j in range(i % 4):
            out.append((i, j * 0.5))
    return out


class Track:
    def __init__(self):
        self.xs = []
        self.x = 0.0

    def step(self, dt):
        self.x += dt
        self.xs.append(self.x)

    def run(self, n):
        for _ in range(n):  # native
            self.step(0.5)


def under_two_names(n):
    a = [1.0]
    b = a
    for i in range(n):  # cpython
        a.append(1.0 * i)
        b.append(2.0)
    return a


def reads_it(n):
    a = [1.0, 1.0]
    for _ in range(n):  # native
        a.append(a[-1] * 0.5 + a[-2] * 0.25)
    return a


def counts_it(n):
    a = []
    for _ in range(n):  # native
        a.append(len(a) * 2)
    return a


def fibonacci(n):
    f = [0, 1]
    while len(f) < n:  # native
        f.append(f[-1] + f[-2])
    return f


def edit_distance(a, b):
    previous = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        current = [i]
        for j, cb in enumerate(b, 1):  # native
            least = min(previous[j] + 1, current[j - 1] + 1)
            current.append(min(least, previous[j - 1] + (ca != cb)))
        previous = current
    return previous[-1]


def empty_at_first(n):
    a = []
    for i in range(n):  # native
        if i > 3:
            a.append(a[-1] + 1)
        else:
            a.append(i)
    return a


def beyond_the_end(n):
    a = [1.0]
    try:
        for i in range(n):  # native
            a.append(a[i] + 1)
            if i == 350:
                a.append(a[i + 5])
    except IndexError as error:
        return a, str(error)
    return a


def before_the_beginning(n):
    a = [1]
    x = None
    try:
        for i in range(n):  # native
            a.append(a[-i - 1] + 1)
            if i == 300:
                x = a[-500]
    except IndexError as error:
        return a, x, str(error)
    return a


def also_stored(n):
    a = [0]
    for i in range(n):  # native
        a.append(i)
        a[i] = 7
    return a


def also_looped_over(n):
    a = [1]
    for x in a:  # cpython
        a.append(x + 1)
        if len(a) > n:
            break
    return a


def copies_a_nan(n):
    a = [math.nan]
    for _ in range(n):  # native
        a.append(a[-1])
    return len(a), all(x != x for x in a)


def up_to_an_exception(n):
    out = []
    x = None
    try:
        for i in range(n):  # native
            out.append(i)
            x = 10 // (350 - i)
    except ZeroDivisionError as error:
        return out, x, str(error)
    return out


def doubled(values):
    out = []
    for x in values:  # native
        out.append(x * 2)
    return out


def beyond_the_machine(n):
    out = []
    x = 1
    for _ in range(n):
        x = x * 3
        out.append(x)
    return out


def bound_before(n):
    out = []
    push = out.append
    for i in range(n):  # native
        push(i ^ 5)
    return out


class Shifted(list):
    def append(self, value):
        super().append(value + 1)


def overridden(n):
    out = Shifted()
    for i in range(n):  # cpython
        out.append(i)
    return out


def endless(n):
    out = []
    i = 0
    while True:  # native
        out.append(i * 1.5)
        i += 1
        if i > n:
            break
    return out


def triangle(n):
    rows = []
    for i in range(n):
        row = []
        for j in range(n + i):  # native
            row.append(i * j)
        rows.append(row)
    return rows


def more_than_there_is_room_for(n):
    out = []
    for i in range(n):  # native
        out.append(i & 7)
    return out


def letters(text):
    out = []
    for c in text:  # native
        if c != "a":
            out.append(c)
    return out


def changing_places(n):
    a = []
    b = []
    for i in range(n):  # cpython
        a.append(i)
        a, b = b, a
    return a, b


def row_of_another(n):
    table = [[1.0], [2.0]]
    row = table[0]
    s = 0.0
    for i in range(n):  # cpython
        row.append(i * 1.0)
        s += table[1][0]
    return table, s


def nan_in_it(n):
    out = []
    x = math.nan
    for _ in range(n):  # native
        out.append(x)
    return len(out), all(x != x for x in out)


def to_two_lists(n):
    evens, odds = [], []
    for i in range(n):  # native
        if i % 2:
            odds.append(np.float64(i))
        else:
            evens.append(i > 100)
    return evens, odds


def wrong_count(n):
    out = []
    for i in range(n):
        out.append(i, i)
    return out


def main():
    ts, ys = runge_kutta(decay, 1.0, 0.0, 10.0, 2000)
    show("runge_kutta", ts[:3], ys[-3:], len(ts), math.fsum(ys))
    show("primes", primes(3000))
    show("ints_and_floats", ints_and_floats(300))
    show("pairs", pairs(300))
    track = Track()
    track.run(500)
    show("track", track.xs, track.x)
    show("under_two_names", under_two_names(200))
    show("reads_it", reads_it(200))
    show("counts_it", counts_it(200))
    show("fibonacci", fibonacci(60), fibonacci(120))
    show("edit_distance", edit_distance("kitten" * 20, "sitting" * 20))
    show("empty_at_first", empty_at_first(60))
    show("beyond_the_end", beyond_the_end(500))
    show("before_the_beginning", before_the_beginning(500))
    show("also_stored", also_stored(200))
    show("also_looped_over", also_looped_over(300))
    show("copies_a_nan", *copies_a_nan(100))
    show("up_to_an_exception", up_to_an_exception(500))
    show("doubled", doubled(np.arange(200, dtype=np.float32)), doubled(np.arange(200)))
    for values in ([1, 2, 3], [True, False], [1j], [0.5, -0.0]):
        show("doubled", doubled(values * 60))
    show("beyond_the_machine", beyond_the_machine(100))
    show("bound_before", bound_before(1000))
    show("overridden", overridden(300))
    show("endless", endless(1000))
    show("triangle", triangle(40)[-1], len(triangle(40)))
    room = more_than_there_is_room_for(5_000_000)
    show("more_than_there_is_room_for", len(room), sum(room))
    show("letters", letters("banana" * 50))
    show("changing_places", changing_places(301))
    show("row_of_another", row_of_another(200))
    show("nan_in_it", *nan_in_it(300))
    show("to_two_lists", to_two_lists(300))
    attempt(wrong_count, 300)


main()


def halves(n):
    out = []
    for k in range(n):  # native
        out.append(k if k % 2 else k * 0.5)
    return out


def halves_in_tuples(n):
    out = []
    for k in range(n):  # native
        half = k if k < 3 else k * 0.5
        out.append((k, half))
    return out


def at_least(n):
    out = []
    for k in range(n):  # native
        out.append(max(k, 2.0))
        out.append(k and k * 0.5)
    return out


def large_or_half(n):
    out = []
    for k in range(n):
        out.append(2**60 + k if k % 2 else k * 0.5)
    return out


show("halves", halves(10), halves_in_tuples(10), at_least(10))
show("large", large_or_half(10))
