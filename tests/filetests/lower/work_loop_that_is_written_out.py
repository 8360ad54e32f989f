# test lower work
# given n: py.i64; s: py.i64
#
# What CPython does: a loop that is written out.
for i in range(n):
    for d in (1, 2):
        s = i // d

# expect
# entry: 1 for_loop, 1 load
# L0 (reached 1): 1 for_loop, 1 range_step, 2 list_step, 6 load, 5 store, 2 int_div
