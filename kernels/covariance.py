"""Covariance matrix of a table of observations: column means, centring, then pairwise products."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 47, "medium": 180, "large": 390}


def covariance(data, mean, cov):
    samples, columns = data.shape
    for j in range(columns):
        mean[j] = 0.0
        for i in range(samples):
            mean[j] += data[i, j]
        mean[j] /= samples
    for i in range(samples):
        for j in range(columns):
            data[i, j] -= mean[j]
    for j in range(columns):
        for k in range(j, columns):
            acc = 0.0
            for i in range(samples):
                acc += data[i, j] * data[i, k]
            acc /= samples - 1.0
            cov[j, k] = acc
            cov[k, j] = acc


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(5)
    data = rng.normal(10.0, 2.0, (2 * n, n)) + rng.normal(0.0, 1.0, (2 * n, 1))
    mean = np.zeros(n)
    cov = np.zeros((n, n))

    start = time.perf_counter()
    covariance(data, mean, cov)
    seconds = time.perf_counter() - start

    flat = cov.ravel().tolist()
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    checksum += math.fsum(mean.tolist())
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
