# stackoverflow 76843868: random.choice(["left", "right"]) in a double loop, final positions counted
import random
from collections import Counter

random.seed(77)


def run(initial_pos, iterations, trials):
    final_pos = []
    for i in range(0, trials):
        pos = initial_pos
        for j in range(0, iterations):
            if random.choice(["left", "right"]) == "left":
                pos -= 1
            else:
                pos += 1
        final_pos.append(pos)
    return Counter(final_pos)


c = run(0, 300, 200)
print(c.most_common(5), random.random())
