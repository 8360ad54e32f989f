"""Runs unmodified loop-heavy Python, its loop nests priced, compiled and run where they win.

    nestwise run script.py args...

is the main door. From Python: `enable()` for every module imported later, `@jit` for one function,
`report()` for what became of the loops.
"""

__version__ = "0.1.0"
__all__ = ["__version__", "disable", "enable", "jit", "report"]


def enable(include=()):
    """Handles the loops of every module that is imported from now on.

    Modules of the standard library and of site-packages are left alone unless they, or a package
    around them, are named in `include`.
    """
    from nestwise import config, importer

    names = (include,) if isinstance(include, str) else tuple(include)
    options = config.options()
    options.include += tuple(n for n in names if n not in options.include)
    importer.install()


def disable():
    """Leaves modules that are imported from now on alone; what is loaded stays as it is."""
    from nestwise import importer

    importer.uninstall()


def jit(function=None):
    """Handles the loops of one function; the decorator returns that same function."""
    from nestwise.decorator import apply

    return apply if function is None else apply(function)


def report():
    """What became of the loops so far, as plain data."""
    from nestwise.reporting import collect

    return collect()
