"""Each script of filetests/ tells a nest's whole story, compared with what is written there.

A filetest is an ordinary script and behind it, in comments, what nestwise is expected to do with
it: every loop's verdict, the schedule it is compiled with on one core and on threads (loops in
their final order, what each is mapped to, what is left to check), why CPython has to do a part,
and where a made-up machine (`profile.json`) would run it. One script, many treatments: the output
is compared with CPython's on every device.

`NESTWISE_BLESS=1` writes the expectations anew with what nestwise does now.
"""

import os
from pathlib import Path

import pytest
from differential import DEVICES, difference, nestwise, python

FOLDER = Path(__file__).parent / "filetests"
SCRIPTS = sorted(FOLDER.glob("*.py"))
MARK = "\n# expect\n"


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("filetests")


def run(script, device, cache, tmp_path):
    """The script alone, without the expectations, at the lines it has here."""
    copy = tmp_path / script.name
    copy.write_text(script.read_text().split(MARK)[0] + "\n")
    options = ["--profile", str(FOLDER / "profile.json")]
    return nestwise(copy, device, cache, options=options), python(copy)


def story(device, report, outer):
    """What the report says that does not depend on time."""
    for nest in report["nests"]:
        place = f"{device} {nest['line']}:"
        if device == "serial":
            yield from (f"verdict {v.strip()}" for v in nest["verdicts"])
            outer.add(nest["line"])
        if device == "auto":
            # The price at first; when CPython has lost enough for compiling to pay is a matter
            # of time.
            if nest["line"] in outer and (nest["launches"] or nest["declined"]):
                yield f"{place} {'interpreter' if nest['declined'] else 'native'}"
        else:
            yield from (f"{place} {s}" for s in nest["schedules"])
            yield from (f"{place} {f['count']} x {f['code']}" for f in nest["fallbacks"])
    if device == "serial":
        yield from (f"refused {r['line']}: {r['code']}" for r in report["refused"])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: s.stem)
def test_story(script, cache, tmp_path):
    expected = script.read_text().partition(MARK)[2]
    told, outer = [], set()
    for device in DEVICES:
        got, plain = run(script, device, cache, tmp_path)
        assert not (found := difference(plain, got)), f"{device}\n{found}"
        if device != "interpreter":
            told += story(device, got.report, outer)
        else:
            assert not any(nest["launches"] for nest in got.report["nests"])
    text = "".join(f"# {line}\n" for line in told)
    if os.environ.get("NESTWISE_BLESS"):
        script.write_text(script.read_text().split(MARK)[0].rstrip("\n") + "\n\n" + MARK + text)
        return
    assert text == expected
