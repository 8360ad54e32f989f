"""Removes the one line event that a tracer would get from rewritten code and not from python.

CPython 3.11 reports a line when an instruction has another line than the one before it, or is
reached by a jump back. When CPython has run its share of a loop, the rewritten code jumps back to
the instruction `FOR_ITER` of `for () in STAY` (see `rewrite.py`). All that follows has the header's
line, for which the tracer was called just before, when the loop's iterator was found to be empty.

An instruction without a line causes no event, but the next one that has a line does. There is one
exception: CPython asks whether to report a line once for the prefix `EXTENDED_ARG` and the
instruction behind it together, and looks at the prefix. So the jump goes to a prefix without a
line, and from `FOR_ITER` on no line changes. Room for the prefix comes from the instruction that
unpacks the empty tuple of the turn, which becomes a shorter one that drops the tuple. Nothing else
moves.

Other versions of CPython keep the code as it is.
"""

from __future__ import annotations

import sys
from types import CodeType

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

KNOWN = sys.version_info[:2] == (3, 11)
# Its instructions, as `opcode` has them.
CACHE, POP_TOP, GET_ITER, UNPACK_SEQUENCE, FOR_ITER, LOAD_CONST, EXTENDED_ARG = (
    (0, 1, 68, 92, 93, 100, 144) if KNOWN else (-1,) * 7
)
# The forms of an entry of `co_linetable`.
WITHOUT_COLUMNS, LONG, NO_PLACE = 13, 14, 15
MOST_UNITS = 8  # instructions of two bytes that one entry may cover


def quiet_turns(code: CodeType, mark: str) -> CodeType:
    """Gives the code, and all code in it, without the event; `mark` starts the names of our
    functions.
    """
    if not KNOWN:
        return code
    constants = tuple(
        quiet_turns(c, mark) if isinstance(c, CodeType) else c for c in code.co_consts
    )
    data = bytearray(code.co_code)
    prefixes = set()
    for at in _turns(code, mark):
        if _prefixed(data, at):
            prefixes.add(at)
    if prefixes:
        table = _line_table(code, prefixes)
        return code.replace(co_code=bytes(data), co_linetable=table, co_consts=constants)
    return code.replace(co_consts=constants)


def _turns(code: CodeType, mark: str) -> Iterator[int]:
    """Yields the offset of the `FOR_ITER` of each `for () in STAY`, or of its prefix where it has
    one.
    """
    data, argument, loads, asked = code.co_code, 0, False, False
    for at in range(0, len(data), 2):
        op, argument = data[at], argument << 8 | data[at + 1]
        if op == EXTENDED_ARG:
            if asked:
                yield at
                asked = False
            continue
        if op == FOR_ITER and asked:
            yield at
        asked = op == GET_ITER and loads
        constant = code.co_consts[argument] if op == LOAD_CONST else None
        named = isinstance(constant, str) and constant.startswith(mark)
        loads = named and str(constant).endswith(":stay")
        argument = 0


def _prefixed(data: bytearray, at: int) -> bool:
    """Makes the instruction at `at` begin with a prefix; gives whether that succeeded."""
    if data[at] == EXTENDED_ARG:
        return True
    distance = data[at + 1]
    expected = bytes((FOR_ITER, distance, UNPACK_SEQUENCE, 0, CACHE))
    if data[at : at + 5] != expected or distance == 0:
        return False
    data[at : at + 6] = bytes((EXTENDED_ARG, 0, FOR_ITER, distance - 1, POP_TOP, 0))
    return True


def _line_table(code: CodeType, without: set[int]) -> bytes:
    """Encodes `co_linetable` as it is, but without a line for the instructions at `without`."""
    table, line = bytearray(), code.co_firstlineno
    for place, units in _runs(code, without):
        first, last, column, end = place
        form = NO_PLACE if first is None else WITHOUT_COLUMNS if column is None else LONG
        table.append(0x80 | form << 3 | units - 1)
        if first is None:
            continue
        table += _signed(first - line)
        line = first
        if form == LONG:
            table += _number(last - first) + _number(column + 1) + _number(end + 1)
    return bytes(table)


def _runs(code: CodeType, without: set[int]) -> Iterator[tuple[Any, int]]:
    """Yields each position in the source, with the count of units of code in a row that have it."""
    before, units = None, 0
    for number, place in enumerate(code.co_positions()):
        if number * 2 in without or place[0] is None:
            place = (None, None, None, None)
        if units and (place != before or units == MOST_UNITS):
            yield before, units
            units = 0
        before, units = place, units + 1
    if units:
        yield before, units


def _number(value: int) -> bytes:
    """Encodes a number in six bits to a byte, the lowest first; a further bit says that more bytes
    follow.
    """
    found = bytearray()
    while value > 63:
        found.append(64 | value & 63)
        value >>= 6
    found.append(value)
    return bytes(found)


def _signed(value: int) -> bytes:
    return _number(-value << 1 | 1 if value < 0 else value << 1)
