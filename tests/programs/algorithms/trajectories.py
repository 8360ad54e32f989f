"""Differential equations, roots and quadrature."""

import math


def f(t, y):
    return -2.0 * y + math.sin(t)


def rk4(y, t, h, n):
    for i in range(n):  # native
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return y, t


def lorenz(x, y, z, s=10.0, r=28.0, b=8.0 / 3.0):
    return s * (y - x), r * x - y - x * z, x * y - b * z


def traj(n, dt):
    x, y, z = 0.0, 1.0, 1.05
    xs = [0.0] * n
    for i in range(n):  # native
        dx, dy, dz = lorenz(x, y, z)
        x, y, z = x + dx * dt, y + dy * dt, z + dz * dt
        xs[i] = x
    return xs


def pend(n):
    th, om = 0.5, 0.0
    for _ in range(n):  # native
        om -= 9.81 * math.sin(th) * 0.001
        th += om * 0.001
    return th, om


def bisect(lo, hi):
    while hi - lo > 1e-12:  # native
        mid = (lo + hi) / 2
        if mid**3 - mid - 2 > 0:
            hi = mid
        else:
            lo = mid
    return lo


def newton(x):
    for i in range(100):  # native
        fx = x * x * x - 2 * x - 5
        if abs(fx) < 1e-14:
            break
        x = x - fx / (3 * x * x - 2)
    else:
        return None
    return x, i


def simpson(n):
    a, b = 0.0, math.pi
    h = (b - a) / n
    s = math.sin(a) + math.sin(b)
    for i in range(1, n):  # native
        s += (4 if i % 2 else 2) * math.sin(a + i * h)
    return s * h / 3


print(
    rk4(1.0, 0.0, 0.01, 500),
    traj(500, 0.01)[-1],
    pend(2000),
    bisect(1, 2),
    newton(2.0),
    simpson(1000),
)
