import numpy as np


def fill(out, start, x):
    for row in range(len(start) - 1):
        for e in range(start[row], start[row + 1]):
            out[e] = x[row] + e


start = np.cumsum(np.arange(400) % 7)
out = np.zeros(start[-1])
fill(out, start, np.sqrt(np.arange(400.0)))
print(out.sum().hex())


# expect
# verdict line 5: parallel if sorted(start) == list(start), and in bounds: `x[row]`, `out[e]`
# verdict line 6: parallel if in bounds: `x[row]`, `out[e]`
# serial 5: lines 5, 6 independent; floating-point flags
# threads 5: lines 5 threads, 6 independent; floating-point flags
# auto 5: interpreter
# 64 cores 5: 1 interpreter
# expensive threads 5: 1 interpreter
# shared core 5: 1 interpreter
# quick CPython 5: 1 interpreter
