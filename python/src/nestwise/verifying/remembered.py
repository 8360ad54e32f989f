"""Remembers what a nest could change, puts it back and compares it, for `nestwise verify`.

Nothing here asks the native part what a nest writes: whole arrays and whole lists are remembered,
and for views the arrays that own their memory.
"""

from __future__ import annotations

import random
import struct
import sys
from array import array
from types import MemberDescriptorType

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

_ABSENT = object()
# Of a type's flags: it was made at run time; nobody changes it, as for classes written in C.
_HEAP_TYPE, _IMMUTABLE_TYPE = 1 << 9, 1 << 8


class Remembered:
    """The things that one run of a nest may change, and how they are before it."""

    def __init__(
        self,
        captured: list[tuple[str, Any]],
        attributes: list[tuple[str, Any, str]],
        names: list[str],
        module: dict[str, Any],
        local: Iterable[Any] = (),
    ) -> None:
        self.arrays: dict[int, tuple[str, Any]] = {}  # as the nest sees them
        self.owners: dict[int, Any] = {}  # the arrays with their memory
        self.flat: dict[int, tuple[str, Any]] = {}  # array.array, bytearray
        self.lists: dict[int, tuple[str, list[Any]]] = {}
        self.generators: dict[int, tuple[str, Any]] = {}
        self.attributes = attributes
        self.names = names
        self.module = module
        numpy = sys.modules.get("numpy")
        self.ndarray = numpy.ndarray if numpy is not None else ()
        self.states = _numpy_states(numpy)
        for label, thing in captured:
            self._add(label, thing)
        self.before = self.take()
        held = [*local, *self.before.attributes, *self.before.names, *(o for _, o in captured)]
        held += [item for items in self.before.lists.values() for item in items]
        owners = [_owner(array) for array in held if type(array) is self.ndarray]
        self.known = {*self.arrays, *self.owners, *self.lists, *map(id, held), *map(id, owners)}
        # Objects that the two runs have made in each other's place, by their addresses.
        self.twins: tuple[dict[int, Any], dict[int, Any]] = {}, {}

    def _add(self, label: str, thing: Any) -> None:
        kind = type(thing)
        if kind is self.ndarray:
            self._add_array(label, thing)
        elif kind is list:
            if id(thing) not in self.lists:
                self.lists[id(thing)] = label, thing
                self._add_items(label, thing)
        elif kind is tuple:
            self._add_items(label, thing)
        elif kind is array or kind is bytearray:
            self.flat.setdefault(id(thing), (label, thing))
        elif isinstance(thing, (random.Random, *self.states)) and _draws(thing):
            self.generators.setdefault(id(thing), (label, thing))
        elif kind is type(len):
            # A method of something: `xs.append`, `rng.random`.
            owner = thing.__self__
            if owner is not None and type(owner) is not kind:
                self._add(label.rpartition(".")[0] or label, owner)

    def _add_items(self, label: str, items: Any) -> None:
        for at, item in enumerate(items):
            if type(item) in (list, tuple, self.ndarray):
                self._add(f"{label}[{at}]", item)

    def _add_array(self, label: str, view: Any) -> None:
        if view.dtype.hasobject:
            return
        self.arrays.setdefault(id(view), (label, view))
        owner = view
        while type(owner.base) is self.ndarray and not owner.base.dtype.hasobject:
            owner = owner.base
        if owner.flags.writeable:
            self.owners.setdefault(id(owner), owner)

    def take(self) -> State:
        """Gives the state of the things now."""
        state = State()
        state.arrays = {k: a.copy() for k, (_, a) in self.arrays.items()}
        state.owners = {k: a.copy() for k, a in self.owners.items()}
        state.flat = {k: a[:] for k, (_, a) in self.flat.items()}
        state.lists = {k: list(items) for k, (_, items) in self.lists.items()}
        state.generators = {k: _state_of(g) for k, (_, g) in self.generators.items()}
        state.attributes = [_attribute(owner, name) for _, owner, name in self.attributes]
        state.names = [self.module.get(name, _ABSENT) for name in self.names]
        return state

    def put_back(self) -> None:
        """Restores everything to what it was before."""
        before = self.before
        for key, owner in self.owners.items():
            owner[...] = before.owners[key]
        for key, (_, thing) in self.flat.items():
            memoryview(thing)[:] = before.flat[key]
        for key, (_, items) in self.lists.items():
            items[:] = before.lists[key]
        for key, (_, generator) in self.generators.items():
            _set_state(generator, before.generators[key])
        for (_, owner, name), value in zip(self.attributes, before.attributes, strict=True):
            if type(owner) is dict:
                if value is not _ABSENT:
                    owner[_key(name)] = value
                continue
            if value is not _ABSENT:
                object.__setattr__(owner, name, value)
            elif _attribute(owner, name) is not _ABSENT:
                object.__delattr__(owner, name)
        for name, value in zip(self.names, before.names, strict=True):
            if value is not _ABSENT:
                self.module[name] = value
            else:
                self.module.pop(name, None)

    def same(self, mine: Any, other: Any) -> bool:
        """Whether two objects are the same as in `same`, but two arrays, lists or objects of the
        program's classes that the runs have made are compared by their contents.
        """
        if same(mine, other):
            return True
        if type(mine) is tuple and type(other) is tuple:
            return len(mine) == len(other) and all(map(self.same, mine, other))
        if type(mine) is not type(other) or not (self._made(mine) and self._made(other)):
            return False
        if type(mine) is list:
            return len(mine) == len(other) and all(map(self.same, mine, other))
        if type(mine) is not self.ndarray:
            return self._alike(mine, other)
        return _form(mine) == _form(other) and mine.tobytes() == other.tobytes()

    def _made(self, thing: Any) -> bool:
        """Whether a thing is a list, an object of a class written in Python, or an array with its
        memory, that was not there before.
        """
        kind = type(thing)
        if kind is self.ndarray:
            owner = _owner(thing)
            return owner.base is None and id(owner) not in self.known
        return (kind is list or _has_attributes(kind)) and id(thing) not in self.known

    def _alike(self, mine: Any, other: Any) -> bool:
        """Whether two objects that the runs have made have the same attributes, in the same order.
        What is one object after one run is one object after the other.
        """
        ours, theirs = self.twins
        if id(mine) in ours or id(other) in theirs:
            return ours.get(id(mine)) is other and theirs.get(id(other)) is mine
        ours[id(mine)], theirs[id(other)] = other, mine
        held = [_all_attributes(thing) for thing in (mine, other)]
        alike = list(held[0]) == list(held[1])
        alike = alike and all(map(self.same, held[0].values(), held[1].values()))
        if not alike:  # nor are they when they are compared once more
            del ours[id(mine)], theirs[id(other)]
        return alike

    def differences(
        self, mine: State, other: State, later: State | None = None
    ) -> Iterator[tuple[str, str]]:
        """Yields the labels of differences between two states, with both values.

        With `later`, differences that are gone in that state do not count.
        """
        self.twins = {}, {}
        clean = True
        for key, (label, _) in self.arrays.items():
            after = later and later.arrays[key]
            for found in array_differences(label, mine.arrays[key], other.arrays[key], after):
                clean = False
                yield found
        for key in self.owners if clean else ():
            after = later and later.owners[key]
            yield from array_differences("memory", mine.owners[key], other.owners[key], after)
        for key, (label, _) in self.flat.items():
            if bytes(mine.flat[key]) == bytes(other.flat[key]):
                continue
            after = None if later is None else list(later.flat[key])
            yield from list_differences(label, list(mine.flat[key]), list(other.flat[key]), after)
        for key, (label, _) in self.lists.items():
            after = None if later is None else later.lists[key]
            yield from list_differences(label, mine.lists[key], other.lists[key], after)
        for key, (label, _) in self.generators.items():
            become = later is not None and mine.generators[key] == later.generators[key]
            if mine.generators[key] != other.generators[key] and not become:
                yield label, "the generator's state differs"
        labels = [label for label, _, _ in self.attributes] + self.names
        values = mine.attributes + mine.names, other.attributes + other.names
        for label, a, b in zip(labels, *values, strict=True):
            if not self.same(a, b):
                yield label, shown(a, b)


class State:
    """The state of remembered things at one moment: copies of arrays, lists of the same objects."""

    arrays: dict[int, Any]
    owners: dict[int, Any]
    flat: dict[int, Any]
    lists: dict[int, list[Any]]
    generators: dict[int, Any]
    attributes: list[Any]
    names: list[Any]


def array_differences(
    label: str, mine: Any, other: Any, later: Any = None
) -> Iterator[tuple[str, str]]:
    """Yields the first element that differs in its bits, and how many differ."""
    import numpy as np

    def unequal(a: Any, b: Any) -> Any:
        bits = [np.ascontiguousarray(x).reshape(-1).view(np.uint8) for x in (a, b)]
        return (bits[0] != bits[1]).reshape(-1, mine.dtype.itemsize).any(axis=1)

    found = unequal(mine, other)
    if later is not None:
        found &= unequal(mine, later)
    count = int(found.sum())
    if not count:
        return
    at = tuple(int(k) for k in np.unravel_index(int(np.argmax(found)), mine.shape))
    where = f"{label}[{', '.join(map(str, at))}]" if at else label
    more = f"; {count} of {found.size} elements differ" if count > 1 else ""
    yield where, shown(mine[at], other[at]) + more


def list_differences(
    label: str, mine: list[Any], other: list[Any], later: list[Any] | None = None
) -> Iterator[tuple[str, str]]:
    """Yields the first element that differs between lists, and how many differ; their lengths may
    differ too.
    """
    if len(mine) != len(other):
        yield label, f"compiled has {len(mine)} items, CPython {len(other)}"
        return
    unequal = [at for at, (a, b) in enumerate(zip(mine, other, strict=True)) if not same(a, b)]
    if later is not None:
        unequal = [at for at in unequal if at >= len(later) or not same(mine[at], later[at])]
    if unequal:
        first = unequal[0]
        more = f"; {len(unequal)} of {len(mine)} items differ" if len(unequal) > 1 else ""
        yield f"{label}[{first}]", shown(mine[first], other[first]) + more


def same(a: Any, b: Any) -> bool:
    """Whether two objects differ in identity at most; arrays and lists must be the same object."""
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b):
        return False
    if kind is float:
        return struct.pack("<d", a) == struct.pack("<d", b)
    if kind is complex:
        return struct.pack("<dd", a.real, a.imag) == struct.pack("<dd", b.real, b.imag)
    if kind in (int, str, bytes, bool, range):
        return bool(a == b)
    if kind is tuple:
        return len(a) == len(b) and all(map(same, a, b))
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return False
    if isinstance(a, numpy.generic):
        return bool(a.dtype == b.dtype and a.tobytes() == b.tobytes())
    if kind is numpy.ndarray:
        mine, other = a.__array_interface__, b.__array_interface__
        return bool(mine == other and a.strides == b.strides)
    return False


def shown(mine: Any, other: Any) -> str:
    """Describes two values that differ, so that the difference is seen."""
    texts = []
    for value in (mine, other):
        text = "nothing" if value is _ABSENT else _cut(repr(value))
        texts.append(text)
    if texts[0] == texts[1] or type(mine) is not type(other):
        kinds = [type(value).__name__ for value in (mine, other)]
        if kinds[0] == kinds[1]:
            kinds = [f"bits {_bits(value)}" for value in (mine, other)]
        texts = [f"{text} ({kind})" for text, kind in zip(texts, kinds, strict=True)]
    return f"compiled {texts[0]}, CPython {texts[1]}"


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _bits(value: Any) -> str:
    if isinstance(value, float) and type(value) is float:
        return struct.pack(">d", value).hex()
    return value.tobytes()[::-1].hex() if hasattr(value, "tobytes") else f"of object {id(value):#x}"


def _key(name: str) -> str:
    """The text that the name of what a dictionary has under it consists of: `["x"]`."""
    return name[2:-2]


def _attribute(owner: Any, name: str) -> Any:
    """Gives an object's own attribute, or what a dictionary of a list has under a text, without
    running user code.
    """
    if type(owner) is dict:
        return owner.get(_key(name), _ABSENT)
    try:
        values = object.__getattribute__(owner, "__dict__")
        if name in values:
            return values[name]
    except AttributeError:
        pass
    for klass in type(owner).__mro__:
        slot = klass.__dict__.get(name)
        if isinstance(slot, MemberDescriptorType):
            try:
                return slot.__get__(owner, type(owner))
            except AttributeError:
                return _ABSENT
    return _ABSENT


def _owner(array: Any) -> Any:
    """Gives the array that a view is made of; another array itself."""
    while type(array.base) is type(array):
        array = array.base
    return array


def _form(array: Any) -> tuple[Any, ...]:
    """What two arrays that two runs have made have in common: how their elements lie, and where in
    the array that owns them. How long that one is, NumPy's functions do not promise.
    """
    places = (a.__array_interface__["data"][0] for a in (array, _owner(array)))
    return array.dtype, array.shape, array.strides, next(places) - next(places)


def _has_attributes(kind: type) -> bool:
    """Whether the objects of a class consist of what `_all_attributes` finds: the program has made
    the class, and all its bases are classes of programs too, or `object`.
    """
    flags = [c.__flags__ for c in kind.__mro__[:-1]]
    return all(f & _HEAP_TYPE and not f & _IMMUTABLE_TYPE for f in flags)


def _all_attributes(owner: Any) -> dict[str, Any]:
    """Gives an object's own attributes, those of `__slots__` last, without running user code."""
    try:
        found = dict(object.__getattribute__(owner, "__dict__"))
    except AttributeError:
        found = {}
    for klass in type(owner).__mro__:
        for name, slot in klass.__dict__.items():
            if isinstance(slot, MemberDescriptorType):
                found[name] = _attribute(owner, name)
    return found


def _numpy_states(numpy: Any) -> tuple[type, ...]:
    module = getattr(numpy, "random", None)
    classes = (getattr(module, name, None) for name in ("RandomState", "Generator"))
    return tuple(found for found in classes if found is not None)


def _draws(generator: Any) -> bool:
    """Whether nests draw from a generator: from one of `numpy.random.Generator` only with PCG64."""
    bits = getattr(generator, "bit_generator", None)
    return bits is None or type(bits).__name__ == "PCG64"


def _state_of(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return generator.getstate()
    if hasattr(generator, "bit_generator"):
        return generator.bit_generator.state
    name, keys, position, *rest = generator.get_state()
    return name, keys.tobytes(), position, *rest


def _set_state(generator: Any, state: Any) -> None:
    if isinstance(generator, random.Random):
        generator.setstate(state)
        return
    if hasattr(generator, "bit_generator"):
        generator.bit_generator.state = state
        return
    import numpy as np

    name, keys, *rest = state
    generator.set_state((name, np.frombuffer(keys, np.uint32), *rest))
