# names that a loop assigns, after a signal's handler raised in it; a[0] tells how far the loop really came
import signal
import sys


class Stop(Exception):
    pass


def handler(*a):
    raise Stop


signal.signal(signal.SIGALRM, handler)


def v_true(a):
    n = 0
    try:
        while True:
            n += 1
            a[0] += 1
    except Stop:
        return n


def v_cond(a):
    n = 0
    try:
        while n < 10**12:
            n += 1
            a[0] += 1
    except Stop:
        return n


def v_flag(a):
    n = 0
    go = True
    try:
        while go:
            n += 1
            a[0] += 1
            if n > 10**12:
                go = False
    except Stop:
        return n


def v_break(a):
    n = 0
    try:
        while True:
            n += 1
            a[0] += 1
            if n > 10**12:
                break
    except Stop:
        return n


def v_inner(a):
    n = 0
    try:
        while True:
            n += 1
            for j in range(3):
                a[j] += 1
    except Stop:
        return n


def v_for(a):
    n = 0
    try:
        for i in range(10**12):
            n += 1
            a[0] += 1
    except Stop:
        return n


def v_nested(a):
    n = 0
    try:
        for i in range(10**6):
            for j in range(10**6):
                n += 1
                a[0] += 1
    except Stop:
        return n


def v_finally(a):
    n = 0
    try:
        try:
            while True:
                n += 1
                a[0] += 1
        finally:
            r = n
    except Stop:
        return r


for f in (v_true, v_cond, v_flag, v_break, v_inner, v_for, v_nested, v_finally):
    a = [0] * 3
    signal.setitimer(signal.ITIMER_REAL, 0.4)
    n = f(a)
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(f.__name__, abs(n - a[0]) <= 1, a[0] > 10**5)
    print("   ", n, a[0], file=sys.stderr)
