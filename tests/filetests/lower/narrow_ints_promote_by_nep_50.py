# test lower
# given a: ndarray u8 1; b: ndarray i32 1
#
# Narrow ints promote by NEP 50.
for i in range(len(a)):
    b[i] = a[i] * 3 - b[i] + (a[i] > 200)

# expect
# a0 a: ndarray u8 as np.u8, rank 1, capture 3, read
# a1 b: ndarray i32 as np.i32, rank 1, capture 4, read, written
# v0 i: py.i64
# v1 i: py.i64
# L0 i
# top
#   L0 for v0 in 0 .. dim(a0, 0) step 1
#     v1 = v0
#     x3:a1[v0]! = ((to<np.i32>((x0:a0[v0]! *! 3:np.u8)) -! x1:a1[v0]!) +! to<np.i32>((x2:a0[v0]! > 200:py.u8)))
# out p0 = v1
