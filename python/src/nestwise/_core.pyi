from collections.abc import Callable
from typing import Any

def version() -> str: ...
def configure(
    device: str,
    threads: int,
    fp: str,
    cache_dir: str | None,
    profile: str | None,
    schedule: str | None = None,
    broken: str | None = None,
    unchecked: str | None = None,
    verify: bool = False,
    prices: bool = False,
    record: bool = False,
    learning: bool = True,
    background: bool = True,
    early: bool = True,
    found: str | None = None,
    reported: bool = False,
    cooperative: bool | None = None,
    tier: str | None = None,
    scaled: bool = True,
) -> list[str]: ...
def fit(
    section: str, counts: list[dict[str, float]], seconds: list[float]
) -> tuple[dict[str, float], list[float]]: ...
def errors(
    section: str,
    weights: dict[str, float],
    counts: list[dict[str, float]],
    seconds: list[float],
) -> tuple[list[float], float, float]: ...
def fit_host(
    executed: list[str],
    seconds: list[float],
    held: list[str],
    held_seconds: list[float],
) -> tuple[str, list[float], float, float]: ...
def summary(samples: list[float]) -> tuple[float, float, int]: ...
def machine(python: str, numpy: str | None, date: str) -> str: ...
def card() -> tuple[str, int, int, int] | None: ...
def default_profile() -> str: ...
def read_profile(text: str) -> str: ...
def use_libdevice(file: str) -> None: ...
def report(file: str | None = None, lines: set[int] | None = None) -> list[dict[str, Any]]: ...
def keep_heap() -> None: ...
def lower(
    text: str,
    first_line: int,
    indented: bool,
    module_level: bool,
    local_names: frozenset[str],
    bound_names: frozenset[str],
) -> dict[str, Any]: ...
def explain(
    text: str,
    first_line: int,
    indented: bool,
    module_level: bool,
    local_names: frozenset[str],
    bound_names: frozenset[str],
    describe: Callable[[int | None, str], str],
    function: Callable[[int], tuple | None],
    sizes: dict[str, list[int]],
    after: str | None,
) -> dict[str, Any]: ...
def panics() -> list[str]: ...
def random_text(name: str) -> tuple[str, set[str]] | None: ...

class Site:
    def function(self, name: str) -> Callable[..., Any]: ...
    def __init__(
        self,
        file: str,
        text: str,
        first_line: int,
        indented: bool,
        module_level: bool,
        local_names: frozenset[str],
        bound_names: frozenset[str],
    ) -> None: ...
