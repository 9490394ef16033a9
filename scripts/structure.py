"""Read the imports of the package: which run up the floors or in circles, and how many files name an operation.

    scripts/structure                 the figures, with what is wrong; the status is 1 if anything is
    scripts/structure --json out.json the same for programs

The order of the floors is the table in `docs/architecture.md` under "The floors": a file may import from rooms that
stand further down and from its own room; rooms of one row do not know each other. What stands under `if TYPE_CHECKING`
is an arrow for types only; one that runs up or closes a circle is stated in the table under "Arrows for types".
"""

from __future__ import annotations

import argparse
import ast
import gc
import json
import re
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGE: Final = ROOT / "src" / "tilewright"
DOCUMENT: Final = ROOT / "docs" / "architecture.md"
FLOORS: Final = "The floors"
STATED: Final = "Arrows for types"


@dataclass(frozen=True, slots=True, order=True)
class Arrow:
    """A file that imports another, both as paths in the package; `types` if type checkers alone see it."""

    source: str
    target: str
    types: bool

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}{' (types)' if self.types else ''}"


@dataclass(frozen=True, slots=True)
class Import:
    """A name (or none) that a file takes from a module."""

    module: str
    name: str
    types: bool


def _is_type_checking(test: ast.expr) -> bool:
    match test:
        case ast.Name("TYPE_CHECKING") | ast.Attribute(ast.Name("typing"), "TYPE_CHECKING"):
            return True
        case _:
            return False


class _Imports(ast.NodeVisitor):
    """All imports of a file, inside functions too."""

    def __init__(self) -> None:
        self.found: list[Import] = []
        self._types = False

    def generic_visit(self, node: ast.AST) -> None:
        """Go on to statements; expressions, which are most of a file, hold no imports."""
        for part in ("body", "handlers", "orelse", "finalbody", "cases"):
            for child in getattr(node, part, ()):
                self.visit(child)

    def visit_If(self, node: ast.If) -> None:
        before = self._types
        self._types = before or _is_type_checking(node.test)
        for child in node.body:
            self.visit(child)
        self._types = before
        for child in node.orelse:
            self.visit(child)

    def visit_Import(self, node: ast.Import) -> None:
        self.found += [Import(alias.name, "", self._types) for alias in node.names]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        assert node.module is not None, "the code imports by whole names"
        self.found += [Import(node.module, alias.name, self._types) for alias in node.names]


@dataclass(frozen=True, slots=True)
class Module:
    """A file of the package: its name for imports, its path in the package, its code."""

    name: str
    file: str
    tree: ast.Module


def modules(package: Path = PACKAGE) -> Mapping[str, Module]:
    """The files of the package by their names for imports."""
    found: dict[str, Module] = {}
    with _uncollected():
        for path in sorted(package.rglob("*.py")):
            inside = path.relative_to(package)
            parts = inside.with_suffix("").parts
            name = ".".join((package.name, *(parts[:-1] if parts[-1] == "__init__" else parts)))
            found[name] = Module(name, str(inside), ast.parse(path.read_text(encoding="utf-8")))
    return found


@contextmanager
def _uncollected() -> Generator[None]:
    """No garbage collection meanwhile: it walks all trees again and again, which takes longer than making them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def arrows(known: Mapping[str, Module]) -> list[Arrow]:
    """Who imports whom, each pair once."""
    found: dict[tuple[str, str], bool] = {}
    for module in known.values():
        reader = _Imports()
        reader.visit(module.tree)
        for entry in reader.found:
            target = known.get(f"{entry.module}.{entry.name}") or known.get(entry.module)
            if target is not None and target is not module:
                ends = module.file, target.file
                found[ends] = found.get(ends, True) and entry.types
    return sorted(Arrow(*ends, types) for ends, types in found.items())


def _rows(text: str, heading: str) -> Iterator[list[list[str]]]:
    """What is in backticks in each cell of the table under a heading."""
    _, found, rest = text.partition(f"## {heading}\n")
    assert found, f"{DOCUMENT.name} has no section {heading!r}"
    section = rest.split("\n## ")[0]
    for line in section.splitlines():
        cells = [re.findall(r"`([^`]+)`", cell) for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and cells[0]:
            yield cells


def floors(text: str) -> Mapping[str, int]:
    """Rooms with the number of their row, the lowest floor first."""
    rows = [cells[0] for cells in _rows(text, FLOORS)]
    return {room: len(rows) - k for k, row in enumerate(rows) for room in row}


def stated(text: str) -> set[tuple[str, str]]:
    """The arrows that only types need, by the files at their ends."""
    return {(source, target) for (source,), targets, *_ in _rows(text, STATED) for target in targets}


def room_of(file: str, rooms: Iterable[str]) -> str:
    """The room that a file belongs to: of those that its path begins with, the longest. Raises ValueError if none."""
    path = file.removesuffix(".py")
    fitting = [room for room in rooms if path == room or path.startswith(f"{room}/")]
    if not fitting:
        raise ValueError(f"{file} belongs to no room of {DOCUMENT.name}")
    return max(fitting, key=len)


def upward(found: Iterable[Arrow], order: Mapping[str, int]) -> list[Arrow]:
    """Arrows to a room that stands no lower than the one they come from."""
    result: list[Arrow] = []
    for arrow in found:
        source, target = room_of(arrow.source, order), room_of(arrow.target, order)
        if source != target and order[target] >= order[source]:
            result.append(arrow)
    return result


def circles(found: Iterable[Arrow]) -> list[list[str]]:
    """Groups of files that reach each other, the largest first."""
    below: dict[str, set[str]] = defaultdict(set)
    for arrow in found:
        below[arrow.source].add(arrow.target)
        below.setdefault(arrow.target, set())
    _peel(below)
    reached = {file: _reached(file, below) for file in below}
    groups = {tuple(sorted(f for f in others if file in reached[f])) for file, others in reached.items()}
    return sorted(map(list, groups - {()}), key=lambda group: (-len(group), group))


def _peel(below: dict[str, set[str]]) -> None:
    """Take away files that import none of those left, until there are no more: most files are in no circle."""
    while lowest := {file for file, others in below.items() if not others}:
        for file in lowest:
            del below[file]
        for others in below.values():
            others -= lowest


def _reached(file: str, below: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    work = list(below[file])
    while work:
        other = work.pop()
        if other not in found:
            found.add(other)
            work += below[other]
    return found


def namings(known: Mapping[str, Module]) -> Mapping[str, list[str]]:
    """Operations of the dialects, with the files of the package that name them, but for the one that declares them."""
    declared = {
        f"{module.name}.{node.name}"
        for module in known.values()
        if module.file.startswith("dialects/")
        for node in module.tree.body
        if isinstance(node, ast.ClassDef) and any(k.arg == "name" for k in node.keywords)
    }
    found: dict[str, list[str]] = {name: [] for name in sorted(declared)}
    for module in known.values():
        for name in sorted({whole for _, whole in taken(module, known)} & declared):
            found[name].append(module.file)
    return found


def taken(module: Module, known: Mapping[str, Module]) -> Iterator[tuple[str, str]]:
    """What a file takes from modules of the package, by import or through the module's name: as it says it, whole."""
    aliases: dict[str, str] = {}
    nodes = list(ast.walk(module.tree))
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                whole, own = f"{node.module}.{alias.name}", alias.asname or alias.name
                if whole in known:
                    aliases[own] = whole
                else:
                    yield own, whole
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            yield f"{node.value.id}.{node.attr}", f"{aliases[node.value.id]}.{node.attr}"


@dataclass(frozen=True, slots=True)
class Faults:
    """What nothing excuses: circles of files, arrows up, and stated arrows that are not there or not for types only."""

    circles: list[list[str]]
    up: list[str]
    untrue: list[str]

    def __bool__(self) -> bool:
        return bool(self.circles or self.up or self.untrue)


def faults(found: Sequence[Arrow], text: str) -> Faults:
    """The arrows against the tables of a document."""
    excused = stated(text)
    types = {(arrow.source, arrow.target) for arrow in found if arrow.types}
    rest = [arrow for arrow in found if (arrow.source, arrow.target) not in excused & types]
    untrue = [f"{source} -> {target}" for source, target in sorted(excused - types)]
    return Faults(circles(rest), [str(arrow) for arrow in upward(rest, floors(text))], untrue)


def figures(known: Mapping[str, Module], found: Sequence[Arrow]) -> Mapping[str, float]:
    """What is counted whether right or wrong."""
    namers = [len(files) for files in namings(known).values()]
    return {
        "files": len(known),
        "arrows": len(found),
        "arrows for types only": sum(arrow.types for arrow in found),
        "operations": len(namers),
        "files naming an operation, mean": round(mean(namers), 1),
        "files naming an operation, median": median(namers),
        "files naming an operation, most": max(namers),
    }


def report(counted: Mapping[str, float], wrong: Faults) -> str:
    """The figures as text, and what is wrong behind its number."""
    lines = [f"{name:36}{value:g}" for name, value in counted.items()]
    lists = {
        "circles": [", ".join(group) for group in wrong.circles],
        "arrows up": wrong.up,
        "stated but not so": wrong.untrue,
    }
    for name, entries in lists.items():
        lines += [f"{name:36}{len(entries)}", *(f"    {entry}" for entry in entries)]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, help="where to write the figures")
    chosen = parser.parse_args()
    known = modules()
    found = arrows(known)
    counted, wrong = figures(known, found), faults(found, DOCUMENT.read_text(encoding="utf-8"))
    print(report(counted, wrong))
    if chosen.json:
        chosen.json.write_text(json.dumps({**counted, **asdict(wrong)}, indent=1) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
