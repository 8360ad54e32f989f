# test lower
# given n: py.i64
#
# A function that calls itself is refused.
def f(x):
    if x < 1:
        return 0
    return f(x - 1)
for i in range(n):
    s = f(i)

# expect
# refused recursion: line 4: the function f is recursive
