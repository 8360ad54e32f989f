import numpy as np


def mandel(out, limit):
    for r in range(out.shape[0]):
        for c in range(out.shape[1]):
            x0, y0 = c * 0.03 - 2.0, r * 0.03 - 1.0
            x = y = 0.0
            n = 0
            while n < limit and x * x + y * y <= 4.0:
                x, y = x * x - y * y + x0, 2.0 * x * y + y0
                n += 1
            out[r, c] = n


grid = np.zeros((60, 80), dtype=np.int64)
mandel(grid, 60)
print(int(grid.sum()))


# expect
# verdict line 5: parallel
# verdict line 6: parallel
# verdict line 10: serial: a `while` loop decides after each iteration whether there is another
# serial 5: lines 5, 6 x16, 10
# threads 5: lines 5 threads, 6 x16, 10
# auto 5: native
# 64 cores 5: 1 threads
# expensive threads 5: 1 serial
# shared core 5: 1 serial
# quick CPython 5: 1 interpreter
