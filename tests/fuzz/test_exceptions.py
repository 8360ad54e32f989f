"""Random loops that only an exception or a signal ends (the domain `exceptions`): a few seeds."""

from collections import Counter

import pytest

from fuzz.domain import examined, programs_of
from fuzz.domains.exceptions import DOMAIN, rotation
from fuzz.generator.exceptions import script

# Four of them, so that each treatment has its turn.
SEEDS = (1, 2, 3, 4)


@pytest.fixture(scope="session")
def done(tmp_path_factory):
    """The batches of all seeds, each made when it is asked for: they measure time, so they run one
    after the other."""
    folder, batches = tmp_path_factory.mktemp("exceptions"), {}

    def of(seed):
        if seed not in batches:
            batches[seed] = examined(DOMAIN, seed, folder, 30)
        return batches[seed]

    return of


@pytest.mark.parametrize("seed", SEEDS)
def test_loops_that_exceptions_and_signals_end(seed, done):
    batch = done(seed)
    assert not batch.broken, "CPython does not end these, or what should hold does not"
    slow = [f for f in batch.findings if f.kind == "slow"]
    # Others may have used the machine meanwhile; `make fuzz DOMAIN=exceptions` tells of each.
    findings = [f for f in batch.findings if f.kind != "slow" or len(slow) > 1]
    if findings:
        told = [f"{f.name} {f.kind} on {f.treatment}:\n{f.text}" for f in findings]
        pytest.fail("\n".join(told), pytrace=False)


def test_many_ran_natively_and_few_are_tame(done):
    facts = sum((done(seed).facts for seed in SEEDS), Counter())
    print(dict(facts.most_common()))
    rare = DOMAIN.tame(facts)
    assert not rare, f"are so, wanted: {rare}"


def test_every_treatment_has_its_turn():
    met = {treatment.device for seed in SEEDS for treatment in rotation(seed)}
    assert met == {"auto", "threads", "planned", "quick", "switch"}


def test_programs_are_python_and_differ_by_seed():
    texts = {script(seed, 5) for seed in range(20)}
    assert len(texts) == 20
    for text in texts:
        compile(text, "program", "exec")
        programs = programs_of(text)
        assert [p.name for p in programs] == [f"f{k}" for k in range(5)]
        assert all(p.tags for p in programs)
    assert script(5, 3) == script(5, 3)
