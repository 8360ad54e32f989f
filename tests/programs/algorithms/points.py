"""Geometry on tuples."""

import math

points = [(0.0, 0.0), (3.0, 4.0), (6.0, 1.0), (2.0, 7.0), (8.0, 8.0), (1.0, 5.5)]


def perimeter(pts):
    s = 0.0
    for i in range(len(pts)):  # native
        x1, y1 = pts[i]
        x2, y2 = pts[(i + 1) % len(pts)]
        s += math.hypot(x2 - x1, y2 - y1)
    return s


def area(pts):
    a = 0.0
    n = len(pts)
    for i in range(n):  # native
        j = (i + 1) % n
        a += pts[i][0] * pts[j][1] - pts[j][0] * pts[i][1]
    return abs(a) / 2


def closest(pts):
    best = float("inf")
    pair = (0, 0)
    for i in range(len(pts)):  # native
        for j in range(i + 1, len(pts)):
            d = (pts[i][0] - pts[j][0]) ** 2 + (pts[i][1] - pts[j][1]) ** 2
            if d < best:
                best = d
                bi = i
                bj = j
    return math.sqrt(best), bi, bj


def centroid(pts):
    sx = sy = 0.0
    for x, y in pts:  # native
        sx += x
        sy += y
    return sx / len(pts), sy / len(pts)


def inside(pts, px, py):
    c = False
    j = len(pts) - 1
    for i in range(len(pts)):  # native
        xi, yi = pts[i]
        xj, yj = pts[j]
        if (yi > py) != (yj > py) and px < (xj - xi) * (py - yi) / (yj - yi) + xi:
            c = not c
        j = i
    return c


print(perimeter(points), area(points), closest(points), centroid(points), inside(points, 3, 4))
mixed = [(0, 0), (3, 4.5)]
print(perimeter(mixed), centroid(mixed))
