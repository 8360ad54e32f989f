"""Functions that are handed to functions which call them."""

import math

import numpy as np


def lorenz(s, sigma=10.0, rho=28.0, beta=8 / 3):
    x, y, z = s
    return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])


def rk4(f, s, dt):
    k1 = f(s)
    k2 = f(s + 0.5 * dt * k1)
    k3 = f(s + 0.5 * dt * k2)
    k4 = f(s + dt * k3)
    return s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def cubic(x):
    return x * x * x - 2.0 * x - 5.0


def slope(f, x, h=1e-6):
    return (f(x + h) - f(x - h)) / (2.0 * h)


def newton(f, x, steps):
    for _ in range(steps):  # native throughout
        x = x - f(x) / slope(f, x)
    return x


def twice(f, g, x):
    return f(g(x)) + g(f(x))


half = lambda x: 0.5 * x


def trapezoid(f, a, b, n, weight=math.sqrt):
    h = (b - a) / n
    s = 0.5 * (weight(a) * f(a) + weight(b) * f(b))
    for i in range(1, n):  # native throughout
        s += weight(a + i * h) * f(a + i * h)
    return s * h


def composed(n):
    s = 0.0
    for i in range(n):  # native throughout
        s += twice(cubic, half, i * 0.1)
        s += twice(g=math.sin, f=math.cos, x=float(i))
        s -= apply(apply2, cubic, i * 0.5)
    return s


def apply2(f, x):
    return f(x) + f(-x)


def apply(h, f, x):
    return h(f, x)


def replaced(f, x):
    if x > 3.0:
        f = math.cos
    return f(x)


def rest(n):
    s = 0.0
    for i in range(n):
        s += replaced(math.sin, float(i))
    return s


class Model:
    def __init__(self, rate):
        self.rate = rate
        self.calls = 0

    def decay(self, y):
        return -self.rate * y

    def counted(self, y):
        self.calls += 1
        return -self.rate * y

    def run(self, y, dt, n):
        for _ in range(n):  # native throughout
            y = y + dt * midpoint(self.decay, y, dt)
        return y

    def run_counted(self, y, dt, n):
        for _ in range(n):
            y = y + dt * midpoint(self.counted, y, dt)
        return y


def midpoint(f, y, dt):
    return f(y + 0.5 * dt * f(y))


state = np.array([1.0, 1.0, 1.0])
seen = []
for i in range(2000):  # native
    state = rk4(lorenz, state, 0.01)
    if i % 500 == 0:
        seen.append(state[0])
print(state.tolist(), seen)
print(newton(cubic, 2.0, 40), newton(half, 7.0, 12))
print(trapezoid(cubic, 1.0, 2.0, 3000), trapezoid(half, 1.0, 2.0, 3000, weight=abs))
print(composed(200), rest(20))
model = Model(0.3)
print(model.run(1.0, 0.01, 500), model.run_counted(1.0, 0.01, 50), model.calls)


def shadow(f, n):
    out = []
    for i in range(n):
        out.append(apply2(f, float(i)))
        if i == n // 2:
            globals()["cubic"] = half
    return out


print(shadow(cubic, 6), cubic(3.0))
