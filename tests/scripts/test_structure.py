"""No import of the package runs up the floors or in a circle; `scripts/structure` sees those that would."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from loaded import loaded

ROOT: Final = Path(__file__).parents[2]
HINT: Final = "run: python scripts/operations_index.py --write"
FLOORS: Final = """
## The floors

| room | what it is |
|---|---|
| `top` | |
| `left`, `right` | |
| `right/low` | |

## Arrows for types

| file | knows | why |
|---|---|---|
{stated}
"""


@pytest.fixture(scope="module")
def structure() -> ModuleType:
    return loaded(ROOT / "scripts" / "structure.py")


@pytest.fixture(scope="module")
def own_modules(structure: ModuleType) -> Any:
    """The package's own, read once."""
    return structure.modules()


@pytest.fixture(scope="module")
def own_arrows(structure: ModuleType, own_modules: Any) -> Any:
    """Who imports whom in them."""
    return structure.arrows(own_modules)


def package(folder: Path, files: Mapping[str, str]) -> Path:
    """A package `p` with these files."""
    for name, text in files.items():
        path = folder / "p" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "p"


def wrong_in(structure: ModuleType, folder: Path, files: Mapping[str, str], stated: str = "") -> Sequence[object]:
    """Circles, arrows up, and stated arrows that are not so, of a package `p` with these files."""
    found = structure.arrows(structure.modules(package(folder, files)))
    faults = structure.faults(found, FLOORS.format(stated=stated))
    return faults.circles, faults.up, faults.untrue


def test_the_package_has_no_circle_and_no_arrow_up(structure: ModuleType, own_arrows: Any) -> None:
    faults = structure.faults(own_arrows, structure.DOCUMENT.read_text())
    assert not faults, structure.report({}, faults)


def test_the_index_says_where_operations_live(structure: ModuleType, own_modules: Any) -> None:
    """Each stands in it once, with files that name it, or a family that it derives from, or spell its word; a test
    among them."""
    text = (ROOT / "docs" / "operations-index.md").read_text(encoding="utf-8")
    rows: dict[tuple[str, str], Sequence[Sequence[str]]] = {}
    for section in text.split("\n## ")[1:]:
        file = section.partition("\n")[0]
        for line in section.splitlines():
            if line.startswith("| `"):
                (name,), *cells = [re.findall(r"`(.+?)`", cell) for cell in line.strip("|").split(" | ")]
                assert (file, name) not in rows
                rows[file, name] = cells
    words = {path: set(re.findall(r"\w+", path.read_text(encoding="utf-8"))) for path in _named_in(rows)}
    for whole in structure.namings(own_modules):
        module, _, name = whole.rpartition(".")
        cls = getattr(importlib.import_module(module), name)
        meaning, lowered, shown = rows.pop((own_modules[module].file, cls.definition.name))
        families = {one.__name__ for one in cls.__mro__} - {"Operation", "object"}
        for said in (*meaning, *lowered):
            family, _, rest = said.partition(".")
            if rest == "evaluate":
                assert family in families, f"{cls.definition.name}: {HINT}"
            else:
                assert words[structure.PACKAGE / said] & families, f"{cls.definition.name}: {HINT}"
        assert shown, f"{cls.definition.name} is named by no test of its own"
        spelled = {name, cls.definition.name.partition(".")[2].rpartition(".")[2]}
        for said in shown:
            assert words[ROOT / "tests" / said] & spelled, f"{cls.definition.name}: {HINT}"
        assert lowered or not shown or name in ("Entry", "Global"), f"{cls.definition.name}: {HINT}"
    assert not rows, HINT


def _named_in(rows: Mapping[Any, Sequence[Sequence[str]]]) -> set[Path]:
    """The files of all rows."""
    inside = {said for meaning, lowered, _ in rows.values() for said in (*meaning, *lowered) if "/" in said}
    tests = {said for _, _, shown in rows.values() for said in shown}
    return {ROOT / "src" / "tilewright" / said for said in inside} | {ROOT / "tests" / said for said in tests}


def rooms_of_the_cpu_target(document: str) -> Mapping[str, Sequence[str]]:
    """Rooms from the top, each with its files, as the document's table has them; files beside the rooms are rooms."""
    section = document.partition("## The CPU target")[2].partition("\n## ")[0]
    found: dict[str, list[str]] = {}
    room = ""
    for first, second in re.findall(r"^\| *(.*?) *\| *(`.*?) *\|", section, re.MULTILINE):
        room = first.strip("`") or room
        beside = room == "."
        for name in re.findall(r"`(\w+)\.py`", second):
            path = f"targets/cpu/{'' if beside else room}{name}"
            found.setdefault(path if beside else f"targets/cpu/{room[:-1]}", []).append(f"{path}.py")
    return found


def test_rooms_of_the_cpu_target_know_those_below(structure: ModuleType, own_modules: Any, own_arrows: Any) -> None:
    rooms = rooms_of_the_cpu_target(structure.DOCUMENT.read_text())
    files = {m.file for m in own_modules.values() if m.file.startswith("targets/cpu/") and "__init__" not in m.file}
    assert sorted(file for held in rooms.values() for file in held) == sorted(files)
    inside = [arrow for arrow in own_arrows if {arrow.source, arrow.target} <= files]
    assert inside
    order = {room: -number for number, room in enumerate(rooms)}
    assert not structure.upward(inside, order), "the table in docs/architecture.md says otherwise"


@pytest.mark.parametrize(
    ("files", "up"),
    [
        ({"top.py": "import p.left", "left.py": ""}, []),
        ({"top.py": "", "left.py": "import p.top"}, ["left.py -> top.py"]),
        ({"top.py": "", "left.py": "from p import top"}, ["left.py -> top.py"]),
        ({"top.py": "", "left.py": "def f():\n    from p.top import x"}, ["left.py -> top.py"]),
        ({"left/a.py": "from p.left.b import x", "left/b.py": ""}, []),
        ({"left/a.py": "from p.right import b", "right/b.py": ""}, ["left/a.py -> right/b.py"]),
        ({"right/a.py": "import p.right.low.b", "right/low/b.py": ""}, []),
        ({"right/a.py": "", "right/low/b.py": "import p.right.a"}, ["right/low/b.py -> right/a.py"]),
    ],
)
def test_arrows_up(structure: ModuleType, tmp_path: Path, files: dict[str, str], up: list[str]) -> None:
    assert wrong_in(structure, tmp_path, files) == ([], up, [])


def test_circles(structure: ModuleType, tmp_path: Path) -> None:
    files = {
        "left/a.py": "import p.left.b",
        "left/b.py": "def f():\n    import p.left.c",
        "left/c.py": "import p.left.a\nimport p.left.d",
        "left/d.py": "import p.left.e",
        "left/e.py": "import p.left.d",
        "left/f.py": "import p.left.a",
    }
    circles = [["left/a.py", "left/b.py", "left/c.py"], ["left/d.py", "left/e.py"]]
    assert wrong_in(structure, tmp_path, files) == (circles, [], [])


@pytest.mark.parametrize("stated", [False, True])
def test_arrows_for_types_are_stated(structure: ModuleType, tmp_path: Path, stated: bool) -> None:
    guarded = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.top import x\n    from p.left.b import y"
    files = {"top.py": "", "left/a.py": guarded, "left/b.py": "import p.left.a"}
    rows = "| `left/a.py` | `top.py`, `left/b.py` | |"
    found = wrong_in(structure, tmp_path, files, rows if stated else "")
    assert found == (([], [], []) if stated else ([["left/a.py", "left/b.py"]], ["left/a.py -> top.py (types)"], []))


def test_only_arrows_for_types_are_excused(structure: ModuleType, tmp_path: Path) -> None:
    rows = "| `left.py` | `top.py`, `right.py` | |"
    found = wrong_in(structure, tmp_path, {"top.py": "", "left.py": "import p.top", "right.py": ""}, rows)
    assert found == ([], ["left.py -> top.py"], ["left.py -> right.py", "left.py -> top.py"])


def test_a_file_of_no_room_is_refused(structure: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"cellar\.py belongs to no room"):
        wrong_in(structure, tmp_path, {"cellar.py": "import p.left", "left.py": ""})


def test_files_that_name_an_operation(structure: ModuleType, tmp_path: Path) -> None:
    files = {
        "dialects/d.py": 'class Add(Operation, name="d.add"): ...\nclass Family(Operation): ...',
        "left.py": "from p.dialects.d import Add, Family",
        "right.py": "from p.dialects import d as it\nit.Add",
        "top.py": "from p.dialects import d\nd.Family",
    }
    known = structure.modules(package(tmp_path, files))
    assert structure.namings(known) == {"p.dialects.d.Add": ["left.py", "right.py"]}
