"""Rewritten code on disk, in a folder of our own and never in `__pycache__`.

An entry holds the whole source it was made from and is used only when that is equal, byte for byte;
it carries a checksum, so a damaged one is made anew. Entries appear by rename, so a reader sees all
of one or none. The index beside them remembers by path, time and size, as CPython's own .pyc files
do, which modules have no site; those are not even read.
"""

from __future__ import annotations

import _imp
import marshal
import os
import sys
from types import CodeType

from nestwise import options

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from nestwise.rewriting.sites import Loop, SiteText

LIMIT = 256 << 20  # bytes, together with the kernels that the native part keeps there
# What a killed process left half-written is removed once it is this old, in seconds.
ABANDONED = 600
MAGIC = b"nestwise-code-1\n"
_KEY = 0x6E657374
# The files of `rewriting` that decide what code is made, and what is kept of it.
_REWRITERS = ("rewrite.py", "region.py", "scope.py", "sites.py", "tracing.py")


class Entry:
    """The cache's entry for one source file."""

    def __init__(self, code: CodeType | None, sites: list[SiteText], loops: list[Loop]) -> None:
        self.code = code
        self.sites = sites
        self.loops = loops


def tag(source: bytes) -> str:
    """Gives a mark for the constants of code made from `source`, which the source itself cannot
    contain.
    """
    return _imp.source_hash(_KEY, source).hex()


def get(filename: str, source: bytes) -> Entry | None:
    """Reads the entry of a source; None where there is none, or a damaged one."""
    path = _path(filename, source)
    if path is None:
        return None
    try:
        with open(path, "rb") as file:
            data = file.read()
        body = memoryview(data)[len(MAGIC) + 8 :]
        if data[: len(MAGIC) + 8] != MAGIC + _imp.source_hash(_KEY, body):
            return None
        name, known, code, sites, loops = marshal.loads(body)
    except (OSError, ValueError, EOFError, TypeError):
        return None
    if name != filename or known != source:
        return None
    from nestwise.rewriting.sites import Loop, SiteText

    return Entry(code, [SiteText(*site) for site in sites], [Loop(*loop) for loop in loops])


def put(filename: str, source: bytes, entry: Entry) -> None:
    """Writes the entry of a source."""
    path = _path(filename, source)
    if path is None:
        return
    sites, loops = [tuple(site) for site in entry.sites], [tuple(loop) for loop in entry.loops]
    body = marshal.dumps((filename, source, entry.code, sites, loops))
    if _write(path, MAGIC + _imp.source_hash(_KEY, body) + body):
        _evict()


class Index:
    """The modules without a site: path -> (modification time in ns, size)."""

    def __init__(self) -> None:
        self._plain: dict[str, tuple[int, int]] | None = None
        self._new: dict[str, tuple[int, int]] = {}

    def has(self, path: str, stat: os.stat_result) -> bool:
        """Whether a module is known, as the file system has it, to be without a site."""
        if self._plain is None:
            self._plain = self._read()
        known = self._plain.get(path)
        return known is not None and known == (stat.st_mtime_ns, stat.st_size)

    def add(self, path: str, stat: os.stat_result) -> None:
        """Notes that a module is without a site."""
        if not options.current().cache:
            return
        if not self._new:
            import atexit

            atexit.register(self.save)
        self._new[path] = (stat.st_mtime_ns, stat.st_size)

    def save(self) -> None:
        """Writes what was added, together with what others have written."""
        folder = _folder()
        if not self._new or folder is None:
            return
        merged = {**self._read(), **self._new}  # another process may have written meanwhile
        self._new = {}
        kept = dict(list(merged.items())[-20_000:])
        body = marshal.dumps(kept)
        _write(os.path.join(folder, "plain"), MAGIC + _imp.source_hash(_KEY, body) + body)

    def _read(self) -> dict[str, tuple[int, int]]:
        folder = _folder()
        if folder is None:
            return {}
        try:
            with open(os.path.join(folder, "plain"), "rb") as file:
                data = file.read()
            body = memoryview(data)[len(MAGIC) + 8 :]
            if data[: len(MAGIC) + 8] == MAGIC + _imp.source_hash(_KEY, body):
                known: dict[str, tuple[int, int]] = marshal.loads(body)
                return known
        except (OSError, ValueError, EOFError, TypeError):
            pass
        return {}


index = Index()
_folders: dict[str | None, str | None] = {}


def _folder() -> str | None:
    """Gives the folder with entries of this interpreter, optimisation level and build
    of nestwise.
    """
    base = options.current().cache_dir()
    if base not in _folders:
        _folders[base] = base and os.path.join(base, "code", _build())
    return _folders[base]


def _build() -> str:
    """Gives a text that changes whenever another interpreter or another nestwise would make other
    code.
    """
    stamps = [sys.implementation.cache_tag, str(sys.hexversion), str(sys.flags.optimize)]
    if options.current().verify:
        stamps.append("verify")
    if options.regions():
        stamps.append("regions")
    for folder in (options.FOLDER, os.path.join(options.FOLDER, "rewriting")):
        for name in sorted(os.listdir(folder)):
            if name.startswith("_core.") or name in _REWRITERS:
                stat = os.stat(os.path.join(folder, name))
                stamps.append(f"{name} {stat.st_mtime_ns} {stat.st_size}")
    hashed = _imp.source_hash(_KEY, "\n".join(stamps).encode()).hex()
    return f"{sys.implementation.cache_tag}-{hashed}"


def _path(filename: str, source: bytes) -> str | None:
    folder = _folder()
    if folder is None:
        return None
    name = _imp.source_hash(_KEY, os.fsencode(filename) + b"\0" + source).hex()
    return os.path.join(folder, name)


def _write(path: str, data: bytes) -> bool:
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
        return True
    except OSError as error:
        _remove(temporary)
        from nestwise.reporting import diagnostics

        diagnostics.note(f"the cache folder cannot be written: {error.strerror}")
        return False


_evicted = False


def _evict() -> None:
    """Removes the oldest files while there is too much, once for each process that adds
    something.
    """
    import time

    global _evicted
    base = options.current().cache_dir()
    if _evicted or base is None:
        return
    _evicted = True
    files = []
    for folder, _, names in os.walk(base):
        for name in names:
            path = os.path.join(folder, name)
            try:
                stat = os.stat(path)
            except OSError:
                continue
            if name.endswith((".tmp", ".partial")) and time.time() - stat.st_mtime > ABANDONED:
                _remove(path)
            else:
                files.append((stat.st_mtime_ns, stat.st_size, path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= LIMIT:
            break
        if _remove(path):
            total -= size


def _remove(path: str) -> bool:
    try:
        os.unlink(path)
        return True
    except OSError:
        return False
