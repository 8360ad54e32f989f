"""Blur a single-precision image with a 5 by 5 Gaussian mask, edges clamped."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 44, "medium": 320, "large": 1_000}


def clamp(value, low, high):
    return max(low, min(value, high))


def convolve(image, mask, out):
    height, width = image.shape
    reach = mask.shape[0] // 2
    for y in range(height):
        for x in range(width):
            acc = np.float32(0)
            for dy in range(-reach, reach + 1):
                yy = clamp(y + dy, 0, height - 1)
                for dx in range(-reach, reach + 1):
                    xx = clamp(x + dx, 0, width - 1)
                    acc += mask[dy + reach, dx + reach] * image[yy, xx]
            out[y, x] = acc


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    image = np.random.default_rng(21).random((n, n), dtype=np.float32)
    line = np.array([1, 4, 6, 4, 1], dtype=np.float32) / np.float32(16)
    mask = np.outer(line, line)
    out = np.zeros_like(image)

    start = time.perf_counter()
    convolve(image, mask, out)
    seconds = time.perf_counter() - start

    flat = out.ravel().tolist()
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
