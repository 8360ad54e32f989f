"""A ray tracer with classes for vectors, rays and spheres."""

import math


class Vec:
    __slots__ = ("x", "y", "z")

    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y, self.z + o.z)

    def __sub__(self, o):
        return Vec(self.x - o.x, self.y - o.y, self.z - o.z)

    def __mul__(self, s):
        return Vec(self.x * s, self.y * s, self.z * s)

    def dot(self, o):
        return self.x * o.x + self.y * o.y + self.z * o.z

    def length(self):
        return math.sqrt(self.dot(self))

    def unit(self):
        return self * (1.0 / self.length())


class Ray:
    def __init__(self, origin, direction):
        self.origin = origin
        self.direction = direction

    def at(self, t):
        return self.origin + self.direction * t


class Sphere:
    def __init__(self, center, radius, color):
        self.center = center
        self.radius = radius
        self.color = color

    def hit(self, ray):
        oc = ray.origin - self.center
        b = oc.dot(ray.direction)
        c = oc.dot(oc) - self.radius * self.radius
        disc = b * b - c
        if disc < 0:
            return None
        t = -b - math.sqrt(disc)
        if t > 1e-4:
            return t
        return None

    def normal(self, p):
        return (p - self.center).unit()


def render(w, h, spheres, light):
    out = []
    eye = Vec(0.0, 0.0, 0.0)
    for y in range(h):
        row = []
        for x in range(w):  # native
            d = Vec((x - w / 2) / w, (y - h / 2) / h, -1.0).unit()
            ray = Ray(eye, d)
            best = 1e30
            shade = 0.0
            for s in spheres:
                t = s.hit(ray)
                if t is not None and t < best:
                    best = t
                    n = s.normal(ray.at(t))
                    shade = max(0.0, n.dot(light)) * s.color
            row.append(shade)
        out.append(row)
    return out


spheres = [
    Sphere(Vec(0.0, 0.0, -5.0), 1.5, 1.0),
    Sphere(Vec(1.2, 0.4, -4.0), 0.7, 2.0),
    Sphere(Vec(-1.5, -0.8, -6.0), 1.0, 3.0),
]
img = render(120, 100, spheres, Vec(1.0, 1.0, 1.0).unit())
print(repr(sum(map(sum, img))), img[50][60])
