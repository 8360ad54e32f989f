# test lower
# given n: py.i64
#
# A path without return, and one that returns a tuple.
def f(x):
    if x < 1:
        return 0, 1
for i in range(n):
    s = f(i)

# expect
# refused return-shape: line 6: the way f returns is not supported
