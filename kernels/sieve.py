"""Smallest prime factor of every number by a sieve, then Euler's totient built upon it."""

import argparse
import time

import numpy as np

SIZES = {"small": 71_000, "medium": 2_700_000, "large": 27_000_000}


def sieve(factor, totient):
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
        p = factor[m]
        if p == 0:
            factor[m] = m
            totient[m] = m - 1
            primes += 1
        else:
            rest = m // p
            totient[m] = totient[rest] * (p if rest % p == 0 else p - 1)
    return primes


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    if options.form == "list":
        factor, totient = [0] * n, [0] * n
    else:
        factor, totient = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)

    start = time.perf_counter()
    primes = sieve(factor, totient)
    seconds = time.perf_counter() - start

    if options.form == "list":
        checksum = sum(totient) + 3 * sum(factor) + sum(totient[1::7]) + primes
    else:
        wide = totient.astype(np.int64)
        checksum = int(wide.sum()) + 3 * int(factor.astype(np.int64).sum())
        checksum += int(wide[1::7].sum()) + primes
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
