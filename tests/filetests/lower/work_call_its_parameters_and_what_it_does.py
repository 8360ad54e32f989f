# test lower work
# given n: py.i64; x: py.f64
#
# What CPython does: a call, its parameters and what it does.
def f(u, v):
    return u + v
for i in range(n):
    s = f(x, 2.0)

# expect
# entry: 1 for_loop, 1 load
# L0 (reached 1): 1 range_step, 4 load, 5 store, 1 float_add, 1 call
