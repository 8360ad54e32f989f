"""Jacobi relaxation of a plate with fixed edges: five-point average, two buffers swapped."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 65, "medium": 220, "large": 470}


def relax(a, b, steps):
    n, m = a.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i - 1, j] + a[i + 1, j])
        a, b = b, a
    return a


def relax_lists(a, b, steps):
    n = len(a)
    m = len(a[0])
    for _ in range(steps):
        for i in range(1, n - 1):
            above, here, below = a[i - 1], a[i], a[i + 1]
            out = b[i]
            for j in range(1, m - 1):
                out[j] = 0.2 * (here[j] + here[j - 1] + here[j + 1] + above[j] + below[j])
        a, b = b, a
    return a


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    steps = max(1, n // 4)
    plate = np.zeros((n, n))
    plate[0, :] = 100.0
    plate[:, -1] = np.linspace(100.0, 0.0, n)
    plate[1:-1, 1:-1] = np.random.default_rng(2).random((n - 2, n - 2))
    other = plate.copy()
    if options.form == "list":
        plate, other = plate.tolist(), other.tolist()
        start = time.perf_counter()
        result = relax_lists(plate, other, steps)
        seconds = time.perf_counter() - start
        flat = [value for row in result for value in row]
    else:
        start = time.perf_counter()
        result = relax(plate, other, steps)
        seconds = time.perf_counter() - start
        flat = result.ravel().tolist()

    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
