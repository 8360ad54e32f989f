"""Objects that loops make: which of them are one object, and attributes that are assigned."""


class A:
    def __init__(self, x):
        self.x = x

    def bump(self, d):
        self.x += d

    def get(self):
        return self.x


class Pair:
    def __init__(self, a, b):
        self.a = a
        self.b = b


def shared(n):
    s = 0
    a = A(0)
    for i in range(n):
        a = A(i)
        b = a
        b.bump(1)
        s += a.x
    return s, a is b, a.x, b.x


def nested(n):
    s = 0
    for i in range(n):
        a = A(i)
        p = Pair(a, A(2))
        p.a.x += 5
        s += a.x + p.b.x
    return s, p.a is a


def nested2(n):
    s = 0
    for i in range(n):  # native
        a = A(i)
        p = Pair(a, A(2))
        s += p.a.x + p.b.get()
    return s, p.a is a, p.a.x


def best(n):
    b = A(-1)
    first = b
    for i in range(n):  # native
        c = A((i * 7919) % 1000)
        if c.x > b.x:
            b = c
    return b.x, c.x, b is first, b is c


def local_best(n):
    t = 0
    for k in range(n):
        b = None
        m = A(0)
        for i in range(5):
            c = A((k * i) % 11)
            if c.x > m.x:
                m = A(c.x)
        t += m.x
    return t, m.x


def mutate_entry(n):
    a = A(5)
    k = a
    for i in range(n):
        a.x += i
    return a.x, k is a


def mutate_then_rebind(n):
    a = A(5)
    k = a
    for i in range(n):
        a.bump(1)
        if i == n - 1:
            a = A(0)
    return a.x, k.x


def cond(n):
    s = 0
    for i in range(n):  # native
        if i % 3:
            v = A(i)
        else:
            v = A(-i)
        v.bump(2)
        s += v.x
    return s, v.x


def types(n):
    s = 0
    for i in range(n):  # native
        v = A(i)
        w = A(i * 0.5)
        s += v.x + w.x
    return s, v.x, w.x


def swap(n):
    a, b = A(1), A(2)
    for i in range(n):
        a, b = b, a
    return a.x, b.x


def fib(n):
    a, b = A(0), A(1)
    for i in range(n):  # native
        a, b = A(b.x), A((a.x + b.x) % 1000)
    return a.x, b.x


def err(n):
    r = []
    for k in range(3):
        try:
            for i in range(n):
                v = A(10 // (n - 1 - i - k))
        except ZeroDivisionError:
            r.append((i, v.x))
    return r


def param(a, n):
    s = 0
    for i in range(n):  # native
        t = a
        s += t.x
        a = A(i)
    return s, a.x, t.x


def ident(n):
    c = 0
    for i in range(n):  # native
        a = A(i)
        b = A(i)
        if a is b:
            c += 1
        if a == b:
            c += 1
        if a is not None:
            c += 2
        if a != b:
            c += 10
    return c


def escape(n):
    out = []
    for i in range(n):
        a = A(i)
        a.bump(1)
        out.append(a)
    return len(out), out[-1].x, sum(o.x for o in out)


def delattr_(n):
    s = 0
    for i in range(n):
        a = A(i)
        a.y = 2 * i
        s += a.y
    return s, vars(a)


for f in (
    shared,
    nested,
    nested2,
    best,
    local_best,
    mutate_entry,
    mutate_then_rebind,
    cond,
    types,
    swap,
    fib,
    err,
    ident,
    escape,
    delattr_,
):
    print(f.__name__, f(20000))
print(param(A(3), 20000))


class L:
    def __init__(self, x):
        self.x = x

    def __add__(self, o):
        return L(self.x + o.x)


def one_of_a_list(bodies, light, n):
    c = s = 0
    for i in range(n):
        v = light + L(i)
        s += v.x
        for b in bodies:
            if b is light:
                c += 1
            if b == light:
                c += 2
            if light is not None:
                c += 4
    return c, s


bodies = [L(k) for k in range(5)]
print(one_of_a_list(bodies, bodies[2], 3000), one_of_a_list(bodies, L(1), 3000))
