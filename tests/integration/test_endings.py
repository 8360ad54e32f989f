"""Signals in long loops, and processes that end while loops run."""

import subprocess
import sys

import pytest
from differential import DEVICES, difference, environment, nestwise, python

# From the signal to the exception: what a test machine under load may add is in it.
LATENCY_S = 0.5

INTERRUPTED = """\
import signal
import subprocess
import sys
import time

import numpy as np

signal.signal(signal.SIGINT, signal.default_int_handler)
CHILD = "import os, signal, time; time.sleep(0.3); print(time.monotonic(), flush=True); "
CHILD += "os.kill(os.getppid(), signal.SIGINT)"


def counting(a, n):
    for k in range(n):
        for i in range(len(a)):
            a[i] += 1
    return k


def checked(a, n):
    # May fail at any element, so that native code keeps the interpreter lock.
    for k in range(n):
        for i in range(len(a)):
            a[i] = a[i] + b[j[i]]
    return k


def recurrence(n):
    s = 1
    for i in range(n):
        s = (s * 5 + i) & 0xFFFFFF
    return s


def until(n):
    s = k = 0
    while k < n:
        s = (s * 5 + k) & 0xFFFFFF
        k += 1
    return s


def listed(xs, n):
    for k in range(n):
        for i in range(len(xs)):
            xs[i] += 1
    return k


def repeated(a, n):
    # One iteration of the outermost loop takes for ever.
    for r in range(100):
        for k in range(n):
            for i in range(len(a)):
                a[i] += 1
    return r


def deeper(a, n):
    return 1 + counting(a, n)


b, j = np.ones(40, dtype=np.int64), np.arange(4000) % 40
array, numbers = np.zeros(4000, dtype=np.int64), [0] * 4000
CASES = {
    "counting": lambda: counting(array, 10**12),
    "checked": lambda: checked(array, 10**12),
    "recurrence": lambda: recurrence(10**15),
    "until": lambda: until(10**15),
    "listed": lambda: listed(numbers, 10**12),
    "repeated": lambda: repeated(array, 10**12),
    "deeper": lambda: deeper(array, 10**12),
}
for name, work in CASES.items():
    array[:], numbers[:] = 0, [0] * 4000
    child = subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE, text=True)
    try:
        work()
        late = None
    except KeyboardInterrupt:
        late = time.monotonic()
    late -= float(child.communicate()[0])
    # Where it is interrupted, some elements have been counted once more than others.
    least, most = int(array.min()), int(array.max())
    together = most - least <= 1 and (np.diff(array) <= 0).all()
    alike = max(numbers) - min(numbers) <= 1 and numbers == sorted(numbers, reverse=True)
    done = {"listed": max(numbers), "recurrence": 1, "until": 1}.get(name, most) > 0
    small = np.zeros(5, dtype=np.int64)
    print(name, late < LATENCY or late, bool(together), alike, done, counting(small, 3), small)
"""


@pytest.mark.parametrize("device", ["serial", "threads", "auto", "planned"])
def test_control_c(device, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(INTERRUPTED.replace("LATENCY", str(LATENCY_S)))
    got = nestwise(program, device, tmp_path / "cache")
    assert (got.code, got.stderr) == (0, "")
    names = ("counting", "checked", "recurrence", "until", "listed", "repeated", "deeper")
    wanted = [f"{name} True True True True 2 [3 3 3 3 3]" for name in names]
    assert got.stdout.splitlines() == wanted
    nests = [nest for nest in got.report["nests"] if nest["launches"]]
    assert len(nests) >= 5 and not got.report["panics"]


COMMON = """\
import atexit, os, sys, threading, time
import numpy as np

def total(n):
    s = 0
    for i in range(n):
        s = (s * 3 + i) & 0xFFFF
    return s

def scaled(a, n):
    for k in range(n):
        for i in range(len(a)):
            a[i] = (a[i] * 3 + 1) % 1000
    return a

print(total(1000), scaled(np.arange(5), 3))
sys.stdout.flush()
"""

ENDINGS = {
    "os._exit": "scaled(np.arange(50000), 3)\nos._exit(total(100) % 50)",
    "os._exit in a thread": """
def work():
    total(10**5)
    os._exit(7)
threading.Thread(target=work).start()
total(10**13)
""",
    "sys.exit in a thread": """
def work():
    for i in range(10**5):
        if i == 50_000:
            sys.exit(5)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print("on", total(50))
""",
    "exception in a thread": """
def work():
    a = np.zeros(10)
    for i in range(20):
        a[i] = i
thread = threading.Thread(target=work)
thread.start()
thread.join()
print("on", total(50))
""",
    "a daemon thread runs on": """
def work():
    while True:
        total(10**9)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("end")
""",
    "a daemon thread with an array": """
a = np.arange(100_000)
def work():
    while True:
        scaled(a, 10**9)
threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("end")
""",
    "atexit and __del__": """
class Last:
    def __init__(self):
        self.a = np.arange(4)
    def __del__(self):
        print("del", total(200), scaled(self.a, 2).tolist())
last = Last()
atexit.register(lambda: print("atexit", total(300)))
""",
    "a finalizer in the middle": """
import gc
class Node:
    def __del__(self):
        seen.append(total(10))
seen = []
def churn(n):
    s = 0
    for i in range(n):
        s += i & 3
    return s
gc.set_threshold(5)
for k in range(50):
    x, y = Node(), Node()
    x.y, y.x = y, x
    del x, y
    churn([10, 10.0, np.int64(10), np.int32(10), True][k % 5] if k % 5 != 1 else 10)
gc.collect()
print(len(seen), set(seen))
""",
    "a signal kills it": """
import signal
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
total(10**14)
""",
    "an alarm kills it": "import signal\nsignal.alarm(1)\ntotal(10**14)",
    "a subinterpreter": """
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
made = interpreters.create()
code = "def f(n):\\n  s = 0\\n  for i in range(n):\\n    s += i\\n  return s\\nprint(f(10))"
interpreters.run_string(made, code)
interpreters.destroy(made)
print("on", total(70))
""",
    "a frozen thread pool": """
scaled(np.arange(200_000), 4)
scaled(np.arange(200_000), 4)
child = os.fork()
if child == 0:
    print("child", scaled(np.arange(200_000), 4).sum())
    sys.exit(4)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""",
}


@pytest.mark.parametrize("device", ["serial", "threads"])
@pytest.mark.parametrize("name", ENDINGS)
def test_endings(name, device, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(COMMON + ENDINGS[name])
    expected = python(program, timeout=60)
    got = nestwise(program, device, tmp_path / "cache", timeout=60)
    assert not (found := difference(expected, got)), found
    assert expected.code != "timeout"


OUT_OF_MEMORY = """\
import resource
import sys
import numpy as np

def doubled(xs):
    for i in range(len(xs)):
        xs[i] = xs[i] * 2 + 1.5
    return xs

def total(xs):
    s = 0.0
    for x in xs:
        s += x
    return s

def gathered(n):
    found = []
    for i in range(n):
        found.append(i * 1000)
    return found

def checked(a, j):
    for i in range(len(j)):
        a[j[i]] += 1
    return a

doubled([1.0] * 100), total([1.0] * 100), gathered(100)
xs = [float(i) for i in range(1_000_000)]
a, j = np.zeros(1_000_000), np.arange(1_000_000)
checked(np.zeros(100), np.arange(100))
for room in ROOMS:
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * 4096
    resource.setrlimit(resource.RLIMIT_AS, (size + (room << 20), resource.RLIM_INFINITY))
    for name, work in (
        ("total", lambda: total(xs)),
        ("doubled", lambda: doubled(xs)),
        ("gathered", lambda: len(gathered(2_000_000))),
        ("checked", lambda: checked(a, j)),
    ):
        before = xs[::100_000], a[::100_000].tolist()
        try:
            work()
        except MemoryError:
            word = "MemoryError"
        else:
            word = "done"
        # Whatever came of it, each element was changed once or not at all.
        for old, new in zip(before[0], xs[::100_000]):
            assert new in (old, old * 2 + 1.5), (name, old, new)
        for old, new in zip(before[1], a[::100_000].tolist()):
            assert new in (old, old + 1), (name, old, new)
        print(room, name, word)
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
print(total(doubled([1.0] * 100)))
"""


@pytest.mark.parametrize("device", ["serial", "threads"])
def test_little_memory(device, tmp_path):
    """Nothing is computed twice over, whatever there is no memory for, and the process goes on."""
    program = tmp_path / "program.py"
    program.write_text(OUT_OF_MEMORY.replace("ROOMS", "(0, 1, 4, 9, 20, 33, 60, 200)"))
    words = [sys.executable, "-m", "nestwise", "run", *DEVICES[device], str(program)]
    env = environment(tmp_path / "cache")
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "350.0"
    assert "200 total done" in done.stdout and done.stderr == ""
