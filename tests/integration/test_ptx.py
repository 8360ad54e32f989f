"""PTX of kernels/: assembled for four generations of cards, rounded as CPython does."""

import json
import os
import zlib

import pytest
from ptx import CAPABILITIES, COMPILER, ROOT, assembled, driver, inexact, modules, ptxas

INDEX = json.loads((ROOT / "kernels" / "index.json").read_text())
LONG = os.environ.get("NESTWISE_LONG_TESTS", "") not in ("", "0")

pytestmark = pytest.mark.skipif(
    COMPILER is None or ptxas() is None, reason="no C compiler or no ptxas"
)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return driver(tmp_path_factory.mktemp("driver"))


@pytest.mark.parametrize("entry", INDEX, ids=lambda entry: entry["name"])
def test_programs(entry, library):
    pick = CAPABILITIES[zlib.crc32(entry["name"].encode()) % len(CAPABILITIES)]
    script = f"kernels/{entry['file']}"
    for capability in CAPABILITIES if LONG else (pick,):
        apart = modules(library, capability, script, "--size", "small")
        together = modules(library, capability, script, "--size", "small", cooperative=True)
        # Most nests have no loop around others that one kernel could run.
        for text in {*apart, *together}:
            assert f".target sm_{capability}" in text
            assert not inexact(text), inexact(text)
            assert ".ftz" not in text and ".approx" not in text
            kernels = assembled(text, capability)
            assert kernels and not any(kernel.spilled for kernel in kernels), kernels
        assert all(".local" not in text for text in together if "fence" in text)


def test_most_dense_programs_have_kernels(library):
    dense = ("matmul", "lu_pivot", "jacobi2d", "heat3d", "floyd_warshall", "mandelbrot", "sobel")
    for name in dense:
        assert modules(library, 90, f"kernels/{name}.py", "--size", "40"), name


def test_functions_of_the_library(library):
    from nestwise.native import libdevice

    if libdevice.find() is None:
        pytest.skip("no libdevice")
    script = "kernels/black_scholes.py"
    assert not modules(library, 90, script, "--size", "small")
    made = modules(library, 90, script, "--size", "small", fp="faithful")
    assert made and all(assembled(text, 90) for text in made)
