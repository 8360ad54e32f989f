# nasty: warnings as errors in loops, order of stdout and stderr, exit from a loop, atexit, finalizers, weakrefs
import atexit
import gc
import sys
import warnings
import weakref

import numpy as np


def ratio(a, b):
    s = 0.0
    for i in range(len(a)):
        s += a[i] / b[i]
    return s


a = np.ones(3000)
b = np.arange(3000, 0, -1.0)
b[1234] = 0.0
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        ratio(a, b)
    except RuntimeWarning as e:
        print("error", e, e.__traceback__.tb_next.tb_frame.f_locals["i"])
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    print(repr(ratio(a, b)))
    b[5] = b[6] = 0
    print(repr(ratio(a, b)), len(w), [x.lineno for x in w])
with np.errstate(divide="call"):
    np.seterrcall(lambda k, f: print("called", k, f))
    print(repr(ratio(a, b)))
print(repr(ratio(a, b)), repr(ratio(a, b)))


class Res:
    live = 0

    def __init__(self, k):
        self.k = k
        Res.live += 1

    def __del__(self):
        Res.live -= 1
        if self.k % 500 == 0:
            print("del", self.k)


for i in range(2000):
    r = Res(i)
print(Res.live)
refs = []
for i in range(1000):
    o = Res(i + 1)
    refs.append(weakref.ref(o))
    if i == 700:
        keep = o
print(sum(x() is not None for x in refs), Res.live)
cyc = []
gc.disable()
for i in range(200):
    c = [i]
    c.append(c)
    cyc.append(len(c))
gc.enable()
print(gc.collect() >= 199, sum(cyc))
old = sys.stdout


class Tee:
    def __init__(self):
        self.n = 0

    def write(self, s):
        self.n += len(s)
        return old.write(s.upper())

    def flush(self):
        old.flush()


sys.stdout = Tee()
for i in range(3):
    for j in range(2000):
        if j == i * 900:
            print("tee", i, j, file=sys.stdout)
n = sys.stdout.n
sys.stdout = old
print(n)
print(
    sys.getrefcount(refs) < 5,
    sys.getsizeof([i for i in range(1000)]),
    sys.getsizeof(list(range(1000))),
)
atexit.register(lambda: print("bye", total))
total = 0
for i in range(10**6):
    total += i
    if total > 10**9:
        sys.stdout.flush()
        sys.exit(3)
