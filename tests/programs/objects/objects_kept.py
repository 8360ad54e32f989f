"""Objects of lists that a loop gives to other containers: the same objects, with what the loop has changed."""

from showing import show


class Body:
    def __init__(self, x, good):
        self.x = x
        self.good = good

    def __repr__(self):
        return f"Body({self.x}, {self.good})"


def by_number(rows):
    found = {}
    for row in rows:  # native
        row["r"] += 1
        found[row["id"]] = row
    return found


def all_of(bodies):
    out = []
    for body in bodies:  # native
        body.x += 1.5
        out.append(body)
    return out


def nearest(bodies, points):
    out = []
    for p in points:  # native
        best, found = 1e9, 0
        for i in range(len(bodies)):
            if abs(bodies[i].x - p) < best:
                best = abs(bodies[i].x - p)
                found = i
        body = bodies[found]
        out.append((best, body))
    return out


def chosen(bodies):
    out, n = [], 0
    for body in bodies:  # native
        body.x += 1.5
        if body.good:
            out.append(body)
            n += 1
    return out, n


def parted(rows, limit):
    near, far = [], []
    for row in rows:  # native
        row["r"] *= 2
        if row["r"] < limit:
            near.append(row)
        else:
            far.append((row["id"], row))
    return near, far


def of_two(rows, others):
    out = []
    for i, (a, b) in enumerate(zip(rows, reversed(others))):  # native
        if a["id"] > b["id"] - i:
            out.append(a)
        else:
            out.append(b)
    return out


def of_either(rows, others, n):
    out = []
    for i in range(n):
        row = rows[i]
        if i % 2:
            row = others[i]
        out.append(row)
    return out


def shown(bodies):
    for i in range(len(bodies)):
        bodies[i].x += 1
        if bodies[i].x > 20:
            print(bodies[i])
    for body in bodies:
        body.x += 1
        if body.x > 21:
            print(body, body.x)


def shown_at_once(bodies):
    for body in bodies:
        body.x -= 1
        print(body)
        print(bodies[0], end="\n")


def tuples(items):
    out = []
    for item in items:  # native
        out.append(item)
    return out


for n in (4, 300):
    bodies = [Body(i * 0.5, i % 3 == 0) for i in range(n)]
    out = all_of(bodies)
    show(len(out), all(x is y for x, y in zip(out, bodies)), out[-1].x)
    out = nearest(bodies, [0.3, 2.2, 100.0] * 20)
    show(len(out), out[1][0], out[1][1] is bodies[1], out[2][1] is bodies[-1])
    out, count = chosen(bodies)
    show(count, len(out), all(x is y for x, y in zip(out, bodies[::3])))
    rows = [{"id": i, "r": i * 1.5} for i in range(n)]
    found = by_number(rows)
    show(len(found), all(found[i] is rows[i] for i in found), found[2])
    near, far = parted(rows, 30.0)
    show(len(near), len(far), near[-1], far[-1:], all(x is y for x, y in zip(near, rows)))
    out = of_two(rows, rows)
    show(len(out), out[0] is rows[-1], out[-1] is rows[-1], out[-1])
    out = of_either(rows, rows[::-1], n)
    show(len(out), out[0] is rows[0], out[1] is rows[-2])
    items = [("a", i, 2.5) for i in range(n)]
    show(all(x is y for x, y in zip(tuples(items), items)))
shown(bodies[:45])
shown_at_once(bodies[:3])
