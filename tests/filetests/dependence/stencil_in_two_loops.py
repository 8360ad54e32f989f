# test dependence
# given u: ndarray f64 2; new: ndarray f64 2
#
# Four neighbours in another array: no dependence is carried where the two share no memory.
# This is the nest that docs/dev/pipeline.md follows.
for i in range(1, u.shape[0] - 1):
    for j in range(1, u.shape[1] - 1):
        new[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])

# expect
# L0: parallel
# L1: parallel
