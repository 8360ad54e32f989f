"""Every NumPy array between pages that cannot be touched: what is read or written outside crashes.

    python tests/guarded.py end|start LIBRARY run [options of nestwise run] script.py [argument...]

NumPy gets its memory from LIBRARY (guarded.c, see `build`): an array's last byte lies before a
page without access (`end`), or its first byte behind one (`start`); freed memory is unmapped. The
arrays are NumPy's own in every respect, so nests run on them exactly as they would.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

# Of PyDataMem_SetHandler in NumPy's table of C functions.
_SET_HANDLER = 304

_kept: list[object] = []


def build(folder: Path) -> Path:
    """The library, made in `folder`."""
    library = folder / "guarded.so"
    source = Path(__file__).with_suffix(".c")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def install(at_end: bool, library: str) -> None:
    """From now on NumPy's arrays are guarded."""
    import numpy._core._multiarray_umath as core

    memory = ctypes.CDLL(library)
    ctypes.c_int.in_dll(memory, "at_end").value = at_end
    handler = ctypes.addressof(ctypes.c_char.in_dll(memory, "handler"))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    capsule = new(handler, b"mem_handler", None)
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype = ctypes.POINTER(ctypes.c_void_p)
    get.argtypes = [ctypes.py_object, ctypes.c_char_p]
    table = get(core._ARRAY_API, None)
    set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[_SET_HANDLER])
    _kept.extend((memory, capsule, set_handler(capsule)))
    assert core.get_handler_name() == "guarded"


if __name__ == "__main__":
    install({"end": True, "start": False}[sys.argv[1]], sys.argv[2])
    from nestwise.cli import main

    sys.exit(main(sys.argv[3:]))
