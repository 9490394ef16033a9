"""The lists of mutants fit the code: every text stands in its file once, names are distinct, tests exist."""

from __future__ import annotations

import compileall
from collections import Counter
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from loaded import loaded

ROOT: Final = Path(__file__).parents[2]


def mutate() -> ModuleType:
    return loaded(ROOT / "scripts" / "mutate.py")


def test_the_lists_fit_the_code() -> None:
    module = mutate()
    mutants = module.mutants()
    assert [name for name, count in Counter(m.name for m in mutants).items() if count > 1] == []
    assert module.misfits(mutants) == []
    for mutant in mutants:
        assert mutant.was != mutant.becomes, mutant.name
        assert mutant.tests, mutant.name
    for test in sorted({test for mutant in mutants for test in mutant.tests}):
        file, _, name = test.partition("::")
        assert (ROOT / file).exists(), test
        assert not name or f"def {name.split('[')[0]}(" in (ROOT / file).read_text(), test


def test_what_is_no_python_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module = mutate()
    file = tmp_path / "src" / "tilewright" / "x.py"
    file.parent.mkdir(parents=True)
    file.write_text("a + b")
    monkeypatch.setattr(module, "mutated", partial(module.mutated, root=tmp_path))
    module.check_syntax(module.Mutant("n", "src/tilewright/x.py", "+", "-", ("tests",)))
    with pytest.raises(module.Misfit, match="is no Python"):
        module.check_syntax(module.Mutant("n", "src/tilewright/x.py", "+", "+ *", ("tests",)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a * b", r"stands 0 times in src/tilewright/x\.py, not once$"),
        ("a + b, a + b", "stands 2 times"),
        (None, r"n: there is no src/tilewright/x\.py"),
    ],
)
def test_a_mutant_that_fits_no_longer_is_reported(text: str | None, message: str, tmp_path: Path) -> None:
    module = mutate()
    mutant = module.Mutant("n", "src/tilewright/x.py", "a + b", "a - b", ("tests",))
    folder = tmp_path / "src" / "tilewright"
    folder.mkdir(parents=True)
    if text is not None:
        (folder / "x.py").write_text(text)
    with pytest.raises(module.Misfit, match=message):
        module.mutated(mutant, tmp_path)


def test_where_the_text_of_a_mutant_stands_now_is_told(tmp_path: Path) -> None:
    module = mutate()
    mutant = module.Mutant("n", "src/tilewright/x.py", "a + b", "a - b", ("tests",))
    folder = tmp_path / "src" / "tilewright" / "room"
    folder.mkdir(parents=True)
    (folder / "y.py").write_text("c = a + b")
    with pytest.raises(module.Misfit, match=r"no src/tilewright/x\.py; it stands in src/tilewright/room/y\.py"):
        module.mutated(mutant, tmp_path)


def test_a_broken_tree_is_whole_again(tmp_path: Path) -> None:
    module = mutate()
    mutant = module.Mutant("n", "src/tilewright/x.py", "1 + 1", "1 - 1", ("tests",))
    file = tmp_path / mutant.file
    file.parent.mkdir(parents=True)
    file.write_text("two = 1 + 1")
    compileall.compile_file(file, quiet=1)
    with module.broken(mutant, tmp_path):
        assert file.read_text() == "two = 1 - 1"
        assert not list(file.parent.rglob("*.pyc"))
    assert file.read_text() == "two = 1 + 1"


def test_rooms_and_the_table() -> None:
    module = mutate()
    rooms = [
        module.Mutant("n", f"src/tilewright/{path}", "a", "b", ("t",)).room
        for path in ("api.py", "ir/core.py", "targets/cpu/kernel.py", "targets/target.py", "frontends/tile_ir/x.py")
    ]
    assert rooms == ["(top)", "ir", "targets/cpu", "targets", "frontends/tile_ir"]
    verdicts = [module.Verdict("n", "ir", True, "t", 1.0), module.Verdict("m", "ir", False, "", 1.0)]
    table = module.table(verdicts, 3)
    assert "| ir | 1 | 2 | 50 |" in table
    assert "| all | 1 | 2 | 50 |" in table
    assert "survived: m (ir)" in table


def test_the_bars_are_85_per_cent_of_all_and_75_of_each_folder() -> None:
    module = mutate()

    def verdicts(room: str, killed: int, of: int) -> list[object]:
        return [module.Verdict(f"{room}{i}", room, i < killed, "", 1.0) for i in range(of)]

    assert module.shortfalls([*verdicts("ir", 3, 4), *verdicts("cli", 14, 16)]) == []
    assert module.shortfalls([*verdicts("ir", 2, 3), *verdicts("cli", 17, 17)]) == ["ir: 67 % < 75 %"]
    assert module.shortfalls([*verdicts("ir", 4, 5), *verdicts("cli", 4, 5)]) == ["all: 80 % < 85 %"]
