"""What is not supported splits a site and leaves its neighbours compiled."""

import sys

import numpy as np
from showing import show


def print_between(a):
    for t in range(3):
        s = 0.0
        for i in range(len(a)):  # native
            a[i] = a[i] * 0.5 + t
        for x in a:  # native
            s += x
        print("step", t, s)
    return a


def string_before(a):
    label = "sum"
    s = 0
    for x in a:  # native
        s += x
    label += "!"
    return label, s


def dict_inside(a):
    counts = {}
    for k in range(4):
        s = 0
        for x in a:  # native
            s += x * k
        counts[k] = s
    return sorted(counts.items())


def append_inside(a):
    out = []
    for k in range(5):  # native
        m = a[0]
        for x in a:
            if x * k > m:
                m = x * k
        out.append(m)
    return out


def try_inside(a):
    results = []
    for k in (3, 0, 2):
        try:
            s = 0
            for x in a:  # native
                s += x // k
            results.append(s)
        except ZeroDivisionError as error:
            results.append(str(error))
    return results


def with_inside(a, path):
    for k in range(2):
        with open(path) as f:
            for i in range(len(a)):  # native
                a[i] += k + 1
    return a, f.closed


def comprehension_inside(a):
    for k in range(2):  # native
        b = [x + k for x in a]
        s = 0
        for x in b:
            s += x * x
    return s, b


def slices_inside(A):
    for k in range(3):  # native
        A[k] = A[k][::-1]
        for j in range(A.shape[1]):
            A[k, j] += j
    return A


def arrays_inside(A):
    for k in range(3):
        A[k] = np.sort(A[k])
        for j in range(A.shape[1]):  # native
            A[k, j] += j
    return A


def generator_loop(a):
    s = 0
    for x in (v * 2 for v in a):
        for k in range(5):  # native
            s += x * k
    return s


def dictionary_loop(d):
    total = 0
    for key, value in d.items():
        for i in range(value):  # native
            total += i * len(key)
    return total, key


def conditional_print(a, limit):
    for i in range(len(a)):
        if a[i] > limit:
            print("large", i)
        a[i] += 1
    return a


def deep_inside(a):
    out = []
    for p in range(2):
        if p:
            while len(out) < 4:
                for q in range(2):  # native
                    for x in a:
                        p += x
                    out.append(p)
        else:
            for x in a:  # native
                p -= x
            out.append(str(p))
    return out


def lambda_inside(a):
    fs = []
    for k in range(3):
        s = 0
        for x in a:  # native
            s += x
        fs.append(lambda s=s: s)
    return [f() for f in fs]


def assertion_inside(a):
    for k in range(3):  # native
        for i in range(len(a)):
            a[i] += k
        assert a[0] >= 0, "negative"
    return a


def set_and_membership(a):
    seen = set()
    for x in a:  # native
        if x in seen:
            continue
        seen.add(x)
    return sorted(seen)


def string_building(n):
    s = ""
    for i in range(n):  # cpython
        s += str(i)
    return s


def is_none(a):
    best = None
    for x in a:
        if best is None or x > best:
            best = x
    return best


def walrus(a):
    s = 0
    for x in a:
        if (y := x * 2) > 3:
            s += y
    return s, y


def starred(a):
    for first, *rest in a:
        s = 0
        for x in rest:  # native
            s += x
    return first, s


def deleting(d):
    for k in range(3):
        del d[k]
        for i in range(4):  # native
            k += i
    return d, k


def print_after_each(a):
    for x in a:
        print(x, end=" ")
    print()
    s = 0
    for x in a:  # native
        s += x
    print(s, end="\n")


def matrix_product(A, B, n):
    for k in range(n):  # native
        A = A @ B
        for i in range(2):
            A[i, i] += 1.0
    return A


def whole_arrays(a, n):
    for k in range(n):  # native
        a = a * 2 + 1
        s = 0
        for x in a:
            s += x
    return a, s


a = np.linspace(0, 1, 8)
l = [3, 1, 2]
show("print_between", print_between(a.copy()))
show("string_before", *string_before(l))
show("dict_inside", dict_inside(a))
show("append_inside", append_inside(l))
show("try_inside", try_inside(l))
show("with_inside", *with_inside(a.copy(), __file__))
show("comprehension", *comprehension_inside(l))
show("slices", slices_inside(np.arange(12).reshape(3, 4)))
show("arrays", arrays_inside(np.arange(12).reshape(3, 4)))
show("generator", generator_loop(l))
show("dictionary", *dictionary_loop({"a": 3, "bcd": 4}))
show("conditional_print", conditional_print(a.copy(), 0.7))
show("deep", deep_inside(l))
show("lambda", lambda_inside(l))
show("assertion", assertion_inside(a.copy()))
show("set", set_and_membership([3, 1, 3, 2, 1]))
show("string", string_building(12))
show("none", is_none(l), is_none(a))
show("walrus", *walrus(l))
show("starred", *starred([(1, 2, 3), [4, 5, 6]]))
show("deleting", *deleting({0: 1, 1: 2, 2: 3, 3: 4}))
print_after_each(l)
show("product", matrix_product(np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]]), 3))
show("whole", *whole_arrays(a, 3))
sys.stdout.write("end\n")
