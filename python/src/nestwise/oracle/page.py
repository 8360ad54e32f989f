"""Writes the report as one HTML file: a picture for each program and a table that
sorts, all in it.
"""

from __future__ import annotations

import html
import json
import math
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path

from nestwise.oracle import score
from nestwise.oracle.measure import CHOSEN, LEARNED, Experiment
from nestwise.oracle.programs import GENERATED

WIDTH, HEIGHT, MARGIN = 420, 280, 46
COLOURS = {"interpreter": "#b5533c", "serial": "#2f6db5", CHOSEN: "#222222", LEARNED: "#888888"}
SEVERAL = ("#2e8b57", "#7a5195", "#c28e0e", "#008b8b")


def write(path: Path, done: Sequence[Experiment], scored: Sequence[score.Scored]) -> None:
    """Writes the page. `done` and `scored` are alike in order."""
    programs = dict.fromkeys(one.program for one in done if one.group != GENERATED)
    pictures = "\n".join(
        _picture(name, [e for e in done if e.program == name]) for name in programs
    )
    page = TEMPLATE.replace("@SUMMARY@", _summary(scored))
    page = page.replace("@PICTURES@", pictures).replace("@ROWS@", _rows(scored))
    path.write_text(page, encoding="utf-8")


def _summary(scored: Sequence[score.Scored]) -> str:
    parts = []
    for group, those in score.groups(scored).items():
        count = len({one.program for one in those})
        about = f"{group}: {count}" if group else str(count)
        parts.append(f"<h2>{html.escape(about)} programs</h2>{_figures(those, group)}")
    return "".join(parts)


def _figures(scored: Sequence[score.Scored], group: str) -> str:
    rows = score.against_oracle(scored, group)
    cells = "".join(
        f"<tr><td>{html.escape(name)}</td><td>{s.mean:.1%}</td><td>{s.p95:.1%}</td>"
        f"<td>{s.worst:.1%}</td><td>{s.experiments}</td></tr>"
        for name, s in rows.items()
    )
    errors = "".join(
        f"<tr><td>{html.escape(device)}</td><td>{half:.1%}</td><td>{most:.1%}</td><td>{count}</td></tr>"
        for device, (count, half, most) in score.prediction_errors(scored).items()
    )
    return (
        "<table><tr><th>against the oracle</th><th>mean</th><th>p95</th><th>worst</th>"
        f"<th>experiments</th></tr>{cells}</table>"
        "<table><tr><th>prediction error</th><th>median</th><th>p90</th><th>experiments</th></tr>"
        f"{errors}</table>"
    )


def _rows(scored: Sequence[score.Scored]) -> str:
    rows = []
    for o in scored:
        guessed = " ".join(f"{d} {s:.3g}" for d, s in o.predicted.items())
        cells = (o.program, o.size, o.best, f"{o.best_s:.3g}", f"{o.chosen_s:.3g}")
        text = "".join(f"<td>{html.escape(str(c))}</td>" for c in cells)
        learned = "" if o.learned is None else f"{o.learned * 100:.1f}"
        rows.append(
            f"<tr>{text}<td>{o.slowdown * 100:.1f}</td><td>{learned}</td>"
            f"<td>{html.escape(guessed)}</td></tr>"
        )
    return "\n".join(rows)


class _Axes:
    """The positions of sizes and times in a picture; both axes are logarithmic."""

    def __init__(self, sizes: Sequence[float], times: Sequence[float]) -> None:
        self.low = math.log10(min(sizes)), math.log10(max(min(times), 1e-9))
        high = math.log10(max(sizes)), math.log10(max(times))
        self.span = max(high[0] - self.low[0], 1e-3), max(high[1] - self.low[1], 1e-3)

    def at(self, size: float, seconds: float) -> tuple[float, float]:
        x = (math.log10(size) - self.low[0]) / self.span[0]
        y = (math.log10(max(seconds, 1e-9)) - self.low[1]) / self.span[1]
        return MARGIN + x * (WIDTH - 1.3 * MARGIN), HEIGHT - MARGIN - y * (HEIGHT - 1.8 * MARGIN)

    def ticks(self, axis: int) -> list[float]:
        first, last = math.ceil(self.low[axis]), math.floor(self.low[axis] + self.span[axis])
        return [10.0**k for k in range(first, last + 1)]


def _picture(name: str, done: Sequence[Experiment]) -> str:
    lines: dict[str, list[tuple[int, float]]] = {}
    guessed: dict[str, list[tuple[int, float]]] = {}
    for one in sorted(done, key=lambda e: e.size):
        for way, samples in one.samples.items():
            lines.setdefault(way, []).append((one.size, statistics.median(samples)))
        for device, seconds in one.predicted.items():
            if 0 < seconds < math.inf:
                guessed.setdefault(device, []).append((one.size, seconds))
    points = [p for each in (*lines.values(), *guessed.values()) for p in each]
    axes = _Axes([p[0] for p in points], [p[1] for p in points])
    parts = [_frame(axes)]
    for at in dict.fromkeys(x for one in done for x in one.crossovers):
        x, _ = axes.at(at, 1.0)
        parts.append(
            f'<line class="crossover" x1="{x:.1f}" x2="{x:.1f}" y1="{MARGIN * 0.8:.0f}" '
            f'y2="{HEIGHT - MARGIN}"/>'
        )
    colours = _colours(lines)
    for way, line in lines.items():
        parts.append(_line(axes, line, colours[way], "measured", way))
    for device, line in guessed.items():
        last = [way for way in lines if way.startswith(device)][-1:]
        colour = colours[last[0]] if last else "#999999"
        parts.append(_line(axes, line, colour, "predicted", f"{device}, predicted"))
    key = "".join(f'<span style="color:{colours[way]}">{html.escape(way)}</span> ' for way in lines)
    return (
        f'<figure><figcaption>{html.escape(name)}</figcaption><svg viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" role="img" aria-label="{html.escape(name)}">{"".join(parts)}</svg>'
        f"<div>{key}</div></figure>"
    )


def _colours(ways: Iterable[str]) -> dict[str, str]:
    several = [way for way in ways if way not in COLOURS]
    return COLOURS | {way: SEVERAL[k % len(SEVERAL)] for k, way in enumerate(several)}


def _frame(axes: _Axes) -> str:
    parts = []
    for size in axes.ticks(0):
        x, _ = axes.at(size, 1.0)
        parts.append(f'<text class="tick" x="{x:.0f}" y="{HEIGHT - MARGIN + 16}">{size:g}</text>')
    for seconds in axes.ticks(1):
        _, y = axes.at(10.0 ** axes.low[0], seconds)
        label = json.dumps(seconds) if seconds >= 1 else f"{seconds:.0e}"
        parts.append(f'<text class="tick left" x="{MARGIN - 6}" y="{y:.0f}">{label} s</text>')
        parts.append(
            f'<line class="grid" x1="{MARGIN}" x2="{WIDTH - MARGIN * 0.3:.0f}" '
            f'y1="{y:.0f}" y2="{y:.0f}"/>'
        )
    return "".join(parts)


def _line(
    axes: _Axes, line: Iterable[tuple[float, float]], colour: str, kind: str, title: str
) -> str:
    points = " ".join("{:.1f},{:.1f}".format(*axes.at(*p)) for p in line)
    return (
        f'<polyline class="{kind}" stroke="{colour}" points="{points}">'
        f"<title>{html.escape(title)}</title></polyline>"
    )


TEMPLATE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>nestwise oracle</title>
<style>
body { font: 14px system-ui, sans-serif; margin: 24px; color: #222; }
figure { display: inline-block; margin: 8px; }
figcaption { font-weight: 600; }
svg { background: #fafafa; }
polyline { fill: none; stroke-width: 1.6; }
.predicted { stroke-dasharray: 4 4; stroke-width: 1.2; }
.crossover { stroke: #999; stroke-dasharray: 2 3; }
.grid { stroke: #e4e4e4; }
.tick { font-size: 10px; fill: #666; text-anchor: middle; }
.left { text-anchor: end; }
table { border-collapse: collapse; margin: 12px 0; }
td, th { padding: 2px 10px; border-bottom: 1px solid #ddd; text-align: right; }
td:first-child, th:first-child { text-align: left; }
#all th { cursor: pointer; }
</style>
<h1>Predicted, chosen, best</h1>
@SUMMARY@
<p>Lines: measured; dashed: predicted; vertical: measured crossovers. Size across, seconds up, both
logarithmic.</p>
@PICTURES@
<table id="all"><thead><tr><th>program</th><th>size</th><th>best</th><th>best, s</th>
<th>chosen, s</th><th>slowdown, %</th><th>learning, %</th><th>predicted, s</th></tr></thead><tbody>
@ROWS@
</tbody></table>
<script>
const body = document.querySelector("#all tbody");
document.querySelectorAll("#all th").forEach((head, column) => head.onclick = () => {
  const down = head.dataset.down = head.dataset.down === "1" ? "0" : "1";
  const key = row => { const t = row.cells[column].textContent; return isNaN(t) ? t : +t; };
  const order = (a, b) => key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
  const sorted = [...body.rows].sort((a, b) => down === "1" ? order(b, a) : order(a, b));
  sorted.forEach(row => body.append(row));
});
</script>
</html>
"""
