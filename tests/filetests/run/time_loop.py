import numpy as np


def heat(u, v, steps):
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u, v = v, u
    return u


x = np.zeros(2_000)
x[1_000] = 1.0
print(heat(x, x.copy(), 30).sum().hex())


# expect
# verdict line 5: serial: its iterations swap arrays on line 8
# verdict line 6: parallel if in bounds: `u[i]`, `u[i - 1]`, `u[i + 1]`, `v[i]`
# serial 5: lines 5, 6 independent; floating-point flags
# threads 5: lines 5, 6 threads independent; floating-point flags
# auto 5: native
# 64 cores 5: 1 serial
# expensive threads 5: 1 serial
# shared core 5: 1 serial
# quick CPython 5: 1 interpreter
