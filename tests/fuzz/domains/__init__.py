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
    lists,
    nests,
    objects,
    programs,
    ptx,
    regions,
    sequences,
    states,
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
        tuples,
        lists,
        grown_lists,
        values,
        exceptions,
        ptx,
    )
}
