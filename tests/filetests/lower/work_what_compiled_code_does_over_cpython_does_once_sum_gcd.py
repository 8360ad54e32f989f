# test lower work
# given n: py.i64; xs: list i64 1
#
# What CPython does: what compiled code does over, CPython does once: sum, gcd.
for i in range(n):
    s = sum(xs)
    g = math.gcd(i, 12)

# expect
# entry: 1 for_loop, 1 load
# L0 (reached 1): 1 range_step, 1 load, 3 store, 1 builtin, 1 math_quick
# L1 (reached 1): 1 builtin_step
# L2 (reached 0): 1 while_step, 6 load, 3 store, 1 branch, 1 int_div, 1 compare
