"""Profiles as files: reading with every field checked, writing, showing, comparing."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any

from nestwise import options
from nestwise.reporting.formatting import kibibytes, seconds

# What loops on threads are bound by.
BOUNDS = ("compute", "latency", "memory")
# Weights of threads that are shares of a core: by what loops are bound by, and of untouched memory.
SHARES = (*BOUNDS, "pages")
# Ratios nearer to 1 than this are no difference.
SAME = 0.02
# Of a card, what is no time.
NO_TIMES = ("processors", "resident", "cache")
SECTIONS = ("interpreter", "call", "cold", "compile", "host", "pages", "threads")


class BadProfile(Exception):
    """An error in a profile's file or in a command line about profiles, told in one line."""


def load(path: str | None) -> tuple[str, dict[str, Any]]:
    """Gives where the profile is from, and the profile."""
    import nestwise._core as core

    found = options.profile_path()
    if path is None and found is not None and os.path.exists(found):
        path = found
    if path is None or path == options.DEFAULT:
        return "the default profile", json.loads(core.default_profile())
    return path, read(path)


def _normal(text: str) -> str:
    """Gives a profile's text in its usual form; raises ValueError if the text is no profile."""
    import nestwise._core as core

    return core.read_profile(text)


def read(path: str) -> dict[str, Any]:
    """Reads the profile of a file; raises BadProfile."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        profile: dict[str, Any] = json.loads(_normal(text))
        return profile
    except OSError as error:
        raise BadProfile(f"cannot read {path!r}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadProfile(f"profile {path}: is not text") from None
    except ValueError as error:
        raise BadProfile(f"profile {path}: {error}") from None


def check_writable(path: str) -> None:
    """Checks, before anything is measured, that a profile can be written to `path`."""
    if os.path.isdir(path):
        raise BadProfile(f"{path!r} is a folder, not a file")
    folder = os.path.dirname(os.path.abspath(path))
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise BadProfile(f"cannot make the folder {folder!r}: {error.strerror}") from None
    if not os.access(folder, os.W_OK):
        raise BadProfile(f"cannot write into {folder!r}")


def write(path: str, profile: dict[str, Any]) -> None:
    """Writes a profile to a file, either all of it or nothing."""
    text = _normal(json.dumps(profile))
    folder = os.path.dirname(os.path.abspath(path))
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".profile-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        raise BadProfile(f"cannot write {path!r}: {error.strerror}") from None


def print_weights(weights: dict[str, float]) -> None:
    """Prints weights in columns, so that they fit a screen."""
    cells = [f"{name:<22}{seconds(v * 1e-9):>9}" for name, v in sorted(weights.items())]
    rows = (len(cells) + 2) // 3
    for k in range(rows):
        print("  " + "   ".join(cells[k::rows]))


def flat(weights: dict[str, Any]) -> dict[str, float]:
    """Gives the weights by their dotted paths, without entries that are not times."""
    found: dict[str, float] = {}
    for name, value in weights.items():
        if isinstance(value, dict):
            found |= {f"{name}.{inner}": v for inner, v in value.items()}
        elif name not in NO_TIMES:
            found[name] = value
    return found


def show(where: str, profile: dict[str, Any]) -> None:
    """Prints a profile, section by section."""
    print(f"{where}: {profile['name']}")
    machine = profile.get("machine")
    if machine:
        caches = ", ".join(map(kibibytes, machine["caches"]))
        numpy = f", NumPy {machine['numpy']}" if machine["numpy"] else ""
        print(f"  {machine['cpu']}: {machine['cores']} cores, caches {caches}")
        print(f"  Python {machine['python']}{numpy}, measured on {machine['date']}")
    if profile.get("pace"):
        print(f"  pace: {seconds(profile['pace'] * 1e-9)} for a trip of a fixed loop of CPython's")
    for section in SECTIONS:
        print(f"\n{section}" + _told(profile["errors"].get(section)))
        if section in ("interpreter", "call", "cold", "compile", "pages"):
            print_weights(profile[section])
        else:
            for name, value in profile[section].items():
                print(f"  {name:<22}{value!s:>9}")
    if profile["gpu"]:
        sizes = ", ".join(f"{name} {profile['gpu'][name]:g}" for name in NO_TIMES)
        print(f"\ngpu: {sizes}")
        print_weights(flat(profile["gpu"]))


def _told(errors: dict[str, float] | None) -> str:
    if not errors:
        return ": not measured"
    return f": off by {errors['median']:.0%} (median), {errors['p90']:.0%} (90th percentile)"


def diff(first: tuple[str, dict[str, Any]], second: tuple[str, dict[str, Any]]) -> None:
    """Prints the weights that differ, the largest ratios first."""
    (one, a), (other, b) = first, second
    print(f"{one}\n  against {other}")
    lines = []
    for section in (*SECTIONS, "gpu"):
        then = flat(b[section] or {})
        for name, value in flat(a[section] or {}).items():
            before = then.get(name)
            numbers = isinstance(value, float) and isinstance(before, float)
            if not numbers or value == before:
                continue
            ratio = value / before if before else float("inf")
            if abs(ratio - 1.0) > SAME:
                lines.append((max(ratio, 1 / max(ratio, 1e-12)), section, name, value, before))
    for _, section, name, value, before in sorted(lines, reverse=True):
        told = f"{before:>12.4g} -> {value:<12.4g}"
        times = f"x {value / before:.2f}" if before else "new"
        print(f"  {section + '.' + name:<34}{told} {times}")
    if not lines:
        print("  no weight differs by more than 2 %")
