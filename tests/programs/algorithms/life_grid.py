"""The game of life on lists."""

import random

random.seed(3)
W, H = 40, 30
grid = [[random.randint(0, 1) for _ in range(W)] for _ in range(H)]


def step(g):
    new = [[0] * W for _ in range(H)]
    for y in range(H):
        for x in range(W):
            n = 0
            for dy in [-1, 0, 1]:
                for dx in [-1, 0, 1]:
                    if dx == 0 and dy == 0:
                        continue
                    n += g[(y + dy) % H][(x + dx) % W]
            if g[y][x] == 1 and n in (2, 3):
                new[y][x] = 1
            elif g[y][x] == 0 and n == 3:
                new[y][x] = 1
    return new


for _ in range(10):  # native
    grid = step(grid)
print(sum(map(sum, grid)), grid[3])
