"""Runs programs and writes what their names hold before and after, bit by bit.

Reads JSON from stdin: a list of [setup, source]. Writes one line a fact.
"""

import array
import json
import math
import resource
import signal
import struct
import sys
import types
import warnings

import numpy as np


def bits(value):
    return "{:016x}".format(struct.unpack("<Q", struct.pack("<d", value))[0])


def item(value):
    """One element or scalar: its type and value as one word."""
    kind = type(value)
    if kind is bool:
        return "py:bool:%d" % value
    if kind is int:
        # Nothing native is so large; writing it could take forever.
        return "py:int:%d" % value if value.bit_length() < 4000 else "py:int:0"
    if kind is float:
        return "py:float:" + bits(value)
    if kind is complex:
        return f"py:complex:{bits(value.real)},{bits(value.imag)}"
    if kind is str and len(value) == 1:
        return "py:char:%d" % ord(value)
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        name = value.dtype.name
        if value.dtype.kind == "c":
            return f"np:{name}:{bits(float(value.real))},{bits(float(value.imag))}"
        if value.dtype.kind == "f":
            return f"np:{name}:{bits(float(value))}"
        return "np:%s:%d" % (name, int(value))
    return None


def flatten(value, depth):
    return [value] if depth == 0 else [x for row in value for x in flatten(row, depth - 1)]


def describe(value):
    """A scalar or an array as one line; None for anything else."""
    word = item(value)
    if word:
        return "scalar " + word
    if isinstance(value, np.ndarray):
        words = [item(x) for x in value.ravel()]
        return "array ndarray:{} {} {}".format(
            value.dtype.name,
            ",".join(map(str, value.shape)),
            " ".join(words),
        )
    if isinstance(value, str):
        return "array str:char %d %s" % (len(value), " ".join(map(item, value)))
    if isinstance(value, (bytes, bytearray)):
        return "array bytes:uint8 %d %s" % (len(value), " ".join(map(item, value)))
    if isinstance(value, array.array):
        return "array array.%s:%s %d %s" % (
            value.typecode,
            value.typecode,
            len(value),
            " ".join(map(item, value)),
        )
    if isinstance(value, (list, tuple)):
        dims, inner = [], value
        while isinstance(inner, (list, tuple)):
            dims.append(len(inner))
            if not inner:
                break
            inner = inner[0]
        words = [item(x) for x in flatten(value, len(dims))]
        if None in words:
            return None
        return "array {}:object {} {}".format(
            type(value).__name__,
            ",".join(map(str, dims)),
            " ".join(words),
        )
    return None


def state(names, label):
    for name in sorted(names):
        if name.startswith("_") or isinstance(names[name], (types.ModuleType, types.FunctionType)):
            continue
        line = describe(names[name])
        if line:
            print(label, name, line)


def expire(signum, frame):
    raise TimeoutError


def main():
    # Ints grow, and with them time and memory.
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    signal.signal(signal.SIGALRM, expire)
    for setup, source in json.load(sys.stdin):
        print("program")
        names = {"np": np, "math": math, "array": array}
        exec(setup, names)
        state(names, "pre")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            signal.setitimer(signal.ITIMER_REAL, 2)
            try:
                exec(compile(source, "test", "exec"), names)
            except Exception as error:
                print("raised", type(error).__name__, str(error).replace("\n", " "))
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        for warning in caught:
            print("warned", warning.message)
        state(names, "post")


main()
