# test lower
# given n: py.i64; a: list i64 1
#
# List of ints gets floats.
for i in range(n):
    a[i] = a[i] / 2

# expect
# a0 a: list num as py.num, rank 1, capture 3, read, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     x1:a0[v1]! = to<py.num>((to<py.f64>(x0:a0[v1]!) / 2.0))
# out p0 = v2
