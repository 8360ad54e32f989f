# How loops end, and what they call and go through.

#= while
i = 0; a = np.zeros(4)
while i < 4:  #: serial while induction=i
    a[i] = i
    i += 1

#= break
a = [1, 5, 2]
for v in a:  #: serial exit
    if v > 4:
        break

#= break that does not happen
a = [1, 5, 2]
for v in a:  #: parallel
    if v > 9:
        break
else:
    a[0] = 7

#= return
def find(a):
    for i in range(len(a)):  #: serial exit
        if a[i] == 5:
            return i
find([1, 5, 2])

#= exception
try:
    for i in range(3):  #: serial exit
        1 // (1 - i)
except ZeroDivisionError:
    pass
for i in range(3):  #: parallel
    pass

#= break of the inner loop
a = np.zeros(4)
for i in range(4):  #: parallel private=j
    for j in range(4):  #: serial exit
        if j > i:
            break
    a[i] = j

#= continue
a = np.zeros(4)
for i in range(4):  #: parallel private=
    if i == 2:
        continue
    a[i] = i

#= output
for i in range(3):  #: serial flow
    print(i)

#= random numbers
rng = np.random.default_rng(1); a = np.zeros(3)
for i in range(3):  #: serial flow
    a[i] = rng.random()

#= generator
def count():
    n = 0
    while n < 3:  #: serial while induction=n
        yield n
        n += 1
a = np.zeros(4)
for v in count():  #: serial generator
    a[v] = 1
for i in range(1, 4):  #: serial flow
    a[i] += a[i - 1]

#= slices
a = np.zeros((4, 3))
for i in range(1, 4):  #: serial flow
    a[i] = a[i - 1] + 1

#= slices apart
a = np.zeros((4, 3))
for i in range(4):  #: parallel private=
    a[i, :] = i
    a[i, 1:] *= 2

#= masks
a = np.arange(6.0); m = a > 3
for i in range(6):  #: parallel private=a
    a[m] = i

#= masks, carried
a = np.arange(6.0); m = a > 3
for i in range(6):  #: serial flow
    a[m] = a[m][::-1] + 1

#= index arrays
a = np.arange(6.0)
for i in range(3):  #: parallel private=
    a[[i, i + 3]] = a[[i + 3, i]]

#= library functions
a = np.arange(6.0); b = np.zeros(6)
for i in range(6):  #: parallel private=
    b[i] = np.sum(a) + a.max() + math.fsum(a)

#= library functions, carried
a = np.arange(6.0)
for i in range(6):  #: serial flow
    a[i] = a.sum()

#= library functions that write
a = np.arange(6.0); b = np.zeros(6)
for i in range(3):  #: serial flow
    np.add(a, i, out=b)
    a[:] = b

#= lists swapped
rows = [[1], [2], [3]]
for i in range(2):  #: serial flow
    rows[i], rows[i + 1] = rows[i + 1], rows[i]

#= elements of a zip
a = np.arange(4.0); b = a[::-1]
for x, y in zip(a, b):  #: parallel
    x + y

#= elements written before they are met
a = [1, 1, 1, 1]
for i, v in enumerate(a):  #: serial flow
    if i < 3:
        a[i + 1] = v + 1

#= recursion
def f(n):
    t = 0
    for i in range(n):  #: reduction op=sum
        t += f(n - 1)
    return t + 1
f(3)

#= closures
def f():
    n = 0
    def g(v):
        nonlocal n
        n = v - n
    for i in range(3):  #: serial flow
        g(i)
f()

#= dictionary
d = {0: 0, 1: 0}
for i in range(4):  #: reduction op=sum
    d[i % 2] += 1

#= dictionary that grows
d = {}
for i in range(4):  #: serial flow
    d[i % 2] = d.get(i % 2, 0) + 1

#= arrays of the loop's own
out = np.zeros(4)
for i in range(4):  #: parallel private=j,t
    t = np.zeros(3)
    for j in range(1, 3):  #: serial flow
        t[j] = t[j - 1] + i
    out[i] = t[2]

#= unpacked rows of a list
pairs = [[1, 2], [3, 4], [5, 6]]
for i in range(1, 3):  #: serial flow
    x, y = pairs[i - 1]
    pairs[i][0] = x + y

#= unpacked rows of an array
pairs = np.arange(6.0).reshape(3, 2)
for i in range(1, 3):  #: serial flow
    x, y = pairs[i - 1]
    pairs[i, 0] = x + y

#= unpacked in the loop's target
pairs = [[1, 2], [3, 4], [5, 6]]
for i, (x, y) in enumerate(pairs):  #: serial flow
    pairs[(i + 1) % 3][0] = x + y

#= unpacked in a comprehension
pairs = [[1, 2], [3, 4], [5, 6]]
for i in range(3):  #: serial flow
    pairs[i][1] = sum(x for x, y in pairs)
    pairs[i][0] = max(y for k, (x, y) in enumerate(pairs))

#= starred arguments
a = [1, 2, 3]
for i in range(3):  #: serial flow
    a[i] = max(*a) + 1

#= a list as a condition
out = []
for i in range(3):  #: serial flow
    if not out:
        out.append(i)

#= flat
a = np.arange(6.0).reshape(2, 3); b = np.zeros((2, 3))
for place, v in np.ndenumerate(a):  #: parallel
    b[place] = v
for v in a.flat:  #: parallel private=
    v + 1

#= flat, carried
a = np.arange(6.0).reshape(2, 3)
for v in a.flat:  #: serial flow
    a[1, 2] = v

#= item
a = np.arange(6.0).reshape(2, 3)
for i in range(2):  #: parallel private=
    a[i, 0] = a.item(i, 1)

#= a list shuffled
import random
a = [1, 2, 3]; b = [0] * 3
for i in range(3):  #: serial flow
    random.shuffle(a)
    b[i] = a[0]

#= a dictionary updated
d = {}
for i in range(3):  #: serial flow
    d.update({i: d.get(i - 1, 0)})

#= captured by a pattern
x = 0; a = [0] * 4
for i in range(4):  #: serial flow
    a[i] = x
    match [i, 2]:
        case [x, _]:
            pass

#= functions defined in the loop
a = [0] * 4
def f(): return 1
for i in range(4):  #: serial flow
    a[i] = f()
    def f(): return 2

#= an exception's name
a = [0] * 4
for i in range(4):  #: parallel private=error
    try:
        a[i] = 1 // (i % 2)
    except ZeroDivisionError as error:
        str(error)

#= a class with an iterator
class Count:
    def __init__(self):
        self.n = 0
    def __iter__(self):
        return self
    def __next__(self):
        self.n = 2 * self.n + 1
        if self.n > 9:
            raise StopIteration
        return self.n
for v in Count():  #: serial flow
    pass

#= a generator left early
def count():
    for k in range(10):  #: serial exit
        yield k
a = [0] * 6
for i in range(1, 6):  #: serial flow
    for v in count():  #: serial exit
        if v == 1:
            break
    a[i] = a[i - 1] + 1

#= a generator used up elsewhere
def count():
    for k in range(2):  #: parallel
        yield k
a = [0] * 6; b = [0] * 3
g = count()
for i in range(5):  #: serial flow
    for j in range(2):  #: serial flow distributable
        v = next(g, 9)
        b[j] = v
    a[i + 1] = a[i] + b[1]

#= a generator in an expression
def squares(n):
    for k in range(n):  #: parallel private=s
        s = k * k
        yield s
a = [0] * 6
for i in range(1, 6):  #: parallel private=
    a[i] = sum(squares(i)) + max(x for x in squares(i))

#= an exception thrown into a generator
def numbers():
    k = 0
    while True:  #: serial while
        try:
            yield k
        except ValueError:
            for j in range(2):  #: parallel
                k = j
        finally:
            k += 1
a = [0] * 9; g = numbers()
for i in range(1, 4):  #: serial flow
    for j in range(2):  #: serial flow
        next(g)
        g.throw(ValueError)
    a[i] = a[i - 1] + 1

#= a dictionary asked for others
d = {k: 0 for k in range(8)}
for i in range(1, 4):  #: parallel private=
    d[i] = d.get(i + 4, 0) + 1

#= classes made from built-in ones
class Table(dict):
    def add(self, k, v):
        self[k] = v
class Row(list):
    pass
class Bag(set):
    pass
t = Table(); r = Row(); b = Bag()
for i in range(4):  #: parallel private=n induction=r
    r.append(i)
    n = len(list(Table().keys()))
for i in range(1, 4):  #: serial flow
    t.add(i, t.get(i - 1, 0))
for i in range(3):  #: serial flow
    b.add(i)
for i in range(3):  #: parallel private=
    len(list(t.values()))
