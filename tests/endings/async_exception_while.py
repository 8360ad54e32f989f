# a time limit by an asynchronous exception from a watchdog thread, as func_timeout and Jupyter do
import ctypes
import threading
import time


class Timeout(Exception):
    pass


def limited(f, *a, seconds=0.4):
    me = threading.get_ident()
    done = threading.Event()

    def watch():
        if not done.wait(seconds):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(me), ctypes.py_object(Timeout)
            )

    t = threading.Thread(target=watch)
    t.start()
    try:
        return f(*a)
    except Timeout:
        return "timeout"
    finally:
        done.set()
        t.join()


def w(a):
    n = 0
    while n < 10**12:
        n += 1
        a[0] += 1


def fo(a):
    for i in range(10**12):
        a[0] += i & 1


def nest(a):
    for i in range(10**6):
        for j in range(10**6):
            a[j % 3] += 1


def true(a):
    while True:
        a[0] += 1


for f in (w,):
    t = time.perf_counter()
    a = [0, 0, 0]
    r = limited(f, a)
    print(f.__name__, r, time.perf_counter() - t < 3, a[0] > 1000)
