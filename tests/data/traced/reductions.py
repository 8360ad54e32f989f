# Reductions, and what looks like one.

#= sum
a = np.arange(6.0); s = 0.0
for v in a:  #: reduction op=sum private=
    s += v

#= sum with minus
s = 0.0
for i in range(6):  #: reduction op=sum
    s = s - i
    s = 2 * i + s

#= not a sum
s = 0.0
for i in range(6):  #: serial flow
    s = i - s

#= sum and product of one variable
s = 1.0
for i in range(6):  #: serial flow
    s += i
    s *= 2

#= sum and product
s = 0; p = 1
for i in range(1, 6):  #: reduction op=product,sum
    s += i
    p = i * p

#= quotient
p = 1.0
for i in range(1, 6):  #: serial flow
    p /= i

#= sum of a text
s = ""
for i in range(6):  #: serial flow
    s += str(i)

#= sum of a list
s = []
for i in range(6):  #: serial flow
    s += [i]

#= sum that is reset
s = 0
for i in range(6):  #: serial flow
    if i == 3:
        s = 0
    s += i

#= sum that is set first
a = np.zeros(4)
for i in range(4):  #: parallel private=j,s
    s = 0
    for j in range(3):  #: reduction op=sum
        s += j
    a[i] = s

#= sum that decides
s = 0; n = 0
for i in range(6):  #: serial flow op=sum
    s += i
    if s > 5:
        n += 1

#= sum in its own step
s = 1
for i in range(6):  #: serial flow
    s += s * i

#= sum in a function
def add(box, v):
    box.total += v
class Box:
    total = 0
box = Box()
for i in range(5):  #: reduction op=sum
    add(box, i)

#= sum in an attribute, read
class Box:
    def __init__(self):
        self.total = 0
    def run(self, a):
        for i in range(5):  #: serial flow
            self.total += a[i]
            a[i] = self.total
Box().run(np.ones(5))

#= sum in a global
count = 0
def step(v):
    global count
    count += v
def run():
    for i in range(5):  #: reduction op=sum
        step(i)
run()

#= histogram
h = np.zeros(3, dtype=int); b = [0, 1, 0, 2, 1, 0]
for i in range(6):  #: reduction op=sum private=
    h[b[i]] += 1

#= histogram without conflict
h = np.zeros(6, dtype=int); b = [3, 1, 0, 2, 5, 4]
for i in range(6):  #: parallel
    h[b[i]] += 1

#= histogram that is read
h = np.zeros(3, dtype=int); b = [0, 1, 0, 2, 1, 0]; c = np.zeros(6)
for i in range(6):  #: serial flow
    h[b[i]] += 1
    c[i] = h[0]

#= maximum
a = [3, 1, 4, 1, 5]; m = a[0]
for v in a:  #: reduction op=max
    m = max(v, m)

#= minimum by if
a = [3, 1, 4, 1, 0]; m = 9
for i in range(5):  #: reduction op=min
    if a[i] < m:
        m = a[i]

#= maximum by expression
a = [1, 3, 4, 1, 5]; m = a[0]
for v in a:  #: reduction op=max
    m = v if v > m else m

#= argmin
a = [3, 1, 4, 1, 0]; m = 9; k = -1
for i in range(5):  #: reduction op=argmin private=
    if a[i] < m:
        m = a[i]
        k = i

#= argmax in one assignment
a = [3, 1, 4, 1, 5]; m = -1; k = -1
for i in range(5):  #: reduction op=argmax private=
    if m <= a[i]:
        m, k = a[i], i

#= argmax by place
a = [3, 1, 4, 1, 5]; k = 0
for i in range(1, 5):  #: reduction op=argmax private=
    if a[i] > a[k]:
        k = i

#= argmin, not
a = [3, 1, 4, 1, 0]; m = 9; k = -1
for i in range(5):  #: serial flow
    if a[i] < m:
        m = a[k]
        k = i

#= improvements counted
a = [5, 4, 6, 3]; m = 9; n = 0
for v in a:  #: serial flow op=sum
    if v < m:
        m = v
        n += 1

#= minimum and maximum of one variable
m = 3
for v in [5, 4, 1, 3]:  #: serial flow
    m = max(m, v)
    m = min(m, 4)

#= booleans
a = [1, 2, 3]; all_ = True; any_ = False
for v in a:  #: reduction op=and,or
    all_ = all_ and v > 0
    any_ = any_ or v > 2

#= bits
x = 0; y = 255
for v in [1, 2, 3]:  #: reduction op=and,xor
    x ^= v
    y = y & v

#= flag
a = [1, 2, 3]; found = False
for v in a:  #: parallel private=found
    if v > 1:
        found = True

#= whole rows summed
a = np.arange(12.0).reshape(4, 3); s = np.zeros(3)
for row in a:  #: reduction op=sum
    s += row

#= longest text
best = ""
for v in ["a", "bcd", "ef", "ghij"]:  #: reduction op=argmax
    if len(v) > len(best):
        best = v

#= union of sets
s = set()
for v in [1, 2, 3]:  #: serial flow
    s |= {v}
