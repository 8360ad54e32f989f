# test lower work
# given n: py.i64; s: py.f64; a: ndarray f64 1; b: ndarray f64 1
#
# What CPython does: NumPy scalars and elements.
for i in range(n):
    s += a[i] * b[i] * 2

# expect
# entry: 1 for_loop, 1 load
# L0 (reached 1): 1 range_step, 6 load, 2 store, 2 numpy_float, 1 numpy_convert, 2 array_get
