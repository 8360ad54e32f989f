"""Levenshtein distance of a text to three misspelt copies; the copies in parallel."""

import numpy as np
from numba import njit, prange


def misspell(text, rng):
    letters = list(text)
    for _ in range(len(letters) // 8):
        where = int(rng.integers(0, len(letters)))
        if rng.random() < 0.5:
            letters[where] = "x"
        else:
            del letters[where]
    return "".join(letters)


def codes(text):
    return np.frombuffer(text.encode("ascii"), dtype=np.uint8)


def setup(size):
    rng = np.random.default_rng(1965)
    text = "".join(chr(97 + int(letter)) for letter in rng.integers(0, 20, size))
    copies = [codes(misspell(text, rng)) for _ in range(3)]
    lengths = np.array([len(copy) for copy in copies])
    padded = np.zeros((3, size), dtype=np.uint8)
    for row, copy in zip(padded, copies, strict=True):
        row[: len(copy)] = copy
    return codes(text), padded, lengths, np.zeros((3, size + 1), dtype=np.int64)


@njit(cache=False)
def distance(a, b, previous, current):
    for j in range(len(b) + 1):
        previous[j] = j
    for i in range(1, len(a) + 1):
        current[0] = i
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            current[j] = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost)
        previous, current = current, previous
    return previous[len(b)]


@njit(cache=False)
def serial(text, copies, lengths, rows):
    edits = np.zeros(len(copies), dtype=np.int64)
    for k in range(len(copies)):
        spare = np.zeros(rows.shape[1], dtype=np.int64)
        edits[k] = distance(text, copies[k, : lengths[k]], spare, rows[k])
    return edits


@njit(cache=False, parallel=True)
def parallel(text, copies, lengths, rows):
    edits = np.zeros(len(copies), dtype=np.int64)
    for k in prange(len(copies)):
        spare = np.zeros(rows.shape[1], dtype=np.int64)
        edits[k] = distance(text, copies[k, : lengths[k]], spare, rows[k])
    return edits


def checksum(args, result):
    rows = args[3].tolist()
    total = 0
    for k, (edits, row) in enumerate(zip(result.tolist(), rows, strict=True)):
        total += (k + 1) * (edits + sum((j % 31 + 1) * d for j, d in enumerate(row)))
    return total
