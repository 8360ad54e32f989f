# emulated 1 
import numpy as np
from showing import attempt, show

def data(shape, dtype, seed, odd=0, behind=0.35):
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    a = rng.integers(kind in 'ub', 2, shape).astype(dtype)
    return a

def f19(a0, a1, n, m):
    for i in range(n):
        for j in range(1, n):
            w = a0[j, i]
            for k in range(i, n):
                a0[j][k] -= w
v0 = data((6, 6), 'float64', 88)
v1 = data((6,), 'float64', 96).tolist()
v2 = 6
v3 = 3
attempt(f19, v0, v1, v2, v3)
