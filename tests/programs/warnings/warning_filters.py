"""Filters of warnings, what replaces their functions, and once-per-location across calls, loops and modules."""

import sys
import types
import warnings

import numpy as np
from showing import attempt, show


def divided(a, b, out):
    for i in range(len(a)):  # native
        out[i] = a[i] / b[i]
    return out


def two_kinds(a, out):
    for i in range(len(a)):  # native
        out[i] = np.log(a[i])
        out[i] += np.sqrt(a[i])
    return out


def wrapped(a):
    s = np.int8(100)
    for x in a:  # native
        s = s + x
    return s


def one_line(a, out):
    for i in range(len(a)): out[i] = 1 / a[i]  # fmt: skip
    for i in range(len(a)): out[i] = out[i] * 1e308  # fmt: skip
    return out


def never(a, b, out):
    for i in range(len(a)):  # native
        if b[i] != 0:
            out[i] = a[i] / b[i]
    return out


def nested(A, out):
    for i in range(A.shape[0]):  # native
        for j in range(A.shape[1]):
            out[i, j] = 1.0 / A[i, j]
    return out


ones, zeros = np.ones(5), np.array([1.0, 0.0, 2.0, 0.0, 0.0])
ints = np.array([50, -3, 100, 120, -128], dtype=np.int8)


show("plain", two_kinds(ones, np.zeros(5)), nested(np.ones((2, 2)), np.zeros((2, 2))))


def run():
    show("divided", attempt(divided, ones, zeros, np.zeros(5)))
    show("kinds", attempt(two_kinds, -zeros, np.zeros(5)))
    show("wrapped", attempt(wrapped, ints))
    show("line", attempt(one_line, zeros, np.zeros(5)))
    show("nested", attempt(nested, zeros[:4].reshape(2, 2), np.zeros((2, 2))))
    show("never", attempt(never, ones, zeros, np.zeros(5)))


def messages(caught):
    return [(w.category.__name__, str(w.message), w.lineno) for w in caught]


for action in ("default", "always", "once", "module", "ignore", "error"):
    for times in (1, 2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter(action)
            for _ in [0] * times:
                run()
        show(action, times, messages(caught))

# One kind, one message, one module, one line.
for filters in (
    [("ignore", "divide by zero")],
    [("error", "overflow")],
    [("error", "invalid"), ("always", "divide")],
):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for action, message in filters:
            warnings.filterwarnings(action, message)
        run()
    show("by message", filters, messages(caught))
for category in (RuntimeWarning, UserWarning, Warning, DeprecationWarning):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("error", category)
        run()
    show("by category", category.__name__, messages(caught))
for module in (__name__, "numpy", ".*other.*", "showing"):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("error", module=module)
        run()
    show("by module", module, messages(caught))
line = divided.__code__.co_firstlineno + 2
for number in (line, line + 1, 0):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("error", lineno=number)
        run()
    show("by line", number == line, messages(caught))
with warnings.catch_warnings():
    warnings.filters.insert(0, ("error", None, RuntimeWarning, None, 0))
    warnings._filters_mutated() if hasattr(warnings, "_filters_mutated") else None
    attempt(divided, ones, zeros, np.zeros(5))
with warnings.catch_warnings():
    warnings.resetwarnings()
    attempt(divided, ones, ones, np.zeros(5))


# Filters change in the middle of a loop, by what it calls.
def strict():
    warnings.simplefilter("error")


def changed_inside(a, out):
    for i in range(len(a)):
        if i == 3:
            strict()
        out[i] = 1 / a[i]
    return out


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    out = np.zeros(5)
    attempt(changed_inside, zeros, out)
    show("changed inside", out)


# Once per location: the registry of the module remembers lines, and forgets when filters change.
def locations():
    return sorted(
        (key[0], key[2]) for key in globals().get("__warningregistry__", {}) if type(key) is tuple
    )


with warnings.catch_warnings():
    warnings.simplefilter("default")
    globals().pop("__warningregistry__", None)
    sys.stderr.flush()
    print("first", file=sys.stderr)
    divided(ones, zeros, np.zeros(5))
    print("again", file=sys.stderr)
    divided(ones, zeros, np.zeros(5))
    two_kinds(-zeros, np.zeros(5))
    show("registry", locations())
    __warningregistry__.clear()
    print("forgotten", file=sys.stderr)
    divided(ones, zeros, np.zeros(5))
    show("registry", locations())

# What prints them is the user's own.
shown = []


def mine(message, category, filename, lineno, file=None, line=None):
    shown.append((category.__name__, str(message), lineno))
    ones[0] += 1  # it may do anything


kept = warnings.showwarning
warnings.showwarning = mine
with np.errstate():
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = mine
            show("mine", divided(ones, zeros, np.zeros(5)), ones[0])
warnings.showwarning = kept
show("shown", shown)


def failing(*arguments, **more):
    raise LookupError("from showwarning")


with warnings.catch_warnings():
    warnings.simplefilter("always")
    warnings.showwarning = failing
    out = np.zeros(5)
    attempt(divided, ones, zeros, out)
    show("failing", out)

# The same functions in a module of another name, with a registry of its own.
other = types.ModuleType("other_module")
text = """
def divided(a, b, out):
    for i in range(len(a)):
        out[i] = a[i] / b[i]
    return out
"""
exec(compile(text, "other_module.py", "exec"), other.__dict__)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("ignore")
    warnings.filterwarnings("always", module="other_module")
    other.divided(ones, zeros, np.zeros(5))
    divided(ones, zeros, np.zeros(5))
show("other module", messages(caught), "__warningregistry__" in vars(other))
