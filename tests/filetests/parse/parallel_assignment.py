# test parse
# given n: py.i64; x: py.i64; y: py.i64
#
# Parallel assignment.
# All values are there before the first target is assigned.
for i in range(n):
    x, y = y, x + y

# expect
# for i in range(n):
#     (x, y,) = (y, (x + y),)
