import numpy as np


def count(values, bins):
    for v in values:
        bins[v] += 1


data = (np.arange(50_000) * 7919) % 64
bins = np.zeros(64, dtype=np.int64)
count(data, bins)
print(bins.tolist())


# expect
# verdict line 5: parallel, sum in `bins`
# serial 5: lines 5; may stop, 1 guards
# threads 5: lines 5 threads with its own bins; may stop, 1 guards
# auto 5: native
# 64 cores 5: 1 threads
# expensive threads 5: 1 serial
# shared core 5: 1 serial
# quick CPython 5: 1 interpreter
