"""A warning that ends a loop, or that somebody's function is told of, finds the arrays as they are
by then: no element of a later iteration is written yet.
"""

import sys
import warnings

import numpy as np
from showing import show


def scaled(a, out):
    for i in range(len(a)):  # native
        out[i] = a[i] * 1e300
    return out


def quotients(a, b, out):
    k = 0
    for i in range(len(a)):  # native
        out[i] = a[i] / b[i]
        k += 1
    return k


def table(a, out):
    for i in range(a.shape[0]):  # native
        for j in range(a.shape[1]):
            out[i, j] = a[i, j] - np.inf


def attempt(function, *arguments):
    try:
        return function(*arguments)
    except (Warning, FloatingPointError, KeyError) as error:
        line = error.__traceback__.tb_next.tb_lineno if error.__traceback__.tb_next else 0
        return type(error).__name__, str(error), line


a = np.ones(12)
a[7] = 1e30
b = np.arange(12.0) - 9
c = np.zeros((4, 5))
c[2, 3] = np.inf
out = np.zeros(12)
rows = np.zeros((4, 5))

# Run twice without a sign, so that calls alike are known by then.
for turn in range(3):
    show("plain", scaled(np.ones(12), out), quotients(a, np.ones(12), out), out)

for action in ("error", "always", "ignore", "once", "module", "default", "error"):
    with warnings.catch_warnings():
        warnings.simplefilter(action)
        out[:] = 0
        rows[:] = 0
        show(action, attempt(scaled, a, out), out)
        out[:] = 0
        show(action, attempt(quotients, a, b, out), out)
        show(action, attempt(table, c, rows), rows)

with warnings.catch_warnings():
    warnings.filterwarnings("error", category=UserWarning)
    out[:] = 0
    show("another category", attempt(scaled, a, out), out)
    warnings.filterwarnings("error", message="divide by zero.*")
    out[:] = 0
    show("another message", attempt(scaled, a, out), out)
    out[:] = 0
    show("that message", attempt(quotients, a, b, out), out)


def looking(*told):
    show("told", str(told[0]), out)


def refusing(*told):
    raise KeyError(str(told[0]))


with warnings.catch_warnings():
    warnings.simplefilter("always")
    for function in (looking, refusing):
        warnings.showwarning = function
        out[:] = 0
        show(function.__name__, attempt(scaled, a, out), out)
        out[:] = 0
        show(function.__name__, attempt(quotients, a, b, out), out)

with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    out[:] = 0
    show("recorded", attempt(scaled, a, out), out, [str(w.message) for w in seen])

for kind in ("raise", "call", "print", "log", "ignore", "warn"):
    handler = looking if kind == "call" else sys.stdout if kind == "log" else None
    with np.errstate(all=kind, under="ignore", call=handler):
        out[:] = 0
        show(kind, attempt(scaled, a, out), out)
        out[:] = 0
        show(kind, attempt(quotients, a, b, out), out)
