"""Two tiers of code: quick code first, optimised code beside it; what processes leave behind."""

import pytest
from differential import nestwise, python

LONG = """
def total(n):
    s = 0
    for i in range(n):
        for j in range(200):
            s = (s * 31 + i * j) % 1000003
    return s


print(total({n}))
"""


def program(tmp_path, n):
    path = tmp_path / f"total_{n}.py"
    path.write_text(LONG.format(n=n))
    return path


def nest_of(done):
    assert done.code == 0, done.stderr
    nests = [nest for nest in done.report["nests"] if nest["launches"]]
    assert nests, done.report
    return nests[0]


def kept_tiers(cache):
    folders = {"optimised": "kernels", "quick": "quick"}
    return {tier for tier, folder in folders.items() if any(cache.glob(f"{folder}/*/*"))}


def test_a_long_loop_runs_in_both_tiers(tmp_path):
    """A long loop begins in CPython, goes on in quick code, then in optimised code."""
    script, cache = program(tmp_path, 200_000), tmp_path / "cache"
    alone = nestwise(script, "serial", tmp_path / "alone")
    got = nestwise(script, "auto", cache)
    nest = nest_of(got)
    assert "quick" not in nest["means"], nest
    assert kept_tiers(cache) == {"quick", "optimised"}
    assert got.stdout == alone.stdout
    again = nestwise(script, "auto", cache)
    assert again.stdout == got.stdout
    assert nest_of(again)["kernels_from_cache"] >= 1


def test_tiers_agree(tmp_path):
    script = program(tmp_path, 300)
    expected = python(script).stdout
    for device in ("quick", "serial", "switch"):
        got = nestwise(script, device, tmp_path / "cache")
        assert got.stdout == expected, device
        if device != "switch":
            assert ("quick" in nest_of(got)["means"]) == (device == "quick"), device


def test_what_short_processes_lose_is_kept(tmp_path):
    """None of them runs for long enough to have optimised code made; together they pay for it."""
    script, cache = program(tmp_path, 20_000), tmp_path / "cache"
    expected, runs = None, []
    for _ in range(12):
        got = nestwise(script, "auto", cache)
        expected = expected or got.stdout
        assert got.stdout == expected
        runs.append("quick" in nest_of(got)["means"])
        if not runs[-1]:
            break
    assert not runs[-1], "optimised code was never made"


def test_an_unknown_tier_is_told(tmp_path):
    script = program(tmp_path, 3)
    got = nestwise(script, "auto", tmp_path / "cache", switches={"NESTWISE_TIER": "best"})
    assert got.code == 2
    assert "tier best: none of quick, optimised, switch" in got.stderr


@pytest.mark.parametrize("background", ["0", "1"])
def test_one_core_waits_for_what_is_cheaper(tmp_path, background):
    script = program(tmp_path, 20_000)
    switches = {"NESTWISE_BACKGROUND": background, "NESTWISE_THREADS": "1"}
    got = nestwise(script, "auto", tmp_path / "cache", switches=switches)
    assert nest_of(got)["iterations"] > 10_000
