# github.com/respec/HSPsquared issue 112: time series in a dict of arrays with long string keys, one step function a time step
from math import sin, cos
import numpy as np

steps = 365 * 24 * 3
ts = {
    "/RESULTS/RCHRES_001/SPECL/Qin": np.zeros(steps),
    "/RESULTS/RCHRES_001/SPECL/Qlocal": np.zeros(steps),
    "/RESULTS/RCHRES_001/SPECL/Qout": np.zeros(steps),
}


def iterate_specl(ts, step):
    ts["/RESULTS/RCHRES_001/SPECL/Qlocal"][step] = sin(step)
    ts["/RESULTS/RCHRES_001/SPECL/Qin"][step] = abs(cos(5 * step))
    ts["/RESULTS/RCHRES_001/SPECL/Qout"][step] = (
        ts["/RESULTS/RCHRES_001/SPECL/Qlocal"][step] + ts["/RESULTS/RCHRES_001/SPECL/Qin"][step]
    )
    return


for step in range(steps):
    iterate_specl(ts, step)
print([repr(v.sum()) for v in ts.values()])
