# test lower
# given a: list f64 1; b: ndarray f64 1
#
# A float list gets NumPy scalars.
for i in range(len(b)):
    a[i] = b[i]

# expect
# refused operator: line 6: `[] =` is not supported for list of py.f64 and np.float64
