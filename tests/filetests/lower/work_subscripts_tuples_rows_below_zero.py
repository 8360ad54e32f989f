# test lower work
# given n: py.i64; a: ndarray f64 2; xs: list f64 1
#
# What CPython does: subscripts: tuples, rows, below zero.
for i in range(n):
    s = a[i, 3] + a[i][2] + xs[-1]

# expect
# entry: 1 for_loop, 1 load
# L0 (reached 1): 1 range_step, 8 load, 2 store, 1 numpy_float, 1 numpy_python, 1 list_get, 1 list_index, 2 array_get, 1 array_tuple, 1 array_row
