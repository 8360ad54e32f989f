# test lower work
# given n: py.i64; x: py.f64; y: py.f64
#
# What CPython does: swaps make no tuple, results do.
def both(u):
    return u, u
for i in range(n):
    x, y = y, x
    p, q = both(x)

# expect
# entry: 1 for_loop, 1 load
# L0 (reached 1): 1 range_step, 5 load, 8 store, 1 tuple, 1 call
