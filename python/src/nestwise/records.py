"""`NamedTuple` as `typing` has it, without the time to import that."""

from __future__ import annotations

from _operator import itemgetter

TYPE_CHECKING = False  # what `typing` calls so
if TYPE_CHECKING:
    from typing import Any, NamedTuple
else:

    class NamedTuple(tuple):
        """A tuple whose items have the names that a class annotates, in that order."""

        __slots__ = ()

        def __init_subclass__(cls) -> None:
            cls._fields = tuple(cls.__annotations__)
            for number, name in enumerate(cls._fields):
                setattr(cls, name, property(itemgetter(number)))

        def __new__(cls, *items: Any, **named: Any) -> Any:
            """Makes a record of its fields by position, then by name; raises TypeError unless all
            are there.
            """
            items += tuple(named.pop(name) for name in cls._fields[len(items) :])
            if named or len(items) != len(cls._fields):
                raise TypeError(f"{cls.__name__} has the fields {', '.join(cls._fields)}")
            return tuple.__new__(cls, items)

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

        def __repr__(self) -> str:
            pairs = zip(self._fields, self, strict=True)
            return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in pairs)})"

        def _replace(self, **named: Any) -> Any:
            return type(self)(**dict(zip(self._fields, self, strict=True)) | named)


__all__ = ["NamedTuple"]
