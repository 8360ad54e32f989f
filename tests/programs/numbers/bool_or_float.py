"""A choice between a bool and a float: which it is, only the run tells, and an int less a bool is an int."""

from showing import show


def half(x):
    return 0.5 if x > 3 else x


def less_a_choice(n, x):
    s = 0
    for i in range(n):
        for j in range(i):
            s += i
        s -= half(x == i)
    return s, j


def by_an_element(values):
    s = 0
    for v in values:
        s += 0.5 if v > 3 else v
    return s


show("bool or float", less_a_choice(40, 1))
show("never", less_a_choice(40, 100))
show("int or float", by_an_element([1, 2, 5, 3]))
show("ints", by_an_element([1, 2, 3]))
