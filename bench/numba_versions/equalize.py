"""Histogram equalisation of an 8-bit image; the parallel form counts in one table per thread."""

import numpy as np
from numba import get_num_threads, njit, prange


def setup(size):
    levels = np.random.default_rng(90).integers(0, 80, (size, size), dtype=np.uint8)
    image = (60 + levels // (1 + np.arange(size) % 3)).astype(np.uint8)
    return image, np.zeros_like(image)


@njit(cache=False)
def count(image, counts):
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            counts[image[y, x]] += 1


@njit(cache=False)
def tone_table(counts):
    cumulative = np.zeros(256, dtype=np.int64)
    running = 0
    for level in range(256):
        running += counts[level]
        cumulative[level] = running
    first = 0
    while counts[first] == 0:
        first += 1
    lowest = cumulative[first]
    span = max(1, cumulative[-1] - lowest)
    table = np.zeros(256, dtype=np.uint8)
    for level in range(first, 256):
        table[level] = (cumulative[level] - lowest) * 255 // span
    return table


@njit(cache=False)
def serial(image, out):
    counts = np.zeros(256, dtype=np.int64)
    count(image, counts)
    table = tone_table(counts)
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            out[y, x] = table[image[y, x]]
    return counts


@njit(cache=False, parallel=True)
def parallel(image, out):
    height, width = image.shape
    blocks = get_num_threads()
    partial = np.zeros((blocks, 256), dtype=np.int64)
    for b in prange(blocks):
        count(image[height * b // blocks : height * (b + 1) // blocks], partial[b])
    counts = partial.sum(axis=0)
    table = tone_table(counts)
    for y in prange(height):
        for x in range(width):
            out[y, x] = table[image[y, x]]
    return counts


def checksum(args, result):
    out = args[1]
    weights = np.arange(len(out), dtype=np.int64) % 127 + 1
    row_sums = np.array([int(row @ weights) for row in out])
    return int(row_sums @ weights) + int(result @ np.arange(256))
