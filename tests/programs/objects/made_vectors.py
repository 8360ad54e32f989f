"""Objects that loops make: operators, methods, properties, objects in objects."""

import math


class Vec3:
    def __init__(self, x=0.0, y=0.0, z=0.0):
        self.x = x
        self.y = y
        self.z = z

    def __add__(self, other):
        return Vec3(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return Vec3(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self):
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, other):
        if isinstance(other, Vec3):
            return Vec3(self.x * other.x, self.y * other.y, self.z * other.z)
        return Vec3(self.x * other, self.y * other, self.z * other)

    def __rmul__(self, other):
        return self.__mul__(other)

    def __truediv__(self, k):
        return Vec3(self.x / k, self.y / k, self.z / k)

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        self.z += other.z
        return self

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y and self.z == other.z

    def __getitem__(self, i):
        return self.x if i == 0 else self.y if i == 1 else self.z

    def __abs__(self):
        return math.sqrt(self.dot(self))

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    @property
    def norm(self):
        return math.sqrt(self.x**2 + self.y**2 + self.z**2)

    @staticmethod
    def zero():
        return Vec3(0.0, 0.0, 0.0)

    @classmethod
    def unit(cls, k):
        return cls(1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)

    def normalized(self):
        n = self.norm
        return self / n


def carried(n):
    p = Vec3(1.0, 0.0, 0.0)
    v = Vec3(0.0, 0.1, 0.0)
    for i in range(n):  # native
        a = -p / (p.dot(p) * p.norm)
        v = v + a * 0.01
        p = p + v * 0.01
    return p, v


def others(n):
    s = 0.0
    k = 0
    for i in range(n):  # native
        a = Vec3(i, 2 * i, 3.5)
        b = Vec3.unit(i % 3)
        c = Vec3.zero()
        s += a.normalized().y + abs(b) + c.norm + a[1] + (2 * a).x + (a * b).z
        if a == b:
            k += 1
        if a != b:
            k += 2
        d = Vec3(x=1.5, z=i)
        d += a
        s += d.x + (a - d).z
    return s, k, d


class Particle:
    count = 3

    def __init__(self, pos, vel, m=2.0):
        self.pos = pos
        self.vel = vel
        self.m = m
        self.steps = 0

    def step(self, dt):
        self.pos = self.pos + self.vel * dt
        self.steps += 1

    def energy(self):
        return 0.5 * self.m * self.vel.dot(self.vel) * self.count


def particles(n):
    e = 0.0
    for i in range(n):  # native
        p = Particle(Vec3(i, 1.0, 2.0), Vec3(0.5, i * 0.1, 1.0))
        for k in range(4):
            p.step(0.1)
        e += p.energy() + p.pos.y + p.steps
    return e, p


p, v = carried(20000)
print(p.x, p.y, p.z, v.x, v.y, v.z)
s, k, d = others(20000)
print(s, k, d.x, d.y, d.z)
e, q = particles(5000)
print(e, q.pos.x, q.vel.y, q.m, q.steps, list(vars(q)))
X = Vec3(1, 2, 3)
for i in range(30000):  # native
    X = X * 0.999 + Vec3(0.001, i % 2, 1)
print(X.x, X.y, X.z)
Y = Vec3(0.0, 0.0, 0.0)
keep = Y
for i in range(30000):  # native
    if i % 50000 == 49999:
        Y = Vec3(1.0, 1.0, 1.0)
    s += Y.x + i
print(Y is keep, s)
