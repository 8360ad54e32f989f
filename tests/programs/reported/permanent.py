# github.com/pypy/pypy issue 2517: permanent of a matrix by Glynn's formula with numpy rows and Gray code
import numpy as np


def permanent(M):
    n = M.shape[0]
    d = np.ones(n)
    j = 0
    s = 1
    f = np.arange(n)
    v = M.sum(axis=0)
    p = np.prod(v)
    while j < n - 1:
        v -= 2 * d[j] * M[j]
        d[j] = -d[j]
        s = -s
        prod = np.prod(v)
        p += s * prod
        f[0] = 0
        f[j] = f[j + 1]
        f[j + 1] = j + 1
        j = f[0]
    return p / 2 ** (n - 1)


rs = np.random.RandomState(1)
for n in (5, 9, 12):
    print(n, repr(permanent(rs.randn(n, n))))
