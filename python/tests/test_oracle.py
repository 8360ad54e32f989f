"""`nestwise oracle`: sizes, scores, and a small run from end to end."""

import json
import math
import subprocess
import sys
import time

import pytest
from nestwise.oracle import clocked, generate, page, score
from nestwise.oracle.measure import CHOSEN, LEARNED, Experiment, candidates
from nestwise.oracle.programs import (
    GENERATED,
    HELD_BACK,
    NoProgram,
    chosen_sizes,
    find,
    ladder,
)

SCRIPT = """
import argparse
import numpy as np


def scaled(a, k):
    for i in range(len(a)):
        a[i] = a[i] * k + 1.0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int)
    n = parser.parse_args().size
    if n < 3:
        raise SystemExit("too small")
    a = np.arange(n) / n
    scaled(a, 0.5)
    print("checksum", a.sum())


if __name__ == "__main__":
    main()
"""


def experiment(program="p", size=10, **samples):
    return Experiment(program, size, samples, {}, [])


def test_the_best_is_picked_on_one_half_and_scored_on_the_other():
    # In the first turn of both processes serial looks better, by luck.
    one = experiment(
        interpreter=[2.0, 2.0, 1.0, 1.0], serial=[1.5, 1.5, 3.0, 3.0], chosen=[9.0, 9.0, 6.0, 6.0]
    )
    scored = score.score(one)
    assert (scored.best, scored.best_s, scored.chosen_s) == ("serial", 3.0, 6.0)
    assert scored.slowdown == 1.0
    assert scored.times == {"interpreter": 1.0, "serial": 3.0}


def test_slowdowns_are_of_one_moment():
    # The machine is a third as fast for most of the time, and chosen was stopped in between.
    serial = [1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]
    chosen = [1.1 * s for s in serial]
    chosen[6:8] = [1.1, 1.1]
    scored = score.score(experiment(serial=serial, chosen=chosen))
    assert math.isclose(scored.slowdown, 0.1)
    assert math.isclose(scored.noise, 0.0, abs_tol=1e-9)
    twice = score.score(experiment(serial=[1.0] * 4, chosen=[3.0, 3.0, 2.0, 2.0]))
    assert twice.noise == 0.5
    assert score.ours([twice])["chosen, against itself"].mean == 0.5


def test_summaries():
    s = score.summary([0.0, 0.1, 0.2, 0.3, 0.4])
    assert s.experiments == 5 and math.isclose(s.mean, 0.2) and s.worst == 0.4
    assert math.isclose(s.p95, 0.38)
    assert score.percentile([5.0], 0.9) == 5.0


def test_what_other_strategies_would_have_cost():
    small = score.score(experiment(interpreter=[1.0] * 4, serial=[3.0] * 4, chosen=[1.0] * 4))
    large = score.score(experiment(interpreter=[8.0] * 4, serial=[2.0] * 4, chosen=[2.0] * 4))
    costs = score.strategies([small, large])
    assert costs["always serial"].mean == 1.0  # 200 % and 0 %
    assert costs["always interpreter"].mean == 1.5
    assert costs["random"].mean == (1.0 + 1.5) / 2


def test_single_schedules_count_for_the_best_alone():
    names = [way.name for way in candidates((2,), 2)]
    assert names == [
        *("interpreter", "serial", "threads 2"),
        *("serial schedule 0", "serial schedule 1", "threads 2 schedule 0", "threads 2 schedule 1"),
    ]
    times = {name: [2.0] * 4 for name in names} | {"chosen": [2.0] * 4}
    times["threads 2 schedule 1"] = [1.0] * 4
    scored = score.score(experiment(**times)._replace(predicted={"threads": 3.0}))
    assert (scored.best, scored.slowdown) == ("threads 2 schedule 1", 1.0)
    assert set(score.strategies([scored])) == {
        *("always interpreter", "always serial", "always threads 2", "random")
    }
    assert score.strategies([scored])["random"].mean == 1.0
    assert score.prediction_errors([scored])["threads"] == (1, 0.5, 0.5)
    assert score.wrong(scored) == ""


def test_prediction_errors_are_relative_to_what_was_measured():
    one = experiment(**{"serial": [2.0] * 4, "threads 2": [1.0] * 4, "threads 4": [0.5] * 4})
    one.samples[CHOSEN] = [1.0] * 4
    one = one._replace(predicted={"serial": 3.0, "threads": 0.5})
    errors = score.prediction_errors([score.score(one)])
    assert errors["serial"] == (1, 0.5, 0.5)
    assert errors["threads"] == (1, 0.0, 0.0)
    assert errors["all"] == (2, 0.25, 0.45)
    # While CPython takes half as long again as the profile says, so should everything.
    slow = one._replace(predicted={"serial": 2.0, "threads": 0.4}, pace=1.25)
    errors = score.prediction_errors([score.score(slow)])
    assert errors["serial, at the pace"] == (1, 0.25, 0.25)
    assert errors["threads, at the pace"] == (1, 0.0, 0.0)
    # What was measured at another size says nothing of this one.
    assert "serial" not in score.prediction_errors([score.score(one._replace(rough=["serial"]))])


def test_the_prediction_that_misled_is_named():
    one = experiment(interpreter=[4.0] * 4, serial=[1.0] * 4, chosen=[4.0] * 4)
    misled = one._replace(predicted={"interpreter": 4.4, "serial": 6.0})
    assert score.wrong(score.score(misled)) == "serial predicted 6.00 times"
    too_cheap = one._replace(predicted={"interpreter": 0.4, "serial": 1.1})
    assert score.wrong(score.score(too_cheap)) == "interpreter predicted 0.10 times"
    right = one._replace(predicted={"interpreter": 4.0, "serial": 2.0})
    assert score.wrong(score.score(right)) == ""


def test_sizes_lie_around_the_crossover():
    quick = {n: {"interpreter": 1e-7 * n, "serial": 2e-6 + 1e-9 * n} for n in ladder(10_000)}
    sizes, (crossover,) = chosen_sizes(quick, 5)
    assert 15 < crossover < 28
    assert sizes[0] == 1 and sizes[-1] == max(quick)
    near = [n for n in sizes if crossover / 4 <= n <= crossover * 4]
    assert len(near) >= 6


def test_random_programs_are_the_same_for_a_seed_and_run(tmp_path):
    folders = [tmp_path / name for name in "ab"]
    for folder in folders:
        folder.mkdir()
    first, second = (list(generate.programs(40, 11, folder)) for folder in folders)
    texts = [p.script.read_text() for p in first]
    assert texts == [p.script.read_text() for p in second] and len(set(texts)) == 40
    assert {p.group for p in first} == {GENERATED}
    depths = {t.split("def main")[0].count("for ") for t in texts}
    assert {1, 2, 3} <= depths
    for program in first[::8]:
        words = [sys.executable, str(program.script), *program.arguments(12)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        assert "nan" not in done.stdout and "kernel_seconds" in done.stdout


def test_random_programs_have_figures_of_their_own(tmp_path):
    words = ("--generated", "2", "--seed", "4", "--threads", "2", "--json", "kept.json")
    done = oracle(tmp_path, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 random programs: --seed 4" in done.stdout
    assert "generated: 6 experiments, 2 programs" in done.stdout
    again = oracle(tmp_path, *words)
    assert again.returncode == 0 and "generated: 6 experiments" in again.stdout


def test_groups_are_told_apart():
    one = score.score(experiment(serial=[1.0] * 4, chosen=[1.0] * 4))
    held, random = one._replace(group=HELD_BACK), one._replace(group=GENERATED)
    counts = {name: len(of) for name, of in score.groups([one, held, random, random]).items()}
    assert counts == {"": 2, HELD_BACK: 1, GENERATED: 2}
    assert set(score.groups([random])) == {GENERATED}


def test_programs_of_a_folder(tmp_path):
    (tmp_path / "a.py").write_text(SCRIPT)
    assert [p.name for p in find([str(tmp_path)])] == ["a"]
    entry = {"name": "b", "file": "a.py", "forms": ["ndarray", "list"], "refused": False}
    (tmp_path / "index.json").write_text(json.dumps([entry, {**entry, "refused": True}]))
    assert [(p.name, p.form) for p in find([str(tmp_path)])] == [("b", "ndarray")]
    (tmp_path / "index.json").write_text(json.dumps([{**entry, "held_back": True}]))
    assert [p.group for p in find([str(tmp_path)])] == [HELD_BACK]
    forms = find([str(tmp_path / "a.py")], forms=True)
    assert [(p.name, p.form) for p in forms] == [("b", "ndarray"), ("b-list", "list")]
    assert forms[1].arguments(7) == ["--size", "7", "--form", "list"]
    with pytest.raises(NoProgram, match="neither a script nor a folder"):
        find([str(tmp_path / "nothing")])


CLOCKED = """
import time


def halves(n):
    total = 0
    for i in range(n):
        for k in range(3):
            total += i // 2
        if total > 10**9:
            return total
    time.sleep(0.01)
    while total > 0:
        total -= 7
    return total


def main():
    result = halves(20000)
"""


def test_nests_are_clocked_from_outside(tmp_path):
    script = tmp_path / "halved.py"
    script.write_text(CLOCKED)
    module, clock = clocked.load(script)
    begun = time.perf_counter()
    assert module.halves(20000) == -6
    taken = time.perf_counter() - begun
    # Nothing but sleep lies outside, and what begins and ends it.
    assert 0.01 <= taken - clock.seconds < 0.02 < taken
    before = clock.seconds
    # Left from within, too.
    assert module.halves(50000) == 1000008918
    assert clock.seconds > before


def oracle(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "nestwise", "oracle", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=300,
    )


def test_a_run_is_kept_and_gone_on_with(tmp_path):
    (tmp_path / "scale.py").write_text(SCRIPT)
    kept, shown = tmp_path / "kept.json", tmp_path / "shown.html"
    words = ("scale.py", "--sizes", "5,40000", "--threads", "2", "--json", str(kept))
    done = oracle(tmp_path, *words, "--html", str(shown))
    assert done.returncode == 0, done.stderr
    assert "2 experiments, 1 programs" in done.stdout
    small, large = json.loads(kept.read_text())["experiments"]
    assert set(small["samples"]) == {"interpreter", "serial", "threads 2", CHOSEN, LEARNED}
    # A large loop is predicted to be faster compiled, and it is.
    predicted = large["predicted"]
    assert 0 < predicted["serial"] < predicted["interpreter"]
    best = {way: min(samples) for way, samples in large["samples"].items()}
    assert best["serial"] < best["interpreter"] / 3
    assert best[CHOSEN] < best["interpreter"] / 3
    # What main() does besides is part of every prediction.
    inside = [one["predicted"]["interpreter"] - one["outside"] for one in (small, large)]
    assert 0 < inside[0] < inside[1] / 100 and small["outside"] > 20 * inside[0]
    html = shown.read_text()
    assert html.count("<polyline") >= 7 and "http" not in html.replace("http-equiv", "")
    # Nothing is measured twice.
    again = oracle(tmp_path, *words)
    assert again.returncode == 0 and "scale " in again.stdout
    assert json.loads(kept.read_text())["experiments"] == [small, large]


def test_cold_runs_hold_their_compilation(tmp_path):
    (tmp_path / "scale.py").write_text(SCRIPT)
    kept = tmp_path / "kept.json"
    done = oracle(
        tmp_path, "scale.py", "--sizes", "40000", "--cold", "--threads", "2", "--json", str(kept)
    )
    assert done.returncode == 0, done.stderr
    assert "5 calls from nothing" in done.stdout
    (one,) = json.loads(kept.read_text())["experiments"]
    assert CHOSEN in one["cold"] and len(one["cold"]["serial"]) == 3
    # LLVM takes milliseconds, the loop itself a fraction of one.
    assert min(one["cold"]["serial"]) > 20 * min(one["samples"]["serial"])
    experiments = [Experiment(**one)]
    (cold,) = score.cold(experiments)
    assert cold.best in ("interpreter", "serial", "threads 2") and 0.3 < cold.ratio < 10


def test_programs_whose_results_differ_are_told(tmp_path):
    changing = SCRIPT.replace(
        'print("checksum", a.sum())', 'print("checksum", id(object()), np.random.rand())'
    )
    (tmp_path / "changing.py").write_text(changing)
    done = oracle(tmp_path, "changing.py", "--sizes", "5")
    assert done.returncode == 1
    assert "the results differ" in done.stdout


def test_brief_sizes_go_on_beyond_cpython(tmp_path):
    # Nor does a script keep others from being measured that wants arguments when it is imported.
    early = "import argparse\nargparse.ArgumentParser().parse_args()\n"
    (tmp_path / "at_once.py").write_text(early)
    (tmp_path / "fill.py").write_text(SCRIPT)
    options = ("--brief", "--spread", "2", "--even", "--json", "kept.json")
    done = oracle(tmp_path, "at_once.py", "fill.py", *options)
    assert done.returncode == 1
    assert "at_once: it runs at no size" in done.stdout
    assert "fill " in done.stdout and "against the oracle" in done.stdout
    experiments = json.loads((tmp_path / "kept.json").read_text())["experiments"]
    largest = max(experiments, key=lambda one: one["size"])
    assert "interpreter" in largest["rough"] and "serial" not in largest["rough"]
    assert min(largest["samples"]["interpreter"]) > 0.1 > min(largest["samples"]["serial"])
    assert "learned" not in largest["samples"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nothing.py",), "neither a script nor a folder"),
        (("--sizes", "5,x", "s.py"), "--sizes: '5,x' is not a list of positive whole numbers"),
        (("--devices", "warp", "s.py"), "--devices: unknown: warp"),
        (("--devices", "gpu", "s.py"), "--devices gpu: there is no card here"),
        (("--sizes",), "--sizes: expected one argument"),
        (("--size=3", "s.py"), "unrecognized arguments: --size=3"),
        (("--sizes", "3"), "a script or a folder is missing"),
        (("s.py", "--json", "s.py"), "not what `nestwise oracle --json` writes"),
    ],
)
def test_command_lines_that_make_no_sense(tmp_path, arguments, said):
    (tmp_path / "s.py").write_text(SCRIPT)
    done = oracle(tmp_path, *arguments)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_page_of_one_point_is_drawn(tmp_path):
    one = experiment(serial=[1e-3] * 4, chosen=[1e-3] * 4)
    page.write(tmp_path / "p.html", [one], [score.score(one)])
    assert "<svg" in (tmp_path / "p.html").read_text()
