"""Wave equation on a membrane with three rotating time levels; rows of one step in parallel."""

import math

import numpy as np
from numba import njit, prange


def setup(size):
    axis = np.linspace(-1.0, 1.0, size)
    bump = np.exp(-20.0 * ((axis[:, None] - 0.3) ** 2 + (axis[None, :] + 0.1) ** 2))
    current = np.zeros((size, size))
    current[1:-1, 1:-1] = bump[1:-1, 1:-1]
    return current.copy(), current, np.zeros_like(current), 0.25, 0.999, size // 3


@njit(cache=False)
def step_row(previous, current, following, c2, damping, i):
    for j in range(1, current.shape[1] - 1):
        u = current[i, j]
        laplacian = (
            current[i - 1, j] + current[i + 1, j] + current[i, j - 1] + current[i, j + 1] - 4.0 * u
        )
        following[i, j] = u + damping * (u - previous[i, j]) + c2 * laplacian


@njit(cache=False)
def step_serial(previous, current, following, c2, damping):
    for i in range(1, len(current) - 1):
        step_row(previous, current, following, c2, damping, i)


@njit(cache=False, parallel=True)
def step_parallel(previous, current, following, c2, damping):
    for i in prange(1, len(current) - 1):
        step_row(previous, current, following, c2, damping, i)


@njit(cache=False)
def measure_serial(previous, current):
    energy = 0.0
    for i in range(current.shape[0]):
        for j in range(current.shape[1]):
            velocity = current[i, j] - previous[i, j]
            energy += 0.5 * velocity * velocity
    return energy


@njit(cache=False, parallel=True)
def measure_parallel(previous, current):
    energy = 0.0
    for i in prange(current.shape[0]):
        for j in range(current.shape[1]):
            velocity = current[i, j] - previous[i, j]
            energy += 0.5 * velocity * velocity
    return energy


def simulate(step, measure, previous, current, following, c2, damping, steps):
    kinetic = []
    for t in range(steps):
        step(previous, current, following, c2, damping)
        previous, current, following = current, following, previous
        if t % 10 == 0:
            kinetic.append(measure(previous, current))
    return current, kinetic


def serial(*args):
    return simulate(step_serial, measure_serial, *args)


def parallel(*args):
    return simulate(step_parallel, measure_parallel, *args)


def checksum(args, result):
    current, kinetic = result
    flat = np.abs(current).ravel().tolist()
    total = math.fsum(flat) + math.fsum(flat[1::2]) + math.fsum(flat[2::3])
    return total + math.fsum(kinetic)
