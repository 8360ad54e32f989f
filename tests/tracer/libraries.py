"""What is known of functions and types that are not a script's own."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

# Values without parts that could change.
IMMUTABLE = (
    str,
    bytes,
    int,
    float,
    complex,
    tuple,
    range,
    frozenset,
    np.generic,
    np.dtype,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    np.ufunc,
    type(None),
    slice,
)

# Functions that write their first argument.
WRITERS = {
    "at",
    "copyto",
    "fill_diagonal",
    "put",
    "place",
    "putmask",
    "put_along_axis",
    "heappush",
    "heappop",
    "heapify",
    "heapreplace",
    "heappushpop",
    "insort",
    "insort_left",
    "insort_right",
    "setattr",
    "shuffle",
    "setitem",
}

# Methods of arrays and lists that write them.
WRITING_METHODS = {
    "fill",
    "sort",
    "partition",
    "put",
    "resize",
    "setfield",
    "byteswap",
    "itemset",
    "__setitem__",
    "__iadd__",
    "extend",
    "insert",
    "remove",
    "reverse",
    "clear",
}

# Methods of arrays whose result may be a view, which reads nothing.
VIEWS = {
    "view",
    "reshape",
    "ravel",
    "transpose",
    "swapaxes",
    "squeeze",
    "diagonal",
    "astype",
    "__getitem__",
}

LIST_METHODS = {"append", "pop", "copy", "index", "count", *WRITING_METHODS}
DICT_READS = {"keys", "values", "items", "get", "copy"}


# A script may give these names to something else.
_RANGE = range
_RANGE_ITERATOR = type(reversed(range(1)))


def iterated_range(values: Any) -> range | None:
    """The range that a `for` loop goes through, `reversed(range(..))` included."""
    if isinstance(values, _RANGE):
        return values
    if isinstance(values, _RANGE_ITERATOR):
        return values.__reduce__()[1][0]
    return None
