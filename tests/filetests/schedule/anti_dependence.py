# test schedule
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# An anti-dependence.
# Lanes run in lockstep; threads read from copies of what their neighbours write.
for i in range(n - 1):
    b[i] = b[i + 1] * 2.0

# expect
# as written
#   serial
# as written
#   lockstep L0
# as written
#   threads L0, last v2, copy a0 for x0 reach 1 window axis 0 scale 1 from 1 to 1
#   lockstep L0
