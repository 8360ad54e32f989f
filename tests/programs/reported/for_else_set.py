# github.com/exaloop/codon issue 316: for ... else with a set and a best value that the loop compares with
from itertools import combinations


def best_sum_sets(p, size):
    best = p + 1
    found = []
    for s in combinations(range(1, p), size):
        S = set()
        for i, j in [(u, v) for u in s for v in s]:
            a = (i + j) % p
            S.add(a)
            if len(S) >= best:
                break
        else:
            best = len(S)
            found.append((s, best))
    return found


for p in (17, 19):
    r = best_sum_sets(p, 4)
    print(p, r)
