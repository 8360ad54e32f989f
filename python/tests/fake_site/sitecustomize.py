"""On PYTHONPATH in tests: processes import tests/fake_core.py as `nestwise._core`."""

import importlib.util
import os
import sys


class FakeCoreFinder:
    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if fullname != "nestwise._core":
            return None
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        return importlib.util.spec_from_file_location(
            fullname, os.path.join(folder, "fake_core.py")
        )


sys.meta_path.insert(0, FakeCoreFinder)
