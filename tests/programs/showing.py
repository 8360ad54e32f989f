"""Prints values so that nothing about them is hidden: type, bits, shape.

The scripts in these folders import it; it holds no loop statement, so that it is never itself
part of what is tested.
"""

import traceback

import numpy as np


def bits(x):
    """A value's text, floats by their bits (every NaN alike: its sign is no one's promise)."""
    kind = type(x)
    if isinstance(x, np.ndarray):
        return f"{x.dtype.str} {x.shape} {bits(x.tolist())}"
    if isinstance(x, (complex, np.complexfloating)):
        return f"{bits(float(x.real))}+{bits(float(x.imag))}j"
    if isinstance(x, (float, np.floating)):
        return float(x).hex()
    if kind in (list, tuple):
        inner = ", ".join(text(v) if type(v) not in (int, float) else bits(v) for v in x)
        return f"[{inner}]" if kind is list else f"({inner})"
    if kind is int and x.bit_length() > 10_000:
        return hex(x)  # CPython refuses to write so many decimal digits
    if kind.__repr__ == object.__repr__:
        return f"<{kind.__qualname__}>"  # the address is no one's promise either
    return repr(x)


def text(x):
    return f"{type(x).__name__} {bits(x)}"


def show(name, *values):
    print(name, *map(text, values), sep=" | ")


def attempt(function, *arguments):
    """What a call gives or raises: the exception's type, message and line within the caller."""
    try:
        result = function(*arguments)
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)[1:]]
        print(function.__name__, "raised", type(error).__name__, error, "at", *lines)
        return None
    show(function.__name__, result)
    return result
