"""Dictionaries in lists, as records: what they have under texts, read, set, missing, shared with other names."""

from showing import attempt, show


def bodies(n):
    return [
        {"x": i * 0.37 % 1, "y": i * 0.61 % 1, "v": 0.0, "id": i, "name": f"b{i}", "at": [1.0, i], "tags": {"a"}}
        for i in range(n)
    ]


def pull(ps, steps):
    for _ in range(steps):  # native
        for a in ps:
            f = 0.0
            for b in ps:
                if a is not b:
                    dx = b["x"] - a["x"]
                    dy = b["y"] - a["y"]
                    f += dx / (dx * dx + dy * dy + 0.01)
            a["v"] += f * 1e-3
        for a in ps:
            a["x"] += a["v"] * 1e-3


def by_index(ps):
    t = 0.0
    for i in range(len(ps)):  # native
        t += ps[i]["x"] * ps[i]["id"]
        ps[i]["id"] = i * 2
        ps[-1 - i]["y"] -= 0.5
    return t


def best(ps):
    found, highest = None, -1.0
    for p in ps:  # native
        if p["x"] > highest:
            highest = p["x"]
            found = p
    return found, highest


def named(ps, who):
    n = 0
    for p in ps:  # native
        if p["name"] == who:
            n += p["id"]
        n += p["at"][0] > 0.5
    return n


def swapped(ps):
    for i in range(1, len(ps)):  # native
        a, b = ps[i - 1], ps[i]
        a["x"], b["x"] = b["x"], a["x"]
    return [p["x"] for p in ps][:4]


def moved(p, dt):
    p["x"] += p["v"] * dt
    return p["x"]


def handed(ps):
    t = 0.0
    for p in ps:  # native
        t += moved(p, 0.5)
    return t


def totals(ps):
    return sum(p["x"] for p in ps), max(p["y"] for p in ps), [p["id"] for p in ps if p["id"] % 3 == 0][:5]


def inside(groups):
    t = 0
    for g in groups:
        for p in g["members"]:
            t += p["n"]
    return t


def missing(ps):
    t = 0
    for p in ps:
        t += p["id"] + p["none"]
    return t


def kept(ps):
    out = []
    for p in ps:
        if p["x"] > 0.5:
            out.append(p)
    return len(out), [p["id"] for p in out]


def own(ps):
    q = ps[0]
    for p in ps:
        q["x"] += p["y"]
        p["y"] = q["x"]
    return q["x"]


def gone_over(d, ps):
    t = 0
    for k, v in d.items():
        ps[0]["n"] += v
        t += v
    return t, d


def shown(ps):
    for p in ps:
        p["v"] += 1
        if p["id"] == 4:
            print(sorted(p))
            print(p["v"], p)


def other_uses(ps):
    t = 0
    for p in ps:
        t += p.get("x", 0) + p.get("none", 1) + len(p) + ("x" in p)
        for k in p:
            t += len(k)
    return t


def added(ps):
    for p in ps:
        p["new"] = p["x"] * 2
    return sum(p["new"] for p in ps)


def set_to_others(ps):
    for p in ps:
        p["id"] = p["name"]
        p["v"] = None
    return ps[-1]["id"], ps[-1]["v"]


def added_to(rows):
    t = 0
    for row in rows:
        t += row["x"]
        row["x"] = 0
    return t


for n in (3, 150):
    ps = bodies(n)
    pull(ps, 3)
    show(by_index(ps), best(ps), named(ps, "b2"), swapped(ps), handed(ps), totals(ps))
    show(kept(ps), own(ps), other_uses(ps))
    shown(ps)
    show(attempt(missing, ps), added(ps), ps[-1], list(ps[0]))
    show(set_to_others(ps), ps[0])

show(inside([{"members": [{"n": 1}, {"n": 2}]}, {"members": [{"n": 3}]}] * 20))
counted = {"x": 1, "y": 2, "n": 3}
show(gone_over(counted, [counted, {"n": 1}]), gone_over({"x": 1, "n": 3}, [counted, {"n": 1}]))
same = [{"x": 1}] * 4
show(added_to(same), same)
mixed = [{"x": 1}, {"x": 2.5}, {"x": 10**30}, {"y": 1}]
show(attempt(added_to, mixed), mixed)
show(added_to([]), added_to([{"x": i, 1: 2, None: 3} for i in range(60)]), attempt(added_to, [{"x": 1}, [2]] * 9))
