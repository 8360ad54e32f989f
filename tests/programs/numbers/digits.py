import numpy as np


def digsum(n):
    return sum(int(d) for d in str(n))


def many(n):
    c = 0
    for i in range(n):
        if digsum(i) % 7 == 0:
            c += 1
    return c


def happy(n):
    count = 0
    for i in range(1, n):
        k = i
        while k != 1 and k != 4:
            t = 0
            for d in str(k):
                t += int(d) ** 2
            k = t
        if k == 1:
            count += 1
    return count


def armstrong(n):
    found = []
    for i in range(n):
        digits = [int(d) for d in str(i)]
        k = len(digits)
        if sum(d**k for d in digits) == i:
            found.append(i)
    return found


def has_seven(n):
    c = 0
    for i in range(n):
        for d in str(i):
            if d == "7":
                c += 1
                break
        else:
            c -= 1
    return c


def reverse(n):
    t = 0
    for i in range(n):
        r = 0
        for k, d in enumerate(str(i)):
            r += int(d) * 10**k
        t += r
    return t


def mapped(n):
    t = 0
    for i in range(n):
        t += max(map(int, str(i))) * sum(map(int, str(i * i)))
    return t


def listed(n):
    t = 0
    for i in range(n):
        ds = list(str(i))
        t += len(ds)
        if ds[0] == "1":
            t += 1000
    return t


def signed(lo, hi):
    t = 0
    for i in range(lo, hi):
        for d in str(i):
            if d != "-":
                t += int(d)
    return t


def of(xs):
    t = 0
    for x in xs:
        for d in str(x):
            t += ord(d)
    return t


def after(n):
    for i in range(n):
        for d in str(i):
            pass
    return d


def big(n):
    t = 0
    x = 1
    for i in range(n):
        x = x * 3 % 9223372036854775783
        t += sum(int(d) for d in str(x))
    return t


print(many(30000), happy(8000), armstrong(20000), has_seven(20000), reverse(20000))
print(mapped(20000), listed(20000), signed(-3000, 5000), after(12345), big(20000))
print(of(list(range(3000))), of(np.arange(3000, dtype=np.uint16)), of(np.arange(3000) * 10**15))
print(of([0.5] * 3000), of([True, False] * 1500), of([10**30 + k for k in range(2000)]), of(["ab", "c"] * 2000))
print(of([9223372036854775807] * 3000), of(np.array([18446744073709551615] * 3000, dtype=np.uint64)))
