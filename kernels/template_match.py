"""Find where small patches lie in an image by sums of absolute differences, giving up early."""

import argparse
import time

import numpy as np

SIZES = {"small": 36, "medium": 175, "large": 550}
PATCH = 8


def locate(image, patch, score_of_row):
    height, width = image.shape
    size = len(patch)
    best = size * size * 255 + 1
    where = (-1, -1)
    for y in range(height - size + 1):
        row_best = size * size * 255
        for x in range(width - size + 1):
            score = 0
            for v in range(size):
                for u in range(size):
                    score += abs(int(image[y + v, x + u]) - int(patch[v, u]))
                if score >= row_best:
                    break
            else:
                row_best = score
                if score < best:
                    best = score
                    where = (y, x)
        score_of_row[y] = row_best
    return best, where


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="small", help="small, medium, large or a number")
    parser.add_argument("--form", default="ndarray", choices=["ndarray"])
    options = parser.parse_args()
    n = SIZES[options.size] if options.size in SIZES else int(options.size)

    rng = np.random.default_rng(2001)
    image = rng.integers(0, 256, (n, n), dtype=np.uint8)
    score_of_row = np.zeros(n - PATCH + 1, dtype=np.int64)
    checksum = 0
    seconds = 0.0
    for k in range(2):
        top, left = (n - PATCH) * (k + 1) // 3, (n - PATCH) * (2 - k) // 5
        cut = image[top : top + PATCH, left : left + PATCH] // 2 * 2
        patch = np.ascontiguousarray(cut)
        start = time.perf_counter()
        best, (row, column) = locate(image, patch, score_of_row)
        seconds += time.perf_counter() - start
        checksum += best + 1009 * row + 31 * column
        checksum += sum((y % 43 + 1) * score for y, score in enumerate(score_of_row.tolist()))

    print("checksum", repr(checksum))
    print("kernel_seconds", seconds)


if __name__ == "__main__":
    main()
