"""The loop variable belongs to the body: rebound, aliased, kept, used after the loop."""

import numpy as np
from showing import show


def rebound(a):
    s = 0
    for i in range(len(a)):  # native
        i = i * 2 % len(a)
        s += a[i]
    return s, i


def rebound_in_branch(n):
    s = 0
    for i in range(n):  # native
        if i % 3 == 0:
            i += 100
        s += i
    return s, i


def augmented_variable(a):
    s = 0.0
    for x in a:  # native
        x *= 2.0
        x += 1
        s += x
    return s, x, a


def same_name_twice(n, m):
    s = 0
    for i in range(n):  # native
        for i in range(m):
            s += i
        s += 100 * i
    return s, i


def inner_kept(n, m):
    j = -1
    s = 0
    for i in range(n):  # native
        for j in range(i % m):
            s += j
        s += j * 10
    return s, i, j


def inner_after_break(A):
    s = 0
    for i in range(A.shape[0]):  # native
        for j in range(A.shape[1]):
            if A[i, j] > i:
                break
        s += j
    return s, i, j


def used_as_bound(n):
    s = 0
    for i in range(n):  # native
        for j in range(i, i + 3):
            for k in range(j - i, j):
                s += i * j - k
    return s, i, j, k


def variable_is_element(a):
    a[0] = 5
    for a[1] in range(6):
        a[2] += a[1]
    return a


def variable_is_attribute(n):
    class Holder:
        pass

    h = Holder()
    s = 0
    for h.i in range(n):
        s += h.i
    return s, h.i


def variable_is_list(n):
    s = 0
    for [i, j] in [(1, 2), (3, 4)]:
        s += i * j
    return s, i, j


def variable_in_enclosing(a):
    i = 0.5
    for x in a:  # native
        i = i + x
    for i in range(4):  # native
        a[i] = i
    return i, a


def loop_over_its_own(a):
    # The sequence is evaluated once, then its name is the element's.
    for a in a:  # native
        b = a + 1
    return a, b


def same_as_bound(n):
    s = 0
    for n in range(n):  # native
        s += n
    return s, n


def unused(n):
    s = 1
    for _ in range(n):  # native
        s = s * 3 % 1009
    for __ in range(n):  # native
        for _ in range(3):
            s = s + 1
    return s, _, __


def float_variable(n):
    s = 0.0
    for i in range(n):  # native
        i = i / 2
        s += i
    return s, i


def carried(a):
    previous = a[-1]
    d = 0
    for x in a:  # native
        d += abs(x - previous)
        previous = x
    return d, previous, x


def defined_in_branch(a):
    for x in a:  # native
        if x > 2:
            big = x
        else:
            small = x
    return big, small


def defined_in_inner(A):
    for i in range(A.shape[0]):  # native
        for j in range(i):
            t = A[i, j]
    return t, i, j


def while_variable(n):
    i = 0
    while i < n:  # native
        j = i
        i += j % 3 + 1
    return i, j


a = np.arange(10) * 3 % 7
show("rebound", *rebound(a), *rebound(a.tolist()))
show("in_branch", *rebound_in_branch(11), *rebound_in_branch(1))
show("augmented", *augmented_variable(a * 0.5), *augmented_variable(np.float32(a)))
show("augmented", *augmented_variable([1, 2, 3]), *augmented_variable([1.5]))
show("same_name", *same_name_twice(4, 5))
show("inner_kept", *inner_kept(7, 4), *inner_kept(1, 4))
show("inner_break", *inner_after_break(a.reshape(2, 5)))
show("bound", *used_as_bound(6))
show("element", variable_is_element(np.zeros(3)), variable_is_element([0, 0, 0]))
show("attribute", *variable_is_attribute(4))
show("list", *variable_is_list(2))
show("enclosing", *variable_in_enclosing(a.copy()), *variable_in_enclosing([1, 2, 3, 4]))
show("its_own", *loop_over_its_own(a), *loop_over_its_own([0.5, 1.5]))
show("same_as_bound", *same_as_bound(8))
show("unused", *unused(9))
show("float", *float_variable(8))
show("carried", *carried(a), *carried(a.tolist()), *carried(a * 0.1))
show("branch", *defined_in_branch(a), *defined_in_branch([1.0, 3.0]))
show("inner", *defined_in_inner(np.arange(16.0).reshape(4, 4)))
show("while", *while_variable(20))
