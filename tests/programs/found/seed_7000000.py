# emulated 1 
import numpy as np
from showing import attempt, show

def data(shape, dtype, seed, odd=0, behind=0.35):
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    a = rng.integers(kind in 'ub', 2, shape).astype(dtype)
    return a

def f8(a0, a1, n, m, c0):
    for i in range(n):
        for j in range(1, n):
            w = a0[j][i]
            for k in range(n):
                a0[j][k] -= w
v0 = data((23, 23), 'float64', 26).tolist()
v1 = (23,)
v2 = 23
v3 = 6
v4 = 2
attempt(f8, v0, v1, v2, v3, v4)
