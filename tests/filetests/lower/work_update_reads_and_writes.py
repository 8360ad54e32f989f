# test lower work
# given n: py.i64; a: ndarray i64 2; idx: ndarray i64 1
#
# What CPython does: an update reads and writes.
for i in range(n):
    a[idx[i], 0] += 1

# expect
# entry: 1 for_loop, 1 load
# L0 (reached 1): 1 range_step, 5 load, 1 store, 1 numpy_convert, 2 array_get, 1 array_set, 1.5 array_tuple, 1 array_index
