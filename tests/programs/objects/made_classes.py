"""Objects that loops make: derived classes, properties, truth; classes that do more than that."""


class Base:
    scale = 2

    def __init__(self, x):
        self.x = x

    def area(self):
        return self.x * self.scale

    def both(self):
        return self.area() + 1


class Sub(Base):
    scale = 3

    def __init__(self, x, y):
        super().__init__(x)
        self.y = y

    def area(self):
        return self.x * self.y


class Sub2(Base):
    def __init__(self, x, y):
        Base.__init__(self, x)
        self.y = y


class Money:
    def __init__(self, v):
        self._v = v

    @property
    def v(self):
        return self._v

    @v.setter
    def v(self, x):
        self._v = max(0, x)

    def __lt__(self, o):
        return self._v < o._v

    def __len__(self):
        return 3

    def __call__(self, k):
        return self._v * k

    def __bool__(self):
        return self._v > 5

    def __radd__(self, k):
        return Money(k + self._v)

    def __add__(self, o):
        return Money(self._v + (o._v if isinstance(o, Money) else o))


class Opt:
    def __init__(self, a, b=None, *, c=4):
        self.a = a
        self.b = 7 if b is None else b
        if c > 3:
            self.c = c
        else:
            self.c = 0


class Gs:
    def __getattr__(self, n):
        return 5


class Cnt:
    n = 0

    def __init__(self):
        Cnt.n += 1
        self.k = Cnt.n


class Del:
    log = 0

    def __init__(self, x):
        self.x = x

    def __del__(self):
        Del.log += 1


def t1(n):
    s = 0
    for i in range(n):  # native
        b = Base(i)
        c = Sub(i, 2)
        d = Sub2(i, 3)
        s += b.both() + c.both() + d.area() + d.y
    return s


def t2(n):
    s = 0
    for i in range(n):  # native
        m = Money(i % 10)
        k = Money(4)
        if m < k:
            s += 1
        if m > k:
            s += 2
        s += len(m) + m(3) + m.v
        if m:
            s += 100
        s += sum([m, k], 0).v if False else (5 + m).v + (m + 3).v + (m + k).v
    return s


def t2b(n):
    s = 0
    for i in range(n):  # native
        m = Money(i % 10)
        m.v = -3
        s += m.v
    return s


def t3(n):
    s = 0
    for i in range(n):  # native
        o = Opt(i)
        p = Opt(1, i, c=2)
        s += o.a + o.b + o.c + p.b + p.c
    return s


def t4(n):
    s = 0
    for i in range(n):
        s += Gs().foo
    return s


def t5(n):
    s = 0
    for i in range(n):
        s += Cnt().k
    return s, Cnt.n


def t6(n):
    s = 0
    for i in range(n):
        s += Del(i).x
    return s, Del.log


def t7(n):
    s = 0
    for i in range(n):  # native
        v = Base(i).area()
        w = (Base(i) if i % 2 else Base(i + 1)).x
        s += v + w
    return s


def t8(n):
    s = 0
    for i in range(n):
        if i == n // 2:
            Base.scale = 10
        s += Base(i).area()
    Base.scale = 2
    return s


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self, x, y=None):
        self.x = x
        self.y = x * 2
        if y is not None:
            self.z = y


def t9(n):
    s = 0
    for i in range(n):  # native
        p = Slotted(i)
        s += p.x + p.y
    return s, p.y


def t10(n):
    try:
        for i in range(n):
            p = Slotted(i, 2)
    except AttributeError as error:
        return i, str(error)


for f in (t1, t2, t2b, t3, t4, t5, t6, t7, t8, t9, t10):
    print(f.__name__, f(20000))


class ByValue:
    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return self.v == other.v


def only_unequal(n):
    a, b = ByValue(2), ByValue(0.5)
    q = 1.0
    for i in range(n):
        b = ByValue(i)
        if a != b:
            b.v += 2
            q *= 0.5
    return q, a.v, b.v


print("t11", only_unequal(9), only_unequal(400))
