"""Loops at module level: every name is a global, at once visible to functions."""

import math

import numpy as np
from showing import show

n = 20
a = np.arange(n) * 0.5
total = 0.0
for i in range(n):  # native
    total += a[i] * math.sin(a[i])
show("total", total, i)

squares = [0] * n
for i in range(n):  # native
    squares[i] = i * i
show("squares", squares, i)

A = np.zeros((6, 7))
for i in range(A.shape[0]):  # native
    for j in range(A.shape[1]):
        A[i, j] = i * 10 + j
show("A", A, i, j)

k = 0
while k < 100:  # native
    k = k * 2 + 1
show("k", k)

for index, value in enumerate(squares):  # native
    if value > 150:
        break
else:
    index = -1
show("break", index, value)

u = np.zeros(9)
u[4] = 1.0
v = np.zeros(9)
for t in range(6):  # native
    for x in range(1, 8):
        v[x] = u[x] + 0.25 * (u[x - 1] - 2 * u[x] + u[x + 1])
    u, v = v, u
show("swap", u, v, t, x)

for missing in range(0):
    never = 1
show("never", "never" in globals(), "missing" in globals())


def using_globals():
    s = 0.0
    for value in a:  # native
        s += value * total
    return s


show("using", using_globals())

if n > 10:
    count = 0
    for value in a:  # native
        if value > 3:
            count += 1
    show("count", count, value)

try:
    for i in range(n):  # native
        a[i] = a[i + 1]
except IndexError as error:
    show("caught", i, str(error), a)

with open(__file__, encoding="utf-8") as source:
    for z in range(5):  # native
        total -= z
show("with", total, z)

total = np.float32(0)
for x in np.float32([0.1, 0.2, 0.3]):
    total += x
show("float32", total, x)

word = "hello world"
ohs = 0
for c in word:  # native
    if c == "o":
        ohs += 1
show("chars", ohs, c)

for i in range(3):
    for j in range(4):  # native
        total += i * j
    print("row", i, float(total))

data = {"a": 1}
for i in range(10):  # native
    n = n + i
data["n"] = n
show("data", data["n"], i)

_private = 0
for _ in range(7):  # native
    _private += 1
show("private", _private, _)

print(sorted(name for name in globals() if not name.startswith("__")))
print(sorted(set(globals()) - set(vars(__import__("builtins"))) & {"__file__", "__name__"})[:2])
