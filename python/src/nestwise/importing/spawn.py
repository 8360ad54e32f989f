"""Worker processes of multiprocessing run their loops as their parent does.

A forked worker inherits everything. A spawned one, and one of the fork server, starts from the
preparation data that its parent pickles for it; an extra entry there, which activates nestwise
when it is unpickled, comes before the worker imports the main script.
"""

from __future__ import annotations

import os

from nestwise import options

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


# An attribute of functions that stand for some of the standard library's.
MARK = "nestwise"


class _Activation:
    """An object that unpickles as a call of `activate`, or as nothing where the package is out of
    reach.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return exec, (
            _START.format(around=os.path.dirname(options.FOLDER), settings=self.settings),
        )


_START = """\
import sys
sys.path.append({around!r})
try:
    from nestwise.importing.worker import activate
    activate({settings!r})
except ImportError:
    pass
sys.path.remove({around!r})
"""


def patch_spawn(spawn: Any, active: Callable[[], bool]) -> None:
    """Makes the module multiprocessing.spawn send word to workers begun while `active()`."""
    original = spawn.get_preparation_data
    if hasattr(original, MARK):
        return

    def get_preparation_data(name: str) -> dict[str, Any]:
        data: dict[str, Any] = original(name)
        if name == "ignore":
            # For the fork server itself, which is not activated: were it to import the main
            # script, its children would inherit that and not import it once more.
            data.pop("init_main_from_path", None)
            data.pop("init_main_from_name", None)
        elif active():
            settings = options.current().as_dict()
            settings.update(report=None, report_file=None)  # the parent writes it
            data["nestwise"] = _Activation(settings)
        return data

    setattr(get_preparation_data, MARK, True)
    spawn.get_preparation_data = get_preparation_data
