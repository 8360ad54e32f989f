# test schedule
# given u: ndarray f64 2; new: ndarray f64 2
#
# Four neighbours, two arrays: both loops are parallel where the arrays share no memory, and LLVM is told that the inner one carries nothing.
# This is the nest that docs/dev/pipeline.md follows.
for i in range(1, u.shape[0] - 1):
    for j in range(1, u.shape[1] - 1):
        new[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])

# expect
# as written
#   serial
# as written
#   independent L1
# as written
#   threads L0, last v1, last v3, last v4
#   independent L1
