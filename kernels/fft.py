"""Fast Fourier transform of many signals, radix two, in place on a complex array."""

import argparse
import cmath
import math
import time

import numpy as np

SIZES = {"small": 14, "medium": 590, "large": 5_900}
LENGTH = 1024


def transform(x, twiddle):
    n = len(x)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            x[i], x[j] = x[j], x[i]
    half = 1
    while half < n:
        stride = n // (2 * half)
        for begin in range(0, n, 2 * half):
            for k in range(half):
                u = x[begin + k]
                v = x[begin + k + half] * twiddle[k * stride]
                x[begin + k], x[begin + k + half] = u + v, u - v
        half *= 2


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(1805)
    signals = rng.random((n, LENGTH)) + 1j * rng.random((n, LENGTH))
    twiddle = np.array([cmath.exp(-2j * math.pi * k / LENGTH) for k in range(LENGTH // 2)])

    start = time.perf_counter()
    for signal in signals:
        transform(signal, twiddle)
    seconds = time.perf_counter() - start

    flat = [abs(z) for z in signals.ravel().tolist()]
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
