"""Names of parts of arrays that a loop makes: what they are of, and when the array is made anew."""

import numpy as np

rng = np.random.default_rng(53)


def show(*values):
    for v in values:
        print(type(v).__name__, v.tolist() if isinstance(v, np.ndarray) else v)


def forces(pos, mass):
    acc = np.zeros_like(pos)
    for i in range(len(pos)):  # native throughout
        d = pos - pos[i]
        dx = d[:, 0]
        dy = d[:, 1]
        dz = d[:, 2]
        r2 = dx * dx + dy * dy + dz * dz + 0.01
        w = mass / (r2 * np.sqrt(r2))
        acc[i, 0] = np.sum(w * dx)
        acc[i, 1] = np.sum(w * dy)
        acc[i, 2] = np.sum(w * dz)
    return acc, d, dx, dx.base is d, dz.base is d


def stores(x, n):
    total = 0.0
    for i in range(n):  # native throughout
        y = x * float(i)
        head = y[:3]
        head[0] = -1.0
        head += 2.0
        total += y[0] + y[1]
    return total, y, head, head.base is y


def kept(x, n):
    total = 0.0
    for i in range(n):
        y = x + float(i)
        first = y[1:]
        y = x * 2.0
        total += first[0] * 10 + y[0]
    return total, y, first, first.base is y


def carried(x, n):
    total = 0.0
    part = x[:2]
    for i in range(n):
        total += part[0]
        y = x + float(i)
        part = y[1:3]
    return total, part, part.base is y


def state(x, n):
    f = np.eye(4) * 0.9 + 0.01
    s = 0.0
    for _ in range(n):  # native throughout
        x = f @ x
        p = x[:2]
        v = x[2:]
        s += p[0] * v[1]
    return s, x, p, v, p.base is x


def before(x, n):
    s = 0.0
    for _ in range(n):
        p = x[:2]
        s += p[0]
        x = x * 0.5
    return s, x, p, p.base is x


def at_first(x, n):
    s = 0.0
    for i in range(n):
        p = x[:2]
        v = x[2:]
        s += p[0] * v[1]
        if i % 5 == 1:
            x = x * 0.5
            p = x[:2]
            v = x[2:]
    return s, x, p, v, p.base is x, v.base is x


def norm(v):
    return np.sqrt(np.dot(v, v))


def nested(m, n):
    out = np.zeros(n)
    for i in range(n):  # native throughout
        q = m * (i + 1.0)
        row = q[i % 3]
        tail = row[1:]
        out[i] = norm(tail) + norm(q[:, 0])
    return out, q, row, tail, tail.base is q


def maybe(x, n):
    t = 0.0
    for i in range(n):
        y = x + i
        if i % 3 == 0:
            p = y[:2]
            t += p[1]
    return t, y, p, p.base is y


def leaves(x, n):
    t = 0.0
    for i in range(n):  # native throughout
        y = x + i
        p = y[:2]
        if i % 2:
            continue
        if t > 100:
            break
        t += p[0]
    return t, y, p, p.base is y


def traded(x, n):
    s = 0.0
    for i in range(n):
        a = x + i
        b = x - i
        p = a[:2]
        q = b[1:]
        p[:] = q[:2]
        s += a[0] + p[1]
        a, b = b, a
        s += p[0] * 0.5
    return s, a, b, p, q, p.base is b, q.base is a


def swapped(x, n):
    for i in range(n):
        a = x + i
        b = x - i
        a, b = b, a
    return a, b


def second(u, v, n):
    for i in range(n):
        w = u * (i + 1)
        z = v * (i + 2)
        r = z[:4]
        w = z
        if i % 3 == 0:
            z = z * 0.5 + i
        r[0] = 7.0
    return r, w, z, r.base is w


pos = rng.random((40, 3))
a, d, dx, *same = forces(pos, rng.random(40))
show(a, d, dx, *same)
dx[0] = 99.0
show(d[0, 0])
x = np.arange(4.0) + 1
show(*stores(np.arange(5.0), 50))
show(*kept(x, 30))
show(*carried(x, 30))
show(*state(x, 40))
show(*before(x, 40))
for n in (20, 1):
    s, y, p, v, *same = at_first(x, n)
    show(s, y, p, v, *same, p.base is x)
    p[0] = 77.0
    show(x)
show(*nested(rng.random((3, 4)), 20))
show(*maybe(np.arange(3.0), 31))
show(*maybe(np.arange(3.0), 30))
show(*leaves(np.arange(3.0), 1000))
show(*traded(np.arange(3.0), 25))
show(*swapped(np.arange(3.0), 25))
show(*second(np.arange(5.0), np.ones(5), 25))

total = np.zeros(2)
for i in range(40):  # native throughout
    away = pos - pos[i]
    ex = away[:, 0]
    ey = away[:, 1]
    total[0] += np.sum(ex * ey)
    total[1] += ex[3]
show(total, ex, ey, ex.base is away)


# ---- Parts of what nothing names


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def trained(x, y, w, b, v, n):
    for _ in range(n):  # native throughout
        h = sigmoid(x @ w + b)
        p = sigmoid(h @ v)[:, 0]
        g = (p - y)[:, None] * v[:, 0] * h * (1 - h) / len(y)
        w = w - 0.5 * (x.T @ g)
        b = b - 0.5 * g.sum(axis=0)
    return p, w, b, p.base is None, g.base is None


def shifted(a, n):
    for i in range(n):  # native throughout
        first = (a * i)[1:]
        first[0] += 1.0
        last = (a + first[0])[::-1]
    return first, first.base.tolist(), last, last.base.tolist()


def given(a):
    return a


def of_given(a, n):
    for i in range(n):
        b = a * i
        c = given(b)[1:]
        c[0] = 5.0
        d = given(a)[:2]
        d[1] += 1.0
    return b, c, d, c.base is b, d.base is a


rng = np.random.default_rng(67)
v = rng.random((3, 1))
print(*trained(rng.random((20, 4)), rng.random(20).round(), rng.random((4, 3)), np.zeros(3), v, 5))
print(*shifted(rng.random(5), 4))
a = rng.random(5)
print(*of_given(a, 4), a)


# ---- Rows and names that change places by copies


def by_copies(a, b, n):
    c, d = a[0] * 2.0, a[1] * 3.0
    for i in range(n):  # native throughout
        j, k = i % 4, (i * 3 + 1) % 4
        a[j], a[k] = a[k].copy(), a[j].copy()
        c, d = d.copy(), c.copy()
        b[0, 1:], b[1, 1:] = b[1, 1:].copy(), b[0, :-1].copy()
    return a, b, c, d


print(*by_copies(rng.random((4, 3)), rng.random((2, 5)), 7))
