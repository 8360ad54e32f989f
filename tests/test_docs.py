"""The pages of docs/ say what is there: links, codes, fields, options."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from differential import ROOT, environment, nestwise

DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *ROOT.glob("*/profiles/*.md")])
COMMANDS = ("run", "verify", "explain", "calibrate", "profile", "oracle", "whatif")

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A script that a page shows, with its name.
_SCRIPT = re.compile(r"`(\w+\.py)`[^\n]*\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A command, and what it prints.
_SESSION = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
# What a hint says of the gain, which depends on the machine.
_GAIN = re.compile(r"; the nest would be about [\d.]+ times as fast on this machine")
# A page that a comment, a message or a program names.
_NAMED = re.compile(r"(?<![\w/.])docs/[\w./-]+\.(?:md|json)")


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", _FENCE.sub("", text_of(page)), re.MULTILINE)
    plain = (re.sub(r"[^\w\s-]", "", re.sub(r"\\", "", head)).strip().lower() for head in heads)
    return {head.replace(" ", "-") for head in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for link in _LINK.findall(_FENCE.sub("", text_of(page))):
        if link.startswith(("http:", "https:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_index_has_every_page():
    """By itself, or by its folder."""
    index = DOCS / "README.md"
    linked = {(DOCS / link.partition("#")[0]).resolve() for link in _LINK.findall(text_of(index))}
    pages = {page for page in DOCS.rglob("*.md") if page != index}
    assert not [page for page in pages if not {page, page.parent} & linked]


def test_pages_that_are_named_elsewhere_are_there():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    missing = []
    for name in listed.stdout.splitlines():
        if name.endswith((".rs", ".py", ".md", ".toml", ".sh", ".yml", "Makefile")):
            text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
            named = {found.rstrip(".") for found in _NAMED.findall(text)}
            missing += [(name, page) for page in named if not (ROOT / page).exists()]
    assert not missing


def test_files_that_pages_name_are_there():
    missing = []
    for folder in ("user", "reference", "results"):
        for page in (DOCS / folder).glob("*.md"):
            named = re.findall(r"`((?:[a-z]+/)+[\w.-]*)(?:::\w+)?`", text_of(page))
            missing += [(page.name, file) for file in named if not (ROOT / file).exists()]
    assert not missing


def first_cells(page: Path, heading: str | None = None) -> set[str]:
    """The code words in the first column of a page's tables, or of those below one heading."""
    text = text_of(page)
    if heading is not None:
        text = text.partition(f"\n{heading}\n")[2]
        text = re.split(r"^##", text, maxsplit=1, flags=re.MULTILINE)[0]
    rows = re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE)
    return {word for row in rows for word in re.findall(r"`([^`]+)`", row)}


def test_every_reason_code_is_told():
    rust = [ROOT / "frontend" / "src" / "refusal.rs", ROOT / "runtime" / "src" / "reason.rs"]
    codes = {code for file in rust for code in re.findall(r'=> "([a-z -]+)",', text_of(file))}
    for file in (ROOT / "python" / "src").rglob("*.py"):
        codes |= set(re.findall(r'\bRefused\([^"]*?"([a-z-]+)"', text_of(file).replace("_", "")))
    assert first_cells(REFERENCE / "reason_codes.md") == codes


SCRIPT = """
def total(n):
    s = 0
    for i in range(n):
        s += i
    return s


print(total(30_000))
for word in ["a"]:
    import math
"""


def test_every_field_of_the_report_is_told(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(SCRIPT, encoding="utf-8")
    report = nestwise(program, "serial", tmp_path / "cache").report
    assert report is not None
    page = REFERENCE / "report_schema.md"
    assert first_cells(page, "## The document") == set(report)
    assert first_cells(page, "## nests") == set(report["nests"][0])
    assert first_cells(page, "## refused") == set(report["refused"][0])
    assert first_cells(page, "## transfers") == set(report["nests"][0]["transfers"])


def _names(value, depth: int):
    if isinstance(value, dict) and depth:
        for name, inner in value.items():
            yield name
            yield from _names(inner, depth - 1)


def test_every_field_of_a_profile_is_told():
    from nestwise import _core

    text = text_of(REFERENCE / "profile.md")
    measured = ROOT / "calibration" / "profiles" / "nvidia-h200-16-vcpus.json"
    for profile in (_core.default_profile(), text_of(measured)):
        profile = json.loads(profile)
        profile["errors"], profile["host"]["functions"] = {}, {}
        assert not [name for name in _names(profile, 3) if f"`{name}`" not in text]


@pytest.fixture(scope="module")
def helps(tmp_path_factory) -> dict[str, set[str]]:
    """The options that the help of each command has; of `run` and `verify` that of all."""
    env = environment(tmp_path_factory.mktemp("cache"))
    found = {}
    for command in ("", *COMMANDS):
        words = [sys.executable, "-m", "nestwise", *filter(None, [command]), "--help"]
        done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
        found[command] = set(_OPTION.findall(done.stdout))
    return {command: found[command] | found[""] for command in COMMANDS}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_options_of_a_command_are_told(command, helps):
    text = text_of(REFERENCE / "cli.md").partition(f"\n## nestwise {command}\n")[2]
    told = set(_OPTION.findall(re.split(r"^## ", text, maxsplit=1, flags=re.MULTILINE)[0]))
    assert text
    assert told <= helps[command]


def test_every_option_of_the_help_is_told(helps):
    told = set(_OPTION.findall(text_of(REFERENCE / "cli.md")))
    assert set().union(*helps.values()) <= told


def test_commands_in_examples_exist(helps):
    for page in PAGES:
        for block in _CONSOLE.findall(text_of(page)):
            for line in re.findall(r"^\$ (?:time )?nestwise (.*)$", block, re.MULTILINE):
                words = line.partition(" # ")[0].split()
                if words[0] in ("--version", "--help"):
                    continue
                assert words[0] in COMMANDS, (page.name, line)
                assert set(_OPTION.findall(line)) <= helps[words[0]], (page.name, line)


SHOWN = [page for page in PAGES if _SCRIPT.search(text_of(page)) and "user" in page.parts]


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.name)
def test_examples_print_what_is_shown(page, tmp_path):
    """What `explain` says, and what a script prints; not times, nor what prices decide."""
    for name, script in _SCRIPT.findall(text_of(page)):
        (tmp_path / name).write_text(script, encoding="utf-8")
    env = environment(tmp_path / "cache")
    for block in _CONSOLE.findall(text_of(page)):
        for line, shown in _SESSION.findall(block):
            words = line.removeprefix("time ").split()
            if words[0] != "nestwise" or words[1] not in ("run", "explain"):
                continue
            command = [sys.executable, "-m", "nestwise", *words[1:]]
            done = subprocess.run(
                command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True
            )
            if words[1] == "explain":
                assert _GAIN.sub("", done.stdout) == _GAIN.sub("", shown), line
            else:
                assert shown.startswith(done.stdout), line


@pytest.mark.parametrize("page", ["user/notebooks.md", "reference/python_api.md"])
def test_code_of_a_page_runs(page, tmp_path):
    script = tmp_path / "page.py"
    script.write_text("\n".join(_PYTHON.findall(text_of(DOCS / page))), encoding="utf-8")
    env = environment(tmp_path / "cache")
    words = [sys.executable, str(script)]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
