"""Arrays that a loop makes under two names: stores through one, and what they are afterwards."""

import numpy as np

rng = np.random.default_rng(47)


def show(*values):
    for v in values:
        print(type(v).__name__, v.tolist() if isinstance(v, np.ndarray) else v)


def jacobi(a, b, x, most):
    d = np.diag(a).copy()
    for k in range(most):  # native
        x_new = (b - a @ x + d * x) / d
        if np.max(np.abs(x_new - x)) < 1e-9:
            break
        x = x_new
    return x, x_new, k, x is x_new


def until_still(a, x, most):
    for k in range(most):  # native
        before = x
        x = a @ x
        x = x / np.linalg.norm(x)
        if np.linalg.norm(x - before) < 1e-10:
            break
    return x, before, k, x is before


def waves(before, u, n):
    for _ in range(n):  # native
        after = 2 * u - before + 0.1 * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
        before = u
        u = after
    return u, before, u is after, u is before


def two_steps(y, n):
    old = np.zeros_like(y)
    for _ in range(n):  # native
        f = 1.0 - 0.5 * y
        y = y + 0.1 * (1.5 * f - 0.5 * old)
        old = f
    return y, old, f is old


def best_so_far(x, steps):
    best, least = x, 1e9
    for k in range(len(steps)):  # native
        x = x * 0.9 + steps[k]
        v = (x * x).sum()
        if v < least:
            least = v
            best = x
    return best, least, best is x


def relaxed(u, n):
    for _ in range(n):  # native
        new = u.copy()
        new[1:-1] = 0.5 * (u[2:] + u[:-2])
        new[0] += 0.125
        change = np.abs(new - u).max()
        u = new
        if change < 1e-3:
            break
    return u, new, u is new


def pairs(a, c, n):
    for _ in range(n):  # native
        a, c = c, a + c
        c = c / c.max()
    return a, c, a is c


def three(x, n):
    first = second = np.zeros_like(x)
    for k in range(n):  # native
        y = x * 0.5 + 1.0
        if k % 2:
            first = y
        if k % 3:
            second = y
        x = y
    return first, second, x, first is second, first is x, second is x, y is x


def in_samples(data, out):
    for i in range(data.shape[0]):  # native
        x = data[i] * 0.5
        for _ in range(6):
            y = np.sqrt(x + 1.0)
            before = x
            x = y
        out[i] = x - before


def planes(u, n):
    for _ in range(n):  # native
        v = u * 0.5
        v[1:, 1:] += u[:-1, :-1]
        u = v
    return u, v is u


a = rng.random((6, 6)) + 6 * np.eye(6)
for most in (1, 2, 200):
    show(*jacobi(a, rng.random(6), np.zeros(6), most), *until_still(a, np.ones(6), most))
for n in (0, 1, 2, 3, 20):
    x = rng.random(5)
    show(*waves(x, x + 1.0, n) if n else ())
    show(*pairs(x, x + 0.5, n), *three(x, n) if n else ())
    show(*two_steps(x, n) if n else (), *relaxed(x, n) if n else ())
    show(best_so_far(x, rng.random(n)), x)
    show(*planes(rng.random((3, 4)), n) if n else ())
out = np.zeros((4, 5))
in_samples(rng.random((4, 5)), out)
show(out)


# ---- What was there before is still itself


def first_of(x, n):
    for _ in range(n):  # native
        before = x
        x = x + 1.0
    return before, x


def chained(x, n):
    for k in range(n):  # native
        before = x
        oldest = before
        if k:
            x = x + 1.0
    return before, oldest, x


x = np.zeros(3)
for n in (1, 2, 3):
    before, after = first_of(x, n)
    print(before is x, after is x)
    show(before, after)
    before, oldest, after = chained(x, n)
    print(before is x, oldest is x, after is x, oldest is before, before is after)
    before[0] += 1.0
    show(before, oldest, after, x)


# ---- Stores through one of two names


def changed(x, n, how):
    seen = 0.0
    for k in range(n):
        y = x * 0.5 + 1.0
        z = y
        if how == 0:
            z[k % 3] = 7.0
        elif how == 1:
            y[1:] = 3.0
        elif how == 2:
            z += 2.0
        elif how == 3:
            y[y > 1.2] = 0.0
        elif how == 4:
            z[np.array([0, 2])] = 5.0
        elif how == 5:
            raise_all(z, 1.5)
        elif how == 6:
            y = y + 1.0
            z[0] = 4.0
        seen += y[0] + 10 * z[0] + 100 * y[-1] + z[1] + y[1]
        x = z
    return seen, x, y, z, x is y, x is z


def raise_all(r, by):
    r += by


for how in range(8):
    show(*changed(np.arange(3.0), 5, how))


def changed_in_part(x, n):
    for k in range(n):
        y = x * 0.5 + 1.0
        z = y
        t = z[1:]
        t[0] = 9.0
        x = y + z
    return x, y, z


def not_changed(x, n):
    for k in range(n):  # native
        y = x * 0.5 + 1.0
        z = y
        y = y + 1.0
        z[k % 3] = 4.0
        y[0] += 0.5
        x = z + y
    return x, y, z


def by_turns(x, n):
    for k in range(n):
        y = x * 0.5 + 1.0
        z = y
        if k % 4 == 3:
            z[0] = 100.0
        x = y + z
    return x, y, z


show(*changed_in_part(np.arange(3.0), 5), *not_changed(np.arange(3.0), 6))
show(*by_turns(np.arange(3.0), 22))


def stored_afterwards(x, n):
    for k in range(n):
        y = x * 0.5
        x = y
        x[k % 2] += 1.0
    return x, y, x is y


show(*stored_afterwards(np.ones(4), 6))


# ---- In a module


u, w = rng.random(4), rng.random(4)
kept = u
for k in range(9):  # native
    new = 0.5 * (u + w)
    w = u
    u = new
print(u is new, w is new, kept is w)
show(u, w, kept)
u[0] = 100.0
show(new)


# ---- Shapes and types that change are CPython's


def grows(x, n):
    for _ in range(n):
        y = np.concatenate([x, x[:1]])
        x = y
    return x


def narrows(x, n):
    for k in range(n):
        y = x[1:] * 2.0
        x = y
    return x, y is x


def other_type(x, n):
    for k in range(n):
        y = x * 0.5
        x = y
    return x, y is x


show(grows(np.ones(2), 3), *narrows(np.arange(6.0), 4), *other_type(np.arange(4), 3))


# ---- Names that are assigned what they hold


def itself(u, v, n):
    z = v
    w = u * 0.5
    for i in range(n):  # native
        w = z.copy()
        u = w
        u = u
    return u, w, u is w


show(*itself(np.ones(3), np.zeros(3), 4))


def itself_in_turn(u, v, n):
    w = u * 0.5
    for i in range(n):
        w = v.copy()
        u = w
        u, k = u, i
    return u, w, u is w, k


show(*itself_in_turn(np.ones(3), np.zeros(3), 4))


# ---- Second names of what another name held at first, updated in place


def raised(r, k):
    r += k
    return r[0]


def from_outside(u, v, n):
    x, t, w, z = 0.25, v, u * 0.5, v
    for i in range(n):  # native
        w = z
        z = t - u
        if i % 3 == 0:
            x += raised(w, 0.25)
        w = z
    return x, t, w, z, v


show(*from_outside(np.arange(4.0), np.arange(4.0) * 2, 7))
