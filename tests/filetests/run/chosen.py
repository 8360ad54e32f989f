# Subscripts that conditions inside conditions choose: what one branch says of them holds in that branch alone.
import numpy as np


def mostly_apart(out, log, xs):
    # Iterations 0 to 5 all write element 0; those behind each have one of their own.
    for i in range(len(xs)):
        at = 0
        if i > 5:
            log[i] = 1.0
            if i > 10:
                log[i] = 3.0
                at = i
            else:
                at = i - 6
        out[at] = xs[i]


def apart(out, log, xs):
    for i in range(len(xs)):
        at = i
        if i > 5:
            log[i] = 1.0
            if i > 10:
                log[i] = 3.0
                at = i + 5
            else:
                at = i + 2
        out[at] = np.sqrt(xs[i])


xs = np.arange(40_000.0)
out, log = np.zeros(len(xs) + 5), np.zeros(len(xs))
mostly_apart(out, log, xs)
print(out[:14], out.sum(), log.sum())
apart(out, log, xs)
print(out[:14], out.sum().hex(), log.sum())


# expect
# verdict line 7: serial: an element written as `out[at]` (line 16) may be written as `out[at]` (line 16) in a later iteration of `i`
# serial 7: lines 7 independent split
# verdict line 20: parallel if in bounds: `log[i]`, `out[at]`
# serial 20: lines 20 independent split; may stop, 1 guards; floating-point flags
# threads 7: lines 7 whole, 7, 7 threads independent
# threads 20: lines 20 threads independent split; may stop, 1 guards; floating-point flags
# auto 7: native
# auto 20: native
# 64 cores 7: 1 interpreter
# 64 cores 20: 1 serial
# expensive threads 7: 1 interpreter
# expensive threads 20: 1 serial
# shared core 7: 1 interpreter
# shared core 20: 1 serial
# quick CPython 7: 1 interpreter
# quick CPython 20: 1 interpreter
