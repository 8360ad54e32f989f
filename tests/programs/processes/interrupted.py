"""Signals, alarms, threads and exits while loops run."""

import _thread
import atexit
import signal
import sys
import threading
import time

import numpy as np
from showing import show


def long_sum(n):
    s = 0
    for i in range(n):  # native
        s = (s * 31 + i) & 0xFFFF
    return s


def long_list(a, n):
    for k in range(n):  # native
        for i in range(1, len(a)):
            a[i] = (a[i] * 3 + a[i - 1]) % 1000003
    return a


def long_array(a, n):
    for k in range(n):  # native
        for i in range(1, len(a)):
            a[i] = (a[i] * 3 + a[i - 1]) % 1000003
    return a


class Stop(Exception):
    pass


def stop(number, frame):
    raise Stop(number)


def stopped(function, *arguments):
    """The loop does not end: only the signal ends it."""
    begun = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        function(*arguments)
    except (Stop, KeyboardInterrupt) as error:
        print(function.__name__, type(error).__name__, time.monotonic() - begun < 20)
    else:
        print(function.__name__, "ended")


signal.signal(signal.SIGALRM, stop)
stopped(long_sum, 10**12)
stopped(long_list, list(range(1000)), 10**9)
stopped(long_array, np.arange(1000), 10**9)
signal.signal(signal.SIGALRM, signal.default_int_handler)
stopped(long_sum, 10**12)
signal.signal(signal.SIGALRM, signal.SIG_DFL)

# A handler that changes what the loop works on.
data = [0] * 2000
seen = []


def shrink(number, frame):
    seen.append(len(data))
    del data[1000:]


def touch(a, n):
    s = 0
    for k in range(n):
        for i in range(2000):
            s = (s + a[i] + i) & 0xFFFF
    return s


signal.signal(signal.SIGALRM, shrink)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    touch(data, 10**5)
except IndexError as error:
    print("IndexError", error)
else:
    print("no error")
while not seen:
    time.sleep(0.01)
print(seen, len(data))
signal.signal(signal.SIGALRM, signal.SIG_DFL)

# Other threads read and write other elements meanwhile.
shared = np.zeros(4000)
stop_now = threading.Event()


def other():
    while not stop_now.is_set():
        for i in range(2000, 2010):
            shared[i] += 1
    shared[2000:2010] = -1


def mine(a, n):
    for k in range(n):  # native
        for i in range(2000):
            a[i] = a[i] * 0.5 + i
    return a


thread = threading.Thread(target=other)
thread.start()
mine(shared, 500)
stop_now.set()
thread.join()
show("shared", shared[1990:2012], float(shared.sum()))

# The same function in several threads at once.
results = {}


def work(k):
    results[k] = long_sum(20000 + k), long_list([k] * 50, 40)[-1]


threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(sorted(results.items()))


def interrupt_main():
    time.sleep(0.3)
    _thread.interrupt_main()


# A shell's background jobs ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Thread(target=interrupt_main).start()
try:
    long_sum(10**12)
except KeyboardInterrupt:
    print("interrupted")


def goodbye():
    print("at exit", long_sum(1000))


atexit.register(goodbye)
for i in range(10):
    if i == 7:
        sys.exit(i)
