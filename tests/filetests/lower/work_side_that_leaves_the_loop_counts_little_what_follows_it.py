# test lower work
# given n: py.i64; xs: list f64 1
#
# What CPython does: a side that leaves the loop counts little, what follows it all.
for i in range(n):
    if xs[i] < 0.0:
        at = i
        break
    s = xs[i]

# expect
# entry: 1 for_loop, 1 load
# L0 (reached 1, left early): 1 range_step, 5.1 load, 2.1 store, 1 branch, 1 compare, 2 list_get
