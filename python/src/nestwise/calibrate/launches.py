"""Loops of an iteration or two that are run natively: the rest of their time is the launch."""


def nothing(n1):
    for _i in range(n1):
        pass


def scalars(n1, x, y):
    s = 0.0
    for _i in range(n1):
        s = x * y
    return s


def many_scalars(n1, x, y, k, x2, y2, x3):
    s = 0.0
    for _i in range(n1):
        s = x * y + x2 * y2 + x3 * k
    return s


def one_array(n1, a):
    for i in range(n1):
        a[i] = 1.0


def two_arrays(n1, a, b):
    for i in range(n1):
        b[i] = a[i]


def four_arrays(n1, a, b, c, d):
    for i in range(n1):
        d[i] = a[i] * b[i] + c[i]


def six_arrays(n1, a, b, c, d, e, f):
    for i in range(n1):
        d[i] = a[i] + b[i]
        e[i] = c[i]
        f[i] = a[i]


def reads_array(n1, a):
    s = 0.0
    for i in range(n1):
        s = a[i]
    return s


def three_results(n1, a, x):
    s = t = r = 0.0
    for i in range(n1):
        s = a[i]
        t = x * 2.0
        r = x * 3.0
    return s, t, r


def list_floats(n1, xs):
    s = 0.0
    for i in range(n1):
        s = xs[i]
    return s


def list_ints(n1, ks):
    s = 0
    for i in range(n1):
        s = ks[i]
    return s


def list_mixed(n1, ms):
    s = 0
    for i in range(n1):
        s = s + ms[i]
    return s


def list_written(n1, xs, zs):
    for i in range(n1):
        zs[i] = xs[i]


def list_ints_written(n1, ks, js):
    for i in range(n1):
        js[i] = ks[i]


def list_rows(n1, rows):
    s = 0.0
    for i in range(n1):
        s = rows[i][0]
    return s


def list_objects(n1, boxes):
    s = 0.0
    for i in range(n1):
        s = boxes[i].value
    return s


def list_objects_written(n1, boxes):
    for i in range(n1):
        boxes[i].value = boxes[i].other


def of_text(n1, text):
    c = 0
    for i in range(n1):
        if text[i] == "b":
            c = i
    return c


def while_one(n1, a):
    i = 0
    while i < n1:
        a[i] = 0.5
        i += 1
    return i


def warns(n1, a, b, c):
    for i in range(n1):
        b[i] = c[i] / a[i]


def gathers(n1, a, b, idx):
    for i in range(n1):
        b[i] = a[idx[i]]


def multiplies(n1, idx, jdx):
    s = 0
    for i in range(n1):
        s += int(idx[i]) * int(jdx[i])
    return s


def held_stencil(n1, a, b, x):
    for i in range(n1):
        b[i] = x * (a[i] + a[i + 1])


def held_lists(n1, xs, ys, zs, x):
    for i in range(n1):
        zs[i] = x * xs[i] + ys[i]


def held_best(n1, a, x):
    best = 0.0
    at = 0
    for i in range(n1):
        if a[i] > best:
            best = a[i] * x
            at = i
    return best, at


def held_rows(n1, m, m2, k):
    for i in range(n1):
        m2[i, 0] = m[i, 1] + k
