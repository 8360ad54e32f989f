"""docs/reference/environment.md names exactly the variables that are read."""

import os
import re
from pathlib import Path

from nestwise.options import Options

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "environment.md"
RUST = ("ir", "frontend", "analysis", "costmodel", "tiering", "codegen", "runtime", "calibration")
FOLDERS = (*RUST, "python", "tests", "tools", "bench")

NAME = r"NESTWISE_[A-Z_]*[A-Z]"
READS = [
    rf'env::var(?:_os)?\(\s*"({NAME})"',
    rf'const [A-Z]+: &str = "({NAME})"',
    rf'environ(?:\.get\(|\[)\s*"({NAME})"(?!\]\s*=[^=])',
    rf'"({NAME})" (?:not )?in os\.environ',
    rf"\$\{{({NAME}):-",
]
# Set by build scripts for the compiler, not by anybody's shell.
COMPILED_IN = re.compile(rf'env!\("({NAME})"\)|cargo:rustc-env=({NAME})=')


class Recorder(dict):
    """An environment that remembers which variables it was asked for."""

    def __init__(self):
        super().__init__()
        self.asked = set()

    def get(self, name, default=None):
        self.asked.add(name)
        return default

    def __getitem__(self, name):
        self.asked.add(name)
        raise KeyError(name)

    def __contains__(self, name):
        self.asked.add(name)
        return False


def sources():
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    files = [p for p in files if p.suffix in (".rs", ".py", ".sh") and p != Path(__file__)]
    return [*files, ROOT / "Makefile"]


def on_the_page() -> list[str]:
    return re.findall(rf"^\| `({NAME})` \|", PAGE.read_text(), re.M)


def test_the_page_names_every_variable_that_is_read(monkeypatch):
    environ = Recorder()
    with monkeypatch.context() as patched:
        patched.setattr(os, "environ", environ)
        Options.from_environment()
    found = {name for name in environ.asked if name.startswith("NESTWISE_")}
    for path in sources():
        text = path.read_text(encoding="utf-8", errors="replace")
        found |= {name for form in READS for name in re.findall(form, text)}
    named = on_the_page()
    assert len(named) == len(set(named)), "a variable stands in two rows"
    assert set(named) == found


def test_no_source_mentions_another_variable():
    named = set(on_the_page())
    unknown = {}
    for path in sources():
        text = path.read_text(encoding="utf-8", errors="replace")
        compiled_in = {name for pair in COMPILED_IN.findall(text) for name in pair}
        for name in set(re.findall(rf"\b{NAME}\b", text)) - compiled_in - named:
            unknown[name] = path
    assert not unknown
