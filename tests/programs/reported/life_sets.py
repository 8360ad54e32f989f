# python-list 2019 and Norvig-like notebooks: Game of Life on a set of (x, y) tuples with generators and Counter
from collections import Counter
from itertools import chain


def neighbors(cell):
    (x, y) = cell
    return [
        (x - 1, y - 1),
        (x, y - 1),
        (x + 1, y - 1),
        (x - 1, y),
        (x + 1, y),
        (x - 1, y + 1),
        (x, y + 1),
        (x + 1, y + 1),
    ]


def next_generation(world):
    counts = Counter(nb for cell in world for nb in neighbors(cell))
    return {cell for cell in counts if (counts[cell] == 3) or (counts[cell] == 2 and cell in world)}


def adjacents(cell):
    x, y = cell
    return ((x + i, y + j) for i in [-1, 0, 1] for j in [-1, 0, 1] if i or j)


def update(living):
    def ncount(cell):
        return sum(1 for c in adjacents(cell) if c in living)

    def uninhabitable(cell):
        return not (2 <= ncount(cell) <= 3)

    def fertile(cell):
        return ncount(cell) == 3

    near = set(chain.from_iterable(adjacents(c) for c in living))
    frontier = near - living
    births = set(filter(fertile, frontier))
    deaths = set(filter(uninhabitable, living))
    return (living - deaths) | births


r = {(0, 0), (0, 1), (0, 2), (1, 2), (-1, 1)}
w = set(r)
for i in range(60):
    w = next_generation(w)
print(len(w), sorted(w)[:3])
v = set(r)
for i in range(20):
    v = update(v)
print(len(v), sorted(v)[:3])
