"""Circular autocorrelation of a signal for every lag, indexing backwards past the start."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 730, "medium": 4_200, "large": 13_000}


def correlate(signal, result):
    n = len(signal)
    mean = 0.0
    for value in signal:
        mean += value
    mean /= n
    for i in range(n):
        signal[i] -= mean
    for lag in range(n // 2):
        acc = 0.0
        for i in range(n):
            acc += signal[i] * signal[i - lag]
        result[lag] = acc / n


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    t = np.arange(n)
    noise = np.random.default_rng(30).normal(0.0, 0.5, n)
    signal = np.sin(2.0 * np.pi * t / 50.0) + 0.3 * np.cos(2.0 * np.pi * t / 17.0) + noise
    result = np.zeros(n // 2)
    if options.form == "list":
        signal, result = signal.tolist(), result.tolist()

    start = time.perf_counter()
    correlate(signal, result)
    seconds = time.perf_counter() - start

    flat = [abs(float(v)) for v in result]
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
