"""Subscripts computed from floats: scaled images, sampled tables, and scales that lead out of the array."""

import math

import numpy as np
from showing import attempt, show


def resize(source, target, scale):
    height, width = source.shape
    for y in range(target.shape[0]):  # native
        fy = y * scale
        y0 = int(fy)
        y1 = min(y0 + 1, height - 1)
        for x in range(target.shape[1]):
            fx = x * scale
            x0 = int(fx)
            x1 = min(x0 + 1, width - 1)
            wx = fx - x0
            top = source[y0, x0] * (1.0 - wx) + source[y0, x1] * wx
            target[y, x] = top * 0.5 + source[y1, x0] * 0.5
    return target


def sample(table, step, start, n, out):
    for i in range(n):  # native
        out[i] = table[int(start + i * step)]
    return out


def bins(values, low, width, counts):
    """What the array holds is not known."""
    for i in range(len(values)):  # native
        k = int((values[i] - low) / width)
        if 0 <= k < len(counts):
            counts[k] += 1
    return counts


def floored(table, step, n, out):
    for i in range(n):  # native
        out[i] = table[math.floor(i * step)] + table[-1 - int(i * step)]
    return out


source = np.arange(90.0 * 70).reshape(90, 70)
for scale in (0.25, 0.5, 69 / 139, 0.7, 0.1):
    target = np.zeros((140, 140))
    attempt(lambda: resize(source, target, scale).sum())
    show("left", target.sum())
table = np.arange(101.0) ** 0.5
out = np.zeros(20001)
for step in (0.005, 0.00505, 100 / 20000, -0.005, 0.0, 1e18, 1e-300, math.inf, -math.inf, math.nan):
    out[:] = 0
    attempt(lambda: sample(table, step, 0.0, 20001, out).sum())
    show("left", out.sum())
    attempt(lambda: floored(table, step, 20001, out).sum())
attempt(lambda: sample(table, 0.005, 0.9999999999999999, 20001, out).sum())
attempt(lambda: sample(table, 0.005, 0.99999999999999999, 20001, out).sum())
attempt(lambda: sample(table, -0.005, 100.0, 20001, out).sum())
attempt(lambda: sample(table, -0.005, -1.0, 20001, out).sum())
attempt(lambda: sample(table[::-1], 0.005, 0.5, 20001, out).sum())
attempt(lambda: sample(table.tolist(), 0.005, 0.5, 20001, [0.0] * 20001)[-1])
attempt(lambda: sample(table, np.float64(0.005), np.float64(0.5), 20001, out).sum())
attempt(lambda: sample(table, np.float32(0.005), 0.5, 20001, out).sum())
values = np.random.default_rng(3).normal(0.0, 3.0, 20000)
show("bins", bins(values, -4.0, 0.25, np.zeros(32, dtype=np.int64)).sum())
values[15000] = math.nan
attempt(lambda: bins(values, -4.0, 0.25, np.zeros(32, dtype=np.int64)).sum())
attempt(lambda: bins(values, -4.0, 0.0, np.zeros(32, dtype=np.int64)).sum())
