"""Smallest prime factors by a sieve, then Euler's totient; earlier entries are needed in order."""

import numpy as np
from numba import njit


def setup(size):
    return np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int32)


@njit(cache=False)
def serial(factor, totient):
    n = len(factor)
    p = 2
    while p * p < n:
        if factor[p] == 0:
            for m in range(p * p, n, p):
                if factor[m] == 0:
                    factor[m] = p
        p += 1
    totient[1] = 1
    primes = 0
    for m in range(2, n):
        q = factor[m]
        if q == 0:
            factor[m] = m
            totient[m] = m - 1
            primes += 1
        else:
            rest = np.int32(m) // q
            totient[m] = totient[rest] * (q if rest % q == 0 else q - 1)
    return primes


parallel = None


def checksum(args, result):
    factor, totient = args
    wide = totient.astype(np.int64)
    total = int(wide.sum()) + 3 * int(factor.astype(np.int64).sum())
    return total + (int(wide[1::7].sum()) + result)
