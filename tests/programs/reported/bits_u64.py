# github.com/numba/numba issue 9927 and 7888: masks and shifts of a uint64 board turned into floats
import numpy as np


def sweep(t):
    x = 0
    for k in range(0, 64, 4):
        t &= ~(0xF << k)
        t |= 0xE << k
        x += (t >> k) & 0xF
        t ^= x << 3
        t &= 0xFFFFFFFFFFFFFFFF
    return x, t


def popcount_all(words):
    total = 0
    for w in words:
        while w:
            w &= w - 1
            total += 1
    return total


def popcount_np(words):
    total = 0
    one = np.uint64(1)
    zero = np.uint64(0)
    for i in range(len(words)):
        w = words[i]
        while w != zero:
            w = w & (w - one)
            total += 1
    return total


acc = 0
seed = 0x1234FFF5FF20FFFF
for r in range(4_000):
    x, seed = sweep(seed)
    acc ^= seed + x
print(acc, seed)
rs = np.random.RandomState(1)
words = [int(v) for v in rs.randint(0, 2**62, 4_000)]
print(popcount_all(words))
arr = rs.randint(0, 2**63, 1_000).astype(np.uint64) * np.uint64(2)
print(repr(popcount_np(arr)))
