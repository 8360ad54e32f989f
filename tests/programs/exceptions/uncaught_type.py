"""Ends with a TypeError from a list whose last element is no number."""


def total(rows):
    s = 0
    for row in rows:
        for x in row:
            s += x
    return s


print(total([[1, 2], [3, 4]]))
print(total([[1, 2], [3, None]]))
