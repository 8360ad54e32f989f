# test lower
# given n: py.i64; a: ndarray f64 1; b: ndarray f64 1; c: ndarray f64 1
#
# An operation on whole arrays.
# It becomes a loop over elements; NumPy reads all operands before it stores, hence the preconditions.
for t in range(n):
    c[:] = a + 2.0 * b

# expect
# a0 a: ndarray f64 as np.f64, rank 1, capture 4, read
# a1 b: ndarray f64 as np.f64, rank 1, capture 5, read
# a2 c: ndarray f64 as np.f64, rank 1, capture 3, written
# v0 n: py.i64 in 2
# v1 t: py.i64
# v2 t: py.i64
# v3 element: py.i64
# L0 t
# L1 element
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     check! (dim(a0, 0) == dim(a1, 0))
#     check! (dim(a2, 0) == dim(a0, 0))
#     L1 for v3 in 0 .. dim(a2, 0) step 1
#       x2:a2[v3] = (x0:a0[v3] + (2.0:np.f64 * x1:a1[v3]))
# out p0 = v2
# requires no-alias a0 a2
# requires no-alias a1 a2
# requires no-alias a2 a2
