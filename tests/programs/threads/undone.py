"""Chunks that are taken back while other threads write the elements between: theirs stay, to the last one."""

import threading

import numpy as np
from showing import show

N = 3000


def even(a):
    """Writes every second element, until there is none."""
    for i in range(0, 10**6, 2):  # native
        a[i] = a[i] * 0.5 + i
    return a


def rows(A, n):
    """Writes the first columns of rows, one row too many."""
    for i in range(n):  # native
        for j in range(4):
            A[i, j] += i * j


def ints(a, values):
    """A value that does not fit stands at the end."""
    for i in range(len(values)):  # native
        a[3 * i] = values[i]


def warned(a, b):
    for i in range(len(b)):  # native
        a[2 * i + 1] = 1.0 / b[i]


def tree(a, n):
    """Goes through the array in steps that grow; the last is outside."""
    k = 1
    for step in range(n):  # native
        for i in range(0, 1000):
            a[i * k] += 1
        k += 1


class Others:
    """A thread that adds 1 to some elements again and again, until it is told to stop."""

    def __init__(self, view):
        self.view, self.rounds, self.over = view, 0, threading.Event()
        self.begun = threading.Event()
        self.thread = threading.Thread(target=self.work)

    def work(self):
        while not self.over.is_set():
            self.view += 1  # few elements: NumPy's own loop holds the lock
            self.rounds += 1
            self.begun.set()

    def __enter__(self):
        self.thread.start()
        self.begun.wait()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def beside(view, function, *arguments):
    with Others(view) as others:
        for _ in range(20):
            try:
                function(*arguments)
            except (IndexError, OverflowError) as error:
                text = f"{type(error).__name__} {error}"
            else:
                text = "no error"
    return text, bool((view == others.rounds).all()), others.rounds > 0


a = np.zeros(N)
show("even", beside(a[1:801:2], even, a), float(a[::2].sum()))
A = np.zeros((60, 7))
show("rows", beside(A[:, 4:], rows, A, 61), A[:3, :4], float(A[:, :4].sum()))
b = np.zeros(N, dtype=np.int16)
values = list(range(900)) + [10**6]
show("ints", beside(b.reshape(-1, 3)[:200, 1:], ints, b, values), int(b[::3].sum()))
c = np.zeros(N)
with np.errstate(divide="ignore"):
    divisors = np.where(np.arange(N // 2) % 500 == 499, 0.0, 2.0)
    show("warned", beside(c[:800:2], warned, c, divisors), c[1:8:2])
e = np.zeros(N, dtype=np.int64)
show("tree", beside(e[2999:], tree, e, 4), e[:7])
