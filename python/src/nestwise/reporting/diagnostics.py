"""What a process has to say of its loops beside their numbers, gathered while it runs."""

from __future__ import annotations

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from typing import Any

# What became of the loops of each loaded file: filename -> the fields of `rewriting.rewrite.Loop`.
loops: dict[str, list[tuple[Any, ...]]] = {}
# What the report says beside its table: something that nestwise could not do.
notes: list[str] = []


def note(text: str) -> None:
    """Adds a line to the report's notes, once."""
    if text not in notes:
        notes.append(text)
