"""Sources changed at random: no text makes us panic, crash, hang or answer otherwise than CPython.

    python tests/mutants.py [--seed 0] [--sources 5000] [--programs 200] [--keep FOLDER]

Sources are pieces and whole files of the scripts here and of the standard library, changed by
characters, by lines, by tokens and by syntax tree. What CPython compiles goes through rewriting and
through explaining (`look`); changed programs run twice, as they are and handled (`behave`), each in
a process forked for it. What CPython does not compile is told by the same words (`told`).
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import random
import signal
import sys
import sysconfig
import tempfile
import time
import tokenize
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from differential import PROGRAMS, ROOT, every_program

LIBRARY = Path(sysconfig.get_path("stdlib"))
# What a changed program could do harm with, or what it does is no matter of its text.
HARMFUL = ("os", "sys", "subprocess", "shutil", "multiprocessing", "signal", "threading", "_thread")

Random = random.Random
SyntaxChange = Callable[[ast.Module, Random], None]


# ---- What is changed -----------------------------------------------------------------------------


def corpus(whole: bool) -> list[str]:
    """Whole files, or functions and statements of them that have a loop."""
    library = [p for p in sorted(LIBRARY.glob("*.py")) if p.stat().st_size < 60_000]
    scripts = [*sorted(PROGRAMS.rglob("*.py")), *sorted((ROOT / "kernels").glob("*.py"))]
    texts = []
    for path in [*scripts, *library]:
        try:
            with tokenize.open(path) as file:
                text = file.read()
            tree = ast.parse(text)
        except (SyntaxError, UnicodeDecodeError):
            continue
        if whole:
            texts.append(text)
            continue
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            for part in body if isinstance(body, list) and not in_loop(node) else ():
                if has_loop(part) and (part.end_lineno or 0) - part.lineno < 40:
                    texts.append(ast.unparse(part) + "\n")
    return texts


def in_loop(node: ast.AST) -> bool:
    return isinstance(node, (ast.For, ast.While))


def has_loop(node: ast.AST) -> bool:
    return any(isinstance(part, (ast.For, ast.While)) for part in ast.walk(node))


def harmless(path: Path) -> bool:
    """Whether a program, however changed, can only compute and print."""
    imported = set()
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported.update(name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").partition(".")[0])
        elif isinstance(node, ast.Name) and node.id in ("open", "exec", "eval", "input"):
            return False
    return imported <= {
        "math",
        "numpy",
        "array",
        "cmath",
        "itertools",
        "operator",
        "showing",
        "support",
    }


# ---- Changes of the text -------------------------------------------------------------------------

PIECES = """( ) [ ] { } : , ; \\ ' " ''' # @ ! ~ := -> ** // >> ... 0x 1e 1_ 0b2 07 .5j é ª 𝔵
ﬁ \x00 \t \x0c
\ufeff lambda for while else: async await yield match case type with try: del global nonlocal
f'{x!r:>{w}}' f"{f'{1}'}" b'\\x' rb'' not\x20in is\x20not None True print(* 10**400 1if""".split(
    " "
)

NAMES = ["é", "ª", "𝔵", "ﬁ", "K", "__x", "_", "self", "range", "len", "x" * 300, "print", "type"]


def by_characters(text: str, rng: Random) -> str:
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(PIECES) + text[at + rng.choice((0, 0, 1, 3)) :]
    return text


def by_lines(text: str, rng: Random) -> str:
    lines = text.split("\n")
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(lines))
        kind = rng.randrange(9)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, rng.choice(lines))
        elif kind == 2:
            lines[at] = "\t" + lines[at]
        elif kind == 3:
            lines[at] = lines[at].removeprefix("    ")
        elif kind == 4:
            lines[at] = "\x0c" + lines[at]
        elif kind == 5:
            lines[at] += " \\"
        elif kind == 6:
            lines[at] = lines[at].replace("    ", "\t")
        elif kind == 7:
            lines[at] += "  # " + "x" * rng.choice((10, 5000, 200_000))
        else:
            lines[at] += "; pass"
        lines = lines or [""]
    return "\n".join(lines)


def by_tokens(text: str, rng: Random) -> str:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return by_characters(text, rng)
    words = [t for t in tokens if t.string.strip()]
    lines = text.split("\n")
    for _ in range(rng.randint(1, 3)):
        one, other = rng.choice(words), rng.choice(words)
        if one.start[0] != one.end[0] or one.start[0] > len(lines):
            continue
        line = lines[one.start[0] - 1]
        new = rng.choice((other.string, "", f"{one.string} {one.string}", rng.choice(PIECES)))
        lines[one.start[0] - 1] = line[: one.start[1]] + new + line[one.end[1] :]
    return "\n".join(lines)


# ---- Changes of the syntax tree ------------------------------------------------------------------

OPERATORS = [ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow]
OPERATORS += [ast.LShift, ast.RShift, ast.BitOr, ast.BitXor, ast.BitAnd, ast.MatMult]
COMPARISONS = [ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.In, ast.NotIn]

STATEMENTS = """\
match x:
    case [a, *b] if a: pass
    case {"k": v}: x = v
    case _: break
===
if (y := x) is not None: pass
===
async def g():
    async for i in h(): yield i
===
with open(x) as y, z: pass
===
try: x = 1 // 0
except* ValueError as e: raise
===
try: continue
finally: x = 1
===
del x
===
global x
===
x: int = 5
===
print(f"{x!r:>{y}} {f'{x}' + 'a'} {{}}")
===
x = [i for i in range(3) if (lambda q: q)(i)]
===
a, *b = x
===
x[1:2, ..., None] = y
===
for i in range(10): x += i
===
while x < 3: x += 1
else: x = 0
===
return x
===
assert x, "no"
===
import math as x
===
class C: y = 1
===
def f[T](x: T) -> T: return x
===
type X = int
===
lambda *a, k=1, **b: (yield)
===
x = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF
===
x = "\\N{BULLET}\\ud800" "b" rb"c"
===
x = 1e400 - 1e400j
""".split("===\n")


def nodes(tree: ast.AST, *kinds: type) -> list[Any]:
    return [n for n in ast.walk(tree) if isinstance(n, kinds)]


def blocks(tree: ast.AST) -> list[list[ast.stmt]]:
    found = (getattr(n, name, None) for n in ast.walk(tree) for name in ("body", "orelse"))
    return [block for block in found if isinstance(block, list) and block]


def operators(tree: ast.Module, rng: Random) -> None:
    found = nodes(tree, ast.BinOp, ast.AugAssign, ast.Compare)
    for node in rng.sample(found, min(len(found), rng.randint(1, 3))):
        if isinstance(node, ast.Compare):
            node.ops[0] = rng.choice(COMPARISONS)()
        else:
            node.op = rng.choice(OPERATORS)()


def statements(tree: ast.Module, rng: Random) -> None:
    block = rng.choice(blocks(tree))
    at = rng.randrange(len(block))
    kind = rng.randrange(3)
    if kind == 0 and len(block) > 1:
        del block[at]
    elif kind == 1:
        block.insert(at, block[rng.randrange(len(block))])
    else:
        other = rng.randrange(len(block))
        block[at], block[other] = block[other], block[at]


def inserted(tree: ast.Module, rng: Random) -> None:
    try:
        new = ast.parse(rng.choice(STATEMENTS)).body
    except SyntaxError:  # of a later version
        return
    block = rng.choice(blocks(tree))
    at = rng.randrange(len(block) + 1)
    block[at:at] = new


def names(tree: ast.Module, rng: Random) -> None:
    found = nodes(tree, ast.Name)
    if found:
        new = rng.choice([*NAMES, *(n.id for n in found)])
        old = rng.choice(found)
        for node in found if rng.random() < 0.5 else [old]:
            if node.id == old.id:
                node.id = new


def deeper(tree: ast.Module, rng: Random) -> None:
    """An expression or a block nested as deep as CPython takes it, and sometimes deeper."""
    depth = rng.choice((3, 15, 19, 60, 90))
    loads = [n for n in nodes(tree, ast.Name, ast.Constant) if not stored(n)]
    if rng.random() < 0.6 and loads:
        node = rng.choice(loads)
        inner: ast.expr = type(node)(**node.__dict__)
        for _ in range(depth):
            inner = wrapped(inner, rng)
        node.__class__, node.__dict__ = inner.__class__, inner.__dict__
        return
    block = rng.choice(blocks(tree))
    for _ in range(min(depth, 22)):
        kind = rng.randrange(3)
        if kind == 0:
            block[:] = [ast.If(ast.Name("x", ast.Load()), block[:], [])]
        elif kind == 1:
            call = ast.parse("range(2)", mode="eval").body
            block[:] = [ast.For(ast.Name("i", ast.Store()), call, block[:], [])]
        else:
            block[:] = [ast.While(ast.Name("x", ast.Load()), block[:], [ast.Pass()])]


def stored(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)


def wrapped(inner: ast.expr, rng: Random) -> ast.expr:
    kind = rng.randrange(5)
    if kind == 0:
        return ast.BinOp(inner, rng.choice(OPERATORS)(), ast.Constant(1))
    if kind == 1:
        return ast.UnaryOp(rng.choice((ast.USub, ast.Invert, ast.Not))(), inner)
    if kind == 2:
        return ast.Call(ast.Name("abs", ast.Load()), [inner], [])
    if kind == 3:
        return ast.Subscript(ast.Name("a", ast.Load()), inner, ast.Load())
    return ast.IfExp(ast.Constant(True), inner, ast.Constant(0))


def constants(tree: ast.Module, rng: Random) -> None:
    odd = (
        0,
        -1,
        1 << 63,
        (1 << 64) - 1,
        1 << 200,
        1e308,
        1e-320,
        float("inf"),
        True,
        None,
        "é",
        b"",
    )
    found = nodes(tree, ast.Constant)
    for node in rng.sample(found, min(len(found), rng.randint(1, 3))):
        node.value = rng.choice((*odd, rng.randint(-5, 5)))


# Those after which a program still runs a good part of its way.
MILD: list[SyntaxChange] = [operators, statements, constants, names]
CHANGES: list[SyntaxChange] = [*MILD, inserted, inserted, deeper]


def by_tree(text: str, rng: Random, changes: list[SyntaxChange] = CHANGES) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    for _ in range(rng.randint(1, 3)):
        rng.choice(changes)(tree, rng)
    try:
        return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    except (RecursionError, ValueError):  # too deep, or a constant that has no text
        return text


def encoded(text: str, rng: Random) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    kind = rng.randrange(12)
    if kind == 0:
        data = b"\xef\xbb\xbf" + data
    elif kind == 1:
        data = data.replace(b"\n", b"\r\n")
    elif kind == 2:
        data = data.replace(b"\n", b"\r")
    elif kind == 3:
        data = b"# -*- coding: latin-1 -*-\n" + data
    elif kind == 4:
        data = data.rstrip(b"\n")
    elif kind == 5 and rng.random() < 0.3:
        at = rng.randrange(len(data) + 1)
        data = data[:at] + bytes([rng.choice((0, 0x80, 0xFF, 0x0C, 0x1A))]) + data[at:]
    return data


def mutant(texts: list[str], rng: Random) -> bytes:
    text = rng.choice(texts)
    kinds = (by_tree, by_tree, by_tree, by_tokens, by_lines, by_characters)
    for _ in range(rng.choice((1, 1, 1, 2))):
        try:
            text = rng.choice(kinds)(text, rng)
        except (SyntaxError, ValueError, RecursionError, IndexError, MemoryError):
            continue  # an earlier change left no tree, or nothing
    return encoded(text, rng)


# ---- What is asked -------------------------------------------------------------------------------


class Compiled(NamedTuple):
    text: str
    error: BaseException | None


def compiles(source: bytes) -> Compiled:
    from nestwise.rewriting import sources

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source, "mutant.py", "exec", dont_inherit=True)
            return Compiled(sources.decode(source), None)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
            return Compiled("", error)


def look(source: bytes, text: str, path: str) -> int:
    """The number of sites; whatever is wrong with rewriting or explaining is raised."""
    from nestwise import _core as core
    from nestwise.cli import explain
    from nestwise.importing import codecache
    from nestwise.native import extension
    from nestwise.rewriting.rewrite import rewrite

    assert extension.available()
    made = rewrite(source, text, path, codecache.tag(source), core.lower)
    internal = [loop for loop in made.loops if loop.code == "internal"]
    assert not internal, internal
    asked = explain._Asked(path, True, {}, None)
    told = explain._Told(asked, source, text)
    told.look()
    internal = [r for r in told.refused if r["reason"] == "internal"]
    assert not internal, internal
    assert not core.panics(), core.panics()
    return len(made.sites)


class Counts(NamedTuple):
    sources: int
    compiled: int
    sites: int
    slowest: float
    slowest_source: bytes


def look_at_many(texts: list[str], seed: int, count: int, current: Path) -> Counts:
    """`current` has the source being looked at, should this process die of it."""
    compiled = sites = 0
    slowest, slowest_source = 0.0, b""
    for number in range(count):
        source = mutant(texts, random.Random(f"{seed} {number}"))
        found = compiles(source)
        if found.error is not None:
            continue
        compiled += 1
        current.write_bytes(source)
        begun = time.process_time()
        try:
            sites += look(source, found.text, str(current))
        except RecursionError:
            continue  # deeper than this process's stack of Python frames; handled as it was
        taken = time.process_time() - begun
        if taken > slowest:
            slowest, slowest_source = taken, source
    return Counts(count, compiled, sites, slowest, slowest_source)


# ---- Programs that run ---------------------------------------------------------------------------


class Behaviour(NamedTuple):
    output: bytes
    status: int
    seconds: float


PATIENCE_S = 20


def forked(run: Callable[[], object], path: str) -> Behaviour:
    """What `run` prints in a process of its own, and how that ends."""
    begun = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            status = 99
            try:
                signal.alarm(PATIENCE_S)
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
                status = shown(run, path)
            finally:
                os._exit(status)
        status = os.waitpid(child, 0)[1]
        output.seek(0)
        return Behaviour(output.read(4_000_000), status, time.perf_counter() - begun)


def shown(run: Callable[[], object], path: str) -> int:
    """Its exit code, with what python would say of an exception: type, text and lines."""
    try:
        run()
    except BaseException as error:
        sys.stdout.flush()
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
        print("".join(traceback.format_exception_only(error)), lines)
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def behave(source: bytes, path: str) -> str:
    """Empty where the program runs alike; otherwise both behaviours."""
    from nestwise import _core
    from nestwise.importing import hook

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = compile(source, path, "exec", dont_inherit=True)
    names = {"__name__": "__main__", "__file__": path}
    expected = forked(lambda: exec(plain, dict(names)), path)
    if os.WIFSIGNALED(expected.status):
        return ""  # it does not end; so may ours

    def ours() -> None:
        exec(hook.code_for(plain, path, source), dict(names))
        panics = _core.panics()
        assert not panics, panics

    got = forked(ours, path)
    if got[:2] == expected[:2]:
        return ""
    if os.WIFSIGNALED(got.status) and os.WTERMSIG(got.status) == signal.SIGALRM:
        if expected.seconds > PATIENCE_S / 40:
            return ""
    return (
        f"python: status {expected.status} in {expected.seconds:.2f} s\n{tail(expected.output)}\n"
        f"nestwise: status {got.status} in {got.seconds:.2f} s\n{tail(got.output)}"
    )


def tail(output: bytes) -> str:
    return output[-3000:].decode("utf-8", "backslashreplace")


def programs(seed: int, count: int) -> Iterator[tuple[str, bytes]]:
    """(a name, a changed program) that CPython compiles."""
    paths = [path for path in every_program() if harmless(path)]
    number = made = 0
    while made < count:
        rng = random.Random(f"{seed} program {number}")
        number += 1
        path = rng.choice(paths)
        with tokenize.open(path) as file:
            text = file.read()
        try:
            source = by_tree(text, rng, MILD).encode()
        except (SyntaxError, ValueError, IndexError):
            continue
        if compiles(source).error is None:
            made += 1
            yield f"{path.stem}-{seed}-{number - 1}", source


def configure(device: str, cache: str) -> None:
    """This process as `nestwise run` would have set it up."""
    from nestwise.native import extension
    from nestwise.options import Options

    options = Options()
    options.device = device
    os.environ["NESTWISE_CACHE_DIR"] = cache
    options.threads = 2
    extension.configure(options)
    assert extension.available()


def run_programs(seed: int, count: int, cache: str, keep: Path) -> list[str]:
    """The failures of `count` changed programs, whose sources are left in `keep`."""
    import numpy  # noqa: F401  # before any fork

    configure("serial", cache)
    sys.path[:0] = [str(PROGRAMS), str(PROGRAMS / "functions")]  # `showing` and `support`
    import showing  # noqa: F401

    failures = []
    for name, source in programs(seed, count):
        path = keep / f"{name}.py"
        path.write_bytes(source)
        found = behave(source, str(path))
        if found:
            failures.append(f"{path}\n{found}")
        else:
            path.unlink()
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sources", type=int, default=5000)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--whole", action="store_true", help="whole files instead of pieces")
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "mutants")
    given = parser.parse_args()
    given.keep.mkdir(parents=True, exist_ok=True)
    cache = tempfile.mkdtemp()
    failures = run_programs(given.seed, given.programs, cache, given.keep)
    print(f"{given.programs} programs, {len(failures)} failures", *failures, sep="\n")
    current = given.keep / f"current-{given.seed}.py"
    if given.sources:
        counts = look_at_many(corpus(given.whole), given.seed, given.sources, current)
        (given.keep / f"slowest-{given.seed}.py").write_bytes(counts.slowest_source)
        print(*counts[:4])
    return bool(failures)


if __name__ == "__main__":
    raise SystemExit(main())
