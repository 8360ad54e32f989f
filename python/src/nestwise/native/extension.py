"""The extension module `nestwise._core`: loaded when a loop first needs it, and configured."""

from __future__ import annotations

import sys

from nestwise import options
from nestwise.options import DEFAULT, BadOption
from nestwise.reporting import diagnostics

_loaded = False
_failed = False


def available() -> bool:
    """Whether `nestwise._core` can be used: loads and configures it; tells once if that fails."""
    global _loaded, _failed
    if not (_loaded or _failed):
        try:
            _configure()
            _loaded = True
        except Exception as error:
            _failed = True
            # Nothing is wrong with a program that has subinterpreters: only the report says so.
            if "subinterpreter" in str(error):
                diagnostics.note("this is a subinterpreter: its loops stay in CPython")
                return False
            print(f"nestwise: running without compiled loops: {error}", file=sys.stderr)
            diagnostics.note(f"the native part could not be used: {error}")
    return _loaded


def require() -> None:
    """Loads and configures the extension module; raises BadOption where it cannot be used."""
    if not available():
        raise BadOption("the native part could not be used")


def loaded() -> bool:
    """Whether something has needed the extension module so far."""
    return _loaded


def configure(chosen: options.Options) -> None:
    """Puts `chosen` in force, also in an extension module that is loaded."""
    options.choose(chosen)
    if _loaded:
        _configure()


def check() -> None:
    """Has the extension module judge the options in force; raises BadOption if it objects."""
    try:
        import nestwise._core  # noqa: F401
    except Exception:
        return  # `available` tells why
    try:
        _configure()
    except ValueError as error:
        raise BadOption(str(error)) from None


def _configure() -> None:
    import nestwise._core as core

    chosen = options.current()
    asked, found = options.profiles(chosen)
    if chosen.device in ("gpu", "emulated") and chosen.fp != "strict":
        from nestwise.native import libdevice

        if (library := libdevice.find()) is not None:
            core.use_libdevice(library)
    told = core.configure(
        chosen.device,
        chosen.threads,
        chosen.fp,
        chosen.cache_dir(),
        asked,
        chosen.schedule,
        chosen.broken,
        chosen.unchecked,
        chosen.verify,
        chosen.prices,
        chosen.record,
        chosen.learning,
        chosen.background,
        chosen.early,
        found,
        chosen.report is not None,
        chosen.cooperative,
        chosen.tier,
        chosen.profile != DEFAULT,
    )
    if chosen.program:  # the process is its own
        core.keep_heap()
    for text in told:
        if asked and "default profile is used" in text and text not in diagnostics.notes:
            print(f"nestwise: {text}", file=sys.stderr)
        diagnostics.note(text)
    if chosen.verify:
        from nestwise.verifying.check import Check

        core.verify(Check, chosen.sample, chosen.only)
