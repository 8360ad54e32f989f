"""What is known of a script before it runs: its loops and the places that touch data."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Update:
    """An access that is part of an update `x = x op e` with an associative operation.

    `family` is what must be the same for all updates of one location, `op` what it is called.
    `step` holds the names that `e` is made of where `e` is nothing but names and constants.
    """

    family: str
    op: str
    step: frozenset[str] | None = None
    companions: frozenset[str] = frozenset()

    @property
    def reducible(self) -> bool:
        """Appending to a list counts it up, but the elements lie where the count says."""
        return self.family != "append"

    @property
    def compares(self) -> bool:
        """Whether the update chooses between values instead of combining them."""
        return self.family in ("min", "max") or self.family.startswith("place")


@dataclass(eq=False)
class Site:
    """One place in the text that reads or writes one thing."""

    number: int
    line: int
    name: str
    write: bool
    scope: int
    update: Update | None = None
    # The value is an operand: an array here has all its elements read.
    operand: bool = False
    # Part of an augmented assignment: an array or list is changed in place.
    augmented: bool = False
    scalar: bool = True
    # Sites of a call's arguments, in their order.
    arguments: tuple[Site, ...] = ()
    _plain: Site | None = field(default=None, repr=False)
    _appending: tuple[Site, Site] | None = field(default=None, repr=False)

    @property
    def mark(self) -> tuple[str | None, bool]:
        return (self.update.family if self.update else None, self.write)

    def plain(self) -> Site:
        """The same site as an access like any other, not as a part of an update."""
        if self.update is None:
            return self
        if self._plain is None:
            self._plain = Site(
                self.number,
                self.line,
                self.name,
                self.write,
                self.scope,
                None,
                self.operand,
                self.augmented,
                self.scalar,
            )
        return self._plain

    def appending(self) -> tuple[Site, Site]:
        """What `x.append(v)` does to the length of `x`: reads it and makes it one more."""
        if self._appending is None:
            one = Update("append", "append", frozenset())
            self._appending = (
                Site(self.number, self.line, self.name, False, self.scope, one),
                Site(self.number, self.line, self.name, True, self.scope, one),
            )
        return self._appending


@dataclass(eq=False)
class Loop:
    """One loop statement. `depth` is 1 for loops in no other loop of the same function."""

    number: int
    line: int
    kind: str
    variable: str | None
    depth: int
    function: str
    scope: int
    # Names that the loop's own header assigns, and all names assigned anywhere within.
    targets: frozenset[str]
    stores: frozenset[str]
    statements: int
    # Statements directly in the body that may jump over those behind them.
    jumps: frozenset[int]
    header: Site
