# test lower work
# given n: py.i64; x: py.f64; a: ndarray f64 1
#
# What CPython does: functions: builtins, math, NumPy.
for i in range(n):
    s = min(x, 1.0, 2.0) + math.sqrt(x) + math.exp(x) + math.atan2(x, x) + float(i)
    t = np.sqrt(a[i])

# expect
# entry: 1 for_loop, 1 load
# L0 (reached 1): 1 range_step, 10 load, 3 store, 4 float_add, 1 array_get, 1 min_max, 1 min_max_more, 1 to_float, 1 math_quick, 1 math, 1 math_two, 1 numpy
