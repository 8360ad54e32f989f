"""The text of loaded files and of the functions in them."""

from __future__ import annotations

from types import CodeType, FunctionType

from nestwise.records import NamedTuple

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class _Parsed(NamedTuple):
    """The functions of a file, parsed."""

    functions: dict[tuple[int, str], tuple[Any, CodeType]]  # by first line and name
    lines: list[str]


# The bytes of every file whose code is ours, as it was when it was loaded.
_loaded: dict[str, bytes] = {}
# filename -> (source, its functions; None where it does not compile)
_functions: dict[str, tuple[bytes | str, _Parsed | None]] = {}
# The lines of files that were loaded.
_lines: dict[str, list[str]] = {}


def remember(filename: str, source: bytes) -> None:
    """Notes the bytes that a file was loaded from."""
    _loaded[filename] = source
    _lines.pop(filename, None)


def loaded(filename: str) -> bool:
    """Whether the import hook has loaded a file."""
    return filename in _loaded


def decode(source: bytes | str) -> str:
    """The text of a source file, lines ended by newlines, as CPython's tokenizer reads it."""
    if isinstance(source, str):
        return source
    head = source[:400].split(b"\n", 2)[:2]
    if not any(b"coding" in line for line in head):
        text = source.decode("utf-8-sig")
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    from importlib.util import decode_source

    return decode_source(source)


def is_utf8(source: bytes) -> bool:
    """Whether the first two lines of a program name no other encoding."""
    head = source[:400].split(b"\n", 2)[:2]
    if not any(b"coding" in line for line in head):
        return True
    import io
    from tokenize import detect_encoding

    try:
        return detect_encoding(io.BytesIO(source).readline)[0] in ("utf-8", "utf-8-sig")
    except SyntaxError:
        return False


def source_of(filename: str, module_globals: dict[str, Any] | None = None) -> bytes | str | None:
    """Gives the source of `filename`: as it was loaded, or else as it is now."""
    if filename in _loaded:
        return _loaded[filename]
    import linecache

    linecache.checkcache(filename)
    lines = linecache.getlines(filename, module_globals)
    return "".join(lines) or None


class FunctionText(NamedTuple):
    """A function as the extension module reads it to inline it."""

    text: str
    first_line: int
    indented: bool
    local_names: list[str]
    free_names: list[str]


def function_text(func: Any) -> FunctionText | None:
    """Gives the text of a plain function.

    The text is that of the `def` without its decorators, which made of the function whatever is
    called, or `_ = (lambda ...)`; None where it is not exactly known or where the function is
    asynchronous or a generator.
    """
    if type(func) is not FunctionType:
        return None
    code = func.__code__
    if code.co_flags & 0x2A0:  # generator, coroutine, asynchronous generator
        return None
    if code.co_freevars and not all(_filled(cell) for cell in func.__closure__ or ()):
        return None
    found = _find(code, func.__globals__)
    if found is None:
        return _made_by_dataclass(func)
    node, lines = found
    if not _defaults_are_literal(node, func):
        return None
    text, indented = text_of(node, lines)
    if node.col_offset > 0 and _has_private_names(text):
        return None  # those are stored in another spelling
    names = [*code.co_varnames, *(c for c in code.co_cellvars if c not in code.co_varnames)]
    return FunctionText(text, node.lineno, indented, names, list(code.co_freevars))


def _made_by_dataclass(func: FunctionType) -> FunctionText | None:
    """Gives the text that the `__init__` of a dataclass amounts to, if the function is one.

    The texts from which `dataclasses` makes the functions are gone; what is compiled from the text
    that would do the same is compared with the function. Fields with a `default_factory`, and
    `__post_init__`, are left out.
    """
    code = func.__code__
    if code.co_filename != "<string>" or code.co_name != "__init__" or code.co_kwonlyargcount:
        return None
    own, *fields = code.co_varnames[: code.co_argcount]
    defaults = func.__defaults__ or ()
    if not fields or any(type(value) not in (int, float, bool, type(None)) for value in defaults):
        return None
    texts = [repr(value) for value in defaults]
    if any(text.lstrip("-") in ("inf", "nan") for text in texts):
        return None
    plain = [f"{own}.{name} = {name}" for name in fields]
    setters = [f"{free}.__setattr__" for free in code.co_freevars]
    frozen = [f"{setter}({own}, {name!r}, {name})" for name in fields for setter in setters]
    head = f"def __init__({own}, {', '.join(fields)}):\n"
    body = "".join(f"        {line}\n" for line in (frozen if code.co_freevars else plain))
    outer = f"def outer({', '.join(code.co_freevars)}):\n    {head}{body}"
    made = compile(outer, "<string>", "exec", dont_inherit=True)
    inner = next((c for c in _codes(made) if c.co_name == "__init__"), None)
    same = ("co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_argcount")
    if inner is None or any(getattr(inner, name) != getattr(code, name) for name in same):
        return None
    if not all(cell.cell_contents is object for cell in func.__closure__ or ()):
        return None
    given = [*fields]
    for k, text in enumerate(texts, len(fields) - len(texts)):
        given[k] = f"{fields[k]}={text}"
    lines = "".join(f"    {line}\n" for line in plain)
    text = f"def __init__({own}, {', '.join(given)}):\n{lines}"
    return FunctionText(text, code.co_firstlineno, False, list(code.co_varnames), [])


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _has_private_names(text: str) -> bool:
    """Whether a text may have names private to a class, `__x`; `__init__` is none."""
    if "__" not in text:
        return False
    import re

    return any(not name.endswith("__") for name in re.findall(r"\b__\w*", text))


def text_of(node: Any, lines: list[str]) -> tuple[str, bool]:
    """Gives a `def` or a lambda as a statement of its own, and whether that is indented."""
    from _ast import FunctionDef

    text = "\n".join(lines[node.lineno - 1 : node.end_lineno]) + "\n"
    if isinstance(node, FunctionDef):
        return text, node.col_offset > 0
    import ast

    first = ast.Lambda(**vars(node) | {"lineno": 1, "end_lineno": text.count("\n")})
    return f"_ = ({ast.get_source_segment(text, first)})\n", False


def names_of(node: Any, text: str) -> tuple[set[str], set[str]] | None:
    """Gives the local names and the free names of a `def` or a lambda of a module, where its line
    tells it.
    """
    import symtable

    name = getattr(node, "name", "lambda")
    pending, found = [symtable.symtable(text, "<text>", "exec")], []
    while pending:
        table = pending.pop()
        pending += table.get_children()
        if (table.get_name(), table.get_lineno()) == (name, node.lineno):
            found.append(table)
    if len(found) != 1 or found[0].get_type() != "function":
        return None
    table = found[0]
    assert isinstance(table, symtable.Function)
    free = set(table.get_frees())
    return set(table.get_locals()) - free, free


def _defaults_are_literal(node: Any, func: FunctionType) -> bool:
    """Whether the defaults that a call would use are what the text says, and constants."""
    if not func.__defaults__ and not func.__kwdefaults__:
        return True
    arguments = node.args
    by_name = func.__kwdefaults__ or {}
    pairs = [*zip(arguments.defaults, func.__defaults__ or (), strict=False)]
    names = [a.arg for a in arguments.kwonlyargs]
    pairs += [
        (text, by_name.get(name))
        for name, text in zip(names, arguments.kw_defaults, strict=True)
        if text is not None
    ]
    if len(arguments.defaults) != len(func.__defaults__ or ()) or len(by_name) != sum(
        text is not None for text in arguments.kw_defaults
    ):
        return False
    if not all(is_constant(text) for text, _ in pairs):
        return False
    import ast

    said = [eval(compile(ast.Expression(text), "<default>", "eval"), {}) for text, _ in pairs]
    return all(
        type(a) is type(b) and repr(a) == repr(b) for a, (_, b) in zip(said, pairs, strict=True)
    )


def is_constant(node: Any) -> bool:
    """Whether an expression is made of literals and operators alone."""
    import ast

    kinds = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.Tuple, ast.Load)
    return all(isinstance(part, kinds) for part in ast.walk(node))


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _find(code: CodeType, module_globals: dict[str, Any]) -> tuple[Any, list[str]] | None:
    source = source_of(code.co_filename, module_globals)
    if source is None:
        return None
    cached = _functions.get(code.co_filename)
    if cached is None and _loaded.get(code.co_filename) is source:
        found = _alone(code, source)
        if found is not None:
            return found
    if cached is None or cached[0] != source:
        try:
            cached = (source, _parse(source, code.co_filename))
        except (SyntaxError, ValueError, RecursionError):
            cached = (source, None)
        _functions[code.co_filename] = cached
    parsed = cached[1]
    key = (code.co_firstlineno, code.co_name)
    if parsed is None or key not in parsed.functions:
        return None
    node, plain = parsed.functions[key]
    # A file edited since it was loaded may hold another function on this line.
    same = plain == code or (loaded(code.co_filename) and _alike(plain, code))
    return (node, parsed.lines) if same else None


def _alone(code: CodeType, source: bytes | str) -> tuple[Any, list[str]] | None:
    """Finds the statement of a function of a loaded file, from its own lines alone: the usual case.

    Compiling a whole file for one function would be most of the time of the first call of a cached
    nest. What the lines do not tell (a function in a function) is left to `_parse`.
    """
    lines = _lines.get(code.co_filename)
    if lines is None:
        lines = _lines[code.co_filename] = decode(source).split("\n")
    first, last = code.co_firstlineno - 1, _last_line(code)
    head = lines[first] if first < len(lines) else ""
    indent = head[: len(head) - len(head.lstrip())]
    if not head.lstrip().startswith(("def ", "@")):
        return None
    # To the next line that is no deeper; a comment may stand anywhere. A statement that is cut
    # off does not compile.
    while last < len(lines):
        line = lines[last]
        text = line.lstrip()
        if text and not text.startswith("#") and not line.startswith((indent + " ", indent + "\t")):
            break
        last += 1
    from nestwise.rewriting.compiling import COMPILING, quiet
    from nestwise.rewriting.syntax import FunctionDef, If, parse

    text = "\n" * (first - bool(indent)) + ("if 1:\n" if indent else "")
    text += "\n".join(lines[first:last]) + "\n"
    try:
        with quiet():
            tree = parse(text, COMPILING)
            made = compile(tree, COMPILING, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None
    node = tree.body[0]
    if indent and isinstance(node, If):
        node = node.body[0]
    codes: dict[tuple[int, str], CodeType | None] = {}
    _index_codes(made, codes)
    plain = codes.get((code.co_firstlineno, code.co_name))
    if type(node) is not FunctionDef or plain is None or not _alike(plain, code):
        return None
    return node, lines


def _last_line(code: CodeType) -> int:
    inner = [_last_line(c) for c in code.co_consts if isinstance(c, CodeType)]
    return max([code.co_firstlineno, *(n for *_, n in code.co_lines() if n), *inner])


def _alike(plain: CodeType, code: CodeType) -> bool:
    """Whether two code objects are of one function, before and after its loops were rewritten."""
    return all(
        getattr(plain, name) == getattr(code, name)
        for name in ("co_varnames", "co_cellvars", "co_freevars", "co_argcount", "co_flags")
    )


def _parse(source: bytes | str, filename: str) -> _Parsed:
    """Parses a file's functions. Raises SyntaxError, ValueError or RecursionError."""
    import ast

    from nestwise.rewriting.compiling import plain_code

    tree, code = plain_code(source, filename)
    codes: dict[tuple[int, str], CodeType | None] = {}
    _index_codes(code, codes)
    functions: dict[tuple[int, str], tuple[Any, CodeType]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            decorators = node.decorator_list
            key = (decorators[0].lineno if decorators else node.lineno, node.name)
        elif isinstance(node, ast.Lambda):
            key = (node.lineno, "<lambda>")
        else:
            continue
        if (plain := codes.get(key)) is not None:
            functions[key] = (node, plain)
    return _Parsed(functions, decode(source).split("\n"))


def _index_codes(code: CodeType, codes: dict[tuple[int, str], CodeType | None]) -> None:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            key = (constant.co_firstlineno, constant.co_name)
            codes[key] = None if key in codes else constant  # two of one name: neither is known
            _index_codes(constant, codes)
