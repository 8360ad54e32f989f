# test lower work
# given n: py.i64; xs: list f64 1
#
# What CPython does: sides of a condition count half.
for i in range(n):
    if xs[i] > 0.0 and xs[i] < 1.0:
        a = 1
    else:
        a = -i

# expect
# entry: 1 for_loop, 1 load
# L0 (reached 1): 1 range_step, 5.5 load, 2 store, 1.5 branch, 0.5 sign, 1.5 compare, 1.5 list_get
