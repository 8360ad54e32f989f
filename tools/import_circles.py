#!/usr/bin/env python3
"""Finds circles of imports between the files of a crate, and between those of the Python package.

An import of a name leads to the file that defines it, through any re-exports. Test modules are left
out: they may look at everything. Exit status 1 where a circle is found that `ALLOWED` lacks.

Usage: import_circles.py [FOLDER]: of files below that folder alone.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
CRATES = sorted(p.parent for p in ROOT.glob("**/src/lib.rs") if "target" not in p.parts)
PACKAGE = ROOT / "python/src"

# Circles that are meant, each with its reason in docs/dev/architecture.md: the set of files.
ALLOWED: list[frozenset[str]] = []

ITEM = re.compile(
    r"^(?:pub(?:\([^)]*\))?\s+)?(?:const\s+)?(?:unsafe\s+)?(?:extern\s+\"C\"\s+)?"
    r"(?:fn|struct|enum|union|trait|type|const|static|macro_rules!)\s+(?:mut\s+)?(\w+)",
    re.M,
)
USE = re.compile(r"^[ \t]*(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", re.M)
PATH = re.compile(r"(?<![\w:$])(crate(?:::\w+)+)")
TEST_MODULE = re.compile(
    r"^#\[cfg\((?:any\()?test\b.*\)\]\n(?:#\[.*\]\n)*(?:pub(?:\(crate\))? )?mod (\w+)", re.M
)


def expand(tree: str, prefix: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], str]]:
    """The paths of a use tree, each with the name that it gets."""
    tree = tree.strip()
    if tree.startswith("{"):
        parts, depth, part = [], 0, ""
        for char in tree[1:-1]:
            depth += (char == "{") - (char == "}")
            if char == "," and depth == 0:
                parts.append(part)
                part = ""
            else:
                part += char
        parts.append(part)
        return [one for p in parts if p.strip() for one in expand(p, prefix)]
    head, brace, rest = tree.partition("{")
    if brace:
        return expand(brace + rest, (*prefix, *(s for s in head.split("::") if s.strip())))
    path, _, alias = tree.partition(" as ")
    segments = tuple(s.strip() for s in path.split("::"))
    if segments[-1] == "self":
        segments = segments[:-1]
    full = (*prefix, *segments)
    return [(full, alias.strip() or full[-1])]


class Crate:
    """The modules of one crate: what each defines, and what it takes from others."""

    def __init__(self, source: Path) -> None:
        self.files: dict[tuple[str, ...], Path] = {}
        self.uses: dict[tuple[str, ...], list[tuple[tuple[str, ...], str]]] = {}
        self.items: dict[tuple[str, ...], set[str]] = {}
        tests = set()
        for file in sorted(source.rglob("*.rs")):
            parts = list(file.relative_to(source).with_suffix("").parts)
            if parts[-1] in ("mod", "lib"):
                parts.pop()
            self.files[tuple(parts)] = file
        for module, file in self.files.items():
            text = re.sub(r"//[^\n]*", "", file.read_text())
            tests |= {(*module, name) for name in TEST_MODULE.findall(text)}
            text = re.sub(r"^#\[cfg\(test\)\]\nmod \w+ \{.*", "", text, flags=re.M | re.S)
            self.items[module] = set(ITEM.findall(text))
            uses = [one for m in USE.finditer(text) for one in expand(re.sub(r"\s+", " ", m[2]))]
            uses += [
                (tuple(p.split("::")), p.split("::")[-1]) for p in PATH.findall(USE.sub("", text))
            ]
            self.uses[module] = [(self.absolute(module, path), name) for path, name in uses]
        for module in list(self.files):
            if any(module[: n + 1] in tests for n in range(len(module))):
                del self.files[module]

    def absolute(self, module: tuple[str, ...], path: tuple[str, ...]) -> tuple[str, ...]:
        """The path from the crate's root without `crate`; empty where it leads out of it."""
        if path[0] == "crate":
            return path[1:]
        if path[0] == "self":
            return (*module, *path[1:])
        above = 0
        while above < len(path) and path[above] == "super":
            above += 1
        if above:
            return (*module[: len(module) - above], *path[above:])
        return (*module, *path) if (*module, path[0]) in self.files else ()

    def definer(
        self, path: tuple[str, ...], seen: frozenset = frozenset()
    ) -> tuple[str, ...] | None:
        """The module that defines what the path names."""
        module = next((path[:n] for n in range(len(path), -1, -1) if path[:n] in self.files), None)
        if module is None or path in seen:
            return None
        rest = path[len(module) :]
        if not rest or rest[0] in self.items.get(module, ()):
            return module
        for target, name in self.uses.get(module, ()):
            if target and name in (rest[0], "*") and target != path:
                whole = (*target[:-1], rest[0]) if name == "*" else target
                found = self.definer((*whole, *rest[1:]), seen | {path})
                if found is not None and (name != "*" or rest[0] in self.items.get(found, ())):
                    return found
        return module

    def edges(self) -> dict[Path, set[Path]]:
        """By file: those that it takes something from."""
        out = defaultdict(set)
        for module, file in self.files.items():
            for path, name in self.uses[module]:
                # A re-export is no use.
                found = self.definer(path) if path else None
                if found is not None and found != module and found in self.files:
                    own_child = found[: len(module)] == module and name not in self.mentions(file)
                    if not own_child:
                        out[file].add(self.files[found])
        return out

    def mentions(self, file: Path) -> set[str]:
        """Words of a file's text outside of its `use` statements."""
        text = USE.sub("", re.sub(r"//[^\n]*", "", file.read_text()))
        return set(re.findall(r"\w+", text))


def python_edges() -> dict[Path, set[Path]]:
    """By file of the package: those it imports, at its top or inside functions."""
    names = {}
    for file in PACKAGE.rglob("*.py"):
        parts = list(file.relative_to(PACKAGE).with_suffix("").parts)
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    out = defaultdict(set)
    for name, file in names.items():
        package = name if file.name == "__init__.py" else name.rpartition(".")[0]
        for node in ast.walk(ast.parse(file.read_text())):
            targets = []
            if isinstance(node, ast.Import):
                targets = [a.name for a in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    up = package.split(".")[: len(package.split(".")) - node.level + 1]
                    base = ".".join([*up, *([node.module] if node.module else [])])
                targets = [
                    f"{base}.{a.name}" if f"{base}.{a.name}" in names else base for a in node.names
                ]
            out[file] |= {names[t] for t in targets if t in names and names[t] != file}
    return out


def circles(edges: dict[Path, set[Path]]) -> list[list[Path]]:
    """The strongly connected components of more than one file (Tarjan, 1972)."""
    index: dict[Path, int] = {}
    low: dict[Path, int] = {}
    stack: list[Path] = []
    found = []

    def visit(node: Path) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in edges.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = []
            while True:
                component.append(stack.pop())
                if component[-1] == node:
                    break
            if len(component) > 1:
                found.append(sorted(component))

    for node in list(edges):
        if node not in index:
            visit(node)
    return found


def main() -> int:
    """Prints the circles that are not meant."""
    sys.setrecursionlimit(10_000)
    bad = 0
    for edges in [*(Crate(c).edges() for c in CRATES), python_edges()]:
        for circle in circles(edges):
            names = [str(f.relative_to(ROOT)) for f in circle]
            if not any(n.startswith(tuple(sys.argv[1:]) or "") for n in names):
                continue
            if frozenset(names) in ALLOWED:
                continue
            bad += 1
            print(f"a circle of {len(names)} files:")
            for file in circle:
                for other in sorted(edges[file] & set(circle)):
                    print(f"  {file.relative_to(ROOT)} -> {other.relative_to(ROOT)}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
