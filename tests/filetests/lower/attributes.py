# test lower
# given self: object; self.n: py.i64; self.x: ndarray f64 1; self.total: py.f64
#
# Attributes of an object are read once, and written back.
for i in range(self.n):
    self.total += self.x[i]

# expect
# a0 self.x: ndarray f64 as np.f64, rank 1, capture 5, read
# v0 self.n: py.i64 in 3
# v1 i: py.i64
# v2 i: py.i64
# v3 self.total: np.f64 in 4
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v3 = (v3 + x0:a0[v1]!)
# out p0 = v2
# out p4 = v3
