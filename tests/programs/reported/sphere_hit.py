# stackoverflow 6528214: ray tracer whose Ray and Sphere objects hold numpy vectors, np.dot in hit()
import math
import numpy


class Ray(object):
    def __init__(self, origin, direction):
        self.origin = numpy.array(origin)
        self.direction = numpy.array(direction)


class Sphere(object):
    def __init__(self, center, radius, color):
        self.center = numpy.array(center)
        self.radius = numpy.array(radius)
        self.color = color

    def hit(self, ray):
        temp = ray.origin - self.center
        a = numpy.dot(ray.direction, ray.direction)
        b = 2.0 * numpy.dot(temp, ray.direction)
        c = numpy.dot(temp, temp) - self.radius * self.radius
        disc = b * b - 4.0 * a * c
        if disc < 0.0:
            return None
        e = math.sqrt(disc)
        denom = 2.0 * a
        t = (-b - e) / denom
        if t > 1.0e-7:
            normal = (temp + t * ray.direction) / self.radius
            return t, normal, self.color
        t = (-b + e) / denom
        if t > 1.0e-7:
            normal = (temp + t * ray.direction) / self.radius
            return t, normal, self.color
        return None


spheres = [
    Sphere([0.0, 0.0, -5.0], 1.5, 1),
    Sphere([1.2, 0.4, -4.0], 0.7, 2),
    Sphere([-1.5, -0.8, -6.0], 1.0, 3),
]
size = 40
image = [[0.0] * size for _ in range(size)]
hits = 0
for y in range(size):
    for x in range(size):
        ray = Ray([0.0, 0.0, 0.0], [(x - size / 2) / size, (y - size / 2) / size, -1.0])
        best = 1e30
        shade = 0.0
        for s in spheres:
            h = s.hit(ray)
            if h is not None and h[0] < best:
                best = h[0]
                shade = max(0.0, h[1][2]) * h[2]
                hits += 1
        image[y][x] = shade
print(hits, repr(sum(map(sum, image))), repr(image[20][20]))
