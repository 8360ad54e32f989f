# serial 1 
def called(f, *given):
    f(*given)
    print([v for v in given])

def f7(a, d, u, q, h, n):
    s, x, i = (0, 1, 0)
    for i in range(n):
        d[i, x] = d.get((i, x), 0)
        x = d.pop(i, 0)
called(f7, 12, {k: 2 ** 70 for k in range(9)}, {1, 2, 3}, [], [1, 2, 3], 25)
