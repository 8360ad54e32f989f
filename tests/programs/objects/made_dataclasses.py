"""Objects that loops make: dataclasses, frozen ones, and tuples with names."""

from dataclasses import dataclass
from typing import NamedTuple
from collections import namedtuple


@dataclass
class P:
    x: float
    y: float = 0.0
    n: int = 1

    def moved(self, dx, dy):
        return P(self.x + dx, self.y + dy, self.n + 1)


@dataclass(frozen=True)
class F:
    a: float
    b: float


def run(n):
    s = 0.0
    for i in range(n):  # native
        p = P(i * 0.5)
        q = p.moved(1.0, 2.0)
        f = F(p.x, q.y)
        s += q.x * f.b - f.a + q.n
    return s, q


s, q = run(100000)
print(s, q)
Pt = namedtuple("Pt", "x y")


class Nt(NamedTuple):
    u: float
    v: float = 2.0

    def norm(self):
        return self.u * self.u + self.v


def run2(n):
    s = 0.0
    for i in range(n):
        p = Pt(i, 2.5)
        r = Nt(p.x * 1.0)
        a, b = p
        s += p.x * p.y + r.norm() + p[1] + a - b
    return s, p, r


print(run2(100000))
