# Variables that count, and others that only seem to.

#= induction
a = np.zeros(6); k = 0
for i in range(6):  #: parallel private= induction=k
    a[k] = i
    k += 1

#= induction by an invariant
def f(a, step):
    k = 0
    for i in range(3):  #: parallel induction=k
        k = k + step
        a[k - step] = i
f(np.zeros(6), 2)

#= induction over inner loops
a = np.zeros(6); k = 0
for i in range(3):  #: parallel private=j induction=k
    for j in range(2):  #: parallel induction=k
        a[k] = i
        k += 1

#= no induction: a condition
a = np.zeros(6); k = 0
for i in range(6):  #: serial flow
    if i % 2:
        a[k] = i
        k += 1

#= no induction: the step varies
a = np.zeros(20); k = 0
for i in range(6):  #: serial flow
    a[k] = i
    k += i

#= no induction: a triangle
a = np.zeros(20); k = 0
for i in range(4):  #: serial flow private=j
    for j in range(i):  #: parallel induction=k
        a[k] = i
        k += 1

#= append
out = []
for i in range(4):  #: parallel private= induction=out
    out.append(i)

#= append under a condition
out = []
for i in range(4):  #: serial flow
    if i != 2:
        out.append(i)
