"""Patches located by sums of absolute differences, giving up early; image rows in parallel."""

import numpy as np
from numba import njit, prange

PATCH = 8


def setup(size):
    rng = np.random.default_rng(2001)
    image = rng.integers(0, 256, (size, size), dtype=np.uint8)
    patches = np.zeros((2, PATCH, PATCH), dtype=np.uint8)
    for k in range(2):
        top, left = (size - PATCH) * (k + 1) // 3, (size - PATCH) * (2 - k) // 5
        patches[k] = image[top : top + PATCH, left : left + PATCH] // 2 * 2
    shape = (2, size - PATCH + 1)
    return image, patches, np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)


@njit(cache=False)
def best_of_row(image, patch, y):
    size = len(patch)
    best = size * size * 255
    where = -1
    for x in range(image.shape[1] - size + 1):
        score = 0
        for v in range(size):
            for u in range(size):
                score += abs(np.int32(image[y + v, x + u]) - np.int32(patch[v, u]))
            if score >= best:
                break
        if score < best:
            best = score
            where = x
    return best, where


@njit(cache=False)
def serial(image, patches, scores, places):
    for k in range(len(patches)):
        for y in range(scores.shape[1]):
            scores[k, y], places[k, y] = best_of_row(image, patches[k], y)


@njit(cache=False, parallel=True)
def parallel(image, patches, scores, places):
    for k in range(len(patches)):
        for y in prange(scores.shape[1]):
            score, place = best_of_row(image, patches[k], y)
            scores[k, y] = score
            places[k, y] = place


def checksum(args, result):
    _, _, scores, places = args
    total = 0
    for k in range(len(scores)):
        row = int(scores[k].argmin())
        total += int(scores[k, row]) + 1009 * row + 31 * int(places[k, row])
        total += sum((y % 43 + 1) * score for y, score in enumerate(scores[k].tolist()))
    return total
