# github.com/serge-sans-paille/pythran issue 2433: product of a column ramp with rows, lazily and materialized
import numpy as np


def lazy(x):
    m = x.shape[0]
    ramp = np.expand_dims(np.linspace(1, 2, m), -1)
    return float(np.sum(ramp * x[0:m, :]))


def materialized(x):
    m = x.shape[0]
    ramp = np.expand_dims(np.linspace(1, 2, m), -1)
    prod = np.empty((m, x.shape[1]), dtype=np.float64)
    prod[:] = ramp * x[0:m, :]
    return float(np.sum(prod))


rs = np.random.RandomState(4)
s = t = 0.0
for rep in range(2_000):
    x = rs.standard_normal((3, 6))
    s += lazy(x)
    t += materialized(x)
print(repr(s), repr(t), s == t)
