"""Loops that wait for what a signal's handler or another thread changes come to their end."""

import pytest
from differential import difference, nestwise, python

COMMON = """\
import signal, sys, threading, time
import numpy as np

class Box:
    stop = False

def wait_for(work):
    '''Does `work` some time later, in a handler or in a thread.'''
    if HANDLER:
        signal.signal(signal.SIGALRM, lambda *_: work())
        signal.setitimer(signal.ITIMER_REAL, 0.3)
    else:
        def later():
            time.sleep(0.3)
            work()
        threading.Thread(target=later, daemon=True).start()
"""

WAITING = {
    "global": """
stop = False
def spin():
    n = 0
    while not stop:
        n += 1
    return n > 0
def work():
    global stop
    stop = True
wait_for(work)
print(spin())
""",
    "counted": """
stop = False
def spin():
    n = 0
    for i in range(10**13):
        if stop:
            break
        n += 1
    return n > 0, i == n
def work():
    global stop
    stop = True
wait_for(work)
print(spin())
""",
    "attribute": """
box = Box()
def spin(box):
    n = 0
    while not box.stop:
        n += 1
    return n > 0
wait_for(lambda: setattr(box, "stop", True))
print(spin(box))
""",
    "class attribute": """
def spin():
    n = 0
    while not Box.stop:
        n += 1
    return n > 0
wait_for(lambda: setattr(Box, "stop", True))
print(spin())
""",
    "list": """
flags = [0, 0]
def spin(flags):
    n = 0
    while flags[1] == 0:
        n += 1
    return n > 0
wait_for(lambda: flags.__setitem__(1, 5))
print(spin(flags))
""",
    "rows": """
rows = [[0.0, 1.0], [2.0, 3.0]]
def spin(rows):
    n = 0
    while rows[1][0] > 1.0:
        n += 1
    return n > 0
wait_for(lambda: rows.__setitem__(1, [0.5, 3.0]))
print(spin(rows))
""",
    "array": """
flag = np.zeros(3, dtype=np.int64)
def spin(flag):
    n = 0
    while flag[2] == 0:
        n += 1
    return n > 0
wait_for(lambda: flag.__setitem__(2, 1))
print(spin(flag))
""",
    "inlined": """
stop = False
def stopped():
    return stop
def spin():
    n = 0
    while not stopped():
        n += 1
    return n > 0
def work():
    global stop
    stop = True
wait_for(work)
print(spin())
""",
    "nonlocal": """
def main():
    stop = False
    def work():
        nonlocal stop
        stop = True
    wait_for(work)
    n = 0
    while not stop:
        n += 1
    return n > 0
print(main())
""",
    "cell": """
def main():
    stop = False
    def spin():
        n = 0
        while not stop:
            n += 1
        done.append(n > 0)
    done = []
    thread = threading.Thread(target=spin)
    thread.start()
    time.sleep(0.3)
    stop = True
    thread.join()
    return done
print(main())
""",
    "others get on": """
ticks = []
def tick():
    while len(ticks) < 20:
        ticks.append(1)
        time.sleep(0.001)
thread = threading.Thread(target=tick)
thread.start()
xs = [1] * 500
def count(xs, n):
    for k in range(n):
        for i in range(len(xs)):
            xs[i] = (xs[i] * 3 + k) % 1009
        if len(ticks) >= 20:
            return True
def spin(xs, a, n):
    for k in range(n):
        for i in range(len(xs)):
            xs[i] = (xs[i] * 3 + k) % 1009
            a[i] = a[i] * 3 % 1009
        if not thread.is_alive():
            return True
print(count(xs, 10**9), spin(xs, np.arange(500), 10**9))
""",
}


@pytest.mark.parametrize("source", ["handler", "thread"])
@pytest.mark.parametrize("name", WAITING)
def test_it_is_noticed(name, source, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(COMMON.replace("HANDLER", str(source == "handler")) + WAITING[name])
    expected = python(program, timeout=30)
    got = nestwise(program, "serial", tmp_path / "cache", timeout=30)
    assert not (found := difference(expected, got)), found
    assert expected.code == 0
