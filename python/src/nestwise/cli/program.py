"""Runs a program as python itself runs it: in the real `__main__`, with nothing of ours to see."""

from __future__ import annotations

import builtins
import os
import sys
import warnings
from importlib.machinery import BuiltinImporter, SourceFileLoader, SourcelessFileLoader
from types import CodeType, TracebackType

from nestwise import options
from nestwise.importing import hook

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from typing import Any

HERE = options.FOLDER + os.sep


def run_script(path: str, arguments: list[str]) -> None:
    """Runs `python path arguments...`; of a folder or a zip file, its `__main__`."""
    full = path if os.path.isabs(path) else os.path.join(os.getcwd(), path)
    if _importable(full):
        _begin([path, *arguments], full)
        _run_module("__main__", alter_argv=False)
        return
    try:
        with open(full, "rb") as file:
            data = file.read()
    except OSError as error:
        print(
            f"{sys.executable}: can't open file {full!r}: [Errno {error.errno}] {error.strerror}",
            file=sys.stderr,
        )
        sys.exit(2)
    if path.endswith(".pyc"):
        loader: Any = SourcelessFileLoader("__main__", full)
        code = loader.get_code("__main__")
    else:
        loader = SourceFileLoader("__main__", full)
        code = _compile(data, full)
        if code is None:
            os.execv(sys.executable, [sys.executable, *_own_flags(), path, *arguments])
    folder = os.path.dirname(os.path.realpath(path))
    _begin([path, *arguments], folder)
    _execute(code, __loader__=loader, __file__=full, __cached__=None)


def run_module(name: str, arguments: list[str]) -> None:
    """Runs `python -m name arguments...`."""
    _begin(["-m", *arguments], os.getcwd(), [sys.executable, "-m", name, *arguments])
    _run_module(name, alter_argv=True)


def run_command(text: str, arguments: list[str]) -> None:
    """Runs `python -c text arguments...`."""
    argv = ["-c", *arguments]
    _begin(argv, "", [sys.executable, "-c", text, *arguments])
    if sys.version_info >= (3, 14):
        from textwrap import dedent

        text = dedent(text)
    source = text.encode("utf-8", "surrogatepass") + b"\n"
    code = _shielded(compile, source, "<string>", "exec", dont_inherit=True)
    if sys.version_info >= (3, 13):  # since then a traceback shows the lines of such a program
        import linecache

        key = code if sys.version_info >= (3, 14) else "<string>"
        linecache._register_code(key, text + "\n", "<string>")
    _execute(hook.code_for(code, "<string>", source))


def run_stdin(arguments: list[str]) -> None:
    """Runs `python -`."""
    start = _position(0)
    source = sys.stdin.buffer.read()
    argv = ["-", *arguments]
    _begin(argv, "")
    code = None
    # CPython can read another encoding than UTF-8 only from a file, and says so otherwise.
    if start is not None or _is_utf8(source):
        code = _compile(source, "<stdin>")
    if code is None:
        _give_back(source, start)
        os.execv(sys.executable, [sys.executable, *_own_flags(), *argv])
    # Its loader stays that of a built-in module.
    _execute(code, __file__="<stdin>", __cached__=None)


def _is_utf8(source: bytes) -> bool:
    from nestwise.rewriting.sources import is_utf8

    return is_utf8(source)


def _position(descriptor: int) -> int | None:
    """Gives how far a file has been read; None for a file that cannot be read again."""
    try:
        return os.lseek(descriptor, 0, os.SEEK_CUR)
    except OSError:
        return None


def _give_back(source: bytes, start: int | None) -> None:
    """Makes standard input begin once more with what was read from it."""
    if start is not None:
        os.lseek(0, start, os.SEEK_SET)
        return
    ours, theirs = os.pipe()
    # A pipe holds less than a program may be long, and who reads it is this process, later.
    if os.fork() == 0:
        os.close(ours)
        try:
            with open(theirs, "wb") as file:
                file.write(source)
        finally:
            os._exit(0)
    os.close(theirs)
    os.dup2(ours, 0)
    os.close(ours)


def _importable(path: str) -> bool:
    """Whether python would look for `__main__` inside: a folder, or a zip file."""
    for finder in sys.path_hooks:
        try:
            finder(path)
            return True
        except ImportError:
            continue
    return False


def _compile(data: bytes, path: str) -> CodeType | None:
    """Compiles a script; None where only CPython can tell what is wrong with it.

    CPython reads a script through its tokenizer, which words some errors and places others in its
    own way.
    """
    # Nothing has been said yet when CPython is to say all.
    with warnings.catch_warnings(record=True) as said:
        try:
            code = compile(data, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return None
    for w in said:
        warnings.showwarning(w.message, w.category, w.filename, w.lineno, w.file, w.line)
    return hook.code_for(code, path, data)


def _own_flags() -> list[str]:
    import subprocess

    flags: list[str] = getattr(subprocess, "_args_from_interpreter_flags")()  # noqa: B009
    return flags


def _begin(argv: list[str], folder: str, original: list[str] | None = None) -> None:
    """Sets `sys.argv` and the first entry of the path, which were about the command."""
    sys.argv = argv
    sys.orig_argv = original or [sys.executable, *argv]
    if not (getattr(sys.flags, "safe_path", False) or sys.flags.isolated):
        if sys.path:
            sys.path[0] = folder
        else:
            sys.path.append(folder)
    main = sys.modules["__main__"].__dict__
    annotated = "__annotations__" in main
    main.clear()
    main["__name__"] = "__main__"
    main["__doc__"] = main["__package__"] = None
    main["__loader__"] = BuiltinImporter
    main["__spec__"] = None
    if annotated:
        main["__annotations__"] = {}
    main["__builtins__"] = builtins


def _execute(code: CodeType | None, **names: Any) -> None:
    main = sys.modules["__main__"].__dict__
    main.update(names)
    if "__file__" in names:
        _named.append(main)
    _shielded(exec, code, main)
    _forget_names()


# The namespace that got the name of a script, until the script has run.
_named: list[dict[str, Any]] = []


def _forget_names() -> None:
    """Removes the names that CPython removes when a script ends, unless it ends by SystemExit.

    Functions that run at exit find no `__file__`.
    """
    while _named:
        main = _named.pop()
        main.pop("__file__", None)
        main.pop("__cached__", None)


def _run_module(name: str, alter_argv: bool) -> None:
    import runpy

    run = getattr(runpy, "_run_module_as_main")  # noqa: B009
    _shielded(run, name, alter_argv)


def _shielded(function: Any, *arguments: Any, **options: Any) -> Any:
    """Calls a function, and lets its exception go to the interpreter, but shows it without our
    frames.

    The interpreter itself then does the rest (the exit code, a Ctrl-C's signal), as for any script.
    """
    try:
        return function(*arguments, **options)
    except SystemExit:
        raise
    except BaseException:
        _show_without_us()
        raise


def _show_without_us() -> None:
    shown = getattr(sys, "excepthook", None)

    def excepthook(kind: Any, error: BaseException, traceback: TracebackType | None) -> None:
        traceback = _without_us(traceback)
        error.__traceback__ = sys.last_traceback = traceback
        if shown is None:
            del sys.excepthook
            print("sys.excepthook is missing", file=sys.stderr)
            sys.__excepthook__(kind, error, traceback)
            _forget_names()
            return
        sys.excepthook = shown
        try:
            shown(kind, error, traceback)
        except Exception as second:  # in the words of the interpreter, which would show this frame
            second.__context__ = None
            print("Error in sys.excepthook:", file=sys.stderr)
            second.__traceback__ = _without_us(second.__traceback__)
            sys.__excepthook__(type(second), second, second.__traceback__)
            print("\nOriginal exception was:", file=sys.stderr)
            sys.__excepthook__(kind, error, traceback)
        _forget_names()

    sys.excepthook = excepthook


def _without_us(traceback: TracebackType | None) -> TracebackType | None:
    """Gives a traceback from the first frame that lies beyond our own ones."""
    ours = False
    step = traceback
    while step is not None:
        if step.tb_frame.f_code.co_filename.startswith(HERE):
            ours = True
        elif ours:
            return step
        step = step.tb_next
    return None if ours else traceback
