"""A few seeds of those domains of random programs that need no longer look (fuzz/)."""

import pytest

from fuzz.domain import examined
from fuzz.domains import DOMAINS

RUNS = [
    *((name, seed, "") for name in ("arrays", "effects", "states", "objects") for seed in (1, 2)),
    *(("host_calls", seed, "") for seed in (1, 2, 3)),
    ("host_calls", 4, "emulated"),
    *((name, seed, "") for name in ("entries", "sequences", "items", "texts") for seed in (1, 2)),
    *(("records", seed, "") for seed in (2, 14, 15)),
    *(("nones", seed, "") for seed in (1, 2, 3)),
    *(("recursion", seed, "") for seed in (1, 2, 3)),
    ("recursion", 4, "threads"),
    *(("made", seed, "") for seed in (1, 2, 3)),
    *((name, 3, "threads") for name in ("arrays", "effects", "states", "objects")),
    *((name, 4, "emulated") for name in ("arrays", "effects")),
    *((name, 1, "") for name in ("tuples", "lists", "grown_lists", "values")),
    *((name, 2, "threads") for name in ("tuples", "lists", "grown_lists", "values")),
]


@pytest.mark.parametrize("name, seed, device", RUNS)
def test_random_functions(name, seed, device, tmp_path):
    domain = DOMAINS[name]
    batch = examined(domain, seed, tmp_path, device=device)
    assert not batch.findings, batch.findings[0].text
    assert not batch.broken
    assert len(batch.compiled) > domain.functions // 3


@pytest.mark.parametrize("seed", range(6))
def test_random_regions(seed, tmp_path):
    batch = examined(DOMAINS["regions"], seed, tmp_path)
    assert not batch.findings, batch.findings[0].text
    nests = [nest for _, done in batch.runs for nest in done.report["nests"]]
    assert sum(nest["means"].get("grid", 0) for nest in nests) > 5


@pytest.mark.parametrize("seed", [0, 1, 2, 23])
def test_random_kernels_for_a_card(seed, tmp_path):
    domain = DOMAINS["ptx"]
    if why := domain.unavailable():
        pytest.skip(why)
    batch = examined(domain, seed, tmp_path)
    assert not batch.findings, batch.findings[0].text
    assert batch.facts["kernels assembled"]


def test_domains_are_many():
    assert set(DOMAINS) == {
        *("programs", "nests", "regions", "effects", "host_calls", "arrays", "states"),
        *(
            "entries",
            "sequences",
            "objects",
            "made",
            "items",
            "records",
            "recursion",
            "texts",
            "nones",
            "tuples",
            "lists",
            "grown_lists",
            "values",
            "exceptions",
            "ptx",
        ),
    }


@pytest.mark.parametrize("name", DOMAINS)
def test_scripts_are_python_and_differ_by_seed(name):
    domain = DOMAINS[name]
    texts = {domain.script(seed, 4) for seed in range(12)}
    assert len(texts) == 12
    for text in texts:
        compile(text, "program", "exec")
    assert domain.script(5, 4) == domain.script(5, 4)
