# github.com/numba/numba issue 8515: two consecutive loops over the same counters, with random draws inside
import numpy as np

np.random.seed(5)


def long_calculation():
    x = 0.0
    for k in range(40):
        x += np.random.standard_normal()
    return x


def serial(n):
    results = np.zeros(n, dtype=np.intp)
    counters = np.zeros(n, dtype=np.intp)
    acc = 0.0
    for i in range(n):
        for j in range(i):
            acc += long_calculation()
            counters[i] += 1
    for i in range(n):
        if i == 0:
            continue
        results[i] = counters[i] - counters[i - 1]
    return results[1:], acc


r, acc = serial(60)
print(r.tolist()[:10], r.sum(), repr(acc))
