"""Whether a program tells objects apart: only then must a copied number stay one object.

Looked for in the code that CPython made, since that is at hand even where ours comes from a
cache.
"""

from __future__ import annotations

import builtins
import opcode
from collections.abc import Iterator
from types import CodeType

_IS_OP = opcode.opmap.get("IS_OP", -1)
_SINGLETONS = (None, True, False, Ellipsis)
# Names that are asked for the identity of what they are given.
_ASKING = {"is_", "is_not", "assertIs", "assertIsNot"}
_TYPES = {name for name, value in vars(builtins).items() if isinstance(value, type)}
# Names by which others may be bound.
_BINDING = {"__dict__", "exec", "globals", "locals", "setattr", "vars"}
# Instructions that have nothing to do with what is stored.
_NOTHING = {"CACHE", "EXTENDED_ARG", "NOP", "PRECALL", "PUSH_NULL"}
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

    `p is q` compares none where the same code uses an attribute of either that no number has, nor
    where `q` is a name of the module that is bound to functions, classes or `object()` alone.
    """
    # Only then all of the code is looked through, which takes longer.
    return _observed(code, frozenset()) and _observed(code, _objects(code))


def _observed(code: CodeType, known: frozenset[str]) -> bool:
    """The same, where names that are `known` are bound to no numbers."""
    names = code.co_names
    if not _ASKING.isdisjoint(names):
        return True
    if ("id" in names or _IS_OP in code.co_code[::2]) and _asks(code, known):
        return True
    return any(_observed(c, known) for c in code.co_consts if isinstance(c, CodeType))


def _within(code: CodeType) -> Iterator[CodeType]:
    """The code, and all in it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _within(inner)


def _objects(module: CodeType) -> frozenset[str]:
    """Names of a module that nothing in it binds but `def`, `class` or `= object()`."""
    import dis

    bound, other = set(), set()
    for code in _within(module):
        if not _BINDING.isdisjoint(code.co_names):
            return frozenset()
        said = [i for i in dis.get_instructions(code) if i.opname not in _NOTHING]
        for k, now in enumerate(said):
            if now.opname == "IMPORT_STAR" or "IMPORT_STAR" in now.argrepr:
                return frozenset()
            if not now.opname.startswith(("STORE_", "DELETE_")) or "FAST" in now.opname:
                continue
            made = now.opname == "STORE_NAME" and _makes_object(said[max(k - 8, 0) : k])
            (bound if made and code is module else other).add(now.argval)
    return frozenset() if "object" in bound | other else frozenset(bound - other)


def _makes_object(said: list) -> bool:
    """Whether what was done last leaves a function, a class without bases, or an `object()`."""
    names = [now.opname for now in said if now.opname != "LOAD_CONST"][-3:]
    if names[-1:] == ["MAKE_FUNCTION"] or names[-1:] == ["SET_FUNCTION_ATTRIBUTE"]:
        return True
    if not names or not names[-1].startswith("CALL"):
        return False
    if names[:2] == ["LOAD_BUILD_CLASS", "MAKE_FUNCTION"]:
        return True
    made = said[-2] if said[-2:-1] else None
    return made is not None and _loaded(made) == "object" and said[-1].arg == 0


def _asks(code: CodeType, known: frozenset[str]) -> bool:
    import dis

    compared: list[tuple[str | None, str]] = []
    objects = set()
    before = earlier = None
    for now in dis.get_instructions(code):
        if now.opname in ("COPY", "DUP_TOP"):
            continue  # of `p.x += 1`
        if now.opname in ("LOAD_GLOBAL", "LOAD_NAME") and now.argval == "id":
            return True
        name = before and _loaded(before)
        if now.opname == "IS_OP" and not (before and _is_no_number(before, known)):
            if name is None:
                return True
            both = isinstance(before.argval, tuple)
            other = before.argval[0] if both else earlier and _loaded(earlier)
            compared.append((other, name))
        elif name and now.opname in _ATTRIBUTE and now.argval not in _OF_NUMBERS:
            objects.add(name)
        earlier, before = before, now
    return any(objects.isdisjoint(pair) for pair in compared)


def _loaded(load) -> str | None:
    """The name that an instruction loads (last)."""
    if not load.opname.startswith(("LOAD_FAST", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF")):
        return None
    return load.argval[-1] if isinstance(load.argval, tuple) else load.argval


def _is_no_number(load, known: frozenset[str]) -> bool:
    """`x is None`, `type(x) is int`, `dtype is np.float64`, `x is MISSING`."""
    if load.opname == "LOAD_CONST":
        return any(load.argval is s for s in _SINGLETONS)
    if load.opname == "LOAD_ATTR":
        return load.argval in _NUMPY_TYPES
    name = load.argval if load.opname in ("LOAD_GLOBAL", "LOAD_NAME") else None
    return name in _TYPES or name in known
