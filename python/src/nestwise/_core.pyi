"""What the extension module has; `python/tests/test_core_stub.py` holds it to this.

Shapes, units and errors are told by the doc comments of `python/bindings/src/`.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar, Final, Protocol, final

from nestwise.inferred_types.infer import NamedFunction
from nestwise.native.settings import OneCall, Settings
from nestwise.rewriting.sites import SiteText

def version() -> str: ...
def configure(settings: Settings) -> list[str]: ...
def cores() -> int: ...
def use_libdevice(file: str) -> None: ...
def keep_heap() -> None: ...
def panics() -> list[str]: ...
def lower(site: SiteText) -> Lowered: ...
def explain(
    site: SiteText,
    describe: Callable[[int | None, str], str],
    function: Callable[[int], NamedFunction | None],
    sizes: dict[str, list[int]],
    after: str | None,
) -> Explained: ...
def random_text(name: str) -> RandomText | None: ...
def Site(file: str, site: SiteText) -> SiteFunctions: ...
def report(file: str | None = None, lines: set[int] | None = None) -> list[NestReport]: ...
def verify(check: Checks, sample: int, only: OneCall | None) -> None: ...
def passed_over() -> int: ...
def fit(section: str, counts: Sequence[dict[str, float]], seconds: Sequence[float]) -> Fit: ...
def errors(
    section: str,
    weights: dict[str, float],
    counts: Sequence[dict[str, float]],
    seconds: Sequence[float],
) -> Errors: ...
def fit_host(
    executed: Sequence[str],
    seconds: Sequence[float],
    held: Sequence[str],
    held_seconds: Sequence[float],
) -> HostFit: ...
def summary(samples: Sequence[float]) -> Summary: ...
def machine(python: str, numpy: str | None, date: str) -> str: ...
def card() -> Card | None: ...
def default_profile() -> str: ...
def read_profile(text: str) -> str: ...
def recording() -> str: ...
def what_if(recording: str, profile: str | None, cores: int) -> str: ...

class Check(Protocol):
    """The Python half of a comparison of one run; `nestwise.verifying.check.Check` is one."""

    def ran(self, run: NativeRun, values: dict[str, object], value: object) -> bool: ...
    def runs_over(self, iterable: object, taken: tuple[int, int, int]) -> None: ...
    def concluded(self, exit: str, what: object) -> bool: ...

class Checks(Protocol):
    """Makes the Python half of a comparison."""

    def __call__(
        self,
        about: NestCall,
        captured: list[tuple[str, object]],
        attributes: list[tuple[str, object, str]],
        names: list[str],
        modules: list[dict[str, object]],
        local: tuple[list[str], list[str]],
    ) -> Check: ...

@final
class SiteFunctions:
    def function(self, name: str) -> Callable[..., object]: ...
    def within(self, what: str, first: SiteFunctions, flags: str) -> Callable[..., object]: ...

@final
class NestCall:
    __match_args__: ClassVar[tuple[str, ...]]
    file: Final[str]
    line: Final[int]
    call: Final[int]

@final
class NativeRun:
    __match_args__: ClassVar[tuple[str, ...]]
    how: Final[str]
    device: Final[str]
    schedule: Final[str]
    iterations: Final[int]

@final
class Fit:
    __match_args__: ClassVar[tuple[str, ...]]
    weights: Final[dict[str, float]]
    residuals: Final[list[float]]

@final
class Errors:
    __match_args__: ClassVar[tuple[str, ...]]
    residuals: Final[list[float]]
    median: Final[float]
    p90: Final[float]

@final
class HostFit:
    __match_args__: ClassVar[tuple[str, ...]]
    weights: Final[str]
    errors: Final[Errors]

@final
class Summary:
    __match_args__: ClassVar[tuple[str, ...]]
    median: Final[float]
    error: Final[float]
    kept: Final[int]

@final
class Card:
    __match_args__: ClassVar[tuple[str, ...]]
    name: Final[str]
    processors: Final[int]
    resident: Final[int]
    cache: Final[int]

@final
class Refused:
    __match_args__: ClassVar[tuple[str, ...]]
    line: Final[int]
    code: Final[str]
    message: Final[str]
    hint: Final[str]

@final
class Point:
    __match_args__: ClassVar[tuple[str, ...]]
    line: Final[int]
    column: Final[int]
    end_line: Final[int]
    end_column: Final[int]
    statement: Final[bool]

@final
class Computed:
    __match_args__: ClassVar[tuple[str, ...]]
    name: Final[str]
    place: Final[list[int]]

@final
class Lowered:
    __match_args__: ClassVar[tuple[str, ...]]
    refused: Final[Refused | None]
    reads: Final[list[str]]
    writes: Final[list[str]]
    maybe: Final[list[str]]
    returns: Final[bool]
    sizes: Final[list[str]]
    points: Final[list[Point]]
    computed: Final[list[Computed]]

@final
class RandomText:
    __match_args__: ClassVar[tuple[str, ...]]
    text: Final[str]
    local_names: Final[set[str]]

@final
class Reduction:
    __match_args__: ClassVar[tuple[str, ...]]
    name: Final[str]
    op: Final[str]

@final
class Dependence:
    __match_args__: ClassVar[tuple[str, ...]]
    kind: Final[str]
    name: Final[str]
    source_line: Final[int]
    sink_line: Final[int]
    direction: Final[list[str]]
    distance: Final[list[int | None]]

@final
class LoopVerdict:
    __match_args__: ClassVar[tuple[str, ...]]
    line: Final[int]
    var: Final[str]
    depth: Final[int]
    verdict: Final[str]
    op: Final[str | None]
    condition: Final[str | None]
    because: Final[str | None]
    hint: Final[str | None]
    gain: Final[float | None]
    faithful_gain: Final[float | None]
    assumes: Final[list[str]]
    private: Final[list[str]]
    copied_before: Final[list[str]]
    reductions: Final[list[Reduction]]
    dependences: Final[list[Dependence]]

@final
class StageSeconds:
    __match_args__: ClassVar[tuple[str, ...]]
    lower: Final[float]
    prove: Final[float]
    analyse: Final[float]

@final
class Explained:
    __match_args__: ClassVar[tuple[str, ...]]
    refused: Final[Refused | None]
    types: Final[dict[str, str]]
    used: Final[set[str]]
    unfit: Final[dict[str, str]]
    loops: Final[list[LoopVerdict]]
    stage: Final[str | None]
    seconds: Final[StageSeconds | None]

@final
class Declined:
    __match_args__: ClassVar[tuple[str, ...]]
    interpreter: Final[float]
    native: Final[float]
    compile: Final[float]

@final
class Transferred:
    __match_args__: ClassVar[tuple[str, ...]]
    up: Final[int]
    down: Final[int]
    elements: Final[int]
    bytes_up: Final[int]
    bytes_down: Final[int]
    seconds_up: Final[float]
    seconds_down: Final[float]
    seconds_kernels: Final[float]

@final
class Nodes:
    __match_args__: ClassVar[tuple[str, ...]]
    node: Final[float]
    vector_node: Final[float]

@final
class MadeCode:
    __match_args__: ClassVar[tuple[str, ...]]
    tier: Final[str]
    predicted_s: Final[float]
    took_s: Final[float]

@final
class Fallback:
    __match_args__: ClassVar[tuple[str, ...]]
    code: Final[str]
    reason: Final[str]
    count: Final[int]

@final
class NestReport:
    __match_args__: ClassVar[tuple[str, ...]]
    file: Final[str]
    line: Final[int]
    calls: Final[int]
    declined: Final[int]
    declined_s: Final[Declined]
    iterations: Final[int]
    verdict: Final[str | None]
    verdicts: Final[list[str]]
    schedules: Final[list[str]]
    means: Final[dict[str, int]]
    transfers: Final[Transferred]
    device: Final[str]
    launches: Final[int]
    threaded_launches: Final[int]
    stopped: Final[int]
    predicted_s: Final[float]
    measured_s: Final[float]
    priced_s: Final[dict[str, float]]
    runs: Final[str]
    work: Final[dict[str, float]]
    launch_work: Final[dict[str, float]]
    nodes: Final[Nodes]
    guessed_loops: Final[int]
    replaced_s: Final[float]
    compile_s: Final[float]
    kernels_compiled: Final[int]
    kernels_from_cache: Final[int]
    made: Final[list[MadeCode]]
    interpreted_s: Final[float]
    lost_s: Final[float]
    fallbacks: Final[list[Fallback]]
