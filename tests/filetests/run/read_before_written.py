import numpy as np


# What later rows are read is what they were: every part of the rows saves the row behind it.
def rows(g):
    for i in range(g.shape[0] - 1):
        for j in range(g.shape[1]):
            g[i, j] = 0.5 * g[i + 1, j] + g[i, j]


# The distance grows: a copy of all of it.
def thinned(a):
    for i in range(len(a) // 2):
        a[i] = a[2 * i + 1] + 1.0


# The load of what the iteration itself wrote stays one of the array.
def with_itself(a, b):
    for i in range(len(a) - 1):
        a[i] = a[i + 1]
        b[i] = a[i] * 2.0


# Something flows, too.
def both_ways(a):
    for i in range(1, len(a) - 1):
        a[i] = 0.5 * (a[i + 1] + a[i - 1])


# The same memory under two names.
def overlapping(a, b):
    for i in range(len(b)):
        a[i] = b[i] * 0.5


# Events are looked at after the loop, which runs by vectors.
def ints(a):
    for i in range(len(a) - 1):
        a[i] = a[i + 1] + i


g = (np.arange(60_000) % 97 * 0.5).reshape(300, 200)
rows(g)
a, b = np.arange(30_000.0) % 31, np.zeros(30_000)
thinned(a)
with_itself(a, b)
both_ways(a)
overlapping(a[:-1], a[1:])
k = [i % 7 for i in range(30_000)]
ints(k)
print(float(g.sum()), a.sum().hex(), b.sum().hex(), sum(k))


# expect
# verdict line 6: parallel, reading `g` as it was before the loop
# verdict line 7: parallel
# serial 6: lines 6, 7 independent; floating-point flags
# verdict line 13: parallel, reading `a` as it was before the loop, if in bounds: `a[2*i + 1]`, `a[i]`
# serial 13: lines 13 lockstep; floating-point flags
# verdict line 19: parallel, reading `a` as it was before the loop, if in bounds: `b[i]`
# serial 19: lines 19 lockstep; floating-point flags
# verdict line 26: serial: an element read as `a[i + 1]` (line 27) may be written as `a[i]` (line 27) in the next iteration of `i`
# serial 26: lines 26; floating-point flags
# verdict line 32: parallel if in bounds: `a[i]`
# serial 32: lines 32; floating-point flags
# verdict line 38: parallel, reading `a` as it was before the loop
# serial 38: lines 38 lockstep; may stop, 1 guards
# verdict line 49: parallel
# verdict line 49: parallel
# verdict line 49: parallel
# serial 49: lines 49, 49 independent, 49 independent
# threads 6: lines 6 threads saving ends of g, 7 independent; floating-point flags
# threads 13: lines 13 threads saving all of a lockstep; floating-point flags
# threads 19: lines 19 threads saving ends of a lockstep; floating-point flags
# threads 26: lines 26; floating-point flags
# threads 32: lines 32; floating-point flags
# threads 38: lines 38 threads saving ends of a lockstep; may stop, 1 guards
# threads 49: lines 49 threads, 49 independent, 49 independent
# auto 6: native
# auto 13: native
# auto 19: native
# auto 26: native
# auto 32: native
# auto 38: native
# auto 49: interpreter
# 64 cores 6: 1 serial
# 64 cores 13: 1 interpreter
# 64 cores 19: 1 serial
# 64 cores 26: 1 serial
# 64 cores 32: 1 interpreter
# 64 cores 38: 1 interpreter
# 64 cores 49: 1 interpreter
# expensive threads 6: 1 serial
# expensive threads 13: 1 interpreter
# expensive threads 19: 1 serial
# expensive threads 26: 1 serial
# expensive threads 32: 1 interpreter
# expensive threads 38: 1 interpreter
# expensive threads 49: 1 interpreter
# shared core 6: 1 serial
# shared core 13: 1 interpreter
# shared core 19: 1 serial
# shared core 26: 1 serial
# shared core 32: 1 interpreter
# shared core 38: 1 interpreter
# shared core 49: 1 interpreter
# quick CPython 6: 1 interpreter
# quick CPython 13: 1 interpreter
# quick CPython 19: 1 interpreter
# quick CPython 26: 1 interpreter
# quick CPython 32: 1 interpreter
# quick CPython 38: 1 interpreter
# quick CPython 49: 1 interpreter
