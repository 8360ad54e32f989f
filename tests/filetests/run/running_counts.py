import numpy as np


def rank_within(values, bins, ranks):
    for i in range(len(values)):
        v = values[i]
        ranks[i] = bins[v]
        bins[v] += 1


def cascade(values, bins):
    for v in values:
        bins[v] += bins[0]


data = (np.arange(50_000) * 7919) % 64
bins = np.zeros(64, dtype=np.int64)
ranks = np.zeros(50_000, dtype=np.int64)
rank_within(data, bins, ranks)
print(bins.tolist(), int(ranks.sum()))
counts = [1] * 64
cascade([1, 2, 3, 63] * 2_000, counts)
print(counts)


# expect
# verdict line 5: parallel if len(set(values)) == len(values), and in bounds: `bins[v]`, `ranks[i]`
# serial 5: lines 5; may stop, 1 guards
# verdict line 12: serial: an element read as `bins[0]` (line 13) may be written as `bins[v]` (line 13) in a later iteration of `v`
# serial 12: lines 12; may stop, 1 guards
# threads 5: lines 5; may stop, 1 guards
# threads 12: lines 12; may stop, 1 guards
# auto 5: native
# auto 12: interpreter
# 64 cores 5: 1 serial
# 64 cores 12: 1 interpreter
# expensive threads 5: 1 serial
# expensive threads 12: 1 interpreter
# shared core 5: 1 serial
# shared core 12: 1 interpreter
# quick CPython 5: 1 interpreter
# quick CPython 12: 1 interpreter
