"""np.errstate and np.seterr: set before a loop, around it, inside its body, by what it calls, in other contexts."""

import contextvars
import threading
import warnings

import numpy as np
from showing import attempt, show

zeros = np.array([1.0, 0.0, 2.0, 0.0])


def divided(a, out):
    for i in range(len(a)):  # native
        out[i] = 1.0 / a[i]
    return out


def inside(a, out):
    for i in range(len(a)):
        with np.errstate(divide="ignore" if i < 2 else "raise"):
            out[i] = 1.0 / a[i]
    return out


def inside_around_a_nest(a, out):
    for k in range(3):
        with np.errstate(divide=("ignore", "warn", "raise")[k]):
            for i in range(len(a)):  # native
                out[i] += k / a[i]
    return out


def set_half_way(a, out):
    for i in range(len(a)):
        if i == 2:
            np.seterr(divide="raise")
        out[i] = 1.0 / a[i]
    return out


def raising():
    np.seterr(all="raise")
    return 0.0


def set_by_callee(a, out):
    for i in range(len(a)):
        out[i] = 1.0 / a[i] + (raising() if i == 1 else 0.0)
    return out


@np.errstate(all="raise")
def decorated(a, out):
    for i in range(len(a)):  # cpython
        out[i] = 1.0 / a[i]
    return out


@np.errstate(all="ignore")
def decorated_quietly(a):
    s = np.float32(1)
    for x in a:  # native
        s = s * x
    return s


def generated(a):
    with np.errstate(divide="ignore"):
        for k in range(2):
            s = 0.0
            for x in a:  # native
                s += k / x
            yield s


class Log:
    def __init__(self):
        self.lines = []

    def write(self, text):
        self.lines.append(text)
        zeros[0] += 1.0


def ints(a, b, out):
    for i in range(len(a)):  # native
        out[i] = a[i] // b[i]
    return out


def wraps(a):
    s = np.int8(100)
    for x in a:
        s = s + x
    return s


def underflows(a):
    s = 1.0
    for x in a:  # native
        s = s * x
    return s


def messages(function, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        attempt(function, *arguments)
    print("   ", sorted({(str(w.message), w.lineno) for w in caught}), len(caught))


for action in ("ignore", "warn", "raise", "print"):
    for name in ("divide", "over", "under", "invalid", "all"):
        with np.errstate(**{name: action}):
            print(name, action)
            out = np.zeros(4)
            messages(divided, zeros, out)
            show("out", out)
            messages(ints, np.array([5, 5]), np.array([0, 2]), np.zeros(2, dtype=int))
            messages(ints, np.array([-(2**63), 5]), np.array([-1, 2]), np.zeros(2, dtype=int))
            messages(wraps, np.array([1, 100], dtype=np.int8))
            messages(underflows, np.array([1e-200, 1e-200, 5.0]))
            messages(underflows, np.array([1e200, 1e200, 5.0]))
            messages(underflows, np.array([np.inf, 0.0, 5.0]))
for function in (inside, inside_around_a_nest, decorated):
    out = np.zeros(4)
    messages(function, zeros, out)
    show("out", out, np.geterr())
for function in (set_half_way, set_by_callee):
    out = np.zeros(4)
    old = np.geterr()
    messages(function, zeros, out)
    show("out", out, np.geterr())
    np.seterr(**old)
show("quiet", decorated_quietly(np.float32([1e30, 1e30])))

# A generator's state is the context's, not its own.
g = generated(zeros)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    show("generated", next(g))
    divided(zeros, np.zeros(4))
    show("generated", next(g), next(g, None))
    divided(zeros, np.zeros(4))
show("generated", len(caught))

# Calls that log, and that change what the loop reads.
log = Log()
with np.errstate(divide="log"):
    np.seterrcall(log)
    show("log", divided(zeros, np.zeros(4)), log.lines, zeros)
    np.seterrcall(None)
calls = []


def called(kind, flag):
    calls.append((kind, flag))
    if len(calls) > 1:
        raise KeyError(kind)


with np.errstate(divide="call"):
    np.seterrcall(called)
    out = np.zeros(4)
    attempt(divided, zeros, out)
    show("call", out, calls)
    np.seterrcall(None)

# Another context, another thread.
with np.errstate(divide="raise"):
    context = contextvars.copy_context()
attempt(divided, zeros, np.zeros(4))


def in_context():
    np.seterr(divide="raise")
    attempt(divided, zeros, np.zeros(4))


contextvars.copy_context().run(in_context)
messages(divided, zeros, np.zeros(4))
with np.errstate(divide="raise"):
    thread = threading.Thread(target=messages, args=(divided, zeros, np.zeros(4)))
    thread.start()
    thread.join()
