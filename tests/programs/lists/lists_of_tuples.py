"""Loops over lists of tuples whose items are of several types: edges, records, particles."""

import math

import numpy as np
from showing import attempt, show


def relax(edges, dist):
    changed = 0
    for u, v, w in edges:  # native
        if dist[u] + w < dist[v]:
            dist[v] = dist[u] + w
            changed += 1
    return changed, u, v, w


def bellman_ford(edges, n):
    dist = [math.inf] * n
    dist[0] = 0.0
    for _ in range(n - 1):  # native throughout
        changed = False
        for u, v, w in edges:
            if dist[u] + w < dist[v]:
                dist[v] = dist[u] + w
                changed = True
        if not changed:
            break
    return dist


def by_subscript(edges, count):
    for i in range(len(edges)):  # native throughout
        count[edges[i][0]] += 1
        count[edges[i][-2]] += edges[i][1] - edges[i][0]
    return count


def one_item(rows):
    s = 0.0
    for row in rows:  # native throughout
        s += row[1] * 0.5
    return s, row


def unpacked_later(rows):
    s = 0
    for k, row in enumerate(rows):  # native throughout
        name, x, n = row
        s += n * k if x > 0.5 else len(row)
    return s, name, x, n, row


def names_are_kept(rows):
    best, which = -1.0, None
    for name, x, _ in rows:  # native throughout
        if x > best:
            best = x
    return best, which, name


def nested(rows):
    s = t = 0.0
    for (x, y), m, (k, ok) in rows:  # native throughout
        s += m * (x * x + y * y)
        if ok:
            t += k
    return s, t, x, y, m, k, ok


def pairs_of(rows):
    s = 0.0
    for i in range(len(rows)):  # native throughout
        (xi, yi), mi, _ = rows[i]
        for j in range(i):
            (xj, yj), mj, _ = rows[j]
            s -= mi * mj / math.sqrt((xi - xj) ** 2 + (yi - yj) ** 2 + 0.1)
    return s


def move(particles, dt):
    for place, speed, mass in particles:  # native
        speed[1] -= 9.81 * dt * mass
        place[0] += dt * speed[0]
        place[1] += dt * speed[1]


def weight(row, by):
    return row[1] * by + row[2]


def called(rows, by):
    s = 0.0
    for row in rows:  # native throughout
        s += weight(row, by)
    return s


def computed(rows):
    s = 0.0
    for row in rows:  # native throughout
        for k in range(3):
            s += row[k] * (k + 1)
    return s


def inside(rows):
    s = 0
    for row in rows:  # native throughout
        for value in row:
            s += value
    return s


def together(edges, weights):
    s = 0.0
    for (u, v, _), w in zip(edges, weights):  # native throughout
        s += w * (u - v)
    return s


def backwards(edges):
    s = 0.0
    for u, _, w in reversed(edges):  # native throughout
        s = s * 0.5 + u * w
    return s


def into_array(edges, n):
    a = np.zeros((n, n))
    for u, v, w in edges:  # native throughout
        a[u, v] = a[v, u] = w
    return a


def of_tuple(table):
    s = 0.0
    for i in range(len(table)):  # native throughout
        s += table[i][0] * table[i][1]
    return s


def too_few(rows):
    s = 0
    for a, b in rows:
        s += a
    return s


def beyond(rows):
    s = 0
    for row in rows:
        s += row[3]
    return s


def lengths_differ(rows):
    s = 0.0
    for row in rows:
        s += row[0] * row[1]
    return s


def assigned(rows):
    for row in rows:
        row[0] = 1


def replaced(rows):
    for i in range(len(rows)):
        n, x = rows[i]
        rows[i] = (n + 1, x * 0.5)
    return rows


def grown(rows, limit):
    for n, x in rows:
        if n < limit:
            rows.append((n + 1, x * 0.5))
    return rows


def shared(particles, dt):
    for place, _ in particles:
        place[0] += dt


def none_among(rows):
    s = 0
    for n, what in rows:
        if what is None:
            s += n
    return s


def looked_at(rows):
    s = 0
    for n, what in rows:
        if what == "x":
            s += n
    for n, what in rows:
        if what:
            s += 10 * n
    for n, what in rows:
        s += 100 * n if what in ("x", "y") else 1000
    for n, what in rows:
        if not what or what != "x":
            s += 10000 * n
    for n, what in rows:
        s += isinstance(what, str) * 100000
    return s


def texts(rows):
    s = 0
    for n, what in rows:
        s += len(what)
    for n, what in rows:
        s += len(what + "abc") * n
    for n, what in rows:
        for letter in what:
            s += letter == "x"
    return s


n = 40
edges = [(k * 7 % n, (k * 11 + 3) % n, 0.5 + k % 13 / 4) for k in range(400)]
show("relax", *relax(edges, [float(9 * k % 17) for k in range(n)]))
show("bellman_ford", bellman_ford(edges, n))
show("by_subscript", by_subscript(edges, [0] * n))
show("mixed weights", bellman_ford([(u, v, int(w) if w > 2 else w) for u, v, w in edges], n))
show("big", attempt(relax, [(0, 1, 2.0), (1, 10**30, 1.0)], [0.0, 5.0]))
show("negative", relax([(0, -1, 2.0), (-2, 1, 1.0)], [0.0, 5.0, 9.0]))
attempt(relax, [(0, 1, 2.0), (1, 7, 1.0)], [0.0, 5.0, 9.0])
attempt(relax, [], [0.0])

rows = [(f"row {k}", k * 0.37 % 1.0, 3 * k % 11) for k in range(200)]
show("one_item", *one_item(rows))
show("unpacked_later", *unpacked_later(rows))
show("names_are_kept", *names_are_kept(rows))
show("called", called(rows, 0.25))
show("bools", one_item([(k, k % 3 == 0) for k in range(50)]))
show("scalars", one_item([(k, np.float32(k) / 3) for k in range(50)]))

bodies = [((k * 0.5, -k), 1.0 + k % 3, (k, k % 2 == 0)) for k in range(60)]
show("nested", *nested(bodies))
points = [((k * 0.5, k / 3), 1.0 + k % 3, "abc") for k in range(60)]
show("pairs_of", pairs_of(points))

particles = [([k * 0.5, 10.0], [1.0, 0.25 * k], 1.0 + k % 3) for k in range(100)]
move(particles, 0.01)
move(particles, 0.25)
show("move", particles)
twice = particles + particles[:1]
move(twice, 0.01)
show("twice", twice)
one = [0.0, 0.0]
held = [(one, k) for k in range(5)]
shared(held, 0.5)
show("shared", held)

numbers = [(k, k * 0.25, 7 - k) for k in range(80)]
show("computed", computed(numbers))
show("inside", inside(numbers))
show("together", together(edges, [0.5 * k for k in range(len(edges))]))
show("backwards", backwards(edges))
show("into_array", into_array(edges, n))
show("of_tuple", of_tuple(tuple((k, k * 0.5) for k in range(90))))
show("of_lists", of_tuple([[k, k * 0.5] for k in range(90)]))
show("looked_at", looked_at([(k, ("x", "", "yx", "y")[k % 4]) for k in range(30)]))
show("texts", texts([(k, "xy" * (k % 4)) for k in range(30)]))
show("none_among", none_among([(k, None if k % 3 else "x") for k in range(30)]))

attempt(too_few, numbers)
attempt(beyond, numbers)
attempt(lengths_differ, [(k, 0.5) if k != 30 else (k,) for k in range(60)])
attempt(lengths_differ, [(k, 0.5) if k != 30 else (k, 0.5, 1) for k in range(60)])
attempt(lengths_differ, [(k, 0.5) if k != 30 else [k, 0.5] for k in range(60)])
attempt(lengths_differ, [(k, 0.5) if k != 30 else (k, "x") for k in range(60)])
attempt(lengths_differ, [(k, 0.5) if k != 30 else (0.5, k) for k in range(60)])
attempt(assigned, numbers)
show("replaced", replaced([(k, k * 0.5) for k in range(40)]))
show("grown", grown([(k, k * 0.5) for k in range(10)], 12))
