"""`@nestwise.jit`: one function's loops, from its source."""

from __future__ import annotations

from types import CodeType, FunctionType

from nestwise import options
from nestwise.importing import codecache
from nestwise.native import extension
from nestwise.reporting import diagnostics
from nestwise.rewriting import sources

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from typing import Any


class _File:
    """One file that was asked about: its plain code, and its rewritten code once made."""

    def __init__(self, source: bytes | str, plain: CodeType) -> None:
        self.source = source
        self.plain = plain
        self.rewritten: Any = None


_files: dict[str, _File] = {}  # by name, as it was read last


def apply(function: Any) -> Any:
    """Gives `function` code whose loops ask the native part; returns that same function object.

    Its identity, closure, defaults and attributes stay. A function that cannot be handled (there is
    no source, or it was made from another one) stays as it is, and the report says so.
    """
    plain = function
    if isinstance(function, (staticmethod, classmethod)):
        plain = function.__func__
    if not isinstance(plain, FunctionType):
        raise TypeError(f"nestwise.jit takes a function, not {type(function).__name__}")
    try:
        code = _rewritten(plain)
        if code is not None:
            plain.__code__ = code
    except Exception as error:
        _keep(plain, f"{type(error).__name__}: {error}")
    return function


def _rewritten(function: FunctionType) -> CodeType | None:
    from nestwise.rewriting.binding import bind
    from nestwise.rewriting.compiling import plain_code
    from nestwise.rewriting.rewrite import rewrite

    code = function.__code__
    filename = code.co_filename
    if sources.loaded(filename):
        return None  # the import hook has done it
    source = sources.source_of(filename, function.__globals__)
    if source is None:
        _keep(function, "its source is not available")
        return None
    file = _files.get(filename)
    if file is None or file.source != source:
        file = _files[filename] = _File(source, plain_code(source, filename)[1])
    if _within(file.plain, code) is None:
        _keep(function, "the source file has changed since it was loaded")
        return None
    if not extension.available():
        return None
    import nestwise._core as core

    tag = codecache.tag(source if isinstance(source, bytes) else source.encode())
    if file.rewritten is None:
        kinds = {"noted": options.current().verify, "regions": options.regions()}
        text = sources.decode(source)
        file.rewritten = rewrite(source, text, filename, tag, core.lower, **kinds)
        diagnostics.loops.setdefault(filename, file.rewritten.loops)
    made = file.rewritten
    if made.code is None:
        return None
    found = _named(made.code, code)
    if found is None or found.co_freevars != code.co_freevars:
        return None
    return bind(found, tag, [core.Site(filename, site) for site in made.sites])


def _within(code: CodeType, wanted: CodeType) -> CodeType | None:
    """The code object in `code` that equals `wanted`."""
    if code == wanted:
        return code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found = _within(constant, wanted)
            if found is not None:
                return found
    return None


def _named(code: CodeType, wanted: CodeType) -> CodeType | None:
    """The code object in `code` of the same name and first line as `wanted`."""
    if (code.co_name, code.co_firstlineno) == (wanted.co_name, wanted.co_firstlineno):
        return code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found = _named(constant, wanted)
            if found is not None:
                return found
    return None


def _keep(function: FunctionType, why: str) -> None:
    diagnostics.note(f"{function.__module__}.{function.__qualname__} stays in CPython: {why}")
