"""Every domain by its name; the order is that of `--domain all`."""

from __future__ import annotations

from ..domain import Domain
from . import (
    arrays,
    effects,
    entries,
    exceptions,
    grown_lists,
    host_calls,
    items,
    lists,
    made,
    nests,
    nones,
    objects,
    programs,
    ptx,
    records,
    recursion,
    regions,
    sequences,
    states,
    texts,
    tuples,
    values,
)

DOMAINS: dict[str, Domain] = {
    module.DOMAIN.name: module.DOMAIN
    for module in (
        programs,
        nests,
        regions,
        effects,
        entries,
        host_calls,
        sequences,
        arrays,
        states,
        objects,
        made,
        items,
        records,
        recursion,
        texts,
        nones,
        tuples,
        lists,
        grown_lists,
        values,
        exceptions,
        ptx,
    )
}
