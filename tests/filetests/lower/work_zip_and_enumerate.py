# test lower work
# given xs: list f64 1; a: ndarray f64 1
#
# What CPython does: zip and enumerate.
for i, (x, y) in enumerate(zip(xs, a)):
    s = x

# expect
# entry: 1 for_loop, 2 load
# L0 (reached 1): 1 list_step, 1 array_step, 2 pair_step, 1 load, 4 store
