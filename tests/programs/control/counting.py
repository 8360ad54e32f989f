"""Variables that count along with a loop, in all the ways in which they do, and nearly do."""

import numpy as np
from showing import attempt, show


def spread(a, b, k):
    for i in range(len(b)):  # native
        a[k] = b[i] * 2.0 + 1.0
        k += 2
    return k


def backwards(a, b):
    k = len(a)
    for i in range(len(b) - 1, -1, -1):  # native
        k -= 1
        a[k] = b[i]
    return k, i


def thinned(a, b):
    k = 0
    for i in range(1, len(b), 3):  # native
        a[k] = b[i]
        k += 1
    return k


def thinned_backwards(a, b):
    k = 0
    for i in range(len(b) - 1, 0, -2):  # native
        a[k] = b[i] - k
        k += 1
    return k, i


def flattened(m):
    out = [0.0] * (len(m) * len(m[0]))
    k = 0
    for i in range(len(m)):  # native
        for j in range(len(m[0])):
            out[k] = m[i][j] * 0.5
            k += 1
        out[k - 1] += i
    return out, k


def blocks(a, n, m, width):
    at = 0
    for i in range(n):  # native
        for j in range(m):
            for c in range(width):
                a[at] = i * 100 + j * 10 + c
                at += 1
            at += 2
        at += 3
    return at


def ragged(starts, values, out):
    k = 0
    for row in range(len(starts) - 1):  # native
        total = 0.0
        for j in range(starts[row], starts[row + 1]):
            total += values[k]
            out[k] = values[k] * row
            k += 1
        out[k - 1] += total
    return k


def reversed_in_place(a):
    low, high = 0, len(a) - 1
    for _ in range(len(a) // 2):  # native
        a[low], a[high] = a[high], a[low]
        low += 1
        high -= 1
    return low, high


def interleaved(a, b, out):
    p, q = 0, 1
    for i in range(len(a)):  # native
        out[p] = a[i]
        out[q] = b[i]
        p += 2
        q += 2
    return p, q


def closer(a, n, gap):
    """What is stored at one place is read at the other, some iterations later."""
    p, q = 0, gap
    for _ in range(n):  # native
        a[q] = a[p] + 1
        p += 1
        q += 1
    return p, q


def escape(size, most):
    steps = [0] * (size * size)
    k = 0
    for y in range(size):  # native
        for x in range(size):
            z, c, n = 0j, complex(x * 3.0 / size - 2.0, y * 2.0 / size - 1.0), 0
            while n < most:
                z = z * z + c
                if z.real * z.real + z.imag * z.imag > 4.0:
                    break
                n += 1
            steps[k] = n
            k += 1
    return sum(steps), k


def by_a_variable(a, n, step):
    k = 1
    for i in range(n):  # native
        a[k] = i
        k += step
    return k


def kept(a, threshold):
    """How far it moves depends on the data."""
    out = [0.0] * len(a)
    k = 0
    for i in range(len(a)):  # native
        if a[i] > threshold:
            out[k] = a[i]
            k += 1
    return out[:k], k


def too_far(a, n):
    """An index beyond the end, with what was written before it."""
    k = 0
    for i in range(n):
        a[k] = i
        k += 2
    return k


def huge(a, k):
    """Beyond 64 bits: only in CPython."""
    for i in range(len(a)):
        a[i] = k % 1000
        k += 1 << 61
    return k


def numpy_counter(a, b):
    k = np.int64(3)
    for i in range(len(b)):  # native
        a[k] = b[i]
        k += 1
    return k, type(k).__name__


def nothing(a, n):
    k = 7
    for i in range(n):
        a[k] = 1.0
        k += 1
    return k, type(k).__name__


def changing_end(a, n):
    k = 0
    for i in range(n):  # native
        a[k] = i
        k += 1
        n = i * 2
    return k, n


numbers = np.arange(20_000.0) % 37
show("spread", spread(np.zeros(40_010), numbers, 3))
wide = np.zeros(40_010)
show("spread", spread(wide, numbers, 4), wide.sum())
for make in (np.zeros, lambda n: [0.0] * n):
    target = make(20_000)
    show("backwards", backwards(target, numbers), sum(target))
    target = make(20_000)
    show("thinned", thinned(target, numbers), sum(target))
    show("thinned_backwards", thinned_backwards(target, numbers), sum(target))
matrix = [[float(i * 31 + j) for j in range(150)] for i in range(120)]
flat, end = flattened(matrix)
show("flattened", end, sum(flat), flat[149], flat[150], flat[-1])
area = np.zeros(30 * (20 * 7 + 3) + 5, dtype=np.int64)
show("blocks", blocks(area, 30, 20, 5), area.sum(), area[:16].tolist())
show(
    "blocks",
    blocks(area, 0, 20, 5),
    blocks(area, 3, 0, 5),
    blocks(area, 3, 4, 0),
    blocks(area, 2, 3, -1),
)
lengths = [(7 * k) % 13 + 1 for k in range(900)]
starts = np.concatenate([[0], np.cumsum(lengths)])
values = np.arange(float(starts[-1]))
out = np.zeros(len(values))
show("ragged", ragged(starts, values, out), out.sum())
for n in (0, 1, 2, 9_999, 10_000):
    line = list(range(n))
    show("reversed_in_place", reversed_in_place(line), line[:3], line[-3:])
mixed = np.zeros(40_000)
show("interleaved", interleaved(numbers, numbers * 3.0, mixed), mixed[:6].tolist(), mixed.sum())
for gap in (0, 1, 5, 4_000, -3):
    cells = list(range(8_100))
    show("closer", closer(cells, 4_000, gap), sum(cells), cells[-4:])
show("escape", escape(48, 60))
for step in (1, 3, 0, -1):
    cells = [0] * 10_000
    show("by_a_variable", by_a_variable(cells, 3_000, step), sum(cells), cells[:3], cells[-3:])
show("kept", kept(numbers.tolist(), 30.0)[1])
for a in ([0] * 900, np.zeros(900)):
    show("too_far", attempt(too_far, a, 1_000), sum(a), a[898])
cells = [0] * 50
show("huge", huge(cells, 5), cells[-1])
show("numpy_counter", numpy_counter(np.zeros(20_010), numbers))
show("nothing", nothing(numbers, 0), nothing(numbers, -4))
cells = [0] * 3_000
show("changing_end", changing_end(cells, 3_000), sum(cells))
