"""Records of the extension module as data that JSON can hold."""

from __future__ import annotations

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from typing import Any


def as_data(value: Any) -> Any:
    """A record of the extension module as a dictionary, with all records in it; else the value."""
    if isinstance(value, list):
        return [as_data(item) for item in value]
    names = getattr(value, "__match_args__", None)
    return value if names is None else {name: as_data(getattr(value, name)) for name in names}
