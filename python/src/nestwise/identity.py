"""Whether a program tells objects apart: only then must a copied number stay one object.

Looked for in the code that CPython made, since that is at hand even where ours comes from a
cache.
"""

from __future__ import annotations

import builtins
import opcode
from types import CodeType

_IS_OP = opcode.opmap.get("IS_OP", -1)
_SINGLETONS = (None, True, False, Ellipsis)
# Names that are asked for the identity of what they are given.
_ASKING = {"is_", "is_not", "assertIs", "assertIsNot"}
_TYPES = {name for name, value in vars(builtins).items() if isinstance(value, type)}
_ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR")
_OF_NUMBERS = {*dir(int), *dir(float), *dir(complex)}
# NumPy's types as attributes of its module; np.nan is not one.
_NUMPY_TYPES = {
    *("ndarray", "generic", "number", "integer", "floating", "inexact", "bool_", "object_"),
    *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
    *("float16", "float32", "float64", "complex64", "complex128"),
}


def observed(code: CodeType) -> bool:
    """Whether the code, or a function in it, may compare two numbers by `is`, or asks `id()`.

    `p is q` compares none where the same code uses an attribute of `q` that no number has.
    """
    names = code.co_names
    if not _ASKING.isdisjoint(names):
        return True
    if ("id" in names or _IS_OP in code.co_code[::2]) and _asks(code):
        return True
    return any(isinstance(c, CodeType) and observed(c) for c in code.co_consts)


def _asks(code: CodeType) -> bool:
    import dis

    compared, objects = set(), set()
    before = None
    for now in dis.get_instructions(code):
        if now.opname in ("LOAD_GLOBAL", "LOAD_NAME") and now.argval == "id":
            return True
        name = before and _loaded(before)
        if now.opname == "IS_OP" and not (before and _is_no_number(before)):
            if name is None:
                return True
            compared.add(name)
        elif now.opname in _ATTRIBUTE and now.argval not in _OF_NUMBERS:
            objects.add(name)
        before = now
    return not compared <= objects


def _loaded(load) -> str | None:
    """The name that an instruction loads (last)."""
    if not load.opname.startswith(("LOAD_FAST", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF")):
        return None
    return load.argval[-1] if isinstance(load.argval, tuple) else load.argval


def _is_no_number(load) -> bool:
    """`x is None`, `type(x) is int`, `dtype is np.float64`."""
    if load.opname == "LOAD_CONST":
        return any(load.argval is s for s in _SINGLETONS)
    if load.opname == "LOAD_ATTR":
        return load.argval in _NUMPY_TYPES
    return load.opname in ("LOAD_GLOBAL", "LOAD_NAME") and load.argval in _TYPES
