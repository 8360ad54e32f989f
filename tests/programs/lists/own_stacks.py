"""Lists that a loop makes and takes elements off, and lists of which the elements make lists."""


def paths(n):
    stack = []
    stack.append(n)
    t = 0
    while stack:
        x = stack.pop()
        t += x
        if x > 1:
            stack.append(x // 2)
            stack.append(x - x // 2 - 1)
    return t

def comps(adj, n):
    seen = [0] * n
    c = 0
    for s in range(n):
        if seen[s]:
            continue
        c += 1
        todo = [s]
        seen[s] = 1
        while len(todo) > 0:
            u = todo.pop()
            for v in adj[u]:
                if not seen[v]:
                    seen[v] = 1
                    todo.append(v)
    return c

def rpn(ops):
    out = []
    for k in range(200):  # native
        st = []
        for o in ops:
            if o >= 0:
                st.append(float(o + k))
            elif o == -1:
                st.append(st.pop() + st.pop())
            elif o == -2:
                b = st.pop()
                a = st.pop()
                st.append(a - b)
            else:
                st.append(st.pop() * 0.5)
        out.append(st.pop())
    return sum(out)

def under(n):
    s = 0
    for i in range(n):
        st = [1, 2]
        try:
            for k in range(i % 5):
                s += st.pop()
        except IndexError as e:
            s += 100
    return s

def dropped(n):
    s = 0
    for i in range(n):  # native
        st = []
        for k in range(i % 7):
            st.append(k * i)
            if k % 3 == 2:
                st.pop()
        s += sum(st) + len(st)
    return s

t = 0
for i in range(300):  # native
    t += paths(i)
print(t)
n = 60
print([comps([[(i * 7 + k * m) % n for k in range(3)] for i in range(n)], n) for m in (10, 12, 30)])
print(rpn([1, 2, -1, 3, -2, -3, 5, -1]), under(50), dropped(100))


def spread(i):
    r = [[(i + k * j) for k in range(3)] for j in range(3)]
    return r[1][1] + r[2][2]


def loops_over(n):
    t = 0
    for i in range(n):
        st = [1, 2, 3, 4, 5, i]
        for v in st:
            t += v
            if v % 2:
                t -= st.pop()
    return t


def second_name(n):
    t = 0
    for i in range(n):
        st = [i, 2, 3]
        other = st
        t += other.pop() + len(st)
    return t


def grown_second_name(n):
    t = 0
    for i in range(n):
        st = [i, 2, 3]
        other = st
        other.append(i)
        t += len(st) + st[-1]
    return t


def off(st):
    return st.pop() if st else -1


def in_functions(n):
    t = 0
    for i in range(n):  # native
        st = [i, 2 * i]
        for k in range(4):
            t = t * 3 % 1009 + off(st)
    return t


each = [spread(i) for i in (10, 12, 30)]  # native
print(each, loops_over(20), second_name(9), grown_second_name(9), in_functions(30))
