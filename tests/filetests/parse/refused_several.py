# test parse
# given n: py.i64; a: list i64 1
#
# Everything that is refused is told, in the order of the source.
# A report of only the first would take as many runs as there are reasons.
for i in range(n):
    del a[i]
    import math
    yield i

# expect
# refused statement: line 7: `del` inside the nest is not supported
# refused statement: line 8: `import` inside the nest is not supported
# refused expression: line 9: yield inside the nest is not supported
