"""The oracle's page in a real browser: nothing fails, nothing is fetched, every picture shows its
lines inside its frame, and the table sorts.
"""

import html
import json
import re
import shutil
import subprocess

import pytest
from nestwise.oracle import page, score
from nestwise.oracle.measure import CHOSEN, LEARNED, Experiment

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update --window-size=1400,1800"
).split()

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium: `tools/setup.sh --browser`")

# Before anything of the page runs, and after everything has.
WATCH = "<script>window.errors = []; onerror = m => { errors.push(String(m)); };</script>"
LOOK = """<script>
const inside = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1
  && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
const figures = [...document.querySelectorAll("figure")].map(figure => {
  const frame = figure.querySelector("svg").getBoundingClientRect();
  const parts = [...figure.querySelectorAll("polyline, text, line")];
  const box = e => e.getBoundingClientRect();
  return {
    name: figure.querySelector("figcaption").textContent,
    area: frame.width * frame.height,
    lines: [...figure.querySelectorAll("polyline")].map(e => [e.getAttribute("class"),
      e.querySelector("title").textContent, box(e).width, box(e).height]),
    crossovers: figure.querySelectorAll(".crossover").length,
    outside: parts.filter(e => !inside(box(e), frame)).map(e => e.outerHTML),
  };
});
const heads = [...document.querySelectorAll("#all th")];
const column = name => heads.findIndex(h => h.textContent.startsWith(name));
const cells = k => [...document.querySelectorAll("#all tbody tr")].map(r => r.cells[k].textContent);
const sorted = {};
for (const name of ["program", "size", "slowdown"]) {
  const k = column(name);
  heads[k].click();
  const once = cells(k);
  heads[k].click();
  sorted[name] = [once, cells(k)];
}
const fetched = performance.getEntriesByType("resource").map(e => e.name);
const found = document.createElement("pre");
found.id = "found";
found.textContent = JSON.stringify({figures, sorted, fetched, errors});
document.body.append(found);
</script>"""


def experiments():
    """Three programs at four sizes; the last has no crossover."""
    for name, k in (("first", 1.0), ("second <b>&amp;", 2.5), ("third", 40.0)):
        for size in (1, 30, 900, 27_000):
            times = {
                "interpreter": 1e-7 * k * size,
                "serial": 2e-6 + 1e-9 * k * size,
                "threads 2": 2e-5 + 0.6e-9 * k * size,
            }
            best = min(times.values())
            samples = {way: [t, t * 1.01, t * 0.99, t] for way, t in times.items()}
            samples |= {CHOSEN: [best * 1.1] * 4, LEARNED: [best * 1.02] * 4}
            crossovers = [21.0] if k < 40 else []
            yield Experiment(name, size, samples, {"serial": times["serial"] * 1.3}, crossovers)


@pytest.fixture(scope="module")
def looked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    done = list(experiments())
    path = folder / "report.html"
    page.write(path, done, [score.score(e) for e in done])
    text = path.read_text()
    assert text.count("</html>") == 1 and text.count("<style>") == 1
    path.write_text(text.replace("<style>", WATCH + "<style>").replace("</html>", LOOK + "</html>"))
    words = [BROWSER, *QUIET, f"--user-data-dir={folder / 'user'}", "--dump-dom", path.as_uri()]
    dumped = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120).stdout
    [found] = re.findall('<pre id="found">(.*?)</pre>', dumped, re.DOTALL)
    return text, json.loads(html.unescape(found))


def test_it_is_one_file_and_nothing_fails(looked):
    text, found = looked
    assert not re.search(r"https?://|src=|href=|@import|url\(", text)
    assert found["errors"] == [] and found["fetched"] == []


def test_every_program_has_a_picture_with_all_its_lines(looked):
    _, found = looked
    assert [f["name"] for f in found["figures"]] == ["first", "second <b>&amp;", "third"]
    for figure in found["figures"]:
        assert figure["area"] > 50_000 and figure["outside"] == []
        kinds = [kind for kind, *_ in figure["lines"]]
        assert kinds.count("measured") == 5 and kinds.count("predicted") == 1
        for kind, title, width, height in figure["lines"]:
            assert width > 200 and height > 5, (figure["name"], kind, title)
    assert [f["crossovers"] for f in found["figures"]] == [1, 1, 0]


def test_the_table_sorts_both_ways(looked):
    _, found = looked
    assert set(found["sorted"]) == {"program", "size", "slowdown"}
    for name, (down, up) in found["sorted"].items():
        key = str if name == "program" else float
        assert up == sorted(up, key=key) and len(up) == 12, name
        assert down == sorted(up, key=key, reverse=True), name
        assert name == "slowdown" or len(set(up)) > 1
