# test lower work
# given n: py.i64; xs: list f64 1
#
# What CPython does: what follows a continue counts half.
for i in range(n):
    if xs[i] < 0.0:
        continue
    s = xs[i]

# expect
# entry: 1 for_loop, 1 load
# L0 (reached 1): 1 range_step, 4.6 load, 1.8 store, 1 branch, 1 compare, 1.8 list_get
