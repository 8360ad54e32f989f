"""Modules patched before the program's first loop, by functions of the same name or of another."""

import builtins
import functools
import math
import threading

import numpy as np
from showing import show


def logged(function):
    @functools.wraps(function)
    def inner(*arguments):
        calls.append(function.__name__)
        return function(*arguments) + 1

    return inner


calls = []
kept = {"math": (math.sin, math.cos, math.sqrt), "numpy": np.maximum}
math.sin = logged(math.sin)
math.cos, math.sqrt = math.sin, math.exp
builtins.abs, kept_abs = (lambda x: 7), abs
np.maximum = np.minimum


def mathematical(n):
    s = 0.0
    for i in range(n):
        s += math.sin(i) + math.cos(i) * math.sqrt(i)
    return s


def numerical(a):
    s = np.float64(0)
    for i in range(len(a)):
        s = np.maximum(s + np.sin(a[i]), 2)
    return s


def absolute(n):
    s = 0
    for i in range(n):
        s += abs(i - 5)
    return s


def all_of_them():
    show("math", mathematical(8), len(calls))
    show("numpy", numerical(np.arange(5.0)))
    show("builtins", absolute(9))


all_of_them()
math.sin, math.cos, math.sqrt = kept["math"]
np.maximum = kept["numpy"]
builtins.abs = kept_abs
calls.clear()
all_of_them()


# A thread's first loop, while something is patched.
math.sin = math.cos
thread = threading.Thread(target=all_of_them)
thread.start()
thread.join()
math.sin = kept["math"][0]
thread = threading.Thread(target=all_of_them)
thread.start()
thread.join()


def native(n):
    s = 0.0
    for i in range(n):  # native
        s += math.exp(-i) * max(i - 3, 0) + np.sqrt(np.float64(i))
    return s


show("native", native(30))
