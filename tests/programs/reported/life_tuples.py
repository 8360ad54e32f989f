# codereview (Game of Life in Python): neighbours in a tuple of tuples, list of lists, a[:] copies per generation
import random

random.seed(5)


def countSurrounding(universe, a, b):
    count = 0
    surrounding = (
        (a - 1, b - 1),
        (a - 1, b),
        (a - 1, b + 1),
        (a, b - 1),
        (a, b + 1),
        (a + 1, b - 1),
        (a + 1, b),
        (a + 1, b + 1),
    )
    for a, b in surrounding:
        if not (a < 0 or b < 0 or a >= len(universe) or b >= len(universe[a])) and universe[a][b]:
            count += 1
    return count


nextUniverse = [[random.randint(0, 1) for _ in range(24)] for _ in range(24)]
for gen in range(0, 20):
    universe = [a[:] for a in nextUniverse]
    for a in range(0, len(universe)):
        for b in range(0, len(universe[a])):
            if universe[a][b] == 0 and countSurrounding(universe, a, b) == 3:
                nextUniverse[a][b] = 1
            elif universe[a][b] == 1 and countSurrounding(universe, a, b) not in (2, 3):
                nextUniverse[a][b] = 0
print(sum(map(sum, nextUniverse)), nextUniverse[7])
