"""Carriage returns at the ends of lines, no newline at the end."""
from showing import show


def run(a):
    s = 0
    for x in a:  # native
        s += x
    return s


show("run", run([1, 2, 3]))
try:
    for i in range(5):  # native
        s = 10 // (2 - i)
except ZeroDivisionError as e:
    show("line", e.__traceback__.tb_lineno, s, i)