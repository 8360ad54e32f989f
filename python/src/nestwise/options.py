"""The options of this process: what the command line and the environment say.

`current` gives the options in force; `choose` replaces them. Nothing is looked up before somebody
asks for it, so a script without loops pays nothing.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from typing import Any

DEVICES = ("auto", "interpreter", "serial", "threads", "emulated", "gpu")
PRECISIONS = ("strict", "faithful", "fast")
REPORTS = ("text", "json")
# The name of the profile that nobody measured.
DEFAULT = "default"
FOLDER = os.path.dirname(os.path.abspath(__file__))


class BadOption(ValueError):
    """An option or environment variable with a value that it cannot have."""


class Options:
    """The options, as the command line and the environment say them."""

    def __init__(self) -> None:
        self.device = "auto"
        self.threads = 0  # as many as this process may use
        self.fp = "strict"
        self.report: str | None = None
        self.report_file: str | None = None
        self.profile: str | None = None
        self.cache = True
        self.include: tuple[str, ...] = ()
        self.schedule: str | None = None  # for tests: the form of nests that runs
        self.tier: str | None = None  # for tests: quick code, optimised code, or both in turn
        self.broken: str | None = None  # for tests: an operation that nests compute wrongly
        self.unchecked: str | None = None  # for benches: kernels without checks
        self.cooperative: bool | None = None  # for tests: whether one kernel runs a loop of several
        self.prices = False  # what every call was predicted to take is summed up
        self.record = False  # what that depends on is kept, for other machines
        self.learning = True  # measured times correct what is predicted
        self.background = True  # kernels are made while CPython goes on
        self.tier_up_budget = True  # CPython runs calls shorter than making a plan of them
        self.verify = False  # every native run is compared with CPython
        self.sample = 1
        self.only: tuple[str, int, int] | None = None
        self.program: tuple[str, ...] = ()  # as the command line names it, with its arguments

    def set(self, name: str, value: str, said: str) -> None:
        """Sets an option by its name without dashes; `said` is how the user wrote it."""
        if name == "device":
            self.device = _choice(value, DEVICES, said)
        elif name == "fp":
            self.fp = _choice(value, PRECISIONS, said)
        elif name == "report":
            self.report = _choice(value or "text", REPORTS, said)
        elif name == "threads":
            self.threads = _count(value, said, "number of threads")
        elif name == "report-file":
            self.report_file = os.path.abspath(_given(value, said))
            self.report = self.report or "text"
        elif name == "profile":
            given = _given(value, said)
            self.profile = DEFAULT if given == DEFAULT else _readable(given, said)
        elif name == "no-cache":
            self.cache = False
        elif name == "sample":
            self.sample = _count(value, said, "sample")
        elif name == "only":
            self.only = _run_of_nest(_given(value, said), said)
        elif name == "include":
            found = tuple(m.strip() for m in value.split(",") if m.strip())
            self.include += found
        else:
            raise BadOption(f"unknown option {said}")

    def cache_dir(self) -> str | None:
        """The cache folder; None where nothing is to be cached, or no folder is known."""
        return _cache_dir() if self.cache else None

    def need_judging(self) -> bool:
        """Whether only the extension module can tell if these options make sense."""
        judged = (self.profile, self.schedule, self.tier, self.broken, self.unchecked)
        return self.device in ("gpu", "emulated") or any(judged)

    def as_dict(self) -> dict[str, Any]:
        """All options by name, as `from_dict` takes them."""
        return dict(self.__dict__)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Options:
        """Makes the options of another process from `as_dict`'s result."""
        options = cls()
        options.__dict__.update(values)
        return options

    @classmethod
    def from_environment(cls) -> Options:
        """Makes the options that NESTWISE_* variables say; raises BadOption."""
        options = cls()
        for name in ("device", "threads", "fp", "report", "report-file", "profile", "include"):
            variable = "NESTWISE_" + name.upper().replace("-", "_")
            value = os.environ.get(variable)
            if value and not (name == "report" and value == "0"):
                if name == "report" and value == "1":
                    value = "text"
                options.set(name, value, variable)
        options.schedule = os.environ.get("NESTWISE_SCHEDULE") or None
        options.tier = os.environ.get("NESTWISE_TIER") or None
        options.broken = os.environ.get("NESTWISE_BREAK") or None
        options.unchecked = os.environ.get("NESTWISE_UNCHECKED") or None
        cooperative = os.environ.get("NESTWISE_COOPERATIVE")
        options.cooperative = {"0": False, "1": True}.get(cooperative or "")
        options.prices = os.environ.get("NESTWISE_PRICES") == "1"
        options.learning = os.environ.get("NESTWISE_LEARNING") != "0"
        options.background = os.environ.get("NESTWISE_BACKGROUND") != "0"
        options.tier_up_budget = os.environ.get("NESTWISE_TIER_UP_BUDGET") != "0"
        uncached = os.environ.get("NESTWISE_NO_CACHE", "") not in ("", "0")
        if uncached or options.schedule or options.broken or options.unchecked:
            options.cache = False
        return options


def _choice(value: str, allowed: tuple[str, ...], said: str) -> str:
    if value not in allowed:
        raise BadOption(f"{said}: {value!r} is none of {', '.join(allowed)}")
    return value


def _count(value: str, said: str, what: str) -> int:
    try:
        count = int(value)
    except ValueError:
        count = 0
    if not 1 <= count <= 65535:
        raise BadOption(f"{said}: {value!r} is not a {what}")
    return count


def _run_of_nest(value: str, said: str) -> tuple[str, int, int]:
    """Parses FILE:LINE:CALL, and makes the file an absolute path."""
    words = value.rsplit(":", 2)
    if len(words) != 3 or not words[0] or not all(w.isdigit() for w in words[1:]):
        raise BadOption(f"{said}: {value!r} is not FILE:LINE:CALL")
    return os.path.abspath(words[0]), int(words[1]), int(words[2])


def _given(value: str, said: str) -> str:
    if not value:
        raise BadOption(f"{said}: a file name is missing")
    return value


def _readable(path: str, said: str) -> str:
    try:
        with open(path, "rb"):
            return os.path.abspath(path)
    except OSError as error:
        raise BadOption(f"{said}: cannot read {path!r}: {error.strerror}") from None


def _cache_dir() -> str | None:
    given = os.environ.get("NESTWISE_CACHE_DIR")
    if given:
        return os.path.abspath(given)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "nestwise") if os.path.isabs(base) else None


def profile_path() -> str | None:
    """Gives the path where `nestwise calibrate` leaves the profile that runs find by themselves:
    one for each minor version of Python, beside what NESTWISE_CACHE_DIR names, else where users'
    settings are.
    """
    name = f"profile-{sys.version_info[0]}.{sys.version_info[1]}.json"
    given = os.environ.get("NESTWISE_CACHE_DIR")
    if given:
        return os.path.join(os.path.abspath(given), name)
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(base, "nestwise", name) if os.path.isabs(base) else None


def profiles(chosen: Options) -> tuple[str | None, str | None]:
    """Gives the profile that was asked for, and the one that is found."""
    if chosen.profile == DEFAULT:
        return None, None
    found = profile_path() if chosen.profile is None else None
    return chosen.profile, found if found and os.path.exists(found) else None


def regions() -> bool:
    """Whether nests may run on a device that has copies of arrays: a device is asked for, or has a
    price.

    Nests that are compared with CPython (`verify`) leave no copies on a device.
    """
    chosen = current()
    if chosen.device != "auto" or chosen.verify:
        return chosen.device in ("gpu", "emulated") and not chosen.verify
    path = next(filter(None, profiles(chosen)), None)
    if path is None:
        return False
    try:
        with open(path, encoding="utf-8") as file:
            section = file.read().partition('"gpu"')[2]
    except (OSError, ValueError):
        return False
    return section.lstrip(": \n\t").startswith("{")


# Whether the process is `nestwise`'s own: a program is run by the command, it does not import the
# package.
command_line = False

_current: Options | None = None


def current() -> Options:
    """Gives the options in force: those that were chosen, else what the environment says."""
    global _current
    if _current is None:
        _current = Options.from_environment()
    return _current


def choose(chosen: Options) -> None:
    """Puts `chosen` in force; an extension module that is loaded does not hear of it.

    See `native.extension.configure`.
    """
    global _current
    _current = chosen
