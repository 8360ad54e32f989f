"""Each script of filetests/run/ tells a nest's whole story, compared with what is written there.

A filetest is an ordinary script and behind it, in comments, what nestwise is expected to do with
it: every loop's verdict, the schedule it is compiled with on one core and on threads (loops in
their final order, what each is mapped to, what is left to check), why CPython has to do a part,
and where a made-up machine (`profile.json`) and others like it (MACHINES) would run it. One script,
many treatments: the output is compared with CPython's on every device.

`NESTWISE_BLESS=1` writes the expectations anew with what nestwise does now.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from differential import difference, environment, nestwise, python

FOLDER = Path(__file__).parent / "filetests" / "run"
SCRIPTS = sorted(FOLDER.glob("*.py"))
MARK = "\n# expect\n"
ABOUT = {
    "cpu": "made up",
    "smt": False,
    "numa_nodes": 1,
    "caches": [32768, 1048576],
    "python": "3.11.7",
    "numpy": None,
    "card": None,
    "driver": None,
    "date": "2026-11-23",
}


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("filetests")


def run(script, device, cache, tmp_path):
    """The script alone, without the expectations, at the lines it has here."""
    copy = tmp_path / script.name
    copy.write_text(script.read_text().split(MARK)[0] + "\n")
    options = ["--profile", str(FOLDER / "profile.json")]
    # What is made beside CPython is there sooner or later.
    alone = {"NESTWISE_BACKGROUND": "0"}
    return nestwise(copy, device, cache, options=options, switches=alone), python(copy)


# What is different about machines that are not here: cores, and factors by section of the profile.
MACHINES = {
    "64 cores": (64, {}),
    "expensive threads": (64, {"threads": {"fork_join": 1e4, "thread": 1e2}}),
    "shared core": (2, {"threads": {"compute": 0.05, "latency": 0.1, "memory": 0.05}}),
    "quick CPython": (1, {"interpreter": 0.01}),
}
# Others with a made-up card (`gpu.json`), which scripts ask for that say CARDED.
# As if the process had used it before, and had its kernels.
USED = {"context": 0.0, "module": 0.0}
CARDS = {
    "fast card": (8, {"gpu": USED}),
    "slow bus": (8, {"gpu": USED | {"up": 40.0, "down": 40.0}}),
    "slow card": (8, {"gpu": USED | {"processors": 0.05, "busy": 10.0, "memory": 20.0}}),
}
CARDED = "# Also on machines with a card.\n"


# What a kernel executes, and so its price anywhere, depends on the vectors of the processor that
# compiles it.
WIDE = "avx512f" in Path("/proc/cpuinfo").read_text()


OTHERS = rf"^# ({'|'.join([*MACHINES, *CARDS])}|auto) \d+: .*\n| x\d+\b"


def machine(name, folder):
    """The profile of one of MACHINES or CARDS, as a file."""
    cores, changes = (MACHINES | CARDS)[name]
    profile = json.loads((FOLDER / "profile.json").read_text())
    profile |= {"name": name, "machine": ABOUT | {"cores": cores}}
    if "gpu" in changes:
        profile["gpu"] = json.loads((FOLDER / "gpu.json").read_text())
    for section, factors in changes.items():
        for field, ns in profile[section].items():
            factor = factors if isinstance(factors, float) else factors.get(field, 1.0)
            profile[section][field] = times(ns, factor)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(profile))
    return path


def times(ns, factor):
    """A weight, or all of some."""
    if isinstance(ns, dict):
        return {field: times(one, factor) for field, one in ns.items()}
    return ns * factor


def elsewhere(script, cache, tmp_path):
    """How many calls of each nest other machines would leave to which device."""
    names = [*MACHINES, *(CARDS if CARDED in script.read_text() else ())]
    profiles = {name: machine(name, tmp_path) for name in names}
    every = ",".join(map(str, profiles.values()))
    kept = tmp_path / "kept.json"
    own = str(FOLDER / "profile.json")
    env = environment(cache) | {"NESTWISE_PROFILE": own}
    command = [sys.executable, "-m", "nestwise", "whatif", "--profile", every]
    done = [command + ["--record", kept, tmp_path / script.name]]
    done += [command + ["--from", kept, "--json"]]
    for words in done:
        answer = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    answers = json.loads(answer.stdout)
    for name, path in profiles.items():
        for nest in answers[str(path)]["nests"]:
            calls = nest["replay"]["calls"]
            shares = ", ".join(f"{count} {device}" for device, count in calls.items() if count)
            yield f"{name} {nest['line']}: {shares}"


def story(device, report, outer):
    """What the report says that does not depend on time."""
    device = "auto" if device == "planned" else device
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
    for device in ("interpreter", "serial", "threads", "planned"):
        # Where kernels are on disk, prices are others.
        kept = tmp_path / "kept" if device == "planned" else cache
        got, plain = run(script, device, kept, tmp_path)
        assert not (found := difference(plain, got)), f"{device}\n{found}"
        if device != "interpreter":
            told += story(device, got.report, outer)
        else:
            assert not any(nest["launches"] for nest in got.report["nests"])
    told += elsewhere(script, cache, tmp_path)
    text = "".join(f"# {line}\n" for line in told)
    if os.environ.get("NESTWISE_BLESS"):
        script.write_text(script.read_text().split(MARK)[0].rstrip("\n") + "\n\n" + MARK + text)
        return
    if not WIDE:
        text, expected = (re.sub(OTHERS, "", t, flags=re.MULTILINE) for t in (text, expected))
    assert text == expected
