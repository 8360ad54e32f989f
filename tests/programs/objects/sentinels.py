"""`is` that asks for a function, a class or a sentinel of the module tells no numbers apart."""

import random

MISSING = object()


class Reverse:
    pass


def plain(a):
    return a


def moved(a, fill=MISSING):
    for i in range(len(a) - 1, 0, -1):  # native throughout
        a[i] = a[i - 1]
    if fill is not MISSING:
        a[0] = fill
    return a


def swapped(a, how=plain):
    if how is plain:
        return a
    if type(how) is Reverse or how is Reverse:
        for i in range(len(a) // 2):  # native throughout
            a[i], a[-1 - i] = a[-1 - i], a[i]
    return a


def sifted(a):
    for i in range(1, len(a)):  # native throughout
        x, j = a[i], i
        while j > 0 and a[j - 1] > x:
            a[j] = a[j - 1]
            j -= 1
        a[j] = x
    return a


random.seed(4)
numbers = [random.random() for _ in range(400)]
for _ in range(3):
    print(moved(list(numbers))[:3], moved(list(numbers), 0.5)[:3])
    print(swapped(list(numbers))[:3], swapped(list(numbers), Reverse)[:3])
    print(swapped(list(numbers), Reverse())[-3:], sifted(list(numbers))[:3])
