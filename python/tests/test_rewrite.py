"""The rewritten shape against plain CPython, for every way a site may end."""

import traceback
import types

import pytest
from nestwise.rewriting import binding, rewrite
from programs import PROGRAMS

MODES = ["decline", "fallback", "full", "1", "2", "3"]


def outcome(code):
    """The names a program leaves, and how it ended."""
    space = {"__name__": "program", "__builtins__": __builtins__}
    end = None
    try:
        exec(code, space)
    except Exception as error:
        shown = traceback.TracebackException.from_exception(error)
        shown.stack = traceback.StackSummary.from_list(list(shown.stack)[1:])
        frames = [
            (f.filename, f.lineno, f.name) + ((f.colno, f.end_colno) if hasattr(f, "colno") else ())
            for f in list(shown.stack)
        ]
        end = (type(error).__name__, str(error), frames)
    names = {
        k: (v.__code__.co_varnames, v.__code__.co_name) if isinstance(v, types.FunctionType) else v
        for k, v in space.items()
        if not isinstance(v, (type, types.ModuleType)) and k != "__builtins__"
    }
    return names, end


def rewritten(fake, text, filename="program.py", regions=False):
    source = text.encode()
    made = rewrite.rewrite(source, text, filename, "tag", fake.lower, regions=regions)
    assert made.code is not None
    sites = [fake.Site(filename, s) for s in made.sites]
    return binding.bind(made.code, "tag", sites), made


@pytest.mark.parametrize("regions", [False, True])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_as_cpython(fake, monkeypatch, name, mode, regions):
    monkeypatch.setattr(fake, "MODE", mode)
    fake.RUNS.clear()
    text = PROGRAMS[name]
    plain = outcome(compile(text, "program.py", "exec", dont_inherit=True))
    code, made = rewritten(fake, text, regions=regions)
    assert outcome(code) == plain
    assert (mode == "decline") == (not fake.RUNS)


def test_nested_loops_are_sites_in_the_native_branch_only(fake):
    text = PROGRAMS["three deep with break"]
    _, made = rewritten(fake, text)
    assert [loop.depth for loop in made.loops] == [0, 1, 2]


def test_nothing_of_ours_in_names_or_constants(fake):
    code, _ = rewritten(fake, PROGRAMS["nested"])

    def visit(code):
        names = (*code.co_names, *code.co_varnames, *code.co_cellvars, *code.co_freevars)
        assert not [n for n in names if "nestwise" in n]
        assert code.co_filename == "program.py"
        for constant in code.co_consts:
            assert not (isinstance(constant, str) and "nestwise" in constant)
            if isinstance(constant, types.CodeType):
                visit(constant)

    visit(code)


def test_too_many_nested_blocks_gives_up_inner_sites(fake):
    depth = 12
    lines = [f"{'    ' * k}for i{k} in range(1):" for k in range(depth)]
    lines.append("    " * depth + "s = 1")
    text = "\n".join(lines) + "\n"
    _, made = rewritten(fake, text)
    assert len(made.sites) == 1


def test_growth_is_linear_in_depth(fake):
    def size(depth):
        lines = [f"{'    ' * k}for i{k} in range(1):" for k in range(depth)]
        lines.append("    " * depth + "s = 1")
        code = rewrite.rewrite(
            "\n".join(lines).encode(), "\n".join(lines), "p", "tag", fake.lower
        ).code
        return len(code.co_code)

    assert size(8) < 3 * size(4)


def test_warnings_are_those_of_one_compilation(fake):
    import warnings

    text = "for i in range(3):\n    i is 1\n    (1, 2) is i\n"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        before = list(warnings.filters)
        rewritten(fake, text)
        assert warnings.filters == before
    ours = [w for w in caught if w.filename != "<fake>"]
    assert ours == []


def test_user_warnings_registry_survives(fake):
    import warnings

    def lower(_):
        return fake.Lowered(None, [], [], [], False, [])

    text = "for i in range(3): pass\n"
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        warnings.simplefilter("default")
        for _ in range(2):
            warnings.warn("once per place", UserWarning, stacklevel=1)
            assert rewrite.rewrite(text.encode(), text, "p.py", "tag", lower).sites
    assert len(caught) == 1


@pytest.mark.parametrize(
    "body",
    [
        "x = yield i",
        "await g()",
        "print(y := i)",
        "global z",
        "def h(): pass",
        "import os",
        "class C: pass",
    ],
)
def test_unfit_loops_stay(fake, body):
    text = f"async def f():\n    for i in range(3):\n        {body}\n"
    made = rewrite.rewrite(text.encode(), text, "p.py", "tag", fake.lower)
    assert made.code is None
    assert made.loops[0].message


def test_a_string_like_our_marks_is_the_users(fake):
    text = "s = '\\0nestwise:other:0:call'\nfor i in range(2):\n    t = '\\0nestwise:'\n"
    code, _ = rewritten(fake, text)
    names, _ = outcome(code)
    assert names["s"] == "\0nestwise:other:0:call" and names["t"] == "\0nestwise:"


def test_failing_lower_leaves_the_loop(fake):
    def broken(*_):
        raise RuntimeError("boom")

    text = "for i in range(3):\n    pass\n"
    made = rewrite.rewrite(text.encode(), text, "p.py", "tag", broken)
    assert made.code is None
    assert "boom" in made.loops[0].message
