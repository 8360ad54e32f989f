# test lower
# given x: py.f64; a: ndarray f32 1; n: py.i64
#
# Math and NumPy functions.
for i in range(n):
    y = math.sqrt(x) + math.floor(x) + math.log(x, 2)
    a[i] = np.exp(a[i]) + np.minimum(a[i], 1.0) + np.sqrt(i)

# expect
# a0 a: ndarray f32 as np.f32, rank 1, capture 9, read, written
# v0 n: py.i64 in 2
# v1 i: py.i64
# v2 i: py.i64
# v3 x: py.f64 in 6
# v4 y: py.f64
# L0 i
# top
#   L0 for v1 in 0 .. v0 step 1
#     v2 = v1
#     v4 = ((math.sqrt!(v3) + to<py.f64>(trunc!<py.i64>(math.floor(v3)))) + (math.log!(v3) /! math.log!(2.0)))
#     x2:a0[v1]! = round!<np.f32>((to<np.f64>((np.exp!(x0:a0[v1]!) + min(x1:a0[v1]!, 1.0:np.f32))) + np.sqrt!(to<py.f64>(v1)):np.f64))
# out p0 = v2
# out p3 = v4
