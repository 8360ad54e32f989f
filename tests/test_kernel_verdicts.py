"""Every loop of kernels/ is told as what exhaustive access traces show."""

import pytest
from kernel_verdicts import LESS, explained, rows, traced


@pytest.mark.parametrize("program", sorted(traced()))
def test_verdicts_are_those_of_traces(program):
    told = explained(program)
    table = rows(program, traced()[program], told)
    wrong = [row for row in table if not row.agrees() and row.told != "refused"]
    assert {(row.program, row.line) for row in wrong} == {k for k in LESS if k[0] == program}, wrong
    # A loop that traces show to be serial is never told as parallel.
    assert not [
        row for row in table if row.traced == "serial" and row.told in ("parallel", "reduction")
    ]
    for nest in told["nests"]:
        for loop in nest["loops"]:
            named = loop["dependences"] or loop["because"]
            assert loop["verdict"] != "serial" or named, loop


def test_few_loops_are_refused():
    """Most of the corpus has verdicts at all."""
    loops = sum(len(found) for found in traced().values())
    assert loops > 200
