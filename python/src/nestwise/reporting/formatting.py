"""Formats numbers for everything that nestwise prints: times, counts, bytes."""

from __future__ import annotations


def seconds(value: object) -> str:
    """A time in seconds, with three digits and its unit; `-` for what is no number."""
    if not isinstance(value, (int, float)):
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns" if value > 0 else "0"


def count(value: object) -> str:
    """A count with its thousands separated; `-` for what is no int."""
    return f"{value:,}" if isinstance(value, int) else "-"


def counted(number: int, what: str) -> str:
    """A number with its noun, like `1 run` or `2,000 runs`."""
    return f"{number:,} {what}" + "s" * (number != 1)


def kibibytes(size: int) -> str:
    """A size in bytes as `32 KiB`, rounded down."""
    return f"{size // 1024} KiB"
