# github.com/pypy/pypy issue 2680: Counter over a numpy array of coin flips, and a dict of counts by hand
from collections import Counter, defaultdict
import numpy as np

np.random.seed(0)
flips = np.random.binomial(n=1, p=0.3, size=100_000)
print(sorted(Counter(flips).items()))
d = defaultdict(int)
for f in flips:
    d[f] += 1
print(sorted(d.items()))
counts = [0, 0]
for f in flips.tolist():
    counts[f] += 1
print(counts)
runs = {}
length = 0
last = None
for f in flips.tolist():
    if f == last:
        length += 1
    else:
        runs[length] = runs.get(length, 0) + 1
        length = 1
        last = f
print(runs)
