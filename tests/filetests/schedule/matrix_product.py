# test schedule
# given n: py.i64; a: ndarray f64 2; a2: ndarray f64 2; c2: ndarray f64 2
#
# A matrix product.
# Strict sums stay in order, so another loop than the innermost one has the lanes.
for i in range(n):
    for j in range(n):
        s = 0.0
        for h in range(n):
            s += a[i, h] * a2[h, j]
        c2[i, j] = s

# expect
# as written
#   serial
# as written
#   vector L1 by 16
# as written
#   threads L0, last v2, last v4, last v5, last v6, last v7, last v8, last v10, last v11
#   vector L1 by 16
