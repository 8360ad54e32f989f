import numpy as np


def smooth(u, v, steps):
    n, m = u.shape
    for _ in range(steps):
        for i in range(n):
            south = (i + 1) % n
            for j in range(m):
                v[i, j] = 0.2 * (
                    u[i, j] + u[i - 1, j] + u[south, j] + u[i, j - 1] + u[i, (j + 1) % m]
                )
        u, v = v, u
    return u


def box(a, out, r):
    n = len(a)
    for j in range(n):
        out[j] = a[min(j + r, n - 1)] - a[max(j - r, 0)]


x = np.zeros((40, 50))
x[20, 25] = 1.0
print(smooth(x, x.copy(), 30).sum().hex())
y = np.arange(3_000.0)
z = np.zeros(3_000)
box(y, z, 7)
print(z.sum().hex())


# expect
# verdict line 6: serial: its iterations swap arrays on line 13
# verdict line 7: parallel if in bounds: `u[i, j]`, `u[i - 1, j]`, `u[south, j]`, `u[i, j - 1]`
# verdict line 9: parallel if in bounds: `u[i, j]`, `u[i - 1, j]`, `u[south, j]`, `u[i, j - 1]`
# serial 6: lines 6, 7, 9 independent split; floating-point flags
# verdict line 19: parallel if in bounds: `a[?]`, `out[j]`
# serial 19: lines 19 independent split; floating-point flags
# threads 6: lines 6, 7 threads, 9 independent split; floating-point flags
# threads 19: lines 19 threads independent split; floating-point flags
# auto 6: native
# auto 19: native
# 64 cores 6: 1 serial
# 64 cores 19: 1 interpreter
# expensive threads 6: 1 serial
# expensive threads 19: 1 interpreter
# shared core 6: 1 serial
# shared core 19: 1 interpreter
# quick CPython 6: 1 interpreter
# quick CPython 19: 1 interpreter
