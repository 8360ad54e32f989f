"""Modules of the user's own are imported with their loops rewritten.

A finder just before the standard one takes its answers and puts our loader in place of the plain
source loader for files outside the standard library and site-packages. That loader first lets
CPython make the code in its own way (its .pyc, its warnings, its errors) and becomes the plain
loader again; only then is a module with sites given other code. Every other loader (a test
runner's, zip, frozen) is left alone.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder, SourceFileLoader
from types import CodeType

from nestwise import options
from nestwise.importing import codecache
from nestwise.importing.codecache import Entry

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from typing import Any

_SITE, _DIST = (f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))
_LIBRARIES = tuple(
    {
        os.path.dirname(os.path.abspath(os.__file__)) + os.sep,
        os.path.dirname(os.path.realpath(os.__file__)) + os.sep,
        options.FOLDER + os.sep,
    }
)


def _as_importlib(function: Any) -> Any:
    """Names a function so that its frames disappear from tracebacks with the rest of
    importlib's.
    """
    code = function.__code__
    function.__code__ = code.replace(co_filename="<frozen importlib._bootstrap_external>")
    return function


_plain_code = SourceFileLoader.get_code


@_as_importlib
def _as_plain(loader: Any) -> None:
    """Makes one of our loaders a plain one."""
    loader.__class__ = SourceFileLoader


class Loader(SourceFileLoader):
    """Loads a module of the user's, with its loops rewritten."""

    @_as_importlib
    def get_code(self, fullname: str) -> CodeType | None:
        """The code of a module with its loops rewritten, or as CPython made it."""
        plain = _plain_code(self, fullname)
        if self.__class__ is SourceFileLoader:
            return plain  # `path_stats` saw that there is nothing to do
        stat = self.__dict__.pop("stat", None)
        _as_plain(self)
        return code_for(plain, self.path, stat=stat)

    @_as_importlib
    def path_stats(self, path: str) -> dict[str, Any]:
        """The time and size of a source, which tell whether there is anything to do."""
        # As the plain loader does. Modules without loops are many, and this is where they are
        # told from others: asking the file system once more is what a small module would feel.
        stat = os.stat(path)
        if codecache.index.has(path, stat) and options.current().report is None:
            _as_plain(self)
        else:
            self.stat = stat
        return {"mtime": stat.st_mtime, "size": stat.st_size}


# OpenBLAS's threads look for work without a pause for so long after they had some (2 to that power
# cycles: two milliseconds), before they sleep. By themselves they do so for a tenth of a second
# after NumPy is imported, when code is made on the cores that they occupy.
_BLAS_VARIABLE, _BLAS_PATIENCE = "OPENBLAS_THREAD_TIMEOUT", "22"


class NumpyLoader(SourceFileLoader):
    """Imports NumPy with the patience of OpenBLAS's threads limited, unless the user has set it."""

    @_as_importlib
    def exec_module(self, module: Any) -> None:
        """Runs the module, once what it needs is in place."""
        _as_plain(self)
        if _BLAS_VARIABLE in os.environ:
            self.exec_module(module)
            return
        # The library reads it once. Neither os.environ nor any process begun later has it.
        os.putenv(_BLAS_VARIABLE, _BLAS_PATIENCE)
        try:
            self.exec_module(module)
        finally:
            os.unsetenv(_BLAS_VARIABLE)


class SpawnLoader(SourceFileLoader):
    """Loads multiprocessing.spawn as ever, then extends its preparation data."""

    def exec_module(self, module: Any) -> None:
        """Runs the module, once what it needs is in place."""
        from nestwise.importing.spawn import patch_spawn

        _as_plain(self)
        self.exec_module(module)
        patch_spawn(module, installed)


class Finder:
    """The meta path entry; there is one."""

    @classmethod
    @_as_importlib
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> Any:
        """The spec of PathFinder, with a loader of ours where the module is of interest."""
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            if fullname == "multiprocessing.spawn":
                spec.loader.__class__ = SpawnLoader
            elif _own(fullname, spec.loader.path):
                spec.loader.__class__ = Loader
            elif fullname == "numpy":
                spec.loader.__class__ = NumpyLoader
        return spec


def _own(fullname: str, path: str) -> bool:
    """Whether a module is the user's: outside the libraries, or named by --include."""
    if not (path.startswith(_LIBRARIES) or _SITE in path or _DIST in path):
        return True
    for name in options.current().include:
        if fullname == name or fullname.startswith(name + "."):
            return not path.startswith(options.FOLDER + os.sep)
    return False


def installed() -> bool:
    """Whether modules imported from here on have their loops rewritten."""
    return Finder in sys.meta_path


def install() -> None:
    """Has modules imported from here on have their loops rewritten."""
    if installed() or PathFinder not in sys.meta_path:
        return
    sys.meta_path.insert(sys.meta_path.index(PathFinder), Finder)
    spawn = sys.modules.get("multiprocessing.spawn")
    if spawn is not None:
        from nestwise.importing.spawn import patch_spawn

        patch_spawn(spawn, installed)


def uninstall() -> None:
    """Leaves modules imported from here on alone."""
    if installed():
        sys.meta_path.remove(Finder)


def code_for(
    plain: CodeType | None,
    path: str,
    source: bytes | None = None,
    stat: os.stat_result | None = None,
) -> CodeType | None:
    """Gives the code to run instead of `plain`, which CPython made of the file at `path`.

    Whatever goes wrong here, the answer is `plain`.
    """
    try:
        if source is None:
            # A report wants to know about the loops that were refused, too.
            stat = stat or os.stat(path)
            if options.current().report is None and codecache.index.has(path, stat):
                return plain
            with open(path, "rb") as file:
                source = file.read()
        if plain is None or _traced():
            return plain
        entry = _entry(path, source)
        if entry is None:
            return plain
        if stat is not None and not entry.sites:
            codecache.index.add(path, stat)
        return _bound(entry, path, source) or plain
    except Exception as error:
        from nestwise.reporting import diagnostics

        diagnostics.note(f"{path}: its loops stay in CPython: {type(error).__name__}: {error}")
        return plain


def _entry(path: str, source: bytes) -> Entry | None:
    """Gives the cache's entry for a file, made if need be; None where the native part, which would
    make it, is missing.
    """
    if not _may_loop(source):
        return Entry(None, [], [])
    entry = codecache.get(path, source)
    if entry is None:
        from nestwise.native import extension

        if not extension.available():
            return None
        import nestwise._core as core
        from nestwise.rewriting import sources
        from nestwise.rewriting.rewrite import rewrite

        kinds = {"noted": options.current().verify, "regions": options.regions()}
        tag = codecache.tag(source)
        made = rewrite(source, sources.decode(source), path, tag, core.lower, **kinds)
        entry = Entry(made.code, made.sites, made.loops)
        if entry.loops:
            codecache.put(path, source, entry)
    if entry.loops:
        from nestwise.reporting import diagnostics

        diagnostics.loops[path] = entry.loops
    return entry


def _bound(entry: Entry, path: str, source: bytes) -> CodeType | None:
    if entry.code is None:
        return None
    from nestwise.native import extension

    if not extension.available():
        return None
    import nestwise._core as core
    from nestwise.rewriting import sources
    from nestwise.rewriting.binding import bind

    sources.remember(path, source)
    made = [core.Site(path, site) for site in entry.sites]
    return bind(entry.code, codecache.tag(source), made)


def _may_loop(source: bytes) -> bool:
    """Whether a line starts as a loop statement does, or holds what a comprehension does."""
    if b"for" not in source and b"while" not in source:
        return False
    return any(
        line.lstrip().startswith((b"for", b"while")) or (b"for " in line and b" in" in line)
        for line in source.splitlines()
    )


def _traced() -> bool:
    """Whether a debugger, a profiler or a coverage tool watches: the code stays as it was."""
    if sys.gettrace() is not None or sys.getprofile() is not None:
        return True
    monitoring = getattr(sys, "monitoring", None)
    return monitoring is not None and any(monitoring.get_tool(i) for i in range(6))
