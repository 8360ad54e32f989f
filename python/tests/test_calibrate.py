"""`nestwise calibrate`, `nestwise profile`, and profiles that runs find or are given."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("nestwise._core")

from nestwise.calibrate import data, files, gpu, measure, sections

LOOP = """\
def f(n):
    s = 0.0
    for i in range(n):
        s += i * 0.5
    return s
f(1000)
"""
NAME = f"profile-{sys.version_info[0]}.{sys.version_info[1]}.json"


def nestwise(folder, *words, **settings):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NESTWISE_")}
    environment |= {"NESTWISE_CACHE_DIR": str(folder), **settings}
    return subprocess.run(
        [sys.executable, "-m", "nestwise", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory):
    """A folder with a profile, and what was told when it was made."""
    folder = tmp_path_factory.mktemp("calibrated")
    done = nestwise(folder, "calibrate", "--quick")
    assert done.returncode == 0, done.stderr
    (folder / "loop.py").write_text(LOOP)
    return folder, done.stdout


@pytest.fixture
def default(tmp_path):
    from nestwise import _core

    (tmp_path / "loop.py").write_text(LOOP)
    return json.loads(_core.default_profile())


def test_a_quick_calibration_is_a_profile_with_its_errors(calibrated):
    folder, told = calibrated
    profile = json.loads((folder / NAME).read_text())
    assert profile["version"] == 8
    assert profile["machine"]["python"] == ".".join(map(str, sys.version_info[:3]))
    for section in ("interpreter", "call", "compile"):
        assert set(profile["errors"][section]) == {"median", "p90"}
        assert f"{section}: {len(profile[section])} weights" in told
    if profile["machine"]["cores"] > 1:
        assert "threads" in profile["errors"] and "of a core for each further thread" in told
        shares = [profile["threads"][bound] for bound in ("compute", "latency", "memory")]
        assert all(0 < share <= 1 for share in shares)
    # Rough, on a machine that does other things, but nothing like a guess.
    assert profile["errors"]["interpreter"]["median"] < 0.5
    costs = profile["interpreter"]
    assert costs["load"] < costs["int_div"] < costs["numpy"]
    assert costs["array_get"] < costs["array_get"] + costs["array_tuple"] < 2000


def test_runs_find_it(calibrated):
    folder, _ = calibrated
    report = nestwise(folder, "run", "--report=json", "loop.py").stderr
    assert json.loads(report)["notes"] == []
    shown = nestwise(folder, "profile", "show").stdout
    assert str(folder / NAME) in shown and "off by" in shown
    assert "not measured" in nestwise(folder, "profile", "show", "default").stdout


def test_profiles_of_other_machines_can_be_read(tmp_path):
    kept = sorted((Path(__file__).parents[2] / "calibration" / "profiles").glob("*.json"))
    assert kept
    for path in kept:
        shown = nestwise(tmp_path, "profile", "show", path)
        assert shown.returncode == 0 and "measured on" in shown.stdout, shown.stderr


def test_profiles_are_compared(calibrated):
    folder, _ = calibrated
    compared = nestwise(folder, "profile", "diff", "default").stdout
    assert "interpreter." in compared and " x " in compared
    same = nestwise(folder, "profile", "diff", NAME, NAME).stdout
    assert "no weight differs" in same


@pytest.mark.parametrize(
    ("section", "field", "value"),
    [
        ("interpreter", "int_add", -1.0),
        ("interpreter", "load", "fast"),
        ("call", "launch", None),
        ("compile", "node", 5e9),
        ("host", "issue", [1]),
        ("threads", "compute", 2.0),
    ],
)
def test_bad_fields_are_named(tmp_path, default, section, field, value):
    default[section][field] = value
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(default))
    for words in (["run", "--profile", "bad.json", "loop.py"], ["profile", "show", "bad.json"]):
        done = nestwise(tmp_path, *words)
        assert done.returncode == 2
        assert f"{section}.{field}" in done.stderr and "bad.json" in done.stderr


def test_what_is_cut_off_or_incomplete_is_refused(tmp_path, default):
    text = json.dumps(default)
    del default["interpreter"]["load"]
    cases = {"cut.json": text[: len(text) // 2], "less.json": json.dumps(default), "no.json": ""}
    for name, content in cases.items():
        (tmp_path / name).write_text(content)
        done = nestwise(tmp_path, "run", "--profile", name, "loop.py")
        assert done.returncode == 2 and name in done.stderr
        assert done.stderr.count("\n") == 1
    assert "`load`" in nestwise(tmp_path, "profile", "show", "less.json").stderr


def test_another_version_is_told_and_the_default_goes_on(tmp_path, default):
    (tmp_path / "old.json").write_text('{"version": 1}')
    done = nestwise(tmp_path, "run", "--profile", "old.json", "loop.py")
    assert done.returncode == 0
    assert "version 1" in done.stderr and "default profile is used" in done.stderr
    # One that is found is told in the report alone.
    (tmp_path / NAME).write_text('{"version": 2}')
    assert nestwise(tmp_path, "run", "loop.py").stderr == ""
    report = nestwise(tmp_path, "run", "--report=json", "loop.py").stderr
    assert any("version 2" in note for note in json.loads(report)["notes"])


def test_another_machine_is_told_once_in_the_report(calibrated, tmp_path):
    folder, _ = calibrated
    profile = json.loads((folder / NAME).read_text())
    profile["machine"] |= {"cpu": "an abacus", "python": "3.9.1"}
    (tmp_path / "other.json").write_text(json.dumps(profile))
    (tmp_path / "loop.py").write_text(LOOP)
    words = ["run", "--report=json", "--profile", "other.json", "loop.py"]
    notes = json.loads(nestwise(tmp_path, *words).stderr)["notes"]
    assert len(notes) == 1 and "abacus" in notes[0] and "3.9" in notes[0]


@pytest.mark.parametrize(
    "words",
    [
        ["calibrate", "--fast"],
        ["calibrate", "--out"],
        ["calibrate", "--out", "/proc/nowhere/p.json"],
        ["profile", "sing"],
        ["profile", "diff"],
        ["profile", "show", "nope.json"],
    ],
)
def test_bad_command_lines(tmp_path, words):
    done = nestwise(tmp_path, *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_help_names_the_place(tmp_path):
    told = nestwise(tmp_path, "calibrate", "--help").stdout
    assert str(tmp_path / NAME) in told and "--quick" in told
    assert "diff" in nestwise(tmp_path, "profile", "--help").stdout


FEATURES = """\
import json
import numpy as np
from nestwise import _core
from nestwise.reporting.data import as_data

def dot(n, a, b):
    s = 0.0
    for i in range(n):
        s += a[i] * b[i]
    return s

def ragged(n, first, xs):
    s = 0.0
    for i in range(n):
        for e in range(first[i], first[i + 1]):
            s += xs[e]
    return s

def halved(n, x):
    s = 0
    for i in range(n):
        v = x + i
        while v > 1:
            v //= 2
            s += 1
    return s

def escapes(c, limit):
    s = 0
    for i in range(len(c)):
        z = 0.0
        for k in range(limit):
            z = z * z + c[i]
            if z > 2.0:
                break
            s += 1
    return s

def settles(a, most):
    for round in range(most):
        change = 0.0
        for i in range(1, len(a)):
            new = 0.5 * (a[i] + a[i - 1])
            change += abs(new - a[i])
            a[i] = new
        if change < 1e-3:
            break
    return round

def searched(xs, x):
    for k in range(len(xs)):
        if xs[k] == x:
            break
    return k

def first_of(xs, x):
    for k in range(len(xs)):
        if xs[k] == x:
            return k
    return -1

def all_found(xs, ys):
    s = 0
    for i in range(len(ys)):
        s += first_of(xs, ys[i])
    return s

def without(n, xs, x):
    s = 0
    for i in range(n):
        for k in range(len(xs)):
            if xs[k] == x:
                break
        else:
            s += 1
    return s

a = np.ones(400)
dot(400, a, a)
dot(100, a, a)
ragged(50, np.arange(51) * 3, [0.5] * 150)
halved(40, 2**20)
escapes(np.ones(30), 5000)
settles(np.arange(10.0), 400)
searched(np.arange(1000.0), 77.0)
all_found(np.arange(1000.0), np.full(20, 4.0))
without(30, np.arange(500.0), 3.0)
print(json.dumps({nest.line: as_data(nest) for nest in _core.report()}))
"""


@pytest.fixture(scope="module")
def features(tmp_path_factory):
    folder = tmp_path_factory.mktemp("features")
    (folder / "features.py").write_text(FEATURES)
    done = nestwise(folder, "run", "features.py", NESTWISE_PRICES="1")
    by_line = json.loads(done.stdout)
    # Each function's loop is the first one in it.
    lines = FEATURES.splitlines()
    named = {text[4:].split("(")[0]: k for k, text in enumerate(lines) if text.startswith("def ")}
    loop = lambda k: next(n for n, t in enumerate(lines) if n > k and t.startswith("    for "))  # noqa: E731
    return {name: by_line.get(str(loop(k) + 1)) for name, k in named.items()}


def test_what_calls_do_is_summed_up(features):
    work = features["dot"]["work"]
    assert (work["range_step"], work["array_get"], work["for_loop"]) == (500, 1000, 2)
    assert work["numpy_float"] == 1000
    launch = features["dot"]["launch_work"]
    assert (launch["launch"], launch["array"], "float_in" in launch) == (2, 4, False)
    assert features["dot"]["guessed_loops"] == 0


def test_trips_are_guessed_by_what_index_arrays_hold(features):
    ragged = features["ragged"]
    assert ragged["guessed_loops"] == 1
    assert ragged["work"]["range_step"] == 50 + 150
    assert (ragged["launch_work"]["float_in"], ragged["launch_work"]["inspected"]) == (150, 51)


def test_trips_are_guessed_by_following_a_while_and_a_break(features):
    # 2**20 + i is halved 20 times; 1, 2, 5 leave with the third; element 77 is the 78th.
    halved, escapes, searched = features["halved"], features["escapes"], features["searched"]
    assert halved["work"]["while_step"] == pytest.approx(40 * 20, rel=0.1)
    assert escapes["work"]["range_step"] == pytest.approx(30 + 30 * 3, rel=0.1)
    assert searched["work"]["range_step"] == 78


def test_a_return_and_a_break_past_an_else_leave_loops_early_too(features):
    # The fifth is looked for twenty times, the fourth thirty times.
    assert features["all_found"]["work"]["range_step"] == pytest.approx(20 + 20 * 5, rel=0.1)
    assert features["without"]["work"]["range_step"] == pytest.approx(30 + 30 * 4, rel=0.1)


def test_what_other_iterations_would_have_left_is_not_made_up(features):
    # Of the loop inside one iteration is followed: what all of them sum up to is not known. So
    # the trips are those of a loop that may be left early: 399 / log(400).
    assert features["settles"]["work"]["range_step"] == pytest.approx(66.6 + 66.6 * 9, rel=0.01)


def test_every_probe_can_be_called_and_has_an_argument_for_each_parameter():
    given = data.values(sections.TRIPS)
    for module in ("probes", "elements", "mixed"):
        for function in sections.plain(module).values():
            function(*data.arguments(function, given))
    given = data.launch_values(16)
    for function in sections.plain("launches").values():
        function(*data.arguments(function, given))


def middle(samples):
    """What stands for the core's summary here: sure at once."""
    median = sorted(samples)[len(samples) // 2]
    return SimpleNamespace(median=median, error=1e-9, kept=len(samples))


def test_medians_are_measured_until_they_are_sure():
    probes = [measure.Probe("a", sum, ([1] * 50,)), measure.Probe("b", sum, ([1] * 5000,))]
    seen = []
    found = measure.timings(probes, 30.0, 0.5, middle, measure.Pace(seen.append, []))
    assert 0 < found["a"].seconds < found["b"].seconds
    # Where others disturb, a few rounds more; the 30 s would have been 100,000.
    assert measure.ROUNDS_A_LOOK <= len(seen) < 1000
    assert measure.LEAST_ROUNDS <= found["a"].samples <= len(seen)


class Paces(measure.Pace):
    """A machine whose pace is told: the last one goes on."""

    def __init__(self, *paces):
        super().__init__(lambda _: None, [])
        self.to_come = list(paces)

    def take(self):
        self.everywhere.append(self.to_come.pop(0) if len(self.to_come) > 1 else self.to_come[0])
        return self.everywhere[-1]


def test_rounds_in_which_others_disturb_do_not_count():
    pace = Paces(*[1.0] * 4, *[2.0] * 3, *[1.05] * 20)
    rounds = measure.Rounds(30.0, pace)
    rounds.stop()  # as soon as there are enough
    taken = list(rounds)
    # Three rounds begin or end while the machine is slow, and one lies between.
    assert rounds.quiet(taken) == [0, 1, 2, 7, 8] and len(taken) == 9
    assert pace.seconds() == 1.0


def test_where_all_rounds_are_disturbed_the_least_disturbed_count():
    pace = Paces(*[2.0 + 0.1 * i for i in range(7)], 9.0)
    pace.everywhere += [1.0] * 40  # what the machine is able to
    begun = time.perf_counter()
    rounds = measure.Rounds(0.1, pace)
    taken = [round_ for round_ in rounds if not time.sleep(1e-3)]
    # It was tried for longer, and then no more.
    assert time.perf_counter() - begun >= 0.2 and len(taken) <= 200
    assert rounds.quiet(taken) == [0, 1, 2, 3, 4]
    assert pace.seconds() == pytest.approx(2.3)


def test_a_card_is_measured_by_what_loops_on_it_take(monkeypatch):
    # What stands for a card here is slow, and has little of everything.
    for name, value in {"LITTLE": 256, "MUCH": 1 << 14, "STREAMED": 3 << 12}.items():
        monkeypatch.setattr(gpu, name, value)
    for name, value in {"FEW": 2, "MANY": 6, "SHORT": 10, "LONG": 400, "BLOCK": 8}.items():
        monkeypatch.setattr(gpu, name, value)
    monkeypatch.setattr(measure, "LEAST_ROUNDS", 1)
    weights = gpu.gpu(gpu.Card("pretended", 2, 16, 1 << 12), 1e-3, lambda _: None, "emulated")
    from nestwise import _core as core

    profile = json.loads(core.default_profile()) | {"gpu": weights}
    read = json.loads(core.read_profile(json.dumps(profile)))["gpu"]
    assert files.flat(read) == pytest.approx(files.flat(weights))
    assert weights["processors"] == 2 and weights["resident"] == 16
    # Kernels take time here, too, and each thread its own.
    assert weights["launch"] > 100 and sum(weights["latency"].values()) > 1.0
    for broken, why in [({"processors": 0.0}, "gpu.processors is 0"), ({"wait": -1.0}, "gpu.wait")]:
        text = json.dumps(profile | {"gpu": weights | broken})
        with pytest.raises(ValueError, match=why):
            core.read_profile(text)


def test_where_loops_do_not_run_on_a_card_there_are_no_weights():
    assert gpu.gpu(gpu.Card("none", 1, 1, 1), 0.0, lambda _: None, "serial") is None
