"""A tracer is told of the lines of loops that it is told of under python, and of no others."""

import dis
import os
import shutil

import pytest
from nestwise.rewriting import rewrite, tracing
from nestwise.rewriting.binding import mark_of
from processes import HERE, REAL, nestwise, python
from programs import PROGRAMS

pytestmark = pytest.mark.skipif(not tracing.KNOWN, reason="the events of CPython 3.11 only")


@pytest.mark.parametrize("device", ["auto", "serial", "interpreter"])
def test_the_events_are_those_of_python(place, device):
    shutil.copy(os.path.join(HERE, "traced_lines.py"), "s.py")
    expected = python("s.py")
    assert expected[::2] == (0, b"") and len(expected[1].splitlines()) > 200
    code, out, err = nestwise("run", "s.py", NESTWISE_DEVICE=device)
    assert (code, err) == (0, b"")
    pairs = zip(expected[1].splitlines(), out.splitlines(), strict=True)
    assert [pair for pair in pairs if pair[0] != pair[1]] == []


@pytest.mark.skipif(not REAL, reason="a stand-in refuses such loops")
def test_the_loops_that_are_traced_are_sites(place):
    from nestwise import _core

    with open(os.path.join(HERE, "traced_lines.py"), encoding="utf-8") as file:
        text = file.read()
    made = rewrite.rewrite(text.encode(), text, "s.py", "tag", _core.lower)
    assert sum(loop.is_site for loop in made.loops) > 30


def plain_and_quiet(text, fake, monkeypatch):
    """The code of a program without and with what `tracing` does to it."""
    quiet = rewrite.rewrite(text.encode(), text, "p.py", "tag", fake.lower).code
    with monkeypatch.context() as patch:
        patch.setattr(tracing, "KNOWN", False)
        plain = rewrite.rewrite(text.encode(), text, "p.py", "tag", fake.lower).code
    return list(zip(all_code(plain), all_code(quiet), strict=True))


def all_code(code):
    found = [code]
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            found += all_code(constant)
    return found


LARGE = "def f(n):\n    s = 0\n    for i in range(n):\n" + "        s += i * n\n" * 90
MANY = "def f(n):\n" + "".join(f"    x = {k}.5\n" for k in range(300)) + LARGE[9:]


@pytest.mark.parametrize("name", [*PROGRAMS, "large", "many constants"])
def test_only_the_turn_has_no_line(fake, monkeypatch, name):
    text = {**PROGRAMS, "large": LARGE, "many constants": MANY}[name]
    found = 0
    for plain, quiet in plain_and_quiet(text, fake, monkeypatch):
        turns = set(tracing._turns(plain, mark_of("tag")))
        found += len(turns)
        before, after = list(plain.co_positions()), list(quiet.co_positions())
        assert len(before) == len(after)
        pairs = enumerate(zip(before, after, strict=True))
        different = {2 * at for at, (one, other) in pairs if one != other}
        assert different == turns
        for at in turns:
            assert quiet.co_code[at] == tracing.EXTENDED_ARG
            assert after[at // 2] == (None,) * 4
            assert quiet.co_code[at + 2] == tracing.FOR_ITER
            assert after[at // 2 + 1][0] == before[at // 2][0]
        # The edges of the loops are where they were.
        assert jumps(plain, turns) == jumps(quiet, turns)
    assert found or name == "comprehensions"


def jumps(code, turns):
    return {
        (step.opname, step.argval, min((t for t in turns if 0 <= step.offset - t <= 2), default=-1))
        for step in dis.get_instructions(code)
        if step.opcode in (*dis.hasjrel, *dis.hasjabs)
    }


def test_other_versions_keep_the_code(monkeypatch):
    monkeypatch.setattr(tracing, "KNOWN", False)
    code = compile("for i in (): pass", "p.py", "exec")
    assert tracing.quiet_turns(code, mark_of("tag")) is code


def test_a_line_table_is_read_as_it_was_written():
    """Also where lines go back and columns are large or not known."""
    text = "def f(a):\n    x = (a +\n" + " " * 500 + "a[0])\n\n\n    return x\n"
    for code in all_code(compile(text, "p.py", "exec")):
        table = tracing._line_table(code, set())
        again = code.replace(co_linetable=table)
        assert list(again.co_positions()) == list(code.co_positions())


def test_instructions_have_the_numbers_that_opcode_gives():
    import opcode

    names = ("CACHE", "POP_TOP", "GET_ITER", "UNPACK_SEQUENCE", "FOR_ITER", "LOAD_CONST")
    for name in (*names, "EXTENDED_ARG"):
        assert getattr(tracing, name) == opcode.opmap[name]
