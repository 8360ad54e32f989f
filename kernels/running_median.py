"""Running median of a noisy signal: a sorted window, one value leaves and one value enters."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 20_000, "medium": 1_100_000, "large": 11_000_000}
WINDOW = 15


def smooth(signal, result, window):
    width = len(window)
    for i in range(width):
        value = signal[i]
        k = i
        while k > 0 and window[k - 1] > value:
            window[k] = window[k - 1]
            k -= 1
        window[k] = value
    result[0] = window[width // 2]
    for i in range(width, len(signal)):
        leaving = signal[i - width]
        entering = signal[i]
        k = 0
        while window[k] != leaving:
            k += 1
        while k + 1 < width and window[k + 1] < entering:
            window[k] = window[k + 1]
            k += 1
        while k > 0 and window[k - 1] > entering:
            window[k] = window[k - 1]
            k -= 1
        window[k] = entering
        result[i - width + 1] = window[width // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    t = np.arange(n)
    signal = np.sin(t / 200.0) + np.random.default_rng(55).laplace(2.0, 0.3, n)
    result = np.zeros(n - WINDOW + 1)
    window = np.zeros(WINDOW)
    if options.form == "list":
        signal, result, window = signal.tolist(), result.tolist(), window.tolist()

    start = time.perf_counter()
    smooth(signal, result, window)
    seconds = time.perf_counter() - start

    checksum = math.fsum(result) + math.fsum(result[1::2]) + math.fsum(result[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
