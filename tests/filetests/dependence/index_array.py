# test dependence
# given n: py.i64; a: ndarray f64 2; b: ndarray f64 1; c: ndarray f64 1; k: ndarray i64 1; m: py.i64
#
# An index array.
# Nothing is known of the elements of k from the text; if no two are equal, no two iterations write one element.
for i in range(n):
    b[k[i]] = c[i]

# expect
# perhaps output b: x2 line 7 -> x2 line 7 (<) distance (?)
# L0: parallel if len(set(k)) == len(k)
