"""Sobel edge strength of an 8-bit image, saturated at 255."""

import argparse
import time

import numpy as np

SIZES = {"small": 160, "medium": 1_200, "large": 3_800}


def sobel(image, edges):
    height, width = image.shape
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            nw = int(image[y - 1, x - 1])
            ne = int(image[y - 1, x + 1])
            sw = int(image[y + 1, x - 1])
            se = int(image[y + 1, x + 1])
            gx = ne + 2 * int(image[y, x + 1]) + se - nw - 2 * int(image[y, x - 1]) - sw
            gy = sw + 2 * int(image[y + 1, x]) + se - nw - 2 * int(image[y - 1, x]) - ne
            strength = abs(gx) + abs(gy)
            edges[y, x] = strength if strength < 255 else 255


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    y, x = np.mgrid[0:n, 0:n]
    noise = np.random.default_rng(4).integers(0, 24, (n, n))
    image = ((x * x // 97 + y * 3) % 200 + noise).astype(np.uint8)
    edges = np.zeros_like(image)

    start = time.perf_counter()
    sobel(image, edges)
    seconds = time.perf_counter() - start

    weights = np.arange(n, dtype=np.int64) % 127 + 1
    checksum = int(weights @ edges.astype(np.int64) @ weights[::-1])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
