import numpy as np


def forward(a):
    for i in range(len(a) - 1):
        a[i] = 0.5 * (a[i] + a[i + 1])


def mirrored(a):
    for i in range(len(a)):
        a[i] = a[len(a) - 1 - i] + 1.0


a = np.arange(20_000.0) % 11
forward(a)
mirrored(a)
print(a.sum().hex())


# expect
# verdict line 5: parallel, reading `a` as it was before the loop
# serial 5: lines 5 lockstep; floating-point flags
# verdict line 10: serial: an element read as `a[a.shape[0] - i - 1]` (line 11) may be written as `a[i]` (line 11) in a later iteration of `i`
# serial 10: lines 10 whole, 10 independent, 10 independent; floating-point flags
# threads 5: lines 5 threads saving ends of a lockstep; floating-point flags
# threads 10: lines 10 whole, 10 threads independent, 10 threads independent; floating-point flags
# auto 5: native
# auto 10: native
# 64 cores 5: 1 interpreter
# 64 cores 10: 1 interpreter
# expensive threads 5: 1 interpreter
# expensive threads 10: 1 interpreter
# shared core 5: 1 interpreter
# shared core 10: 1 interpreter
# quick CPython 5: 1 interpreter
# quick CPython 10: 1 interpreter
