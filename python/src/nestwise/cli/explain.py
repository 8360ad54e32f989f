"""`nestwise explain script.py`: what each loop of a script may do, and why not more.

The script is not run: types are inferred from its text (`inferred_types`), and the rest is the way
that a run's nests go.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any, NamedTuple

from nestwise import options
from nestwise.cli.parsing import Parser
from nestwise.inferred_types.infer import ANYWHERE, Guess
from nestwise.inferred_types.scopes import Scopes
from nestwise.options import BadOption
from nestwise.reporting.data import as_data
from nestwise.rewriting.sites import Loop, SiteText

STAGES = ("parse", "lower", "prove", "analyse", "schedule", "price")
# Types named in the message of a refusal.
MAX_TYPES = 8


class _Asked(NamedTuple):
    path: str
    as_json: bool
    sizes: dict[str, list[int]]
    after: str | None


def main(arguments: list[str]) -> int:
    """Tells what each loop of a script may do; gives 1 where the extension module cannot be used,
    else 0.
    """
    asked = _parse(arguments)
    told = explain(asked)
    if told is None:
        return 1
    _print(json.dumps(told, indent=2) if asked.as_json else "\n".join(_lines(told)))
    return 0


def _print(text: str) -> None:
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Whoever reads has had enough (`| head`); python would complain at exit once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# ---- The command line ----------------------------------------------------------------------------


def _parse(arguments: list[str]) -> _Asked:
    parser = Parser("explain", "What each loop of a script may do and why not more; nothing runs.")
    parser.add_argument("script", help="the script to read")
    parser.add_argument("--json", action="store_true", help="the same for programs")
    parser.add_argument(
        "--sizes",
        action="append",
        default=[],
        metavar="NAME=N,...",
        help="ints (n=1000, self.n=20) and extents (a=20x30, a.shape=(20,30)) as they will be",
    )
    parser.add_argument(
        "--after",
        metavar="STAGE",
        help=f"the nests as they are after {', '.join(STAGES[:-1])}, or what calls would take on "
        f"each device, after {STAGES[-1]} (with all sizes)",
    )
    parser.add_argument("--fp", metavar="MODE", help="floating point, as for run")
    parser.add_argument("--profile", metavar="F", help="the machine profile to price with")
    given = parser.parse_args(arguments)
    if given.after not in (None, *STAGES):
        raise BadOption(f"--after {given.after}: no such stage; there are {', '.join(STAGES)}")
    chosen = options.Options.from_environment()
    for name in ("fp", "profile"):
        if (value := getattr(given, name)) is not None:
            chosen.set(name, value, f"--{name}")
    sizes: dict[str, list[int]] = {}
    for text in given.sizes:
        sizes |= parse_sizes(text)
    options.choose(chosen)
    return _Asked(given.script, given.json, sizes, given.after)


def parse_sizes(text: str) -> dict[str, list[int]]:
    """Parses sizes like `n=1000,a=20x30,b.shape=(4,5)`: values of ints, extents of arrays."""
    sizes: dict[str, list[int]] = {}
    for part in re.split(r",(?![^(]*\))", text):
        name, equals, value = (word.strip() for word in part.partition("="))
        wants_extents = name.endswith(".shape")
        name = name.removesuffix(".shape")
        if not equals or not all(n.isidentifier() for n in name.split(".")):
            raise BadOption(f"--sizes: {part.strip()!r} is not of the form name=number")
        inner = value[1:-1].strip().rstrip(",") if re.fullmatch(r"\(.*\)", value) else value
        numbers = re.split(r"\s*,\s*" if inner is not value else r"\s*x\s*", inner)
        if not all(re.fullmatch(r"-?\d+(_\d+)*", n) for n in numbers):
            raise BadOption(
                f"--sizes: {value!r} is neither a number nor extents like 20x30 or (20,30)"
            )
        values = [int(n) for n in numbers]
        extents = wants_extents or len(values) > 1 or inner is not value
        if any(abs(v) >= 2**63 or (extents and v < 0) for v in values):
            raise BadOption(f"--sizes: {value!r} is out of range")
        if name in sizes:
            raise BadOption(f"--sizes: {name} is given twice")
        sizes[name] = values
    return sizes


# ---- What is told --------------------------------------------------------------------------------


def explain(asked: _Asked) -> dict[str, Any] | None:
    """Gives the nests and refusals of a script; None where the native part is not there to ask."""
    from nestwise.native import extension

    source, text = _read(asked.path)
    if not extension.available():
        return None
    told = _Told(asked, source, text)
    told.look()
    for name in asked.sizes.keys() - told.used:
        raise BadOption(f"--sizes: {told.unfit.get(name) or f'no loop nest uses {name}'}")
    return {"file": asked.path, "nests": told.nests, "refused": told.refused}


def _read(path: str) -> tuple[bytes, str]:
    from nestwise.rewriting import sources

    try:
        with open(path, "rb") as file:
            source = file.read()
        compile(source, path, "exec", dont_inherit=True)
        return source, sources.decode(source)
    except OSError as error:
        raise BadOption(f"cannot read {path!r}: {error.strerror}") from None
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        where = f"{path}:{line}" if line else path
        raise BadOption(f"{where}: {getattr(error, 'msg', error)}") from None


class _Told:
    """The loops of one script, in order."""

    def __init__(self, asked: _Asked, source: bytes, text: str) -> None:
        self.asked, self.source, self.text = asked, source, text
        self.nests: list[dict[str, Any]] = []
        self.refused: list[dict[str, Any]] = []
        self.used: set[str] = set()
        self.unfit: dict[str, str] = {}

    def look(self) -> None:
        import nestwise._core as core
        from nestwise.importing import codecache
        from nestwise.rewriting import rewrite
        from nestwise.rewriting.compiling import plain_code

        tag = codecache.tag(self.source)
        made = rewrite.rewrite(self.source, self.text, self.asked.path, tag, core.lower)
        tree, _ = plain_code(self.source, self.asked.path)
        scopes = Scopes(tree, self.text, self.asked.path)
        self.guess = Guess(scopes, core.random_text)
        sites = iter(made.sites)
        loops = [(loop, next(sites) if loop.is_site else None) for loop in made.loops]
        told_to = 0  # the last line of the last nest; what is inside a nest is told with it
        for loop, site in sorted(loops, key=lambda pair: (pair[0].line, pair[0].depth)):
            if loop.depth and loop.line <= told_to:
                continue
            if site is None:
                at, hint = loop.reason_line, loop.hint
                self.refuse(loop, at, loop.code, loop.message, hint)
            elif self.nest(loop, site):
                told_to = site.first_line + site.text.count("\n") - 1

    def refuse(self, loop: Loop, at: int, code: str, message: str, hint: str) -> None:
        entry = {"line": loop.line, "function": loop.function, "kind": loop.kind}
        entry |= {"reason_line": at, "reason": code, "message": message, "hint": hint or None}
        self.refused.append(entry)

    def nest(self, loop: Loop, site: SiteText) -> bool:
        """Adds the verdicts of a site; false if there are none, so that the loops inside are looked
        at.
        """
        import nestwise._core as core

        answer = core.explain(
            site,
            lambda function, path: self.guess.describe(site.first_line, function, path),
            self.guess.function,
            self.asked.sizes,
            self.asked.after,
        )
        self.used |= answer.used
        self.unfit |= answer.unfit
        types = {name: _type(description) for name, description in answer.types.items()}
        if (why := answer.refused) is not None:
            message = why.message
            if types:
                some = [f"{n}: {t}" for n, t in types.items()][:MAX_TYPES]
                message += f" (types were guessed as {', '.join(some)})"
            self.refuse(loop, why.line, why.code, message, why.hint)
            return False
        loops = [_without_draws(as_data(x)) for x in answer.loops if x.line < ANYWHERE]
        if site.value:
            # The one turn that it has is no loop of the script's.
            loops = [x | {"depth": x["depth"] - 1} for x in loops if x["depth"]]
        entry = {"line": loop.line, "function": loop.function, "types": types, "loops": loops}
        entry["seconds"] = as_data(answer.seconds)
        if self.asked.after is not None:
            entry |= {"after": self.asked.after, "stage": answer.stage}
        self.nests.append(entry)
        return True


def _without_draws(loop: dict[str, Any]) -> dict[str, Any]:
    """Drops the dependences inside a random number generator, which are on no line of
    the script.
    """
    inside = [d for d in loop["dependences"] if d["sink_line"] >= ANYWHERE]
    if inside:
        name = inside[0]["name"].removesuffix(".__self__")
        loop["because"] = f"`{name}` makes each random number from the one before"
        loop["dependences"] = []
    return loop


def _type(description: str) -> str:
    """Gives a description without the range that an int is taken to be in."""
    return "int" if description.startswith("int ") else description


# ---- The text ------------------------------------------------------------------------------------


def _lines(told: dict[str, Any]) -> list[str]:
    path, lines = told["file"], []
    for nest in told["nests"]:
        if "stage" in nest:
            lines.append(f"{path}:{nest['line']}: after {nest['after']}")
            lines += [f"    {line}" for line in nest["stage"].splitlines()]
            continue
        for loop in nest["loops"]:
            lines += _loop(path, loop)
    for refusal in told["refused"]:
        where = f"{path}:{refusal['line']}"
        at = refusal["reason_line"]
        at = f" (line {at})" if at != refusal["line"] else ""
        what = f"{refusal['kind']}: stays in CPython: {refusal['message']}{at}"
        lines.append(f"{where}: {what} [{refusal['reason']}]")
        if refusal["hint"]:
            lines.append(f"    hint: {refusal['hint']}")
    return lines or [f"{path}: no loops"]


def _loop(path: str, loop: dict[str, Any]) -> list[str]:
    indent = "  " * loop["depth"]
    name = f"for {loop['var']}" if loop["var"] else "while"
    verdict = loop["verdict"]
    if loop["condition"]:
        verdict = f"parallel when {loop['condition']}"
    if loop["reductions"]:
        verdict += ", " + ", ".join(f"{r['op']} of `{r['name']}`" for r in loop["reductions"])
    if loop["copied_before"]:
        names = ", ".join(f"`{a}`" for a in loop["copied_before"])
        verdict += f", reading {names} from a copy made before it"
    parts = [f"{path}:{loop['line']}: {indent}{name}: {verdict}"]
    if loop["because"]:
        parts.append(f": {loop['because']}")
    if loop["dependences"] and loop["verdict"] == "serial":
        parts.append(f"; distance ({_distance(loop['dependences'][0])})")
    lines = ["".join(parts)]
    if loop["assumes"]:
        lines.append(f"    {indent}assuming that {_assumed(loop['assumes'])}")
    if loop["hint"]:
        lines.append(f"    {indent}hint: {loop['hint']}")
    return lines


def _assumed(assumes: list[str]) -> str:
    """Gives the assumptions of a verdict in words; those about single subscripts, all of which are
    in the JSON, are one here.
    """
    others = [a for a in assumes if not a.endswith(" in bounds")]
    bounds = ["subscripts are in bounds"] if len(others) < len(assumes) else []
    return ", that ".join([*bounds, *others])


def _distance(dependence: dict[str, Any]) -> str:
    """Gives the distances of a dependence where they are known, else its directions."""
    both = zip(dependence["distance"], dependence["direction"], strict=True)
    return ", ".join(direction if n is None else str(n) for n, direction in both)
