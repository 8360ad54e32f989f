"""The loops and sites of a file, as records that the code cache keeps."""

from __future__ import annotations

from nestwise.records import NamedTuple


class SiteText(NamedTuple):
    """The text and scope of a site, from which `_core.Site` is made."""

    text: str
    first_line: int
    indented: bool
    module_level: bool
    local_names: frozenset[str]
    bound_names: frozenset[str]
    value: bool  # it is an expression
    function: str
    mappings: frozenset[str]  # names that the file assigns dictionaries to
    records: bool  # the rewritten code takes recorded results
    regions: bool  # a device may keep arrays from one site to the next


class Loop(NamedTuple):
    """The outcome of one loop, for reports."""

    line: int
    kind: str
    function: str
    depth: int  # how many sites it lies in
    is_site: bool
    code: str
    message: str
    hint: str
    reason_line: int
