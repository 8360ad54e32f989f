"""Gray-Scott reaction and diffusion of two chemicals on a torus, in single precision."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 30, "medium": 120, "large": 260}


def react(u, v, u_next, v_next, feed, kill):
    n = u.shape[0]
    m = u.shape[1]
    for i in range(n):
        south = i + 1 if i < n - 1 else 0
        for j in range(m):
            east = j + 1 if j < m - 1 else 0
            cu = u[i, j]
            cv = v[i, j]
            lap_u = u[i - 1, j] + u[south, j] + u[i, j - 1] + u[i, east] - 4 * cu
            lap_v = v[i - 1, j] + v[south, j] + v[i, j - 1] + v[i, east] - 4 * cv
            uvv = cu * cv * cv
            u_next[i, j] = cu + 0.16 * lap_u - uvv + feed * (1.0 - cu)
            v_next[i, j] = cv + 0.08 * lap_v + uvv - (feed + kill) * cv


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    u = np.ones((n, n), dtype=np.float32)
    v = np.zeros((n, n), dtype=np.float32)
    lo, hi = 3 * n // 8, 5 * n // 8
    u[lo:hi, lo:hi] = 0.5
    v[lo:hi, lo:hi] = 0.25
    v += 0.02 * np.random.default_rng(19).random((n, n), dtype=np.float32)
    u_next = np.empty_like(u)
    v_next = np.empty_like(v)

    start = time.perf_counter()
    for _ in range(n // 2):
        react(u, v, u_next, v_next, 0.035, 0.065)
        u, u_next = u_next, u
        v, v_next = v_next, v
    seconds = time.perf_counter() - start

    flat = u.ravel().tolist() + v.ravel().tolist()
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
