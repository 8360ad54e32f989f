"""Where values lie: the locations that accesses are about.

An array's element is the address it lies at, whatever view it is reached through; a list's
element is the list and the position; a variable is its name in one call of its function; an
attribute is the object and the name. Objects are kept alive, so that no two share an identity.
"""

from __future__ import annotations

import array
import math
import types
import weakref
from typing import Any

import numpy as np

from .depend import Cell, Dependences, Path
from .libraries import IMMUTABLE
from .sites import Site

SEQUENCES = (list, bytearray, array.array)
CONTAINERS = (np.ndarray, dict, *SEQUENCES)
LENGTH = "len"
WHOLE = "whole"


class Places:
    """Finds the locations of objects and passes accesses of them on."""

    def __init__(self, found: Dependences):
        self.found = found
        # Where the script is: all loops with their iterations, then with the statement too.
        self.base: Path = ()
        self.path: Path = ()
        self.cells: dict[int, Cell] = {}
        self.boxes: dict[int, tuple[Any, dict]] = {}
        self.roots: dict[int, tuple[np.ndarray, int, int]] = {}
        self.views: dict[int, tuple[np.ndarray, int, int, int]] = {}

    def _read(self, cells: dict, key: Any, site: Site) -> None:
        cell = cells.get(key)
        if cell is None:
            cell = cells[key] = Cell()
        self.found.read(cell, site, self.path)

    def _write(self, cells: dict, key: Any, site: Site) -> None:
        cell = cells.get(key)
        if cell is None:
            cell = cells[key] = Cell()
        self.found.write(cell, site, self.path)

    def box(self, held: Any) -> dict:
        """The locations of an object that is no array."""
        found = self.boxes.get(id(held))
        if found is None:
            kept = held
            if isinstance(held, types.GeneratorType):
                # One that nobody has any more is closed at once, which its code notices.
                key = id(held)
                kept = weakref.ref(held, lambda _: self.boxes.pop(key))
            found = self.boxes[id(held)] = (kept, {})
        return found[1]

    def _view(self, a: np.ndarray) -> tuple[np.ndarray, int, int, int]:
        """An array, its address, its root's address, and the unit in which the root is counted.

        The unit is the element, or what its parts have in common: a complex number is two.
        """
        found = self.views.get(id(a))
        if found is not None:
            return found
        root = a
        while isinstance(root.base, np.ndarray):
            root = root.base
        known = self.roots.get(id(root))
        if known is None:
            unit = root.itemsize // 2 if root.dtype.kind == "c" else root.itemsize
            for kind, offset, *_ in (root.dtype.fields or {}).values():
                unit = math.gcd(unit, kind.itemsize, offset)
            known = self.roots[id(root)] = (root, _address(root), max(unit, 1))
        if len(self.views) > 20_000:
            self.views.clear()
        found = self.views[id(a)] = (a, _address(a), known[1], known[2])
        return found

    def _element(self, a: np.ndarray, key: tuple, site: Site, write: bool) -> None:
        _, address, _, _ = view = self._view(a)
        for index, extent, stride in zip(key, a.shape, a.strides, strict=True):
            address += (int(index) + (extent if index < 0 else 0)) * stride
        self._at(address, a.itemsize, view, site, write)

    def _at(self, address: int, size: int, view: tuple, site: Site, write: bool) -> None:
        _, _, root, unit = view
        access = self._write if write else self._read
        for place in range(address - (address - root) % unit, address + size, unit):
            access(self.cells, place, site)

    def _addresses(self, a: np.ndarray) -> np.ndarray:
        """The address of every element, in an array of the same shape."""
        places = np.full(a.shape, self._view(a)[1], dtype=np.int64)
        for axis, stride in enumerate(a.strides):
            shape = [1] * a.ndim
            shape[axis] = -1
            places += (np.arange(a.shape[axis]) * stride).reshape(shape)
        return places

    def _places(self, a: np.ndarray, places: np.ndarray, site: Site, write: bool) -> None:
        view = self._view(a)
        for address in np.unique(places).tolist():
            self._at(address, a.itemsize, view, site, write)

    def whole(self, value: Any, site: Site, write: bool = False) -> None:
        """All that is in a container; what is in its elements only if they are read."""
        if isinstance(value, np.ndarray):
            self._places(value, self._addresses(value), site, write)
            return
        if isinstance(value, (np.flatiter, np.ndenumerate)):
            places = value if isinstance(value, np.flatiter) else value.iter
            return self.whole(places.base, site, write)
        access = self._write if write else self._read
        if isinstance(value, (dict, *SEQUENCES)):
            cells = self.box(value)
            keys = list(value) if isinstance(value, dict) else range(len(value))
            for key in keys:
                access(cells, key, site)
            access(cells, LENGTH, site)
            for part in value.values() if isinstance(value, dict) else value:
                if not write and isinstance(part, CONTAINERS):
                    self.whole(part, site)
        elif not isinstance(value, IMMUTABLE):
            access(self.box(value), WHOLE, site)


def _address(a: np.ndarray) -> int:
    return a.__array_interface__["data"][0]
