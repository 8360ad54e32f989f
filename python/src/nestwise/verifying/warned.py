"""Collects every warning that CPython gives while it does a run over again, also those that nobody
sees.

Python shows a warning once per line, which it remembers in the module's registry. So the lines are
removed from the registry meanwhile; their warnings are kept from being shown by a filter of our
own, which takes them alone. Afterwards they are put back. The program shows what it would have
shown.
"""

from __future__ import annotations

import sys
import warnings

from nestwise.rewriting.compiling import warning_filters

TYPE_CHECKING = False  # what `typing` calls so, without its cost at start-up
if TYPE_CHECKING:
    from typing import Any

_REGISTRY = "__warningregistry__"
# The function of `warnings` that shows a warning.
_SHOWS = "_showwarnmsg"


def _lines(registry: dict[Any, Any]) -> list[tuple[str, type, int]]:
    """Gives the keys of warnings given at one line; the keys of others, which are of the whole
    module, end in zero.
    """
    return [k for k in registry if type(k) is tuple and len(k) == 3 and k[2]]


class Watch:
    """Watches code whose globals are among `modules`."""

    def __init__(self, modules: list[dict[str, Any]]) -> None:
        self.modules = {id(m): m for m in modules}
        self.active = False

    def begin(self) -> None:
        """Begins to watch."""
        self.found: set[str] = set()
        # Registries by their module, with what was in them.
        self.before = {}
        for key, module in self.modules.items():
            registry = module.get(_REGISTRY)
            if type(registry) is dict:
                self.before[key] = registry, dict(registry)
                for line in _lines(registry):
                    del registry[line]
        filters = warning_filters()
        # Put in directly: the official way has every module forget what it has shown. Its text is
        # whatever `match` says of it.
        self.rule = ("ignore", self, Warning, None, 0)
        self.filters = filters
        filters.insert(0, self.rule)
        self.shows = getattr(warnings, _SHOWS)
        setattr(warnings, _SHOWS, self._show)
        self.active = True

    def match(self, text: str) -> bool:
        """Whether a warning given by our caller has been shown before: called for our filter."""
        frame = sys._getframe(1)
        _, before = self.before.get(id(frame.f_globals), (None, {}))
        # Once filters have changed, what was shown before does not count.
        if frame.f_globals.get(_REGISTRY, {}).get("version") != before.get("version"):
            return False
        for line in _lines(before):
            if (line[0], line[2]) == (text, frame.f_lineno):
                self._add(*line)
                return True
        return False

    def _show(self, message: Any) -> None:
        self._add(message.message, message.category, message.lineno)
        self.shows(message)

    def _add(self, text: Any, category: type, line: int) -> None:
        self.found.add(f"{category.__name__}: {text} (line {line})")

    def end(self) -> list[str]:
        """Ends watching; gives the warnings that were found. Everything is as it would be without
        us.
        """
        if not self.active:
            return []
        self.active = False
        if getattr(warnings, _SHOWS) == self._show:
            setattr(warnings, _SHOWS, self.shows)
        if self.rule in self.filters:
            self.filters.remove(self.rule)
        for key, module in self.modules.items():
            registry = module.get(_REGISTRY)
            if type(registry) is not dict:
                continue
            for line in _lines(registry):
                self._add(*line)
            mine, before = self.before.get(key, (None, {}))
            if registry is mine and registry.get("version") == before.get("version"):
                new = dict(registry)
                registry.clear()
                registry.update(before | new)
        return sorted(self.found)
