"""The trace's verdicts on small loops whose answers are known.

Behind each loop, `#:` and what must be found: the verdict; for a serial loop because of what, and
whether it is distributable; `op=`, `private=` and `induction=` with names. What is not given for
op and induction is none; for private it is not looked at.
"""

import contextlib
import io
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from access_trace import trace_text

HEAD = "import math\nimport numpy as np\n"
CASES = {
    # Independent iterations
    "map": """
a = np.arange(6.0); b = np.zeros(6)
for i in range(6):  #: parallel private=
    b[i] = 2 * a[i]
""",
    "map in place": """
a = np.arange(6.0)
for i in range(6):  #: parallel private=
    a[i] = a[i] * a[i] + 1
""",
    "map over a list": """
a = [1, 2, 3, 4]; b = [0] * 4
for i, v in enumerate(a):  #: parallel private=
    b[i] = v + 1
""",
    "private scalar": """
a = np.arange(6.0)
for i in range(6):  #: parallel private=t
    t = a[i] + 1
    a[i] = t * t
""",
    "private scalar with a last value": """
def f(a):
    for i in range(5):  #: parallel private=last
        last = a[i]
        a[i] = last + 1
    return last
print(f(np.arange(5.0)))
""",
    "private array": """
a = np.arange(16.0).reshape(4, 4); t = np.zeros(4)
for i in range(4):  #: parallel private=j,t
    for j in range(4):  #: parallel private=
        t[j] = a[i, j] * 2
    for j in range(4):  #: parallel private=
        a[i, j] = t[j] + t[3 - j]
""",
    "private array partly kept": """
a = np.arange(16.0).reshape(4, 4); t = np.zeros(4)
for i in range(4):  #: serial flow private=j
    for j in range(3):  #: parallel private=
        t[j + 1] = a[i, j] + t[0]
    t[0] = t[3]
""",
    "read ahead": """
a = np.arange(6.0)
for i in range(5):  #: parallel private=a
    a[i] = a[i + 1]
""",
    "written again": """
a = np.zeros(3)
for i in range(6):  #: parallel private=a
    a[i % 3] = i
""",
    "halves apart": """
a = np.arange(8.0)
for i in range(4):  #: parallel private=
    a[i] = a[i + 4]
""",
    "even from odd": """
a = np.arange(8.0)
for i in range(0, 8, 2):  #: parallel private=
    a[i] = a[i + 1]
""",
    "permutation": """
p = [2, 0, 3, 1]; a = np.zeros(4)
for i in range(4):  #: parallel private=
    a[p[i]] = i
""",
    "not a permutation": """
p = [2, 0, 2, 1]; a = np.zeros(4)
for i in range(4):  #: parallel private=a
    a[p[i]] = i
""",
    "scatter that is read": """
p = [2, 0, 2, 1]; a = np.zeros(4)
for i in range(4):  #: serial flow
    a[p[i]] = a[p[i]] * 2 - 1
""",
    "aliased rows of a list": """
row = [0] * 3
rows = [row, row]
for i in range(2):  #: parallel private=j,rows
    for j in range(3):  #: parallel private=
        rows[i][j] = i + j
""",
    "aliased rows of a list, read": """
row = [0] * 3
rows = [row, row]
for i in range(2):  #: serial flow private=j
    for j in range(3):  #: serial flow
        rows[i][j] = rows[i][2 - j] + 1 if i else j
""",
    "rows of a list apart": """
rows = [[0] * 3 for _ in range(2)]
for i in range(2):  #: parallel private=j
    for j in range(3):  #: parallel private=
        rows[i][j] = i + j
""",
    "transposed view": """
a = np.arange(16.0).reshape(4, 4); t = a.T
for i in range(1, 4):  #: serial flow private=j
    for j in range(4):  #: parallel private=
        a[i, j] = t[j, i - 1] + 1
""",
    "transposed view, other way": """
a = np.arange(16.0).reshape(4, 4); t = a.T
for i in range(1, 4):  #: parallel private=j
    for j in range(4):  #: parallel private=
        t[j, i] = a[i, j] + 1
""",
    "overlapping views": """
a = np.arange(8.0); left = a[:-1]; right = a[1:]
for i in range(7):  #: serial flow
    right[i] = left[i] + 1
""",
    "overlapping views, against the flow": """
a = np.arange(8.0); left = a[:-1]; right = a[1:]
for i in range(7):  #: parallel private=left,right
    left[i] = right[i] + 1
""",
    "disjoint strided views": """
a = np.arange(8.0); even = a[::2]; odd = a[1::2]
for i in range(4):  #: parallel private=
    even[i] = odd[3 - i]
""",
    "reversed view": """
a = np.arange(6.0); b = a[::-1]
for i in range(6):  #: serial flow private=
    a[i] = b[i]
""",
    "negative step": """
a = np.arange(6.0)
for i in range(5, 0, -1):  #: parallel private=a
    a[i] = a[i - 1]
""",
    "negative step, serial": """
a = np.arange(6.0)
for i in range(4, -1, -1):  #: serial flow
    a[i] = a[i + 1] * 2
""",
    "negative index": """
a = np.arange(6.0)
for i in range(6):  #: serial flow private=
    a[i] = a[i - 1] + 1
""",
    "negative index of a list": """
a = [1, 2, 3]
for i in range(3):  #: parallel private=
    a[-1 - i] = a[2 - i] + 1
""",
    "conditional expression": """
a = np.arange(6.0)
for i in range(6):  #: parallel private=
    a[i] = 1.0 if a[i] > 3 else 0.0
""",
    "complex parts": """
z = np.zeros(4, dtype=complex); re = z.real; im = z.imag
for i in range(4):  #: parallel private=
    re[i] = i
    im[i] = z[i].real + 1
""",
    "imaginary part carried": """
z = np.ones(4, dtype=complex); im = z.imag
for i in range(1, 4):  #: serial flow
    im[i] = z[i - 1].imag + 1
""",
    # Recurrences
    "prefix sum in an array": """
a = np.arange(6.0)
for i in range(1, 6):  #: serial flow
    a[i] += a[i - 1]
""",
    "prefix sum in a scalar": """
a = np.arange(6.0); s = 0.0
for i in range(6):  #: serial flow
    s += a[i]
    a[i] = s
""",
    "prefix sum in two statements": """
a = np.arange(6.0); b = np.zeros(6)
for i in range(1, 6):  #: serial flow distributable
    a[i] = a[i - 1] + 1
    b[i] = a[i] * 2
""",
    "two loops in one": """
a = np.arange(6.0); b = np.zeros(6); s = 0.0
for i in range(1, 6):  #: serial flow distributable op=sum
    a[i] = a[i - 1] * 2
    s += b[i]
""",
    "a cycle over two statements": """
a = np.zeros(6); b = np.zeros(6)
for i in range(1, 6):  #: serial flow
    a[i] = b[i - 1] + 1
    b[i] = a[i] * 2
""",
    "distance two": """
a = np.arange(8.0)
for i in range(2, 8):  #: serial flow
    a[i] = a[i - 2] + 1
""",
    "linear recurrence": """
x = 0.5; a = np.zeros(5)
for i in range(5):  #: serial flow
    x = 3.5 * x * (1 - x)
    a[i] = x
""",
    "Horner": """
s = 0.0; x = 2.0
for c in [1.0, 2.0, 3.0]:  #: serial flow
    s = s * x + c
""",
    "Fibonacci": """
a, b = 0, 1
for _ in range(6):  #: serial flow
    a, b = b, a + b
""",
    "first iteration apart": """
a = np.arange(5.0)
for i in range(1, 5):  #: serial flow
    a[i] = a[i] + a[1]
""",
    "Jacobi with a swap": """
def relax(a, b):
    for t in range(3):  #: serial flow private=i
        for i in range(1, 5):  #: parallel private=
            b[i] = (a[i - 1] + a[i + 1]) / 2
        a, b = b, a
relax(np.arange(6.0), np.zeros(6))
""",
    "Jacobi with a copy": """
a = np.arange(6.0)
for t in range(3):  #: serial flow private=b,i
    b = a.copy()
    for i in range(1, 5):  #: parallel private=
        a[i] = (b[i - 1] + b[i + 1]) / 2
""",
    "Gauss-Seidel": """
a = np.arange(25.0).reshape(5, 5)
for t in range(2):  #: serial flow private=i,j
    for i in range(1, 4):  #: serial flow private=j
        for j in range(1, 4):  #: serial flow
            a[i, j] = (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) / 4
""",
    "red and black": """
a = np.arange(8.0)
for t in range(2):  #: serial flow
    for colour in range(2):  #: serial flow
        for i in range(1 + colour, 7, 2):  #: parallel private=
            a[i] = (a[i - 1] + a[i + 1]) / 2
""",
    "longest common subsequence": """
x, y = "abcab", "bcba"
table = [[0] * 5 for _ in range(6)]
for i in range(1, 6):  #: serial flow private=j
    for j in range(1, 5):  #: serial flow
        if x[i - 1] == y[j - 1]:
            table[i][j] = table[i - 1][j - 1] + 1
        else:
            table[i][j] = max(table[i - 1][j], table[i][j - 1])
""",
    "matrix product": """
n = 4
a = np.ones((n, n)); b = np.ones((n, n)); c = np.zeros((n, n))
for i in range(n):  #: parallel private=j,k
    for j in range(n):  #: parallel private=k
        for k in range(n):  #: reduction op=sum private=
            c[i, j] += a[i, k] * b[k, j]
""",
    "matrix product, k outside": """
n = 4
a = np.ones((n, n)); b = np.ones((n, n)); c = np.zeros((n, n))
for k in range(n):  #: reduction op=sum private=i,j
    for i in range(n):  #: parallel private=j
        for j in range(n):  #: parallel private=
            c[i, j] += a[i, k] * b[k, j]
""",
    "triangular solve": """
n = 5
l = np.tri(n); b = np.ones(n); x = np.zeros(n)
for i in range(n):  #: serial flow private=j,s
    s = b[i]
    for j in range(i):  #: reduction op=sum private=
        s -= l[i, j] * x[j]
    x[i] = s / l[i, i]
""",
    "triangular solve by columns": """
n = 5
l = np.tri(n); b = np.ones(n)
for j in range(n):  #: serial flow private=i
    b[j] /= l[j, j]
    for i in range(j + 1, n):  #: parallel private=
        b[i] -= l[i, j] * b[j]
""",
    "Floyd and Warshall": """
n = 4
d = np.random.default_rng(1).integers(1, 9, (n, n))
for k in range(n):  #: serial flow private=i,j
    for i in range(n):  #: serial flow private=j
        for j in range(n):  #: serial flow
            d[i, j] = min(d[i, j], d[i, k] + d[k, j])
""",
    "Floyd and Warshall, written where better": """
n = 4
d = np.random.default_rng(1).integers(1, 9, (n, n))
for k in range(n):  #: serial flow private=i,j
    for i in range(n):  #: parallel private=j
        for j in range(n):  #: parallel private=
            if d[i, k] + d[k, j] < d[i, j]:
                d[i, j] = d[i, k] + d[k, j]
""",
    "coupled subscripts": """
a = np.zeros((6, 6))
for i in range(5):  #: parallel private=j
    for j in range(5 - i):  #: parallel private=
        a[i, i + j] = i
""",
    "coupled subscripts, carried": """
a = np.zeros((6, 6))
for i in range(1, 6):  #: serial flow private=j
    for j in range(5):  #: parallel private=
        a[i, j] = a[i - 1, j + 1] + 1
""",
    "sum of subscripts": """
a = np.zeros(9)
for i in range(4):  #: parallel private=a,j
    for j in range(4):  #: parallel private=
        a[i + j] = i
""",
    # Reductions
    "sum": """
a = np.arange(6.0); s = 0.0
for v in a:  #: reduction op=sum private=
    s += v
""",
    "sum with minus": """
s = 0.0
for i in range(6):  #: reduction op=sum
    s = s - i
    s = 2 * i + s
""",
    "not a sum": """
s = 0.0
for i in range(6):  #: serial flow
    s = i - s
""",
    "sum and product of one variable": """
s = 1.0
for i in range(6):  #: serial flow
    s += i
    s *= 2
""",
    "sum and product": """
s = 0; p = 1
for i in range(1, 6):  #: reduction op=product,sum
    s += i
    p = i * p
""",
    "quotient": """
p = 1.0
for i in range(1, 6):  #: serial flow
    p /= i
""",
    "sum of a text": """
s = ""
for i in range(6):  #: serial flow
    s += str(i)
""",
    "sum of a list": """
s = []
for i in range(6):  #: serial flow
    s += [i]
""",
    "sum that is reset": """
s = 0
for i in range(6):  #: serial flow
    if i == 3:
        s = 0
    s += i
""",
    "sum that is set first": """
a = np.zeros(4)
for i in range(4):  #: parallel private=j,s
    s = 0
    for j in range(3):  #: reduction op=sum
        s += j
    a[i] = s
""",
    "sum that decides": """
s = 0; n = 0
for i in range(6):  #: serial flow op=sum
    s += i
    if s > 5:
        n += 1
""",
    "sum in its own step": """
s = 1
for i in range(6):  #: serial flow
    s += s * i
""",
    "sum in a function": """
def add(box, v):
    box.total += v
class Box:
    total = 0
box = Box()
for i in range(5):  #: reduction op=sum
    add(box, i)
""",
    "sum in an attribute, read": """
class Box:
    def __init__(self):
        self.total = 0
    def run(self, a):
        for i in range(5):  #: serial flow
            self.total += a[i]
            a[i] = self.total
Box().run(np.ones(5))
""",
    "sum in a global": """
count = 0
def step(v):
    global count
    count += v
def run():
    for i in range(5):  #: reduction op=sum
        step(i)
run()
""",
    "histogram": """
h = np.zeros(3, dtype=int); b = [0, 1, 0, 2, 1, 0]
for i in range(6):  #: reduction op=sum private=
    h[b[i]] += 1
""",
    "histogram without conflict": """
h = np.zeros(6, dtype=int); b = [3, 1, 0, 2, 5, 4]
for i in range(6):  #: parallel
    h[b[i]] += 1
""",
    "histogram that is read": """
h = np.zeros(3, dtype=int); b = [0, 1, 0, 2, 1, 0]; c = np.zeros(6)
for i in range(6):  #: serial flow
    h[b[i]] += 1
    c[i] = h[0]
""",
    "maximum": """
a = [3, 1, 4, 1, 5]; m = a[0]
for v in a:  #: reduction op=max
    m = max(v, m)
""",
    "minimum by if": """
a = [3, 1, 4, 1, 0]; m = 9
for i in range(5):  #: reduction op=min
    if a[i] < m:
        m = a[i]
""",
    "maximum by expression": """
a = [1, 3, 4, 1, 5]; m = a[0]
for v in a:  #: reduction op=max
    m = v if v > m else m
""",
    "argmin": """
a = [3, 1, 4, 1, 0]; m = 9; k = -1
for i in range(5):  #: reduction op=argmin private=
    if a[i] < m:
        m = a[i]
        k = i
""",
    "argmax in one assignment": """
a = [3, 1, 4, 1, 5]; m = -1; k = -1
for i in range(5):  #: reduction op=argmax private=
    if m <= a[i]:
        m, k = a[i], i
""",
    "argmax by place": """
a = [3, 1, 4, 1, 5]; k = 0
for i in range(1, 5):  #: reduction op=argmax private=
    if a[i] > a[k]:
        k = i
""",
    "argmin, not": """
a = [3, 1, 4, 1, 0]; m = 9; k = -1
for i in range(5):  #: serial flow
    if a[i] < m:
        m = a[k]
        k = i
""",
    "improvements counted": """
a = [5, 4, 6, 3]; m = 9; n = 0
for v in a:  #: serial flow op=sum
    if v < m:
        m = v
        n += 1
""",
    "minimum and maximum of one variable": """
m = 3
for v in [5, 4, 1, 3]:  #: serial flow
    m = max(m, v)
    m = min(m, 4)
""",
    "booleans": """
a = [1, 2, 3]; all_ = True; any_ = False
for v in a:  #: reduction op=and,or
    all_ = all_ and v > 0
    any_ = any_ or v > 2
""",
    "bits": """
x = 0; y = 255
for v in [1, 2, 3]:  #: reduction op=and,xor
    x ^= v
    y = y & v
""",
    "flag": """
a = [1, 2, 3]; found = False
for v in a:  #: parallel private=found
    if v > 1:
        found = True
""",
    "whole rows summed": """
a = np.arange(12.0).reshape(4, 3); s = np.zeros(3)
for row in a:  #: reduction op=sum
    s += row
""",
    # Induction variables
    "induction": """
a = np.zeros(6); k = 0
for i in range(6):  #: parallel private= induction=k
    a[k] = i
    k += 1
""",
    "induction by an invariant": """
def f(a, step):
    k = 0
    for i in range(3):  #: parallel induction=k
        k = k + step
        a[k - step] = i
f(np.zeros(6), 2)
""",
    "induction over inner loops": """
a = np.zeros(6); k = 0
for i in range(3):  #: parallel private=j induction=k
    for j in range(2):  #: parallel induction=k
        a[k] = i
        k += 1
""",
    "no induction: a condition": """
a = np.zeros(6); k = 0
for i in range(6):  #: serial flow
    if i % 2:
        a[k] = i
        k += 1
""",
    "no induction: the step varies": """
a = np.zeros(20); k = 0
for i in range(6):  #: serial flow
    a[k] = i
    k += i
""",
    "no induction: a triangle": """
a = np.zeros(20); k = 0
for i in range(4):  #: serial flow private=j
    for j in range(i):  #: parallel induction=k
        a[k] = i
        k += 1
""",
    "append": """
out = []
for i in range(4):  #: parallel private= induction=out
    out.append(i)
""",
    "append under a condition": """
out = []
for i in range(4):  #: serial flow
    if i != 2:
        out.append(i)
""",
    # How loops end, and what else happens in them
    "while": """
i = 0; a = np.zeros(4)
while i < 4:  #: serial while induction=i
    a[i] = i
    i += 1
""",
    "break": """
a = [1, 5, 2]
for v in a:  #: serial exit
    if v > 4:
        break
""",
    "break that does not happen": """
a = [1, 5, 2]
for v in a:  #: parallel
    if v > 9:
        break
else:
    a[0] = 7
""",
    "return": """
def find(a):
    for i in range(len(a)):  #: serial exit
        if a[i] == 5:
            return i
find([1, 5, 2])
""",
    "exception": """
try:
    for i in range(3):  #: serial exit
        1 // (1 - i)
except ZeroDivisionError:
    pass
for i in range(3):  #: parallel
    pass
""",
    "break of the inner loop": """
a = np.zeros(4)
for i in range(4):  #: parallel private=j
    for j in range(4):  #: serial exit
        if j > i:
            break
    a[i] = j
""",
    "continue": """
a = np.zeros(4)
for i in range(4):  #: parallel private=
    if i == 2:
        continue
    a[i] = i
""",
    "output": """
for i in range(3):  #: serial flow
    print(i)
""",
    "random numbers": """
rng = np.random.default_rng(1); a = np.zeros(3)
for i in range(3):  #: serial flow
    a[i] = rng.random()
""",
    "generator": """
def count():
    n = 0
    while n < 3:  #: serial while induction=n
        yield n
        n += 1
a = np.zeros(4)
for v in count():  #: serial generator
    a[v] = 1
for i in range(1, 4):  #: serial flow
    a[i] += a[i - 1]
""",
    "slices": """
a = np.zeros((4, 3))
for i in range(1, 4):  #: serial flow
    a[i] = a[i - 1] + 1
""",
    "slices apart": """
a = np.zeros((4, 3))
for i in range(4):  #: parallel private=
    a[i, :] = i
    a[i, 1:] *= 2
""",
    "masks": """
a = np.arange(6.0); m = a > 3
for i in range(6):  #: parallel private=a
    a[m] = i
""",
    "masks, carried": """
a = np.arange(6.0); m = a > 3
for i in range(6):  #: serial flow
    a[m] = a[m][::-1] + 1
""",
    "index arrays": """
a = np.arange(6.0)
for i in range(3):  #: parallel private=
    a[[i, i + 3]] = a[[i + 3, i]]
""",
    "library functions": """
a = np.arange(6.0); b = np.zeros(6)
for i in range(6):  #: parallel private=
    b[i] = np.sum(a) + a.max() + math.fsum(a)
""",
    "library functions, carried": """
a = np.arange(6.0)
for i in range(6):  #: serial flow
    a[i] = a.sum()
""",
    "library functions that write": """
a = np.arange(6.0); b = np.zeros(6)
for i in range(3):  #: serial flow
    np.add(a, i, out=b)
    a[:] = b
""",
    "lists swapped": """
rows = [[1], [2], [3]]
for i in range(2):  #: serial flow
    rows[i], rows[i + 1] = rows[i + 1], rows[i]
""",
    "elements of a zip": """
a = np.arange(4.0); b = a[::-1]
for x, y in zip(a, b):  #: parallel
    x + y
""",
    "elements written before they are met": """
a = [1, 1, 1, 1]
for i, v in enumerate(a):  #: serial flow
    if i < 3:
        a[i + 1] = v + 1
""",
    "recursion": """
def f(n):
    t = 0
    for i in range(n):  #: reduction op=sum
        t += f(n - 1)
    return t + 1
f(3)
""",
    "closures": """
def f():
    n = 0
    def g(v):
        nonlocal n
        n = v - n
    for i in range(3):  #: serial flow
        g(i)
f()
""",
    "dictionary": """
d = {0: 0, 1: 0}
for i in range(4):  #: reduction op=sum
    d[i % 2] += 1
""",
    "dictionary that grows": """
d = {}
for i in range(4):  #: serial flow
    d[i % 2] = d.get(i % 2, 0) + 1
""",
    "arrays of the loop's own": """
out = np.zeros(4)
for i in range(4):  #: parallel private=j,t
    t = np.zeros(3)
    for j in range(1, 3):  #: serial flow
        t[j] = t[j - 1] + i
    out[i] = t[2]
""",
}

MARK = re.compile(r"#: (\w+)(.*)")


def expectations(text):
    for number, line in enumerate(text.splitlines(), 1):
        found = MARK.search(line)
        if found:
            words = found[2].split()
            lists = dict(w.split("=") for w in words if "=" in w)
            yield number, found[1], [w for w in words if "=" not in w], lists


def names(text):
    return [name for name in text.split(",") if name]


@pytest.mark.parametrize("memory", [False, True], ids=["values", "memory"])
@pytest.mark.parametrize("name", CASES)
def test_verdict(name, memory):
    text = HEAD + CASES[name]
    loops = {loop["line"]: loop for loop in trace_text(text, memory=memory)["loops"]}
    expected = list(expectations(text))
    assert sorted(loops) == [line for line, *_ in expected]
    for line, verdict, words, lists in expected:
        loop = loops[line]
        assert loop["verdict"] == verdict, loop
        assert loop["op"] == names(lists.get("op", "")), loop
        assert loop["induction"] == names(lists.get("induction", "")), loop
        if "private" in lists:
            assert loop["private"] == names(lists["private"]), loop
        assert loop["because"] == (words[0] if words else None), loop
        assert loop["distributable"] == ("distributable" in words), loop


# Dependences: kind, name, source line, sink line, directions, distances, value-based. Line 3 is the
# first of a text.
VECTORS = {
    "distance two": (
        """
a = np.arange(8.0)
for i in range(2, 8):
    a[i] = a[i - 2] + 1
""",
        5,
        {("flow", "a", 6, 6, "<", (2,), True)},
    ),
    "against the flow": (
        """
a = np.arange(8.0)
for i in range(5):
    a[i] = a[i + 3]
""",
        5,
        {("anti", "a", 6, 6, "<", (3,), True)},
    ),
    "downwards": (
        """
a = np.arange(8.0)
for i in range(6, -1, -2):
    a[i] = a[i + 2 if i < 6 else 7]
""",
        5,
        {("flow", "a", 6, 6, "<", (1,), True)},
    ),
    "many distances": (
        """
a = np.arange(8.0)
for i in range(8):
    a[0] = i
""",
        5,
        {("output", "a", 6, 6, "<", (1,), True), ("output", "a", 6, 6, "<", (None,), False)},
    ),
    "the outer loop's": (
        """
a = np.zeros((5, 5))
for i in range(1, 5):
    for j in range(4):
        a[i, j] = a[i - 1, j + 1]
""",
        5,
        {("flow", "a", 7, 7, "<>", (1, -1), True)},
    ),
    "the inner loop's": (
        """
a = np.zeros((5, 5))
for i in range(1, 5):
    for j in range(1, 5):
        a[i, j] = a[i, j - 1]
""",
        6,
        {("flow", "a", 7, 7, "=<", (0, 1), True)},
    ),
    "a triangle, in steps of the range": (
        """
a = np.zeros(6)
for i in range(4):
    for j in range(i, 6):
        a[j] += i
""",
        5,
        {
            ("flow", "a", 7, 7, "<=", (1, 0), True),
            ("output", "a", 7, 7, "<=", (1, 0), True),
            ("flow", "a", 7, 7, "<=", (None, 0), False),
            ("anti", "a", 7, 7, "<=", (None, 0), False),
            ("output", "a", 7, 7, "<=", (None, 0), False),
        },
    ),
    "hidden by a write between": (
        """
a = np.zeros(6); b = np.zeros(6)
for i in range(2):
    a[0] = i
    b[i] = a[0]
""",
        5,
        {
            ("anti", "a", 7, 6, "<", (1,), True),
            ("output", "a", 6, 6, "<", (1,), True),
            ("flow", "a", 6, 7, "<", (1,), False),
        },
    ),
    "flow by memory alone": (
        """
a = np.zeros(1); b = np.zeros(6)
for i in range(2):
    a[0] = i
    a[0] = i
    b[i] = a[0]
""",
        5,
        {
            ("anti", "a", 8, 6, "<", (1,), True),
            ("output", "a", 7, 6, "<", (1,), True),
            ("flow", "a", 6, 8, "<", (1,), False),
            ("flow", "a", 7, 8, "<", (1,), False),
            ("anti", "a", 8, 7, "<", (1,), False),
            ("output", "a", 6, 6, "<", (1,), False),
            ("output", "a", 6, 7, "<", (1,), False),
            ("output", "a", 7, 7, "<", (1,), False),
        },
    ),
    "another name": (
        """
a = np.zeros(6); b = a[1:]
for i in range(4):
    b[i] = a[i]
""",
        5,
        {("flow", "b", 6, 6, "<", (1,), True)},
    ),
}


def carried(loop):
    return {
        (
            d["kind"],
            d["name"],
            d["source_line"],
            d["sink_line"],
            "".join(d["direction"]),
            tuple(d["distance"]),
            d["value_based"],
        )
        for d in loop["dependences"]
    }


@pytest.mark.parametrize("name", VECTORS)
def test_vectors(name):
    text, line, expected = VECTORS[name]
    found = trace_text(HEAD + text)
    assert found["complete"]
    (loop,) = (loop for loop in found["loops"] if loop["line"] == line)
    variables = {loop["var"] for loop in found["loops"]}
    arrays = {d for d in carried(loop) if d[1] not in variables}
    assert arrays == expected


def random_nest(random):
    """Two loops around assignments of elements of one array, with the elements they touch."""
    rows, columns = random.randint(2, 4), random.randint(2, 4)

    def subscript():
        p, q, r = (random.randint(-2, 2) for _ in range(3))
        if random.random() < 0.3:
            return "(%d * i * j + %d) %% 9" % (p, r)
        return "(%d * i + %d * j + %d) %% 9" % (p, q, r)

    statements = []
    for _ in range(random.randint(1, 3)):
        reads = [subscript() for _ in range(random.randint(0, 2))]
        statements.append((subscript(), reads, random.random() < 0.2))
    lines = ["a = [0.0] * 9", "for i in range(%d):" % rows, "    for j in range(%d):" % columns]
    for target, reads, guarded in statements:
        value = " + ".join(["i - j", *("a[%s]" % r for r in reads)])
        lines.append("        %sa[%s] = %s" % ("if i != j: " if guarded else "", target, value))
    accesses = []
    for i in range(rows):
        for j in range(columns):
            for line, (target, reads, guarded) in enumerate(statements, 4):
                if guarded and i == j:
                    continue
                for place, is_write in [*((r, False) for r in reads), (target, True)]:
                    accesses.append((eval(place), is_write, line, (i, j)))
    return "\n".join(lines), accesses


def brute_force(accesses, level):
    """Every pair of accesses that the loop at `level` carries, straight from the definition."""
    vectors = {}
    for k, (place, write, line, p) in enumerate(accesses):
        between = False
        for other, writes, sink, q in accesses[k + 1 :]:
            if other != place:
                continue
            if (write or writes) and p[:level] == q[:level] and p[level] != q[level]:
                kind = ("output" if writes else "flow") if write else "anti"
                apart = tuple(there - here for here, there in zip(p, q, strict=True))
                vectors.setdefault((kind, line, sink, not between), set()).add(apart)
            between |= writes
    return vectors


def direction(distances):
    signs = {(d > 0) - (d < 0) for d in distances}
    if {1, -1} <= signs:
        return "*"
    return ("<" if 1 in signs else "") + ("=" if 0 in signs else "") + (">" if -1 in signs else "")


@pytest.mark.parametrize("seed", range(150))
def test_against_the_definition(seed):
    text, accesses = random_nest(random.Random(seed))
    loops = trace_text(text)["loops"]
    for level, loop in enumerate(loops):
        expected = {
            (
                kind,
                "a",
                source,
                sink,
                "".join(direction(column) for column in zip(*vectors, strict=True)),
                tuple(
                    column[0] if len(set(column)) == 1 else None
                    for column in zip(*vectors, strict=True)
                ),
                value,
            )
            for (kind, source, sink, value), vectors in brute_force(accesses, level).items()
        }
        assert {d for d in carried(loop) if d[1] == "a"} == expected, text
        flows = any(e[0] == "flow" and e[6] for e in expected)
        if flows:
            assert loop["verdict"] in ("serial", "reduction"), text
        else:
            assert loop["verdict"] == "parallel", text
        if loop["verdict"] == "reduction":
            assert "] = i - j + a[" in text, text


def test_command():
    """The command prints what the function returns, the script's own output apart."""
    tests = Path(__file__).resolve().parent
    script = tests.parent / "kernels" / "matmul.py"
    words = [sys.executable, tests / "access_trace.py", "--values", script, "--size", "4"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "checksum" in done.stderr
    found = json.loads(done.stdout)
    verdicts = {loop["line"]: loop["verdict"] for loop in found["loops"]}
    assert [v for v in verdicts.values() if v != "unseen"] == ["parallel", "parallel", "reduction"]


def test_limit():
    found = trace_text("a = [0]\nfor i in range(9):\n    for j in range(9):\n        a[0] = j\n", limit=50)
    assert not found["complete"]


def test_a_script_sees_no_difference():
    """Order of evaluation, unpacking, deletion, classes, generators, exceptions."""
    text = '''"""A script's own docstring."""
log = []
def say(x):
    log.append(x)
    return x
class Point:
    """A class's docstring."""
    __slots__ = ("x", "__y")
    total = 0
    def __init__(self, x):
        self.x = x
        self.__y = [x]
    def turn(self):
        """A method's docstring."""
        self.__y[say(0)] += say(2)
        self.x, self.__y[0] = self.__y[0], self.x
        return self.__y
def numbers(n):
    for k in range(n):
        got = yield k
        log.append(got)
points = [Point(k) for k in range(3)]
for p in points:
    p.turn()
for k, (a, *b) in enumerate([(1, 2, 3), (4, 5, 6)]):
    points[say(k)].x = say(a) + sum(b)
d = {}
d[say("k")] = say(1)
d["k"] -= 3
x = y = [1, 2, 3]
x[say(0)], x[say(1)] = x[1], x[0]
del x[say(1)]
x[1:] = [7, 8, 9]
g = numbers(3)
for v in g:
    log.append(v)
while x:
    try:
        x.pop(0)
        if len(x) == 1:
            continue
    finally:
        log.append(len(x))
else:
    log.append("else")
for i in range(3):
    try:
        log.append([1, 2][i])
    except IndexError as error:
        log.append(str(error))
        break
else:
    log.append("not reached")
f = lambda v, *, w=2: [v * u for u in range(w) if u]
log.append(f(3))
if (n := len(log)) > 3:
    log.append(n)
with open(__file__) as file:
    log.append(file.readline())
print(log, [p.turn() for p in points], d, x, y, __doc__, Point.__doc__, Point.turn.__doc__)
'''
    found = trace_text(text, __file__)
    plain = io.StringIO()
    with contextlib.redirect_stdout(plain):
        exec(compile(text, __file__, "exec"), {"__name__": "__main__", "__file__": __file__})
    assert found["stdout"] == plain.getvalue()
