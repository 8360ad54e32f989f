"""What is known of the loops of a file, as records that the code cache keeps."""

from __future__ import annotations

from nestwise.records import NamedTuple


class SiteText(NamedTuple):
    """What `_core.Site` is made from."""

    text: str
    first_line: int
    indented: bool
    module_level: bool
    local_names: frozenset[str]
    bound_names: frozenset[str]
    value: bool  # it is an expression
    function: str


class Loop(NamedTuple):
    """What became of one loop, for reports."""

    line: int
    kind: str
    function: str
    depth: int  # how many sites it lies in
    is_site: bool
    code: str
    message: str
    hint: str
    reason_line: int
