"""What `--fp strict|faithful|fast` promise (docs/user/floating_point.md).

strict: CPython's bits, whatever the device and the number of threads. faithful: the functions
within a few ulps, the rest as strict, and the same bits for every number of threads. fast: sums
within an error bound; NaN, infinities, ints, errors and warnings as strict.
"""

import ctypes
import math

import numpy as np
import pytest
from differential import ROOT, Treatment, broken_marks, difference, nestwise, program_named, python
from function_scripts import domains, fast, functions, reductions

# What docs/user/floating_point.md promises of the vector functions, and one for what they are
# compared with.
FAITHFUL_ULPS = 5
# Programs whose results rest on no sum of floats (for fast) and no function: ints, extremes,
# conversions, %, //, errors and warnings.
EXACT_PROGRAMS = [
    *(("faithful", p) for p in ("zero_division", "conversions", "stores")),
    *(("fast", p) for p in ("int_warnings", "floor_mod", "min_max_nan", "stores")),
]
RUNS = [Treatment("serial", 1), *(Treatment("threads", n) for n in (1, 2, 5))]

KERNELS = ROOT / "kernels"


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scripts")
    texts = {"functions": functions(160), "reductions": reductions(), "domains": domains()}
    texts["fast"] = fast()
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text.lstrip())
    return lambda name: folder / f"{name}.py"


@pytest.fixture(scope="module")
def plain(script):
    known = {}

    def run(name, *arguments):
        key = (name, *arguments)
        if key not in known:
            known[key] = python(script(name), *arguments)
            assert known[key].code == 0, known[key].stderr
        return known[key]

    return run


def has_vector_library():
    try:
        ctypes.CDLL("libmvec.so.1")
    except OSError:
        return False
    return True


@pytest.mark.parametrize("treatment", RUNS, ids=str)
@pytest.mark.parametrize("name", ["functions", "reductions"])
def test_strict_has_the_bits_of_cpython(name, treatment, script, plain, cache):
    got = nestwise(script(name), treatment, cache)
    assert not (found := difference(plain(name), got)), found
    assert not broken_marks(script(name), got, treatment.device)


@pytest.mark.parametrize("mode", ["faithful", "fast"])
def test_errors_and_warnings_are_those_of_strict(mode, script, plain, cache):
    got = nestwise(script("domains"), "serial", cache, options=["--fp", mode])
    assert not (found := difference(plain("domains"), got)), found
    assert not broken_marks(script("domains"), got, "serial")


def saved(script, treatment, cache, folder, mode):
    """The results of the functions script, by function."""
    target = folder / f"{mode}-{treatment}.npz".replace(" ", "-")
    if treatment is None:
        done = python(script, str(target))
    else:
        done = nestwise(script, treatment, cache, str(target), options=["--fp", mode])
        assert not broken_marks(script, done, treatment.device)
    assert done.code == 0, done.stderr
    with np.load(target) as found:
        return dict(found)


def ulps_apart(a, b):
    """Representable numbers between two arrays' elements; NaN is near to NaN."""
    bits = np.uint32 if a.dtype == np.float32 else np.uint64
    x, y = a.view(bits), b.view(bits)
    same = (x == y) | np.isnan(a) & np.isnan(b)
    far = (np.signbit(a) != np.signbit(b)) | ~np.isfinite(a) | ~np.isfinite(b)
    apart = (np.maximum(x, y) - np.minimum(x, y)).astype(float)
    return np.where(same, 0.0, np.where(far, math.inf, apart))


def test_faithful_functions_are_near_and_the_same_on_any_threads(script, cache, tmp_path):
    text = script("functions")
    strict = saved(text, None, cache, tmp_path, "strict")
    first = saved(text, RUNS[0], cache, tmp_path, "faithful")
    differing = 0
    for name, values in first.items():
        if not name.startswith("sums "):
            apart = ulps_apart(values, strict[name])
            assert apart.max() <= FAITHFUL_ULPS, name
            differing += int((apart > 0).sum())
    assert (differing > 0) == has_vector_library()
    for treatment in RUNS[1:]:
        for name, values in saved(text, treatment, cache, tmp_path, "faithful").items():
            assert ulps_apart(values, first[name]).max() == 0, (name, treatment)


def test_faithful_sums_are_those_of_strict(script, plain, cache):
    got = nestwise(
        script("reductions"), Treatment("threads", 2), cache, options=["--fp", "faithful"]
    )
    assert not (found := difference(plain("reductions"), got)), found


@pytest.mark.parametrize("treatment", RUNS, ids=str)
def test_fast_results_are_within_their_error_bounds(treatment, script, cache, tmp_path):
    strict = saved(script("fast"), None, cache, tmp_path, "strict")
    found = saved(script("fast"), treatment, cache, tmp_path, "fast")
    reassociated = False
    for size in (7, 1000, 40_001):
        x, y, z = (found[f"{name}{size}"] for name in "xyz")
        for name, terms, eps in (
            ("total", x, 2.0**-52),
            ("total32", x.astype(np.float32).astype(float), 2.0**-23),
            ("dot", x * y, 2.0**-52),
        ):
            bound = (size + 2) * eps * math.fsum(np.abs(terms))
            assert abs(float(found[f"{name}{size}"]) - math.fsum(terms)) <= bound, name
            reassociated |= found[f"{name}{size}"] != strict[f"{name}{size}"]
        # Half a unit of the product at most is what fusing changes, and half a unit of the sum.
        off = np.abs(found[f"fused{size}"] - strict[f"fused{size}"])
        assert np.all(off <= np.spacing(np.abs(x * y)) + np.spacing(np.abs(strict[f"fused{size}"])))
        for name in ("counted", "least", "nanleast", "infleast"):
            assert found[f"{name}{size}"] == strict[f"{name}{size}"], name
        assert math.isnan(found[f"nan{size}"]) and found[f"inf{size}"] == math.inf
        assert math.isnan(found[f"both{size}"])
    assert reassociated


@pytest.mark.parametrize(("mode", "program"), EXACT_PROGRAMS)
def test_what_is_exact_stays_exact(program, mode, cache):
    path = program_named(program)
    got = nestwise(path, Treatment("threads", 2), cache, options=["--fp", mode])
    assert not (found := difference(python(path), got)), found
    assert not broken_marks(path, got, "threads")


@pytest.mark.parametrize("size", [4, 5, 6, 7, 8, 9, 11, 13])
def test_lanes_that_are_not_active_raise_no_flags(size, cache):
    # Fewer bodies than a vector has lanes: what the others compute is nobody's, whatever it is.
    done = nestwise(KERNELS / "nbody.py", "serial", cache, "--size", str(size))
    nests = done.report["nests"]
    assert any("lanes" in nest["means"] for nest in nests), [nest["means"] for nest in nests]
    reasons = {reason["code"] for nest in nests for reason in nest["fallbacks"]}
    assert "floating-point" not in reasons, reasons
