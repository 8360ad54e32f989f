# test lower work
# given n: py.i64; k: py.i64
#
# What CPython does: an inner loop under a condition is reached half as often.
for i in range(n):
    if i > k:
        for j in range(i):
            s = j

# expect
# entry: 1 for_loop, 1 load
# L0 (reached 1): 0.5 for_loop, 1 range_step, 2.5 load, 1 store, 1 branch, 1 compare
# L1 (reached 0.5): 1 range_step, 1 load, 2 store
