# test lower work
# given n: py.i64; k: py.i64
#
# What CPython does: ints: one body, the range in the head.
for i in range(n):
    s = i * k + 3

# expect
# entry: 1 for_loop, 1 load
# L0 (reached 1): 1 range_step, 3 load, 2 store, 1 int_add, 1 int_mul
