"""The page that says of each operation where it is declared, what it means, where it is lowered, and what tests it.

    python scripts/operations_index.py [--write]

Prints the page; with `--write` it replaces `docs/operations-index.md`. All is read from the code: a file *handles* an
operation where the operation, or a family that it derives from, has a row in its `lowerings()` or `handlers()`, is a
case of a `match` or a key of another table, or is asked for by `isinstance`.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structure

from tilewright.ir.core import Operation

PAGE: Final = structure.ROOT / "docs" / "operations-index.md"
TESTS: Final = structure.ROOT / "tests"
MEANING: Final = "interpreter/"
LANGUAGES: Final = {
    "cuda_tile/": ("transforms/lower_tile_ir/",),
    "mlir/": ("transforms/lower_mlir/", "transforms/matmul_stages/"),
    "tlx/": ("transforms/lower_tlx/",),
    "tl.py": ("transforms/lower_", "transforms/collectives"),
    "cf.py": ("transforms/lift_control_flow/",),
}
"""Dialects of languages, by the files in `dialects/` that declare them, and where the passes are that lower them."""
MACHINES: Final = (("targets/cpu/",), ("targets/nvidia/", "transforms/schedule/"), ("targets/llvm/",))
"""Where all other operations are lowered, for each machine and for all: in the first folder that has a file."""
TABLES: Final = ("handlers", "lowerings")
"""Functions that say which operations a file handles, beside those that make an `OperationTable`."""
ROW: Final = 3
CASE: Final = 2
ASKED: Final = 1
"""How surely a file handles an operation that has a row in its table, is a key or case elsewhere, or is asked for."""
SHOWN: Final = ("dialects/", "interpreter/", "frontends/", "transforms/", "differential/", "targets/", "")
"""Folders of tests, those first in which an operation is shown by itself."""

_HEAD: Final = """\
# Where operations live

Written by `python scripts/operations_index.py --write` from the code; a test checks that every operation is here, and
that the files are there and name it or a family of it.

For each operation, by the file that declares it: what gives it its meaning (an `evaluate` of its own or of its family,
or a file of the interpreter), the files that lower it, and a test that names it. Files are in `src/tilewright/` and
`tests/`. Files whose table has a row for the operation or its family come first, then those that ask for it in another
way; of several it is the one that handles most of its dialect. No meaning means that it has none by itself: its program
is lowered first, or a language's reader or another operation deals with it. What operations take and give is in
[Operations](operations.md).
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A declared operation: its class, the file that declares it, the names of it and its families, nearest first."""

    cls: type[Operation]
    file: str
    families: tuple[str, ...]

    @property
    def name(self) -> str:
        """As its dialect prints it."""
        return self.cls.definition.name

    @property
    def word(self) -> str:
        """Without its dialect."""
        return self.name.partition(".")[2]


@dataclass(frozen=True, slots=True)
class Row:
    """Where an operation lives; files as paths in the package, the test as one in the folder of tests."""

    place: Place
    meaning: str
    lowered: tuple[str, ...]
    test: str


def places(known: Mapping[str, structure.Module]) -> list[Place]:
    """All declared operations, by their files."""
    found: list[Place] = []
    for whole in structure.namings(known):
        module, _, name = whole.rpartition(".")
        cls = getattr(importlib.import_module(module), name)
        above = [one for one in cls.__mro__ if one not in (Operation, object)]
        families = tuple(f"{one.__module__}.{one.__qualname__}" for one in above)
        found.append(Place(cls, known[module].file, families))
    return found


def handled(known: Mapping[str, structure.Module]) -> Mapping[str, Mapping[str, int]]:
    """Classes of the package with the files that handle them, and how surely."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    code = Code(known)
    for module in known.values():
        if module.file.startswith((MEANING, "transforms/", "targets/")):
            asked = [each for node in ast.walk(module.tree) for each in _asked_for(node)]
            names = [(how, code.whole(module, one), module.file) for how, one in asked]
            for how, whole, file in (*names, *((ROW, *row) for row in code.rows(module))):
                found[whole][file] = max(how, found[whole].get(file, 0))
    return found


class Code:
    """What names in files stand for."""

    def __init__(self, known: Mapping[str, structure.Module]) -> None:
        self._names = {module.name: dict(structure.taken(module, known)) for module in known.values()}
        self._constants = {
            f"{module.name}.{target.id}": (module, node.value)
            for module in known.values()
            for node in module.tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }

    def whole(self, module: structure.Module, node: ast.expr) -> str:
        """The whole name of what an expression names in a file."""
        said = ast.unparse(node)
        return self._names[module.name].get(said, f"{module.name}.{said}")

    def rows(self, module: structure.Module) -> set[tuple[str, str]]:
        """What the tables of a file name, and constants that they are made of: with the file in which that stands."""
        found: set[tuple[str, str]] = set()
        work: list[tuple[structure.Module, ast.AST]] = [(module, node) for node in module.tree.body if _is_table(node)]
        while work:
            where, root = work.pop()
            for node in ast.walk(root):
                if isinstance(node, ast.Name | ast.Attribute):
                    whole = self.whole(where, node)
                    if whole in self._constants and (whole, where.file) not in found:
                        work.append(self._constants[whole])
                    found.add((whole, where.file))
        return found


def _is_table(node: ast.AST) -> bool:
    """Whether a function says which operations a file handles."""
    if not isinstance(node, ast.FunctionDef):
        return False
    calls = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return node.name in TABLES or any(isinstance(func, ast.Name) and func.id == "OperationTable" for func in calls)


def _asked_for(node: ast.AST) -> Iterator[tuple[int, ast.expr]]:
    """The classes that a node has as keys, or asks values for."""
    match node:
        case ast.Dict(keys=keys):
            yield from ((CASE, one) for key in keys for one in _alternatives(key))
        case ast.MatchClass(cls=cls):
            yield CASE, cls
        case ast.Call(func=ast.Name("isinstance"), args=[_, classes]):
            yield from ((ASKED, one) for one in _alternatives(classes))
        case _:
            pass


def _alternatives(node: ast.expr | None) -> Iterator[ast.expr]:
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _alternatives(part)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _alternatives(left)
            yield from _alternatives(right)
        case ast.Name() | ast.Attribute():
            yield node
        case _:
            pass


class Handlers:
    """The file of each floor that handles an operation."""

    def __init__(self, known: Mapping[str, structure.Module], found: Sequence[Place]) -> None:
        self._handled = handled(known)
        self._counts = Counter(
            (place.file, file) for place in found for family in place.families for file in self._handled.get(family, ())
        )

    def of(self, place: Place, folders: Sequence[str]) -> str:
        """That of the first folder with files that handle the operation, or else the nearest family; empty if none.

        Surer files come before nearer families. Of several it is the one that handles most of the same dialect.
        """
        for folder in folders:
            for least in (ROW, CASE, ASKED):
                for family in place.families:
                    files = [
                        file
                        for file, how in self._handled.get(family, {}).items()
                        if file.startswith(folder) and how >= least
                    ]
                    if files:
                        return max(files, key=lambda file: (self._counts[place.file, file], file))
        return ""


def index(known: Mapping[str, structure.Module]) -> list[Row]:
    """A row for each operation."""
    found = places(known)
    handlers, tests = Handlers(known, found), Tests(found)
    rows: list[Row] = []
    for place in found:
        inside = place.file.removeprefix("dialects/")
        language = next((folders for start, folders in LANGUAGES.items() if inside.startswith(start)), None)
        floors = MACHINES if language is None else (language,)
        lowered = tuple(dict.fromkeys(file for folders in floors if (file := handlers.of(place, folders))))
        evaluates = next((one for one in place.cls.__mro__ if one is not Operation and "evaluate" in vars(one)), None)
        meaning = handlers.of(place, (MEANING,)) if evaluates is None else f"{evaluates.__name__}.evaluate"
        rows.append(Row(place, meaning, lowered, tests.of(place)))
    return rows


def words_of(text: str) -> Iterator[str]:
    """The names in a test; `"atan2"` is `math.atan2` too where there is a `math.{..}`, `cl.Release` is
    `gpu_clusters.Release` where that module is taken as `cl`, and names are also what parts of them are replaced by."""
    modules = {own: module for module, own in re.findall(r"import (\w+) as (\w+)", text)}
    replaced = re.findall(r'replace\("(\w+\.\w+)", "(\w+\.\w+)"\)', text)
    for word in re.findall(r"[\w.]+", text):
        first, dot, rest = word.strip(".").partition(".")
        yield f"{modules.get(first, first)}{dot}{rest}"
        yield from (other + word.removeprefix(one) for one, other in replaced if word.startswith(one))
    quoted = re.findall(r'"(\w+)"', text)
    for dialect in set(re.findall(r"\b(\w+)\.\{", text)):
        yield from (f"{dialect}.{word}" for word in quoted)


class Tests:
    """The words of all tests."""

    def __init__(self, found: Sequence[Place]) -> None:
        self._classes = Counter(place.cls.__name__ for place in found)
        self._words: dict[str, Counter[str]] = defaultdict(Counter)
        for path in sorted((*TESTS.rglob("*.py"), *TESTS.rglob("*.mlir"))):
            for word, times in Counter(words_of(path.read_text(encoding="utf-8"))).items():
                self._words[word][str(path.relative_to(TESTS))] += times

    def of(self, place: Place) -> str:
        """The test called like the dialect, or that names an operation most often in the first folder that has one."""
        stem = Path(place.file).stem
        for name in self.names(place):
            files = self._words.get(name, Counter[str]())
            tests = [file for file in files if Path(file).name.startswith("test_")] or list(files)
            for folder in SHOWN:
                fitting = [file for file in tests if file.startswith(folder)]
                if fitting:
                    return max(fitting, key=lambda file: (Path(file).stem == f"test_{stem}", files[file], file))
        return ""

    def names(self, place: Place) -> Sequence[str]:
        """How tests write an operation: with its dialect, as a class, or as its language spells it."""
        module, name = place.cls.__module__.rpartition(".")[2], place.cls.__name__
        alone = (name,) if self._classes[name] == 1 else ()
        spelled = (place.word,) if place.file.startswith(("dialects/tl.py", "dialects/cuda_tile/")) else ()
        dialect = place.name.partition(".")[0]
        return (place.name, f"{dialect}.{name}", f"{module}.{name}", *alone, *spelled)


def page(rows: Iterable[Row]) -> str:
    """Markdown: a table for each file of the dialects."""
    tables: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        tables[row.place.file].append(row)
    parts = [_HEAD]
    for file, found in tables.items():
        parts.append(f"## {file}\n\n| operation | meaning | lowered in | shown by |\n|---|---|---|---|")
        for row in found:
            cells = ([row.place.name], [row.meaning], row.lowered, [row.test])
            parts[-1] += "\n| " + " | ".join(", ".join(f"`{one}`" for one in cell if one) for cell in cells) + " |"
        parts[-1] += "\n"
    return "\n".join(parts)


def main() -> None:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="replace the page")
    made = page(index(structure.modules()))
    if parser.parse_args().write:
        PAGE.write_text(made, encoding="utf-8")
    else:
        print(made, end="")


if __name__ == "__main__":
    main()
