"""Prepares a spawned worker process before it imports the main script; see `spawn`."""

from __future__ import annotations

import runpy

from nestwise import options
from nestwise.importing import hook
from nestwise.importing.spawn import MARK

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from typing import Any


# The function of `runpy` that reads the code of a main script.
_READER = "_get_code_from_file"


def activate(settings: dict[str, Any]) -> None:
    """Installs our import hook in the worker, and has it import the main script."""
    chosen = options.Options.from_dict(settings)
    options.command_line = bool(chosen.program)
    options.choose(chosen)
    hook.install()
    original = getattr(runpy, _READER)
    if hasattr(original, MARK):
        return

    def get_code_from_file(*args: Any) -> Any:  # the path is the last of them
        answer = original(*args)
        path = args[-1]
        code = answer[0] if isinstance(answer, tuple) else answer  # a pair until Python 3.12
        if not path.endswith(".pyc"):
            code = hook.code_for(code, path)
        return (code, path) if isinstance(answer, tuple) else code

    setattr(get_code_from_file, MARK, True)
    setattr(runpy, _READER, get_code_from_file)
