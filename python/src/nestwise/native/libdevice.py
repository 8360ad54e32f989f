"""Finds CUDA's library of functions for cards, which the native part links into kernels."""

from __future__ import annotations

import glob
import os
import sys

NAME = os.path.join("nvvm", "libdevice", "libdevice.10.bc")
# What names the folder of a toolkit, and where one is usually.
VARIABLES = ("CUDA_HOME", "CUDA_PATH")
USUAL = "/usr/local/cuda"


def find() -> str | None:
    """Gives the file: the one that NESTWISE_LIBDEVICE names, else a toolkit's, else a package's
    (nvidia-nvvm); None where there is none.
    """
    named = os.environ.get("NESTWISE_LIBDEVICE")
    if named:
        return named
    toolkits = [folder for v in VARIABLES if (folder := os.environ.get(v))]
    candidates = [os.path.join(folder, NAME) for folder in (*toolkits, USUAL)]
    for folder in sys.path:
        candidates += sorted(glob.glob(os.path.join(folder, "nvidia", "*", NAME)), reverse=True)
    return next((one for one in candidates if os.path.isfile(one)), None)
