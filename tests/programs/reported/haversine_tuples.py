# stackoverflow 34502254: distance of all pairs of (lat, lon) tuples by a nested loop and map(radians, ...)
from math import radians, cos, sin, asin, sqrt
import random

random.seed(1)


def haversine(point1, point2, miles=False):
    lat1, lon1 = point1
    lat2, lon2 = point2
    lat1, lon1, lat2, lon2 = map(radians, (lat1, lon1, lat2, lon2))
    dlat = lat2 - lat1
    dlon = lon2 - lon1
    d = sin(dlat * 0.5) ** 2 + cos(lat1) * cos(lat2) * sin(dlon * 0.5) ** 2
    h = 2 * 6371 * asin(sqrt(d))
    if miles:
        return h * 0.621371
    return h


points = [(random.uniform(-90, 90), random.uniform(-180, 180)) for _ in range(120)]
distance = {}
for i, p in enumerate(points):
    distance[i] = []
    for j, q in enumerate(points):
        distance[i].append(haversine(p, q))
print(repr(sum(map(sum, distance.values()))), repr(distance[3][70]), repr(max(distance[5])))
