import numpy as np


def close(x, h, out):
    n = 0
    for i in range(len(x)):
        dx = x[i] - 0.5
        if not -h < dx < h:
            continue
        dy = dx * 2.0
        out[i] = dy * dy
        n += 1
    return n, dx, dy, i


x = np.cos(np.arange(30_000.0)) ** 2
out = np.zeros(len(x))
print(close(x, 0.3, out), out.sum().hex())


# expect
# verdict line 6: parallel if in bounds: `out[i]`
# serial 6: lines 6; floating-point flags
# threads 6: lines 6 threads; floating-point flags
# auto 6: native
# 64 cores 6: 1 threads
# expensive threads 6: 1 serial
# shared core 6: 1 serial
# quick CPython 6: 1 interpreter
