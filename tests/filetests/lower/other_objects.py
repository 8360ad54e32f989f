# test lower
# given n: py.i64; d: other dict
#
# Other objects.
for i in range(n):
    s = d[i]

# expect
# refused type: line 6: d is a dict, which is not supported
