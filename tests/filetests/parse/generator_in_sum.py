# test parse
# given n: py.i64; xs: list i64 1
#
# A generator expression that a builtin consumes.
# It stays a comprehension with its own name; no list is made of it.
for i in range(n):
    s = sum(x * x for x in xs if x > 0)

# expect
# for i in range(n):
#     s = sum((x * x) for x in xs if (x > 0))
