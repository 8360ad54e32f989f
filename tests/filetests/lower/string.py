# test lower
# given n: py.i64
#
# A string.
for i in range(n):
    s = 'text'

# expect
# refused object-identity: line 6: str assigned to s would have to be an object of its own
