# test lower work
# given n: py.i64; m: py.i64; xs: list f64 2
#
# What CPython does: an inner loop is apart, its head is its parent's.
for i in range(n):
    for j in range(m):
        xs[i][j] = xs[i][j] * 0.5

# expect
# entry: 1 for_loop, 1 load
# L0 (reached 1): 1 for_loop, 1 range_step, 1 load, 1 store
# L1 (reached 1): 1 range_step, 7 load, 1 store, 1 float_add, 3 list_get, 1 list_set
