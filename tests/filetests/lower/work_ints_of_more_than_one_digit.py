# test lower work
# given n: py.i64; s: py.i64
#
# What CPython does: ints of more than one digit.
for i in range(n):
    s = (s * 1103515245 + 12345) % 2147483648

# expect
# entry: 1 for_loop, 1 load
# L0 (reached 1): 1 range_step, 4 load, 2 store, 1 int_add, 2 int_long
