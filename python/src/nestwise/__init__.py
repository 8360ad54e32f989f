"""Runs unmodified loop-heavy Python, its loop nests priced, compiled and run where they win.

    nestwise run script.py args...

is the main door. From Python: `enable()` for every module imported later, `@jit` for one function,
`report()` for what became of the loops.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = ["__version__", "disable", "enable", "jit", "report"]


def __getattr__(name: str) -> str:
    if name == "__version__":  # imported when somebody asks for it
        from nestwise.version import VERSION

        return VERSION
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def enable(include: str | Iterable[str] = ()) -> None:
    """Handles the loops of every module that is imported from now on.

    Modules of the standard library and of site-packages are left alone unless they, or a package
    around them, are named in `include`.
    """
    from nestwise import options
    from nestwise.importing import hook

    names = (include,) if isinstance(include, str) else tuple(include)
    chosen = options.current()
    chosen.include += tuple(n for n in names if n not in chosen.include)
    hook.install()


def disable() -> None:
    """Leaves modules that are imported from now on alone; what is loaded stays as it is."""
    from nestwise.importing import hook

    hook.uninstall()


def jit(function: Any = None) -> Any:
    """Handles the loops of one function; the decorator returns that same function."""
    from nestwise.importing.decorator import apply

    return apply if function is None else apply(function)


def report() -> dict[str, Any]:
    """Gives what became of the loops so far, as plain data."""
    from nestwise.reporting.collect import collect

    return collect()
