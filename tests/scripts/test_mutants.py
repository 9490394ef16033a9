"""The lists of mutants fit the code: every text stands in its file once, names are distinct, tests exist."""

from __future__ import annotations

import argparse
import compileall
import os
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from loaded import loaded

ROOT: Final = Path(__file__).parents[2]


def mutate() -> ModuleType:
    return loaded(ROOT / "scripts" / "mutate.py")


def verdicts_module() -> ModuleType:
    return loaded(ROOT / "scripts" / "mutate_verdicts.py")


def test_the_lists_fit_the_code() -> None:
    module = mutate()
    mutants = module.mutants()
    assert [name for name, count in Counter(m.name for m in mutants).items() if count > 1] == []
    assert module.misfits(mutants) == []
    for mutant in mutants:
        assert mutant.was != mutant.becomes, mutant.name
        assert mutant.tests, mutant.name
    for test in sorted({test for mutant in mutants for test in mutant.tests}):
        file, *within = test.split("::")
        assert (ROOT / file).exists(), test
        assert not within or f"def {within[-1].split('[')[0]}(" in (ROOT / file).read_text(), test


def test_what_is_no_python_is_refused(tmp_path: Path) -> None:
    module = mutate()
    file = tmp_path / "src" / "tilewright" / "x.py"
    file.parent.mkdir(parents=True)
    file.write_text("a + b")
    module.check_syntax(module.Mutant("n", "src/tilewright/x.py", "+", "-", ("tests",)), tmp_path)
    with pytest.raises(module.Misfit, match="is no Python"):
        module.check_syntax(module.Mutant("n", "src/tilewright/x.py", "+", "+ *", ("tests",)), tmp_path)


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
    said = verdicts_module()
    verdicts = [said.Verdict("n", "ir", True, 1.0, "t"), said.Verdict("m", "ir", False, 1.0)]
    table = said.table(verdicts, 3)
    assert "| ir | 1 | 2 | 50 |" in table
    assert "| all | 1 | 2 | 50 |" in table
    assert "survived: m (ir)" in table


def test_the_bars_are_85_per_cent_of_all_and_75_of_each_folder() -> None:
    module = verdicts_module()

    def verdicts(room: str, killed: int, of: int) -> list[object]:
        return [module.Verdict(f"{room}{i}", room, i < killed, 1.0) for i in range(of)]

    assert module.shortfalls([*verdicts("ir", 3, 4), *verdicts("cli", 14, 16)]) == []
    assert module.shortfalls([*verdicts("ir", 2, 3), *verdicts("cli", 17, 17)]) == ["ir: 67 % < 75 %"]
    assert module.shortfalls([*verdicts("ir", 4, 5), *verdicts("cli", 4, 5)]) == ["all: 80 % < 85 %"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of a program of one line, and tests of it that note each run."""
    for path, text in {
        # as in every copy: else pytest takes the settings of a folder further up, the sources there among them
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "src/tilewright/__init__.py": "",
        "src/tilewright/x.py": "two = 1 + 1\n",
        "tests/test_right.py": """
from pathlib import Path
import tilewright.x

def test_two():
    Path("runs").open("a").write("run ")
    assert tilewright.x.two == 2
""",
        "tests/test_wrong.py": "def test_three():\n    assert 3 == 4\n",
        "tests/test_blind.py": "def test_nothing():\n    pass\n",
        "tests/test_endless.py": """
import tilewright.x

def test_end():
    while tilewright.x.two != 2:
        pass
""",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_what_becomes_of_a_mutant(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = mutate()
    monkeypatch.setattr(module, "_SLOWER", 0.1)
    baseline = module.Baseline()

    def verdict(*tests: str, limit: float = 60.0) -> Any:
        names = [f"tests/test_{test}.py" for test in tests]
        mutant = module.Mutant("n", "src/tilewright/x.py", "+", "-", names)
        return module.tried(mutant, tree, module.Reach.NEAREST, limit, baseline)

    first = verdict("blind", "right")
    assert (first.by, first.unsound) == ("tests/test_blind.py tests/test_right.py", "")
    assert verdict("right").killed
    assert (tree / "runs").read_text() == "run " * 3, "once on the code as it is, twice with the mistake"
    assert not verdict("blind").killed
    assert verdict("endless", limit=1.0).by == "tests/test_endless.py, which did not end"
    unsound = verdict("right", "wrong")
    assert not unsound.killed
    assert "assert 3 == 4" in unsound.unsound
    assert unsound.unsound.startswith("tests/test_wrong.py: exit status 1")
    assert (tree / "src" / "tilewright" / "x.py").read_text() == "two = 1 + 1\n"


def test_mutants_whose_tests_fail_anyway_are_told_apart() -> None:
    module = verdicts_module()
    killed = module.Verdict("k", "ir", True, 1.0, "t")
    unsound = [module.Verdict(name, "cli", False, 1.0, unsound="t: no numpy") for name in ("a", "b")]
    text, status = module.summary([killed, *unsound], 0)
    assert status == 2
    assert "not tried: a, b, because without any mutant t: no numpy" in text
    assert "cli" not in text
    assert module.summary([killed], 0)[1] == 0
    assert module.summary(unsound, 0)[1] == 2


def test_tests_run_with_the_packages_of_this_run_but_with_the_source_of_their_tree(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = mutate()
    given = [str(ROOT / "src"), "/elsewhere/site", str(ROOT / "tests")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(given))
    assert module.environment(tree)["PYTHONPATH"].split(os.pathsep) == [str(tree / "src"), "/elsewhere/site"]
    monkeypatch.delenv("PYTHONPATH")
    assert module.environment(tree)["PYTHONPATH"] == str(tree / "src")


def a_mutant(name: str, *tests: str) -> Any:
    return mutate().Mutant(name, "src/tilewright/x.py", "+", "-", tests)


def test_parts_are_all_of_the_list_once_and_each_set_of_tests_is_in_one() -> None:
    module = mutate()
    chosen = [a_mutant(str(n), f"tests/{n % 5}.py") for n in range(11)]
    parts = [module.part(f"{k}/3").of(chosen) for k in range(1, 4)]
    assert sorted(int(m.name) for part in parts for m in part) == list(range(11))
    assert [len({m.tests for m in part}) for part in parts] == [2, 2, 1]
    for wrong in ("0/2", "3/2", "2", "x/y", "1/0"):
        with pytest.raises(argparse.ArgumentTypeError, match="is not K/N"):
            module.part(wrong)


def test_little_tests_come_first_and_none_twice_before_all_came(tmp_path: Path) -> None:
    for name, size in (("tests/long.py", 20), ("tests/room/a.py", 6), ("tests/room/b.py", 6), ("tests/short.py", 9)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("#" * size)
    named = (("tests/long.py",), ("tests/long.py",), ("tests/room",), ("tests/short.py::test", "tests/short.py"))
    chosen = [a_mutant(str(n), *tests) for n, tests in enumerate(named)]
    assert [m.name for m in mutate().in_order(chosen, tmp_path)] == ["2", "3", "0", "1"]


def test_what_died_in_earlier_runs_is_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module, said = mutate(), verdicts_module()
    chosen = [a_mutant(name, "tests/scripts") for name in ("dead", "alive", "another", "new")]
    dead, alive, another, _ = (
        said.Verdict(m.name, m.room, m.name != "alive", 1.0, "t", digest=m.digest) for m in chosen
    )
    said.write_verdicts([alive, said.Verdict("another", "ir", True, 1.0, "t", digest="of other text")], tmp_path / "a")
    said.write_verdicts([dead], tmp_path / "b")
    tried: list[str] = []

    def all_tried(trying: list[Any], *_: object) -> list[Any]:
        tried.extend(m.name for m in trying)
        return [another]

    def no_misfits(_: object) -> list[str]:
        return []

    monkeypatch.setattr(module, "all_tried", all_tried)
    monkeypatch.setattr(module, "mutants", lambda: chosen)
    monkeypatch.setattr(module, "misfits", no_misfits)
    known = [str(tmp_path / "a"), str(tmp_path / "b")]
    monkeypatch.setattr(sys, "argv", ["mutate", "--known", *known, "--json", str(tmp_path / "c")])
    assert module.main() == 1, "two thirds are below the bar"
    assert sorted(tried) == ["alive", "another", "new"]
    assert said.read_verdicts([tmp_path / "c"]) == [alive, another, dead]
    assert "1 others neither" in capsys.readouterr().out


def test_of_several_records_the_one_by_which_a_mutant_is_dead_holds(tmp_path: Path) -> None:
    """Nobody tries it again; else that of the last file."""
    said = verdicts_module()

    def verdict(killed: bool, seconds: float, digest: str = "d") -> Any:
        return said.Verdict("n", "ir", killed, seconds, "t" if killed else "", digest=digest)

    for number, found in enumerate([verdict(False, 1), verdict(True, 2), verdict(False, 3), verdict(False, 4, "e")]):
        said.write_verdicts([found], tmp_path / str(number))
    paths = [tmp_path / str(number) for number in range(4)]
    assert said.read_verdicts(paths) == [verdict(True, 2), verdict(False, 4, "e")]
    assert said.read_verdicts(paths[2:3] + paths[:1]) == [verdict(False, 1)]
    assert [path.name for path in sorted(tmp_path.iterdir())] == list("0123"), "nothing half written is left"


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    module = mutate()
    monkeypatch.setattr(sys, "argv", ["mutate"])
    monkeypatch.setattr(module, "_NEEDED", ("numpy", "no_such_package"))
    assert module.main() == 2
    assert "no test runs without no_such_package" in capsys.readouterr().out
