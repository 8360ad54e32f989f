"""`nestwise explain` over the corpus: guessed types are those that functions are called with."""

import json
import sys
from pathlib import Path

import pytest
from processes import REAL, nestwise

pytestmark = pytest.mark.skipif(not REAL, reason="needs the native part")

KERNELS = sorted((Path(__file__).parents[2] / "kernels").glob("*.py"))
FILETESTS = sorted((Path(__file__).parents[2] / "tests" / "filetests" / "run").glob("*.py"))

# Run with the arguments given, this prints what every function of a script was called with.
SPY = """
import json, os, runpy, sys
script, found = sys.argv[1], {}
def word(v):
    t = type(v)
    if t.__name__ == "ndarray":
        return f"ndarray {v.dtype.name} {v.ndim}"
    if t in (list, tuple):
        inner = v[0] if v else 0.0
        if type(inner) in (list, tuple):
            kind, of, rank = word(inner).split(" ")
            return f"{t.__name__} {of} {int(rank) + 1}"
        kinds = {type(x).__name__ for x in v}
        return f"{t.__name__} {kinds.pop() if len(kinds) == 1 else 'number'} 1"
    return f"numpy {v.dtype.name}" if t.__module__ == "numpy" else t.__name__
def spy(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_filename == script and code.co_name != "<module>":
        names = code.co_varnames[: code.co_argcount]
        words = found.setdefault(code.co_name, {})
        held = {name: frame.f_locals[name] for name in names}
        held |= {f"self.{k}": v for k, v in getattr(held.get("self"), "__dict__", {}).items()}
        for name, value in held.items():
            w = word(value)
            if w not in words.setdefault(name, []):
                words[name].append(w)
sys.argv = sys.argv[1:]
out, sys.stdout = sys.stdout, open(os.devnull, "w")
sys.setprofile(spy)
try:
    runpy.run_path(script, run_name="__main__")
finally:
    sys.setprofile(None)
    print(json.dumps(found), file=out)
"""


@pytest.mark.parametrize("script", KERNELS + FILETESTS, ids=lambda s: s.stem)
def test_guesses_are_right(script, place):
    """What a function's parameters are taken for is what some call of it gives."""
    import subprocess

    answer = json.loads(nestwise("explain", "--json", str(script))[1])
    forms = [["--size", "small"]] if script in KERNELS else [[]]
    if '"list"]' in script.read_text():
        forms.append(["--size", "small", "--form", "list"])
    seen: dict = {}
    for arguments in forms:
        command = [sys.executable, "-c", SPY, str(script), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        for function, words in json.loads(done.stdout.splitlines()[-1]).items():
            for name, some in words.items():
                seen.setdefault((function, name), set()).update(some)
    compared = 0
    for nest in answer["nests"]:
        function = nest["function"].rpartition(".")[2]
        for name, type_ in nest["types"].items():
            if (function, name) in seen:
                assert type_ in seen[function, name], (nest["line"], name)
                compared += 1
    assert compared or not any(n["types"] and n["function"] for n in answer["nests"])
