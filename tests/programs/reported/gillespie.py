# biocircuits.github.io appendix on Gillespie simulation: propensities array, cumulative draw, update table
import numpy as np


def propensity(propensities, population, beta_m, beta_p, gamma):
    m, p = population
    propensities[0] = beta_m
    propensities[1] = m
    propensities[2] = beta_p * m
    propensities[3] = gamma * p


def sample_discrete(probs):
    q = np.random.rand()
    i = 0
    p_sum = 0.0
    while p_sum < q:
        p_sum += probs[i]
        i += 1
    return i - 1


def draw(propensities, population, args):
    propensity(propensities, population, *args)
    s = propensities.sum()
    time = np.random.exponential(1.0 / s)
    rxn = sample_discrete(propensities / s)
    return rxn, time


def ssa(update, population_0, points, args):
    pop_out = np.empty((len(points), update.shape[1]), dtype=int)
    i_time = 1
    i = 0
    t = points[0]
    population = population_0.copy()
    pop_out[0, :] = population
    propensities = np.zeros(update.shape[0])
    while i < len(points):
        while t < points[i_time]:
            event, dt = draw(propensities, population, args)
            previous = population.copy()
            population += update[event, :]
            t += dt
        i = np.searchsorted(points > t, True)
        pop_out[i_time : min(i, len(points))] = previous
        i_time = i
        if i_time >= len(points):
            break
    return pop_out


np.random.seed(42)
update = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]], dtype=int)
points = np.linspace(0, 20, 41)
out = [ssa(update, np.array([0, 0], dtype=int), points, (10.0, 10.0, 0.4)) for _ in range(2)]
print([o[-1].tolist() for o in out], np.mean([o[:, 1].mean() for o in out]).__repr__())
