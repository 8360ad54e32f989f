"""The options of a process as the extension module takes them."""

from __future__ import annotations

from nestwise.records import NamedTuple


class Settings(NamedTuple):
    """The argument of `_core.configure`; `nestwise.options.Options` says what each field means."""

    device: str
    threads: int  # 0: as many as this process may use
    fp: str
    cache_dir: str | None
    profile: str | None  # that was asked for
    found: str | None  # that calibration left
    schedule: str | None
    broken: str | None
    unchecked: str | None
    tier: str | None
    cooperative: bool | None
    verify: bool
    prices: bool
    record: bool
    learning: bool
    background: bool
    tier_up_budget: bool
    reported: bool
    scaled: bool  # the profile's times are scaled to this machine's pace


class OneCall(NamedTuple):
    """The one call of the one nest that `nestwise verify --only` compares."""

    file: str
    line: int
    call: int  # from 1
