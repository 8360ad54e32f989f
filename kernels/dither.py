"""Floyd-Steinberg dithering to black and white, scanning every other row from right to left."""

import argparse
import math
import time

import numpy as np

SIZES = {"small": 170, "medium": 1_200, "large": 3_800}


def dither(image):
    height = len(image)
    width = len(image[0])
    white = 0
    for y in range(height):
        if y % 2 == 0:
            first, last, step = 0, width, 1
        else:
            first, last, step = width - 1, -1, -1
        for x in range(first, last, step):
            old = image[y][x]
            new = 1.0 if old > 0.5 else 0.0
            image[y][x] = new
            if new:
                white += 1
            error = old - new
            ahead = x + step
            behind = x - step
            if 0 <= ahead < width:
                image[y][ahead] += error * 0.4375
            if y + 1 < height:
                image[y + 1][x] += error * 0.3125
                if 0 <= ahead < width:
                    image[y + 1][ahead] += error * 0.0625
                if 0 <= behind < width:
                    image[y + 1][behind] += error * 0.1875
    return white


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray", "list"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    ramp = np.linspace(0.0, 1.0, n)
    image = 0.8 * np.outer(ramp, ramp) + 0.2 * np.random.default_rng(37).random((n, n))
    if options.form == "list":
        image = image.tolist()

    start = time.perf_counter()
    white = dither(image)
    seconds = time.perf_counter() - start

    rows = image if options.form == "list" else image.tolist()
    checksum = math.fsum((k % 127 + 1) * math.fsum(row) for k, row in enumerate(rows))
    checksum += math.fsum(math.fsum(row[1::3]) for row in rows) + white
    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
