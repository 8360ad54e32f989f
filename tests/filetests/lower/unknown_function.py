# test lower
# given n: py.i64; f: other method
#
# Unknown function.
for i in range(n):
    s = f(i)

# expect
# refused unknown-function: line 6: the function f is not known
