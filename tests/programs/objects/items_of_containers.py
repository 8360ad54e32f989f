"""What dictionaries, lists and tuples hold under keys that a loop does not assign: arrays, numbers, objects, functions."""

from collections import Counter, OrderedDict, defaultdict

import numpy as np
from showing import attempt, show


def fill(series, n):
    for i in range(n):  # native
        series["level"][i] = series["inflow"][i] * series["step"] + i
        series["outflow"][i] = series["level"][i] - series["inflow"][-1 - i]
    return series["level"].sum(), series["outflow"].sum()


def weights(arrays, j):
    total = 0.0
    for r in range(arrays[j].shape[0]):  # native
        for c in range(arrays[j].shape[1]):
            arrays[j][r, c] += r - c
            total += arrays[-1][0, c]
    return total


def nested(settings, xs):
    s = 0.0
    for x in xs:  # native
        s += settings["model"]["rate"] * x + settings["offsets"][1]
        if settings["model"]["bounds"][0] < x < settings["model"]["bounds"][1]:
            s -= settings["names"]["count"]
    return s


def loops_over(groups, name):
    n = 0
    for x in groups[name]:  # native
        n += x * len(groups[name])
    return n


def grown(table, key, n):
    for i in range(n):  # native
        table[key].append(i * i)
    return table


def changed_beside(d, n):
    for i in range(n):  # native
        d["count"] += d["xs"][i % 3]
        d["last"] = i
    return d["count"], d["last"]


def replaced(d, other, n):
    s = 0
    for i in range(n):
        s += d["xs"][i % 3]
        if i == 5:
            d["xs"] = other
    return s


def replaced_by_other_name(d, same, other, n):
    s = 0
    for i in range(n):
        s += d["xs"][i % 3]
        same["xs" if i > 4 else "ys"] = other
    return s


def counted_by_other_name(d, same, n):
    s = 0
    for i in range(n):
        s += d["xs"][i % 3] + d["n"]
        same["n"] += 1
    return s


def counted(d, n):
    s = 0
    for i in range(n):  # native
        s += d["xs"][i % 3] + d["n"]
        d["n"] += 1
    return s


def emptied(d, n):
    s = 0
    for i in range(n):
        s += d["xs"][i % 3]
        if i == n - 2:
            del d["xs"]
    return s


def dropped(lists, n):
    s = 0
    for i in range(n):
        s += lists[0][i % 2]
        if i == 4:
            lists.pop(0)
    return s


def moved(lists, n):
    s = 0
    for i in range(n):
        s = 3 * s + lists[0][i % 2]
        lists[0], lists[1] = lists[1], lists[0]
    return s


class Layer:
    def __init__(self, w, gain):
        self.w = w
        self.gain = gain
        self.calls = 0

    def scaled(self, x):
        return self.gain * x

    def counted(self, x):
        self.calls += 1
        return self.calls + x


def of_objects(layers, k, n):
    s = 0.0
    for i in range(n):  # native
        s += layers[0].w[i] * layers[k].gain + layers[-1].scaled(i)
    return s


def all_of_them(layers, n):
    s = 0.0
    for i in range(n):  # native
        for layer in layers:
            layer.gain += 1.0
        s += layers[0].gain
    return s


def by_attribute(net, n):
    s = 0
    for i in range(n):  # native
        s += net.layers["in"].counted(i)
    return s, net.layers["in"].calls


def called(table, n):
    s = 0
    for i in range(n):  # native
        s += table["f"](i) + table["g"](i)
    return s


def double(x):
    return 2 * x


def half(x):
    return x // 2


class Strange(dict):
    def __getitem__(self, key):
        print("asked for", key)
        return dict.__getitem__(self, key)


def strange(d, n):
    s = 0
    for i in range(n):
        s += d["xs"][i]
    return s


n = 200
for rounds in range(3):
    series = {
        "inflow": np.arange(n) * (1.0 + rounds),
        "level": np.zeros(n),
        "outflow": np.zeros(n),
        "step": 0.5 + rounds,
    }
    show(fill(series, n))
    arrays = [np.ones((3, 4)), np.full((20, 4), 2.0), np.arange(8.0).reshape(2, 4)]
    show(weights(arrays, rounds), [a.sum() for a in arrays])
    settings = {
        "model": {"rate": 0.25 * rounds, "bounds": (10, 50 + rounds)},
        "offsets": [1, 2.5, rounds],
        "names": OrderedDict(count=3),
    }
    show(nested(settings, [0.5 * i for i in range(n)]))
    groups = {"a": list(range(n)), "b": tuple(range(5, 90)), 3: [rounds] * 70}
    show(loops_over(groups, "a"), loops_over(groups, "b"), loops_over(groups, 3))
    table = defaultdict(list, {"a": [1]})
    show(dict(grown(table, "a", 70)), len(table))
    tally = {"count": 0, "xs": [1, 2, 3], "last": 0}
    show(changed_beside(tally, n), tally)

d = {"xs": [1, 2, 3], "ys": 0}
show(replaced(d, [10, 20, 30], 40), d)
d = {"xs": [1, 2, 3], "ys": 0}
show(replaced_by_other_name(d, d, [10, 20, 30], 40), d)
d = {"xs": [1, 2, 3], "ys": 0}
show(replaced_by_other_name(d, dict(d), [10, 20, 30], 40), d)
d = {"xs": [1, 2, 3], "n": 0}
show(counted_by_other_name(d, d, 40), counted_by_other_name(d, dict(d), 40), counted(d, 40), d)
d = {"xs": [1, 2, 3]}
attempt(lambda: emptied(d, 40))
show(d)
show(dropped([[1, 2], [3, 4], [5, 6]], 40), moved([[1, 2], [3, 4]], 41))
attempt(lambda: fill({"level": np.zeros(3)}, 3))
attempt(lambda: weights([np.zeros((2, 2))], 1))
attempt(lambda: nested({"model": {"rate": 1.0}}, [1.0] * 40))
attempt(lambda: loops_over({"a": [1]}, "b"))
show(grown(defaultdict(list), "new", 50))

layers = [Layer(np.arange(300.0), 0.5), Layer([float(i) for i in range(300)], 2), Layer(None, 3.0)]
for k in range(3):
    show(of_objects(layers, k, n))
    layers[0].w = layers[0].w * 2
    layers[1] = Layer([1.0] * 300, k)
show(all_of_them(layers, 60), [layer.gain for layer in layers])
net = Layer(None, 1)
net.layers = {"in": layers[0], "out": layers[1]}
show(by_attribute(net, 60), by_attribute(net, 60))
table = {"f": double, "g": half}
show(called(table, 90))
table["g"] = double
show(called(table, 90))
show(strange(Strange(xs=[1, 2, 3, 4]), 4))
show(changed_beside(Counter(count=0, last=0), 0))
for key in (True, 1, 1.0, -1):
    show(loops_over({1: [1, 2], -1: [5]}, key))
