"""What instrumented scripts call: values that go by become accesses of locations.

What a library function does is not seen: it reads every element of the arrays and lists it is
given, and writes those that it is known to write, or that are found changed.
"""

from __future__ import annotations

import array
import threading
import types
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np

from .depend import Dependences, Execution
from .libraries import (
    DICT_READS,
    IMMUTABLE,
    LIST_METHODS,
    VIEWS,
    WRITERS,
    WRITING_METHODS,
    iterated_range,
)
from .places import CONTAINERS, LENGTH, SEQUENCES, WHOLE, Places
from .sites import Loop, Site

_LAZY = {enumerate, zip, map, filter, iter, reversed}
_TEXTS = (str, bytes, list, tuple, set, dict)


class OverLimit(BaseException):
    """The script makes more accesses than it was allowed. No script of ours may catch it."""


class Recorder(Places):
    """The `__trace__` of a running script."""

    slice = slice

    def __init__(self, sites: list[Site], loops: list[Loop], found: Dependences, limit: int):
        super().__init__(found)
        self.sites = sites
        self.loops = loops
        self.limit = limit
        self.thread = threading.get_ident()
        self.threaded = False
        self.script: dict[str, Any] = {}
        self.output = object()

    # Variables, attributes, operands

    def name(self, frame: dict, number: int, value: Any) -> Any:
        if self.path:
            site = self.sites[number]
            site = _fitting(site, value)
            self._read(frame, site.name, site)
            if site.operand and isinstance(value, CONTAINERS):
                self.whole(value, site)
        return value

    def put(self, frame: dict, number: int, value: Any) -> Any:
        if self.path:
            site = self.sites[number]
            site = _fitting(site, value)
            if site.augmented and isinstance(value, CONTAINERS):
                self.whole(value, site, True)
            self._write(frame, site.name, site)
        return value

    def use(self, number: int, value: Any) -> Any:
        """An operand that is a constant as far as loops go; its elements may not be."""
        if self.path and isinstance(value, CONTAINERS):
            self.whole(value, self.sites[number])
        return value

    def attribute(self, number: int, held: Any, name: str) -> Any:
        value = getattr(held, name)
        if self.path and not isinstance(held, IMMUTABLE):
            site = self.sites[number]
            if not isinstance(held, CONTAINERS):
                self._read(self.box(_attribute_owner(held, name)), "." + name, site)
            if site.operand and isinstance(value, CONTAINERS):
                self.whole(value, site)
        return value

    def assign(self, value: Any, number: int, held: Any, name: str) -> None:
        setattr(held, name, value)
        if isinstance(held, np.ndarray):
            self.views.pop(id(held), None)  # its shape may be another now
        elif self.path:
            site = self.sites[number]
            site = _fitting(site, value)
            if site.augmented and isinstance(value, CONTAINERS):
                self.whole(value, site, True)
            self._write(self.box(held), "." + name, site)

    # Elements

    def get(self, number: int, held: Any, key: Any) -> Any:
        value = held[key]
        if self.path:
            site = self.sites[number]
            if isinstance(held, np.ndarray):
                self._elements(held, key, value, site, False)
            elif not isinstance(held, IMMUTABLE):
                site = _fitting(site, value)
                self._item(held, key, site, False)
            if site.operand and isinstance(value, CONTAINERS):
                self.whole(value, site)
        return value

    def set(self, value: Any, number: int, held: Any, key: Any) -> None:
        if self.path:
            site = self.sites[number]
            if isinstance(held, np.ndarray):
                if not site.augmented and isinstance(value, CONTAINERS):
                    self.whole(value, site)
                self._elements(held, key, None, site, True)
            elif not isinstance(held, IMMUTABLE):
                site = _fitting(site, value)
                if site.augmented and isinstance(value, CONTAINERS):
                    self.whole(value, site, True)
                self._item(held, key, site, True)
        held[key] = value

    def delete(self, number: int, held: Any, key: Any) -> None:
        if self.path:
            self.whole(held, self.sites[number])
            self.whole(held, self.sites[number], True)
        del held[key]

    def _elements(self, a: np.ndarray, key: Any, value: Any, site: Site, write: bool) -> None:
        if not isinstance(key, tuple):
            key = (key,)
        if len(key) == a.ndim and all(_whole_number(k) for k in key):
            # If an index is out of range, the write itself will say so.
            if all(-n <= k < n for k, n in zip(key, a.shape, strict=True)):
                self._element(a, key, site, write)
            return
        if isinstance(value, np.ndarray) and all(_basic(k) for k in key):
            return  # a view: nothing is read before its elements are
        for part in key:
            if isinstance(part, CONTAINERS):
                self.whole(part, site)
        self._places(a, self._addresses(a)[key], site, write)

    def _item(self, held: Any, key: Any, site: Site, write: bool) -> None:
        access = self._write if write else self._read
        if isinstance(held, SEQUENCES):
            if isinstance(key, slice):
                for place in range(*key.indices(len(held))):
                    access(self.box(held), place, site)
                access(self.box(held), LENGTH, site)
            elif not isinstance(key, (int, np.integer)):
                self.whole(held, site, write)  # asking it for its number might be noticed
            else:
                place = int(key)
                access(self.box(held), place + len(held) if place < 0 else place, site)
        elif isinstance(held, dict):
            if write and key not in held:
                self._write(self.box(held), LENGTH, site)
            access(self.box(held), key, site)
        elif not _scripted(type(held), self.script):
            self.whole(held, site)
            if write:
                self.whole(held, site, True)

    def unpack(self, number: int, value: Any) -> Any:
        """A right side that several targets share, or a starred argument."""
        if self.path and isinstance(value, (dict, *SEQUENCES)):
            self.whole(value, self.sites[number])
        elif self.path and isinstance(value, np.ndarray) and value.ndim == 1:
            self.whole(value, self.sites[number])
        return value

    # Calls

    def call(self, number: int, function: Any, *given: Any, **named: Any) -> Any:
        site = self.sites[number]
        if isinstance(function, Hashable) and function in _LAZY:
            # What they read, they read later: perhaps in a loop.
            return self._lazy(site, function, given, named)
        if not self.path:
            return function(*given, **named)
        held = getattr(function, "__self__", None)
        if isinstance(function, types.BuiltinMethodType) and not isinstance(
            held, (types.ModuleType, type, type(None))
        ):
            return self.method(number, held, function.__name__, *given, **named)
        return self._result(site, self._called(site, function, given, named))

    def _result(self, site: Site, value: Any) -> Any:
        if site.operand and isinstance(value, CONTAINERS):
            self.whole(value, site)
        return value

    def _called(self, site: Site, function: Any, given: tuple, named: dict) -> Any:
        if _scripted(function, self.script) or function in (isinstance, range, type, id, callable):
            return function(*given, **named)
        if function is len and given:
            if isinstance(given[0], (dict, *SEQUENCES)):
                self._read(self.box(given[0]), LENGTH, self._arguments(site, given)[0][0])
            return len(*given)
        if function in (print, input):
            self._read(self.box(self.output), WHOLE, site)
            self._write(self.box(self.output), WHOLE, site)
        if function is next:
            self.whole(given[0], site)
            self.whole(given[0], site, True)
            return next(*given)
        return self._foreign(site, function, given, named)

    def _lazy(self, site: Site, function: Callable, given: tuple, named: dict) -> Any:
        arguments = self._arguments(site, given)
        if function is reversed:
            if isinstance(given[0], (np.ndarray, *SEQUENCES)):
                return self._items(*arguments[0], True)
            return reversed(*given)
        return function(*(self.elements_of(a, value) for a, value in arguments), **named)

    def _arguments(self, site: Site, given: tuple) -> list[tuple[Site, Any]]:
        own = site.arguments if len(site.arguments) == len(given) else (site,) * len(given)
        return list(zip(own, given, strict=True))

    def _foreign(self, site: Site, function: Callable, given: tuple, named: dict) -> Any:
        """A library's function: what it is given is read; what it changes is written."""
        held = self._arguments(site, given) + [(site, value) for value in named.values()]
        held += [(own, part) for own, v in held if isinstance(v, tuple) for part in v]
        held = [(own, v) for own, v in held if isinstance(v, CONTAINERS)]
        if not held:
            return function(*given, **named)
        before = [_snapshot(value) for _, value in held]
        result = function(*given, **named)
        outs = named.get("out", ())
        outs = outs if isinstance(outs, tuple) else (outs,)
        for (own, value), old in zip(held, before, strict=True):
            written = any(value is out for out in outs)
            written |= bool(given) and value is given[0] and _name_of(function) in WRITERS
            written |= _snapshot(value) != old
            if not _shares(result, value):
                self.whole(value, own)
            if written:
                self.whole(value, own, True)
        return result

    def method(self, number: int, held: Any, name: str, *given: Any, **named: Any) -> Any:
        function = getattr(held, name)
        if not self.path:
            return function(*given, **named)
        site = self.sites[number]
        if isinstance(held, np.ndarray):
            return self._array_method(site, held, name, function, given, named)
        if isinstance(held, list) and name in LIST_METHODS:
            return self._list_method(site, held, name, function, given, named)
        if isinstance(held, types.ModuleType):
            return self.call(number, function, *given, **named)
        own = _scripted(type(held), self.script)
        if own and not isinstance(function, types.BuiltinMethodType):
            self._read(self.box(_attribute_owner(held, name)), "." + name, site)
            return self.call(number, function, *given, **named)
        if isinstance(held, dict) and name == "get":
            self._read(self.box(held), given[0], site)
            return self._result(site, function(*given))
        changing = not isinstance(held, (*IMMUTABLE, type))
        if changing:
            self.whole(held, site)
            changing = not (isinstance(held, dict) and name in DICT_READS)
        result = self._called(site, function, given, named)
        if changing:
            self.whole(held, site, True)  # what is new in it too
        return self._result(site, result)

    def _array_method(
        self, site: Site, held: np.ndarray, name: str, function: Callable, given: tuple, named: dict
    ) -> Any:
        if name == "item" and len(given) == held.ndim > 0 and all(map(_whole_number, given)):
            self._element(held, given, site, False)
            return function(*given)
        result = self._foreign(site, function, given, named)
        if name in WRITING_METHODS:
            self.whole(held, site)
            self.whole(held, site, True)
        elif name not in VIEWS or not _shares(result, held):
            self.whole(held, site)
        return self._result(site, result)

    def _list_method(
        self, site: Site, held: list, name: str, function: Callable, given: tuple, named: dict
    ) -> Any:
        cells, end = self.box(held), len(held)
        if name == "append":
            length = site.appending()
            self._read(cells, LENGTH, length[0])
            self._write(cells, LENGTH, length[1])
            self._write(cells, end, site)
        elif name == "pop" and end and (not given or given[0] in (-1, end - 1)):
            self._read(cells, end - 1, site)
            self._read(cells, LENGTH, site)
            self._write(cells, LENGTH, site)
        else:
            for own, value in self._arguments(site, given):
                if isinstance(value, CONTAINERS):
                    self.whole(value, own)
            self.whole(held, site)
        result = function(*given, **named)
        if name in WRITING_METHODS:
            self.whole(held, site, True)
        return self._result(site, result)

    # Iteration

    def elements(self, number: int, value: Any, depth: int) -> Any:
        """What a comprehension goes through, and how deep it unpacks that."""
        site = self.sites[number]
        values = self.elements_of(site, value)
        return values if depth == 0 else self._unpacked(site, iter(values), depth)

    def _unpacked(self, site: Site, values: Iterator, depth: int) -> Iterator:
        def look(value: Any, depth: int) -> None:
            if depth > 0 and isinstance(value, (*CONTAINERS, tuple)):
                self.unpack(site.number, value)
                for part in value:
                    look(part, depth - 1)

        for value in values:
            if self.path:
                look(value, depth)
            yield value

    def elements_of(self, site: Site, value: Any) -> Any:
        """An iterator like `value`'s own that records each element when it is asked for."""
        own = isinstance(getattr(type(value), "__iter__", None), types.FunctionType)
        if not own and (
            isinstance(value, SEQUENCES) or (isinstance(value, np.ndarray) and value.ndim)
        ):
            return self._items(site, value, False)
        if isinstance(value, (np.flatiter, np.ndenumerate)):
            return self._flat(site, value)
        if self.path and not isinstance(value, (Iterator, *IMMUTABLE)):
            self.whole(value, site)
        return value

    def _items(self, site: Site, value: Any, backwards: bool) -> Iterator:
        """Lists may grow while they are gone through, as CPython lets them."""
        place = len(value) - 1 if backwards else 0
        for item in reversed(value) if backwards else iter(value):
            if self.path:
                if isinstance(value, np.ndarray):
                    if value.ndim == 1:
                        self._element(value, (place,), site, False)
                else:
                    self._read(self.box(value), place, site)
                    self._read(self.box(value), LENGTH, site)
            yield item
            place += -1 if backwards else 1

    def _flat(self, site: Site, value: np.flatiter | np.ndenumerate) -> Iterator:
        places = value if isinstance(value, np.flatiter) else value.iter
        while True:
            place = places.coords
            item = next(value, self)
            if item is self:
                return
            if self.path:
                self._element(places.base, place, site, False)
            yield item

    # Loops

    def at(self, statement: int) -> None:
        self.path = (*self.base, statement)

    def begin(self, number: int, values: range | None = None) -> Execution:
        if threading.get_ident() != self.thread:
            self.threaded = True
            raise RuntimeError("loops in threads cannot be traced")
        start = 0 if values is None else values.start
        step = 1 if values is None else values.step
        return self.found.begin(self.loops[number], start, step, (self.base, self.path))

    def turn(self, execution: Execution) -> bool:
        """One iteration more; always true."""
        if self.found.accesses > self.limit:
            raise OverLimit
        execution.iteration += 1
        self._enter(execution)
        return True

    def _enter(self, execution: Execution) -> None:
        self.base = (*execution.outside[1], execution.number, execution.iteration)
        self.path = (*self.base, -1)

    def leave(self, execution: Execution, early: bool) -> None:
        if execution.open:
            level = len(execution.outside[1])
            # A loop of a generator that is closed while it waits is not where the script is.
            if self.base[level : level + 1] == (execution.number,):
                self.base, self.path = execution.outside
            self.found.end(execution, execution.iteration + early, early)

    def loop(self, number: int, values: Any) -> Iterator:
        """The values of a `for` loop. It ends with the loop, however that is left."""
        execution = self.begin(number, iterated_range(values))
        if isinstance(values, types.GeneratorType):
            self.found.findings[number].fed_by_generator = True
        early = True
        try:
            self.turn(execution)
            for value in self.elements_of(self.loops[number].header, values):
                self._enter(execution)  # a generator may have been elsewhere meanwhile
                yield value
                self.turn(execution)
            early = False
        finally:
            self.leave(execution, early)

    def generator(self) -> dict:
        """The variables of a generator; also where whoever runs it is, and whether it runs."""
        return {0: (self.base, self.path), 1: True}

    def pause(self, frame: dict, value: Any) -> Any:
        self._swap(frame)
        return value

    def resume(self, frame: dict, value: Any) -> Any:
        self._swap(frame)
        return value

    def awake(self, frame: dict) -> None:
        if not frame[1]:
            self._swap(frame)

    def finish(self, frame: dict) -> None:
        """A generator that ends by itself leaves its user where it was; a closed one did before."""
        if frame[1]:
            self._swap(frame)

    def _swap(self, frame: dict) -> None:
        """From a generator to its user, or back."""
        frame[0], (self.base, self.path) = (self.base, self.path), frame[0]
        frame[1] = not frame[1]


def _fitting(site: Site, value: Any) -> Site:
    """Adding to a text or a list is no sum: the order counts. Comparing them is what it is."""
    update = site.update
    if update is None or update.compares or not isinstance(value, _TEXTS):
        return site
    return site.plain()


def _whole_number(key: Any) -> bool:
    return isinstance(key, (int, np.integer)) and not isinstance(key, bool)


def _basic(key: Any) -> bool:
    """Whether subscripts like this one make views."""
    return key is None or key is Ellipsis or isinstance(key, (slice, str)) or _whole_number(key)


def _shares(result: Any, value: Any) -> bool:
    """Whether a result is a view of what was given."""
    if not isinstance(result, np.ndarray) or not isinstance(value, np.ndarray):
        return False
    return result is value or (result.base is not None and np.may_share_memory(result, value))


def _snapshot(value: Any) -> Any:
    """What tells whether a container was changed."""
    if isinstance(value, (np.ndarray, array.array)):
        return value.tobytes()
    held = value.items() if isinstance(value, dict) else enumerate(value)
    return [(key, id(part)) for key, part in held]


def _name_of(function: Any) -> str:
    return getattr(function, "__name__", "")


def _scripted(function: Any, script: dict) -> bool:
    """Whether a function or class is the script's own, and so instrumented itself."""
    if isinstance(function, types.MethodType):
        function = function.__func__
    if isinstance(function, type):
        return function.__module__ == script.get("__name__")
    return isinstance(function, types.FunctionType) and function.__globals__ is script


def _attribute_owner(held: Any, name: str) -> Any:
    """The object itself, or the class that an attribute comes from."""
    if name in getattr(held, "__dict__", ()):
        return held
    for kind in type(held).__mro__:
        if name in vars(kind):
            return held if isinstance(vars(kind)[name], types.MemberDescriptorType) else kind
    return held
