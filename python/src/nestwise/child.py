"""Worker processes of multiprocessing run their loops as their parent does.

A forked worker inherits everything. A spawned one, and one of the fork server, starts from the
preparation data that its parent pickles for it; an extra entry there, which activates nestwise
when it is unpickled, comes before the worker imports the main script.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import SourceFileLoader

from nestwise import config, importer

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from typing import Any


class SpawnLoader(SourceFileLoader):
    """Loads multiprocessing.spawn as ever, then extends its preparation data."""

    def exec_module(self, module: Any) -> None:
        self.__class__ = SourceFileLoader
        self.exec_module(module)
        patch_spawn(module)


class _Activation:
    """Unpickles as a call of `activate`, or as nothing where the package is out of reach."""

    def __init__(self, settings: dict[str, Any]):
        self.settings = settings

    def __reduce__(self) -> tuple:
        return exec, (_START.format(around=os.path.dirname(config.FOLDER), settings=self.settings),)


_START = """\
import sys
sys.path.append({around!r})
try:
    from nestwise.child import activate
    activate({settings!r})
except ImportError:
    pass
sys.path.remove({around!r})
"""


def patch_spawn(spawn: Any) -> None:
    original = spawn.get_preparation_data
    if getattr(original, "nestwise", False):
        return

    def get_preparation_data(name: str) -> dict[str, Any]:
        data = original(name)
        if name == "ignore":
            # For the fork server itself, which is not activated: were it to import the main
            # script, its children would inherit that and not import it once more.
            data.pop("init_main_from_path", None)
            data.pop("init_main_from_name", None)
        elif importer.Finder in sys.meta_path:
            settings = config.options().as_dict()
            settings.update(report=None, report_file=None)  # the parent writes it
            data["nestwise"] = _Activation(settings)
        return data

    get_preparation_data.nestwise = True
    spawn.get_preparation_data = get_preparation_data


def activate(settings: dict[str, Any]) -> None:
    """In the worker: our import hook, and the main script by way of it."""
    import runpy

    config.configure(config.Options.from_dict(settings))
    importer.install()
    if hasattr(runpy._get_code_from_file, "nestwise"):
        return
    original = runpy._get_code_from_file

    def _get_code_from_file(*args: Any) -> Any:  # the path is the last of them
        answer = original(*args)
        path = args[-1]
        code = answer[0] if isinstance(answer, tuple) else answer  # a pair until Python 3.12
        if not path.endswith(".pyc"):
            code = importer.code_for(code, path)
        return (code, path) if isinstance(answer, tuple) else code

    _get_code_from_file.nestwise = True
    runpy._get_code_from_file = _get_code_from_file
