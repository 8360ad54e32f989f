# test lower work
# given n: py.i64; i: py.i64
#
# What CPython does: a while.
while i < n and i != 17:
    i += 1

# expect
# entry: 
# L0 (reached 1): 1 while_step, 5 load, 1 store, 1.5 branch, 1 int_add, 1.5 compare
