# Recurrences, stencils, tables, and how far a loop around them is serial.

#= prefix sum in an array
a = np.arange(6.0)
for i in range(1, 6):  #: serial flow
    a[i] += a[i - 1]

#= prefix sum in a scalar
a = np.arange(6.0); s = 0.0
for i in range(6):  #: serial flow
    s += a[i]
    a[i] = s

#= prefix sum in two statements
a = np.arange(6.0); b = np.zeros(6)
for i in range(1, 6):  #: serial flow distributable
    a[i] = a[i - 1] + 1
    b[i] = a[i] * 2

#= two loops in one
a = np.arange(6.0); b = np.zeros(6); s = 0.0
for i in range(1, 6):  #: serial flow distributable op=sum
    a[i] = a[i - 1] * 2
    s += b[i]

#= a cycle over two statements
a = np.zeros(6); b = np.zeros(6)
for i in range(1, 6):  #: serial flow
    a[i] = b[i - 1] + 1
    b[i] = a[i] * 2

#= distance two
a = np.arange(8.0)
for i in range(2, 8):  #: serial flow
    a[i] = a[i - 2] + 1

#= linear recurrence
x = 0.5; a = np.zeros(5)
for i in range(5):  #: serial flow
    x = 3.5 * x * (1 - x)
    a[i] = x

#= Horner
s = 0.0; x = 2.0
for c in [1.0, 2.0, 3.0]:  #: serial flow
    s = s * x + c

#= Fibonacci
a, b = 0, 1
for _ in range(6):  #: serial flow
    a, b = b, a + b

#= first iteration apart
a = np.arange(5.0)
for i in range(1, 5):  #: serial flow
    a[i] = a[i] + a[1]

#= Jacobi with a swap
def relax(a, b):
    for t in range(3):  #: serial flow private=i
        for i in range(1, 5):  #: parallel private=
            b[i] = (a[i - 1] + a[i + 1]) / 2
        a, b = b, a
relax(np.arange(6.0), np.zeros(6))

#= Jacobi with a copy
a = np.arange(6.0)
for t in range(3):  #: serial flow private=b,i
    b = a.copy()
    for i in range(1, 5):  #: parallel private=
        a[i] = (b[i - 1] + b[i + 1]) / 2

#= Gauss-Seidel
a = np.arange(25.0).reshape(5, 5)
for t in range(2):  #: serial flow private=i,j
    for i in range(1, 4):  #: serial flow private=j
        for j in range(1, 4):  #: serial flow
            a[i, j] = (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]) / 4

#= red and black
a = np.arange(8.0)
for t in range(2):  #: serial flow
    for colour in range(2):  #: serial flow
        for i in range(1 + colour, 7, 2):  #: parallel private=
            a[i] = (a[i - 1] + a[i + 1]) / 2

#= longest common subsequence
x, y = "abcab", "bcba"
table = [[0] * 5 for _ in range(6)]
for i in range(1, 6):  #: serial flow private=j
    for j in range(1, 5):  #: serial flow
        if x[i - 1] == y[j - 1]:
            table[i][j] = table[i - 1][j - 1] + 1
        else:
            table[i][j] = max(table[i - 1][j], table[i][j - 1])

#= matrix product
n = 4
a = np.ones((n, n)); b = np.ones((n, n)); c = np.zeros((n, n))
for i in range(n):  #: parallel private=j,k
    for j in range(n):  #: parallel private=k
        for k in range(n):  #: reduction op=sum private=
            c[i, j] += a[i, k] * b[k, j]

#= matrix product, k outside
n = 4
a = np.ones((n, n)); b = np.ones((n, n)); c = np.zeros((n, n))
for k in range(n):  #: reduction op=sum private=i,j
    for i in range(n):  #: parallel private=j
        for j in range(n):  #: parallel private=
            c[i, j] += a[i, k] * b[k, j]

#= triangular solve
n = 5
l = np.tri(n); b = np.ones(n); x = np.zeros(n)
for i in range(n):  #: serial flow private=j,s
    s = b[i]
    for j in range(i):  #: reduction op=sum private=
        s -= l[i, j] * x[j]
    x[i] = s / l[i, i]

#= triangular solve by columns
n = 5
l = np.tri(n); b = np.ones(n)
for j in range(n):  #: serial flow private=i
    b[j] /= l[j, j]
    for i in range(j + 1, n):  #: parallel private=
        b[i] -= l[i, j] * b[j]

#= Floyd and Warshall
n = 4
d = np.random.default_rng(1).integers(1, 9, (n, n))
for k in range(n):  #: serial flow private=i,j
    for i in range(n):  #: serial flow private=j
        for j in range(n):  #: serial flow
            d[i, j] = min(d[i, j], d[i, k] + d[k, j])

#= Floyd and Warshall, written where better
n = 4
d = np.random.default_rng(1).integers(1, 9, (n, n))
for k in range(n):  #: serial flow private=i,j
    for i in range(n):  #: parallel private=j
        for j in range(n):  #: parallel private=
            if d[i, k] + d[k, j] < d[i, j]:
                d[i, j] = d[i, k] + d[k, j]

#= coupled subscripts
a = np.zeros((6, 6))
for i in range(5):  #: parallel private=j
    for j in range(5 - i):  #: parallel private=
        a[i, i + j] = i

#= coupled subscripts, carried
a = np.zeros((6, 6))
for i in range(1, 6):  #: serial flow private=j
    for j in range(5):  #: parallel private=
        a[i, j] = a[i - 1, j + 1] + 1

#= sum of subscripts
a = np.zeros(9)
for i in range(4):  #: parallel private=a,j
    for j in range(4):  #: parallel private=
        a[i + j] = i
