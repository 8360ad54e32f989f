"""The tables of supported and unsupported constructs say what the front end really does.

Rows of PAGES hold code: under "loop" a loop, under "statement" the body of a loop, under
"expressions" values that such a body assigns. All of it runs in one process. A row's loop must run
compiled as a whole, or, where the row names a reason code, stay in CPython for that reason alone.
"""

import ast
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest
from differential import ROOT, environment

DOCS = ROOT / "docs"
NAMES = DOCS / "user" / "supported_python.md"
PAGES = (
    NAMES,
    DOCS / "user" / "supported_numpy.md",
    DOCS / "reference" / "reason_codes.md",
)
KINDS = ("loop", "statement", "expressions")
REASONS = ("reason", "code")
SHOWN = "s, t, y, z, value, a, b, c, k, xs, ks, rows, out, body.x, [p.x for p in bodies]"

# A row may raise, as some reasons need.
EVERY = """
print("{0}")
try:
    import {0}
except Exception as error:
    print(f"raised {{error!r}}")
"""

_CELLS = re.compile(r"(?<!\\)\|")
_CODE = re.compile(r"`([^`]+)`")


class Row(NamedTuple):
    """One piece of code of a table."""

    page: str
    line: int
    kind: str
    code: str
    reason: str | None

    def loop(self) -> str:
        if self.kind == "loop":
            return self.code
        body = f"value = {self.code}" if self.kind == "expressions" else self.code
        return "for i in range(n):\n" + textwrap.indent(body, "    ")


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELLS.split(line)[1:-1]]


def rows_of(page: Path):
    """The rows of a page's tables that have a column of code."""
    heads: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("|"):
            heads = []
        elif not heads:
            heads = _cells(line)
        elif not line.startswith("|---") and (kinds := [h for h in heads if h in KINDS]):
            cells = dict(zip(heads, _cells(line), strict=True))
            code = _CODE.findall(cells[kinds[0]])
            reason = next((cells[h].strip("`") for h in REASONS if h in cells), None)
            if kinds[0] != "expressions":
                code = ["\n".join(code)] if code else []
            yield from (Row(page.name, number, kinds[0], part, reason) for part in code)


ROWS = [row for page in PAGES for row in rows_of(page)]


def _names() -> tuple[str, str]:
    """(definitions, values) of the page's section "Names in the examples"."""
    text = NAMES.read_text(encoding="utf-8").partition("## Names in the examples")[2]
    code = text.partition("```python\n")[2].partition("```")[0]
    lines = code.splitlines()
    values = [n for n in ast.parse(code).body if not isinstance(n, (ast.ClassDef, ast.FunctionDef))]
    first = values[0].lineno - 1
    return "\n".join(lines[:first]), "\n".join(lines[first:])


def _module(row: Row) -> tuple[str, int]:
    """A module's text, and the line of the loop in it."""
    definitions, values = _names()
    modules = ("bisect", "collections", "heapq", "math", "random", "statistics", "time")
    head = "".join(f"import {module}\n" for module in modules)
    head += f"\nimport numpy as np\n\n\n{definitions}\n\n\n"
    head += "random.seed(0)\nnp.random.seed(0)\n\n\ndef run():\n    value = None\n"
    head += textwrap.indent(values, "    ") + "\n"
    tail = f"\n    return {SHOWN}\n\n\nprint(run())\n"
    return head + textwrap.indent(row.loop(), "    ") + tail, head.count("\n") + 1


class Told(NamedTuple):
    """What the report says of a row's loop, and what the row printed here and under CPython."""

    compiled: bool
    codes: list[str]
    messages: list[str]
    printed: str
    expected: str


@pytest.fixture(scope="module")
def told(tmp_path_factory) -> dict[Row, Told]:
    folder = tmp_path_factory.mktemp("supported")
    places = {}
    for number, row in enumerate(ROWS):
        text, line = _module(row)
        file = folder / f"row_{number:03}.py"
        file.write_text(text, encoding="utf-8")
        places[row] = file, line
    every = "".join(EVERY.format(file.stem) for file, _ in places.values())
    (folder / "every.py").write_text(every, encoding="utf-8")
    env = environment(folder / "cache") | {"NESTWISE_BACKGROUND": "0", "NESTWISE_TIER": "quick"}
    options = ["--device", "serial", "--report=json", "--report-file", "report.json"]
    outputs = []
    for words in ([], ["-m", "nestwise", "run", *options]):
        command = [sys.executable, *words, "every.py"]
        done = subprocess.run(
            command, cwd=folder, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-300:] + done.stderr
        output = re.sub(r" at 0x[0-9a-f]+", "", done.stdout)
        outputs.append(re.split(r"^row_\d+\n", output, flags=re.MULTILINE)[1:])
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    printed = dict(zip(ROWS, zip(*outputs, strict=True), strict=True))
    return {row: _told(report, *place, *printed[row]) for row, place in places.items()}


def _told(report: dict, file: Path, line: int, expected: str, printed: str) -> Told:
    def here(entry):
        return entry["file"] == str(file) and entry["line"] == line

    nests = [nest for nest in report["nests"] if here(nest)]
    reasons = [(f["code"], f["reason"]) for nest in nests for f in nest["fallbacks"]]
    reasons += [(loop["code"], loop["message"]) for loop in report["refused"] if here(loop)]
    compiled = any(nest["launches"] and nest["iterations"] for nest in nests)
    codes = sorted({code for code, _ in reasons})
    return Told(compiled, codes, [text for _, text in reasons], printed, expected)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.page}-{row.line}-{row.code[:40]}")
def test_a_row_says_what_happens(row, told):
    found = told[row]
    assert found.printed == found.expected
    if row.reason is None:
        assert found.compiled and not found.codes, found
    else:
        assert not found.compiled and found.codes == [row.reason], found


def test_tables_are_found():
    assert {row.page for row in ROWS} == {page.name for page in PAGES}
    assert {row.kind for row in ROWS} == set(KINDS)
