# test schedule
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# A loop that is parallel on both sides of one iteration.
# Iteration m writes what the others read.
for t in range(3):
    for i in range(n):
        b[i] = b[m] + c[i]

# expect
# as written
#   serial
# index-set-splitting
#   L0 for v0 in 0 .. 3 step 1
#   L1 for v3 in 0 .. to<py.i64>(min(to<py.i128>(v2), to<py.i128>(v6))) step 1
#   L2 for v7 in to<py.i64>(max(0:py.i128, to<py.i128>(v6))) .. to<py.i64>(min(to<py.i128>(v2), (1:py.i128 + to<py.i128>(v6)))) step 1
#   L3 for v8 in to<py.i64>(min(9223372036854775807:py.i128, max(0:py.i128, (1:py.i128 + to<py.i128>(v6))))) .. v2 step 1
#   independent L1
#   independent L2
#   independent L3
# index-set-splitting
#   L0 for v0 in 0 .. 3 step 1
#   L1 for v3 in 0 .. to<py.i64>(min(to<py.i128>(v2), to<py.i128>(v6))) step 1
#   L2 for v7 in to<py.i64>(max(0:py.i128, to<py.i128>(v6))) .. to<py.i64>(min(to<py.i128>(v2), (1:py.i128 + to<py.i128>(v6)))) step 1
#   L3 for v8 in to<py.i64>(min(9223372036854775807:py.i128, max(0:py.i128, (1:py.i128 + to<py.i128>(v6))))) .. v2 step 1
#   threads L1, last v4, last v5
#   threads L2, last v4, last v5
#   threads L3, last v4, last v5
#   independent L1
#   independent L2
#   independent L3
