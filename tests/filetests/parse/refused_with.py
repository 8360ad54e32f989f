# test parse
# given n: py.i64; s: py.i64; lock: object
#
# A `with` statement is refused.
# Its exit runs Python code that nobody knows here.
for i in range(n):
    with lock:
        s = s + i

# expect
# refused statement: line 7: `with` inside the nest is not supported
