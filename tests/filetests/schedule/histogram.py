# test schedule
# given n: py.i64; k: ndarray i64 1; k2: ndarray i64 1
# option eager
#
# A histogram.
# Threads count into copies, which are combined.
for i in range(n):
    k[k2[i]] += 1

# expect
# as written
#   serial
# as written
#   threads L0, last v2, reduce a0 by +
