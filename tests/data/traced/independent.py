# Iterations that do not depend on each other, and some that do after all.

#= map
a = np.arange(6.0); b = np.zeros(6)
for i in range(6):  #: parallel private=
    b[i] = 2 * a[i]

#= map in place
a = np.arange(6.0)
for i in range(6):  #: parallel private=
    a[i] = a[i] * a[i] + 1

#= map over a list
a = [1, 2, 3, 4]; b = [0] * 4
for i, v in enumerate(a):  #: parallel private=
    b[i] = v + 1

#= private scalar
a = np.arange(6.0)
for i in range(6):  #: parallel private=t
    t = a[i] + 1
    a[i] = t * t

#= private scalar with a last value
def f(a):
    for i in range(5):  #: parallel private=last
        last = a[i]
        a[i] = last + 1
    return last
print(f(np.arange(5.0)))

#= private array
a = np.arange(16.0).reshape(4, 4); t = np.zeros(4)
for i in range(4):  #: parallel private=j,t
    for j in range(4):  #: parallel private=
        t[j] = a[i, j] * 2
    for j in range(4):  #: parallel private=
        a[i, j] = t[j] + t[3 - j]

#= private array partly kept
a = np.arange(16.0).reshape(4, 4); t = np.zeros(4)
for i in range(4):  #: serial flow private=j
    for j in range(3):  #: parallel private=
        t[j + 1] = a[i, j] + t[0]
    t[0] = t[3]

#= read ahead
a = np.arange(6.0)
for i in range(5):  #: parallel private=a
    a[i] = a[i + 1]

#= written again
a = np.zeros(3)
for i in range(6):  #: parallel private=a
    a[i % 3] = i

#= halves apart
a = np.arange(8.0)
for i in range(4):  #: parallel private=
    a[i] = a[i + 4]

#= even from odd
a = np.arange(8.0)
for i in range(0, 8, 2):  #: parallel private=
    a[i] = a[i + 1]

#= permutation
p = [2, 0, 3, 1]; a = np.zeros(4)
for i in range(4):  #: parallel private=
    a[p[i]] = i

#= not a permutation
p = [2, 0, 2, 1]; a = np.zeros(4)
for i in range(4):  #: parallel private=a
    a[p[i]] = i

#= scatter that is read
p = [2, 0, 2, 1]; a = np.zeros(4)
for i in range(4):  #: serial flow
    a[p[i]] = a[p[i]] * 2 - 1

#= aliased rows of a list
row = [0] * 3
rows = [row, row]
for i in range(2):  #: parallel private=j,rows
    for j in range(3):  #: parallel private=
        rows[i][j] = i + j

#= aliased rows of a list, read
row = [0] * 3
rows = [row, row]
for i in range(2):  #: serial flow private=j
    for j in range(3):  #: serial flow
        rows[i][j] = rows[i][2 - j] + 1 if i else j

#= rows of a list apart
rows = [[0] * 3 for _ in range(2)]
for i in range(2):  #: parallel private=j
    for j in range(3):  #: parallel private=
        rows[i][j] = i + j

#= transposed view
a = np.arange(16.0).reshape(4, 4); t = a.T
for i in range(1, 4):  #: serial flow private=j
    for j in range(4):  #: parallel private=
        a[i, j] = t[j, i - 1] + 1

#= transposed view, other way
a = np.arange(16.0).reshape(4, 4); t = a.T
for i in range(1, 4):  #: parallel private=j
    for j in range(4):  #: parallel private=
        t[j, i] = a[i, j] + 1

#= overlapping views
a = np.arange(8.0); left = a[:-1]; right = a[1:]
for i in range(7):  #: serial flow
    right[i] = left[i] + 1

#= overlapping views, against the flow
a = np.arange(8.0); left = a[:-1]; right = a[1:]
for i in range(7):  #: parallel private=left,right
    left[i] = right[i] + 1

#= disjoint strided views
a = np.arange(8.0); even = a[::2]; odd = a[1::2]
for i in range(4):  #: parallel private=
    even[i] = odd[3 - i]

#= reversed view
a = np.arange(6.0); b = a[::-1]
for i in range(6):  #: serial flow private=
    a[i] = b[i]

#= negative step
a = np.arange(6.0)
for i in range(5, 0, -1):  #: parallel private=a
    a[i] = a[i - 1]

#= negative step, serial
a = np.arange(6.0)
for i in range(4, -1, -1):  #: serial flow
    a[i] = a[i + 1] * 2

#= negative index
a = np.arange(6.0)
for i in range(6):  #: serial flow private=
    a[i] = a[i - 1] + 1

#= negative index of a list
a = [1, 2, 3]
for i in range(3):  #: parallel private=
    a[-1 - i] = a[2 - i] + 1

#= conditional expression
a = np.arange(6.0)
for i in range(6):  #: parallel private=
    a[i] = 1.0 if a[i] > 3 else 0.0

#= complex parts
z = np.zeros(4, dtype=complex); re = z.real; im = z.imag
for i in range(4):  #: parallel private=
    re[i] = i
    im[i] = z[i].real + 1

#= imaginary part carried
z = np.ones(4, dtype=complex); im = z.imag
for i in range(1, 4):  #: serial flow
    im[i] = z[i - 1].imag + 1
