"""The extension module `nestwise._core`: loaded when a loop first needs it, and configured."""

from __future__ import annotations

from nestwise import options
from nestwise.native.settings import OneCall, Settings
from nestwise.options import DEFAULT, BadOption

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
            from nestwise.reporting import diagnostics

            _failed = True
            # Nothing is wrong with a program that has subinterpreters: only the report says so.
            if "subinterpreter" in str(error):
                diagnostics.note("this is a subinterpreter: its loops stay in CPython")
                return False
            diagnostics.warn(f"running without compiled loops: {error}")
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
    settings = Settings(
        device=chosen.device,
        threads=chosen.threads,
        fp=chosen.fp,
        cache_dir=chosen.cache_dir(),
        profile=asked,
        found=found,
        schedule=chosen.schedule,
        broken=chosen.broken,
        unchecked=chosen.unchecked,
        tier=chosen.tier,
        cooperative=chosen.cooperative,
        verify=chosen.verify,
        prices=chosen.prices,
        record=chosen.record,
        learning=chosen.learning,
        background=chosen.background,
        tier_up_budget=chosen.tier_up_budget,
        reported=chosen.report is not None,
        scaled=chosen.profile != DEFAULT,
    )
    told = core.configure(settings)
    if chosen.program:  # the process is its own
        core.keep_heap()
    for text in told:
        from nestwise.reporting import diagnostics

        if asked and "default profile is used" in text and text not in diagnostics.notes:
            diagnostics.warn(text)
        diagnostics.note(text)
    if chosen.verify:
        from nestwise.verifying.check import Check

        core.verify(Check, chosen.sample, chosen.only and OneCall(*chosen.only))
