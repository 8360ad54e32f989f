"""Lists that a loop or an inlined function makes empty and appends to, with whatever is done with them then."""

import math

import numpy as np
from showing import attempt, show


def after_the_loop(n):
    found = None
    for i in range(n):  # native
        found = []
        for j in range(20):
            if (i * j) % 7 == 3:
                found.append(i + j)
    return found


def divisors(n):
    found = []
    for x in range(1, int(math.sqrt(n)) + 1):
        if n % x == 0:
            found.append(x)
            if x * x != n:
                found.append(n // x)
    return found


def through_a_function(n):
    total = 0
    for i in range(1, n):  # native
        all_of = divisors(i)
        total += len(all_of) + max(all_of) - min(all_of)
        for d in all_of:
            total ^= d
        total += sum(divisors(i + 1))
    return total


def through_two(n):
    def even(n):
        found = []
        for d in divisors(n):
            if d % 2 == 0:
                found.append(d)
        return found

    total = 0
    for i in range(1, n):  # native
        for d in even(i):
            total = (total * 31 + d) % 100003
    return total


def uses(n):
    t = 0
    x = 0.5
    for i in range(n):  # native
        xs = []
        for j in range(i % 9):
            xs.append((i * j) % 11 * 0.5)
        if xs:
            t += len(xs)
            x += xs[0] + xs[-1] + max(xs) - min(xs)
        if not xs:
            t += 100
        for k, v in enumerate(xs):
            x += k * v
        for u, v in zip(xs, range(5)):
            x -= u * v
        for v in reversed(xs):
            x = x * 0.5 + v
        for k in range(len(xs)):
            x += xs[k] * xs[-1 - k]
        x += sum(xs) + sum(v * v for v in xs)
        x += sum([v + 1.0 for v in xs if v > 1.0])
        ys = [v * 2 for v in xs]
        for v in ys:
            x += v
        t += len(ys)
    return t, x


def one_then_more(n):
    t = 0
    for i in range(n):  # native
        xs = [i, 2 * i]
        for j in range(i % 5):
            xs.append(xs[-1] + xs[-2])
        t += sum(xs) % 1009
    return t, xs


def mixes(n):
    out = 0.0
    for i in range(n):  # native
        xs = []
        for j in range(6):
            if j % 3:
                xs.append(i * j)
            else:
                xs.append(i * 0.25)
        for v in xs:
            out += v
    return out, xs


def kinds(n, a):
    for i in range(n):  # native
        bs, cs, ns = [], [], []
        for j in range(i % 6):
            bs.append(j > 2)
            cs.append(complex(j, i))
            ns.append(a[j])
    return bs, cs, ns, [type(v).__name__ for v in ns]


def out_of_range(n):
    t = 0
    for i in range(n):  # native
        xs = []
        for j in range(i % 7):
            xs.append(j)
        t += xs[3 if i > 50 else 0] if i % 7 > (3 if i < 90 else 0) else 0
    return t


def kept_from_before(n):
    t = 0
    xs = None
    for i in range(n):
        if i % 10 == 0:
            xs = []
        xs.append(i * 3)
        t += sum(xs) + xs[0]
        if i % 37 == 36:
            xs.append(2**70)
    return t, xs


def kept_and_fails(n, a):
    t = 0
    for i in range(n):
        if i % 10 == 0:
            xs = []
        xs.append(i * 3)
        t += sum(xs) * a[i]
        if len(xs) == 5:
            xs = []
            xs.append(-1)
            t += a[i * 2]
    return t, xs


def over_itself(n):
    t = 0
    for i in range(n):
        xs = []
        xs.append(i % 5)
        for v in xs:
            if v < 9:
                xs.append(v + 3)
            t += v
    return t, xs


def second_names(n):
    t = 0
    for i in range(n):
        xs = []
        ys = xs
        for j in range(i % 4):
            xs.append(j)
        t += len(ys) * 10 + sum(ys)
    return t, xs is ys


def push(to, v):
    to.append(v)


def push_both(to, v):
    push(to, v)
    if len(to) % 2 and to[-1] >= 0:
        push(to, v + 1)
    to.append(len(to))
    return to[0]


def pushed_elsewhere(n):
    t = 0
    for i in range(n):  # native
        xs = []
        for j in range(i % 4):
            push(xs, j * i)
        t += len(xs) + sum(xs)
    return t, xs


def pushed_by_both(n):
    t = 0
    for i in range(n):  # native
        xs = []
        for j in range(i % 6):
            t += push_both(xs, j * i - 7)
            t += len(xs) * 3 + xs[len(xs) // 2]
        if i % 3:
            xs.append(i)
        t += sum(xs)
    return t, xs


def pushed_floats(n):
    x = 0.0
    for i in range(n):  # native
        xs, ys = [], []
        for j in range(1 + i % 6):
            push(xs, j / 2)
            push(ys, j)
            ys.append(0.5)
        x += sum(xs)
        for y in ys:
            x += y
    return x, xs, ys


def kept_by_others(n):
    rows = []
    for i in range(n):
        xs = []
        for j in range(i % 4):
            xs.append(j * i)
        rows.append(xs)
    return rows[-5:], len({id(r) for r in rows}) == n


def stored_into(n):
    t = 0
    for i in range(n):
        xs = []
        for j in range(4):
            xs.append(j * i)
        xs[1] = i
        xs[-1] += 5
        t += sum(xs)
    return t, xs


def many(n):
    t = 0
    for i in range(3):
        xs = []
        for j in range(n):
            xs.append(j ^ i)
        t += sum(xs) + xs[-1] + len(xs)
    return t


def of_one_or_the_other(n):
    def small(i):
        if i % 3 == 0:
            return []
        found = []
        for j in range(i % 5):
            found.append(j)
        return found

    t = 0
    for i in range(n):
        xs = small(i)
        t += len(xs)
    return t, xs


def in_a_while(n):
    i = 0
    t = 0
    while i < n:  # native
        xs = []
        j = i
        while j > 0:
            xs.append(j % 10)
            j //= 10
        for v in xs:
            t = t * 3 % 10007 + v
        i += 1
    return t, xs


def never_appended(n):
    t = 0
    for i in range(n):
        xs = []
        if i < 0:
            xs.append(i)
        t += len(xs)
        ys = []
        t += len(ys)
    return t, xs, ys


def grows_wide(n):
    t = 0
    for i in range(n):  # native
        xs = []
        v = 1
        for j in range(i % 70):
            xs.append(v)
            v *= 3
        t += len(xs)
    return t, xs


def left_early(n):
    for i in range(n):  # native
        xs = []
        for j in range(i):
            xs.append(j * i)
            if len(xs) > 6 and i > n - 5:
                break
        if i == n - 2:
            break
    return i, xs


def same(xs):
    return xs


def longer(xs, v):
    xs = [v]
    xs.append(v + 1)
    return xs


def first_and_list(n):
    found = []
    for d in range(1, n + 1):
        if n % d == 0:
            found.append(d)
    return found[0], found


def calls_side_by_side(n):
    t = 0
    for i in range(1, n):  # native
        a = divisors(i)
        b = divisors(i + 1)
        c = longer(a, i)
        for u in a:
            for v in b:
                t = (t + u * v) % 10007
        t += sum(c) + c[-1] + len(a)
    return t


def passed_through(n):
    t = 0
    for i in range(1, n):
        a = divisors(i)
        b = same(a)
        a.append(0)
        t += len(b)
        first, c = first_and_list(i)
        t += first + len(c)
    return t, a, b is a, c


def before_and_after(n):
    t = 0
    last = []
    for i in range(1, n):
        xs = divisors(i)
        if i > 1:
            t += last[-1]
        last = xs
        xs = []
        xs.append(i)
        t += last[0] + xs[0]
    return t, last, xs


def halves(n):
    t = 0
    for i in range(n):  # native
        low, high = [], []
        for j in range(12):
            v = (i * 7 + j * 5) % 23
            if v < 11:
                low.append(v)
            else:
                high.append(v)
        t += len(low) * 3 + sum(high)
    return t


def the_longer_half(n):
    t = 0
    for i in range(n):
        low, high = [], []
        for j in range(12):
            v = (i * 7 + j * 5) % 23
            if v < 11:
                low.append(v)
            else:
                high.append(v)
        if len(low) > len(high):
            low = high
        t += len(low) + sum(high)
    return t, low is high


def stores_another_type(n):
    for i in range(n):  # native
        xs = []
        for j in range(5):
            xs.append(j)
        if i % 3 == 0:
            xs[2] = 0.5
        xs[0] += i
    return xs


def fails_inside(n, a):
    for i in range(n):  # native
        xs = []
        for j in range(4):
            xs.append(a[i + j])
        xs[i - 4] = 7
    return xs


def counted(to, v):
    to.append(v)
    return len(to)


def evaluated_in_order(n):
    t = 0
    for i in range(n):  # native
        xs = []
        for j in range(i % 5):
            t += len(xs) * 100 + counted(xs, i)
            t += counted(xs, j) * 10 + len(xs)
            u, v = len(xs), counted(xs, 3)
            t += u * 7 + v
            t += xs[-1] + counted(xs, j + 2) + xs[-1]
            t += xs[counted(xs, 1) - 1]
            if len(xs) == counted(xs, 5) - 1 and xs[len(xs) - 1] == 5:
                t += 1000
            t += sum(xs) + counted(xs, 2) + sum(xs)
            t += min(len(xs), counted(xs, 9))
            t += len(xs) if counted(xs, 4) % 2 else -len(xs)
            xs[counted(xs, 6) - 2] = len(xs)
            xs[len(xs) - 1] += counted(xs, 8)
            xs.append(counted(xs, 1) + len(xs))
            k = len(xs)
            xs.append(k)
            t += k * 3 + xs[k]
        ys = [counted(xs, q) for q in range(3)]
        t += sum(ys) + len(xs)
        for q in range(len(xs)):
            xs.append(q)
        t += len(xs)
    return t, xs, ys


def filled_by_while(n):
    t = 0
    for i in range(n):  # native
        xs = [1]
        while len(xs) < 20:
            xs.append(xs[-1] * 2 % 1009 + len(xs))
        t += xs[7] + sum(x for x in xs if x % 2) + max(xs)
        ys = [x for x in xs if x > i]
        zs = [y for y in ys if y % 2]
        t += len(ys) - len(zs)
        if ys and not zs:
            t += 1
    return t, xs, ys, zs


show("after", after_the_loop(500), after_the_loop(0), after_the_loop(1))
show("function", through_a_function(600))
show("two", through_two(400))
show("uses", uses(400))
show("one", one_then_more(300))
show("mixes", mixes(200))
show(
    "kinds",
    kinds(300, np.arange(10.0)),
    kinds(300, np.arange(10, dtype=np.int32)),
    kinds(3, [1, 2, 3]),
)
attempt(out_of_range, 80)
attempt(out_of_range, 200)
attempt(kept_from_before, 30)
attempt(kept_from_before, 300)
attempt(kept_and_fails, 100, list(range(200)))
attempt(kept_and_fails, 100, list(range(150)))
attempt(kept_and_fails, 100, list(range(99)))
show("itself", over_itself(200))
show("second", second_names(100))
show("pushed", pushed_elsewhere(100), pushed_by_both(200), pushed_floats(100))
show("others", kept_by_others(100))
show("stored", stored_into(100))
show("many", many(1000), many(65536), many(65537), many(100000))
show("or", of_one_or_the_other(100), of_one_or_the_other(99))
show("while", in_a_while(2000))
show("never", never_appended(100))
show("wide", grows_wide(20), grows_wide(100))
show("early", left_early(40), left_early(4))
show("beside", calls_side_by_side(300))
show("passed", passed_through(100))
show("last", before_and_after(100))
show("halves", halves(200), the_longer_half(200))
show("types", stores_another_type(100), stores_another_type(101))
attempt(fails_inside, 8, list(range(40)))
attempt(fails_inside, 30, list(range(40)))
attempt(fails_inside, 8, list(range(9)))
show("order", evaluated_in_order(40))
show("filled", filled_by_while(100))
