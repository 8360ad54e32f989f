"""Small realistic programs: many constructs together, arrays and lists."""

import math

import numpy as np
from showing import show


def nbody(pos, vel, mass, steps, dt):
    n = len(mass)
    for _ in range(steps):  # native
        for i in range(n):
            ax = ay = az = 0.0
            for j in range(n):
                if i == j:
                    continue
                dx = pos[j][0] - pos[i][0]
                dy = pos[j][1] - pos[i][1]
                dz = pos[j][2] - pos[i][2]
                inv = mass[j] / math.sqrt((dx * dx + dy * dy + dz * dz + 0.01) ** 3)
                ax += dx * inv
                ay += dy * inv
                az += dz * inv
            vel[i][0] += ax * dt
            vel[i][1] += ay * dt
            vel[i][2] += az * dt
        for i in range(n):
            for k in range(3):
                pos[i][k] += vel[i][k] * dt
    return pos, vel


def thomas(a, b, c, d, x):
    n = len(d)
    cp = [0.0] * n
    dp = [0.0] * n
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):  # native
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x[n - 1] = dp[n - 1]
    for i in range(n - 2, -1, -1):  # native
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


def knapsack(weights, values, capacity):
    best = [0] * (capacity + 1)
    for k in range(len(weights)):  # native
        w, v = weights[k], values[k]
        for c in range(capacity, w - 1, -1):
            if best[c - w] + v > best[c]:
                best[c] = best[c - w] + v
    return best[capacity], best


def floyd(d):
    n = len(d)
    for k in range(n):  # native
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return d


def lu_solve(A, b):
    n = len(b)
    p = list(range(n))
    for k in range(n):  # native
        best = abs(A[k, k])
        at = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > best:
                best = abs(A[i, k])
                at = i
        if at != k:
            p[k], p[at] = p[at], p[k]
            b[k], b[at] = b[at], b[k]
            for j in range(n):
                A[k, j], A[at, j] = A[at, j], A[k, j]
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    for i in range(n):  # native
        for j in range(i):
            b[i] -= A[i, j] * b[j]
    for i in range(n - 1, -1, -1):  # native
        for j in range(i + 1, n):
            b[i] -= A[i, j] * b[j]
        b[i] /= A[i, i]
    return A, b, p


def fft(re, im):
    n = len(re)
    j = 0
    for i in range(1, n):  # native
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]
    size = 2
    while size <= n:  # native
        angle = -2 * math.pi / size
        for start in range(0, n, size):
            for k in range(size // 2):
                c, s = math.cos(angle * k), math.sin(angle * k)
                a, b = start + k, start + k + size // 2
                tr = re[b] * c - im[b] * s
                ti = re[b] * s + im[b] * c
                re[b], im[b] = re[a] - tr, im[a] - ti
                re[a], im[a] = re[a] + tr, im[a] + ti
        size *= 2
    return re, im


def monte_carlo(n, seed):
    x = seed
    inside = 0
    for _ in range(n):  # native
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        u = x / 0x7FFFFFFF
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        v = x / 0x7FFFFFFF
        if u * u + v * v <= 1.0:
            inside += 1
    return 4.0 * inside / n, x


def queens(n):
    count = 0
    columns = [0] * n
    row = 0
    columns[0] = -1
    while row >= 0:  # native
        columns[row] += 1
        while columns[row] < n:
            ok = True
            for k in range(row):
                d = columns[row] - columns[k]
                if d == 0 or d == row - k or d == k - row:
                    ok = False
                    break
            if ok:
                break
            columns[row] += 1
        if columns[row] == n:
            row -= 1
        elif row == n - 1:
            count += 1
        else:
            row += 1
            columns[row] = -1
    return count


def heap_sort(a):
    n = len(a)
    for start in range(n // 2 - 1, -1, -1):  # native
        i = start
        while 2 * i + 1 < n:
            child = 2 * i + 1
            if child + 1 < n and a[child] < a[child + 1]:
                child += 1
            if a[i] >= a[child]:
                break
            a[i], a[child] = a[child], a[i]
            i = child
    for end in range(n - 1, 0, -1):  # native
        a[0], a[end] = a[end], a[0]
        i = 0
        while 2 * i + 1 < end:
            child = 2 * i + 1
            if child + 1 < end and a[child] < a[child + 1]:
                child += 1
            if a[i] >= a[child]:
                break
            a[i], a[child] = a[child], a[i]
            i = child
    return a


def binomial_option(s, k, r, sigma, t, n):
    dt = t / n
    u = math.exp(sigma * math.sqrt(dt))
    d = 1 / u
    q = (math.exp(r * dt) - d) / (u - d)
    v = [0.0] * (n + 1)
    for i in range(n + 1):  # native
        v[i] = max(0.0, k - s * u**i * d ** (n - i))
    for step in range(n - 1, -1, -1):  # native
        for i in range(step + 1):
            hold = math.exp(-r * dt) * (q * v[i + 1] + (1 - q) * v[i])
            v[i] = max(hold, k - s * u**i * d ** (step - i))
    return v[0]


def bilinear(image, out):
    h, w = image.shape
    H, W = out.shape
    for y in range(H):  # native
        for x in range(W):
            fy, fx = y * (h - 1) / (H - 1), x * (w - 1) / (W - 1)
            iy, ix = min(int(fy), h - 2), min(int(fx), w - 2)
            dy, dx = fy - iy, fx - ix
            top = image[iy, ix] * (1 - dx) + image[iy, ix + 1] * dx
            bottom = image[iy + 1, ix] * (1 - dx) + image[iy + 1, ix + 1] * dx
            out[y, x] = int(top * (1 - dy) + bottom * dy + 0.5)
    return out


points = [[math.sin(k * 3 + c) for c in range(3)] for k in range(6)]
speeds = [[0.0] * 3 for _ in range(6)]
show(
    "nbody",
    *nbody([p[:] for p in points], [s[:] for s in speeds], [1.0, 2.0, 0.5, 1.5, 1.0, 3.0], 5, 0.01),
)
show("nbody", *nbody(np.array(points), np.array(speeds), np.ones(6), 5, 0.01))
n = 9
band = [1.0] * n
show("thomas", thomas(band, [4.0] * n, band, [float(k) for k in range(n)], [0.0] * n))
show("thomas", thomas(np.ones(n), np.full(n, 4.0), np.ones(n), np.arange(float(n)), np.zeros(n)))
show("knapsack", *knapsack([3, 4, 5, 9, 4], [3, 4, 4, 10, 4], 21))
show("knapsack", *knapsack(np.array([3, 4, 5]), np.array([3, 4, 4]), 11))
inf = float("inf")
d = [[0 if i == j else (i * 7 + j * 3) % 11 + 1 for j in range(7)] for i in range(7)]
show("floyd", floyd([row[:] for row in d]), floyd(np.array(d)))
d[2][5] = d[1][3] = inf
show("floyd", floyd(np.array(d)), floyd([[float(x) for x in row] for row in d]))
A = np.cos(np.arange(36.0)).reshape(6, 6)
show("lu", *lu_solve(A.copy(), np.arange(6.0)))
re = [math.sin(k * 0.3) for k in range(32)]
show("fft", *fft(re[:], [0.0] * 32), *fft(np.array(re), np.zeros(32)))
show("pi", *monte_carlo(5000, 42), queens(6), heap_sort([k * 37 % 101 for k in range(60)]))
show("sorted", heap_sort(np.sin(np.arange(50.0))), heap_sort([math.sin(k) for k in range(40)]))
show("option", binomial_option(100.0, 105.0, 0.03, 0.2, 1.0, 40))
image = (np.arange(48).reshape(6, 8) * 37 % 256).astype(np.uint8)
show("image", bilinear(image, np.zeros((11, 13), dtype=np.uint8)))
