"""Names that begin as arrays from outside and become arrays that the loop makes."""

import numpy as np

rng = np.random.default_rng(3)


def deriv(y, a):
    return a * y - y * y


def rk4(y, a, h, steps):
    for _ in range(steps):  # native
        k1 = deriv(y, a)
        k2 = deriv(y + 0.5 * h * k1, a)
        k3 = deriv(y + 0.5 * h * k2, a)
        k4 = deriv(y + h * k3, a)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def carried(a, x):
    for i in range(a.shape[0]):  # native
        x = x * 0.5 + a[i]
    return x


def cg_like(p, r, steps):
    rs = np.dot(r, r)
    for _ in range(steps):  # native
        ap = 2.0 * p
        ap[1:] -= p[:-1]
        ap[:-1] -= p[1:]
        alpha = rs / np.dot(p, ap)
        r = r - alpha * ap
        rn = np.dot(r, r)
        p = r + rn / rs * p
        rs = rn
    return p, r, rs


def alias(x, y, n):
    for i in range(n):  # native
        y += x
        x = x * 0.5
    return x


class S:
    def __init__(self):
        self.x = rng.random(4)
        self.v = rng.random(4)

    def step(self, n):
        for _ in range(n):  # native
            self.v = self.v - 0.1 * self.x
            self.x = self.x + 0.1 * self.v


def events(x, n):
    for i in range(n):  # native
        x = x / (x + (i % 7) - 3)
    return x


def show(*vals):
    for v in vals:
        print(type(v).__name__, np.asarray(v).tolist())


y0 = rng.random(5)
show(rk4(y0, rng.random(5), 0.01, 30), y0)
x = rng.random(4)
show(carried(rng.random((9, 4)), x), x, carried(rng.random((0, 4)), x) is x)
show(*cg_like(rng.random(20), rng.random(20), 8))
x = rng.random(4)
show(alias(x, rng.random(4), 5))
show(alias(x, x, 5), x)
s = S()
a = s.x
s.step(20)
show(s.x, s.v, a)
with np.errstate(all="ignore"):
    show(events(np.array([3.0, 1.0, 2.5]), 40))


def lorenz(s, sigma, rho, beta):
    return np.array([sigma * (s[1] - s[0]), s[0] * (rho - s[2]) - s[1], s[0] * s[1] - beta * s[2]])


def ode(y, h, steps, out):
    for k in range(steps):  # native
        k1 = lorenz(y, 10.0, 28.0, 8 / 3)
        k2 = lorenz(y + 0.5 * h * k1, 10.0, 28.0, 8 / 3)
        k3 = lorenz(y + 0.5 * h * k2, 10.0, 28.0, 8 / 3)
        k4 = lorenz(y + h * k3, 10.0, 28.0, 8 / 3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        out[k] = y
    return y


out = np.zeros((50, 3))
show(ode(np.array([1.0, 1.0, 1.0]), 0.01, 50, out), out)


def makes(a, n):
    tot = 0.0
    for i in range(n):  # native
        z = np.zeros(3)
        z[i % 3] = a[i, 0]
        o = np.ones((2, a.shape[1]))
        o[1] = a[i]
        c = a[i].copy()
        c[0] = 7.0
        w = np.zeros_like(c)
        w[1:] = c[1:]
        q = np.array([i, 2])
        r = np.array((i, 0.5, a[i, 1]))
        e = np.zeros(a.shape[1])
        e += w
        tot += z.sum() + np.dot(o[1], w) + c[0] + q[0] + r @ z
    return tot, z, o, c, w, q, r, e


A = rng.random((6, 5))
show(*makes(A, 6), A)


def copies(x, n):
    for i in range(n):  # cpython
        y = x.copy()
        x[0] += 1.0
        y[1] = x[0]
        for v in x[1:].copy():
            y[0] += v
        x[1:] = x[:-1].copy()
    return y, x


show(*copies(rng.random(6), 5))


# ---- Arrays that lie apart at first: a product of them has other bits than one of their copies


def multiplied(a, x, n):
    for _ in range(n):
        x = a[:, :6] @ x
        x = x / np.sqrt(np.dot(x, x))
    return x


for seed in range(4):
    big = np.random.default_rng(seed).random((12, 14))
    print(multiplied(big.T[:6, :7], big[1:7, 3], 3).tolist())
    print(multiplied(big[:6, :7], big[3, 1:12:2], 3).tolist())
