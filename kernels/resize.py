"""Bilinear resize of a three-channel image to two and a half times its size."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 45, "medium": 300, "large": 950}


def resize(source, target):
    height, width, channels = source.shape
    new_height, new_width = target.shape[0], target.shape[1]
    y_scale = (height - 1) / (new_height - 1)
    x_scale = (width - 1) / (new_width - 1)
    for y in range(new_height):
        fy = y * y_scale
        y0 = int(fy)
        y1 = min(y0 + 1, height - 1)
        wy = fy - y0
        for x in range(new_width):
            fx = x * x_scale
            x0 = int(fx)
            x1 = min(x0 + 1, width - 1)
            wx = fx - x0
            for c in range(channels):
                top = source[y0, x0, c] * (1.0 - wx) + source[y0, x1, c] * wx
                bottom = source[y1, x0, c] * (1.0 - wx) + source[y1, x1, c] * wx
                target[y, x, c] = top * (1.0 - wy) + bottom * wy


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    source = np.random.default_rng(29).random((n, n, 3)) * 255.0
    target = np.zeros((n * 5 // 2, n * 5 // 2, 3))

    start = time.perf_counter()
    resize(source, target)
    seconds = time.perf_counter() - start

    flat = target.ravel().tolist()
    checksum = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
