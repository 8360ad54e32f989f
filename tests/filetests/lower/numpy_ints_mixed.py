# test lower
# given n: py.i64; a: ndarray i32 1; b: ndarray i64 1; c: ndarray i64 1
#
# NumPy ints of two widths.
# The narrower operand is cast to the wider type; a sum that wraps is guarded, as any int's is.
for i in range(n):
    c[i] = a[i] + b[i]

# expect
# a0 a: ndarray i32 as np.i32, rank 1, capture 4, read
# a1 b: ndarray i64 as np.i64, rank 1, capture 5, read
# a2 c: ndarray i64 as np.i64, rank 1, capture 3, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     x2:a2[v1]! = (to<np.i64>(x0:a0[v1]!) +! x1:a1[v1]!)
# out p0 = v2
