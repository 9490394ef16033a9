"""What takes turns is there, and few mistakes are noticed by it alone."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from loaded import loaded
from turns import read_turns, without_parameters

ROOT: Final = Path(__file__).parents[2]


def test_few_mutants_need_what_takes_turns() -> None:
    """Most usual runs would not notice them."""
    turns = read_turns(ROOT / "tests" / "turns.toml").seconds
    mutants = loaded(ROOT / "scripts" / "mutate_list.py").mutants()
    lone = [mutant.name for mutant in mutants if all(without_parameters(test) in turns for test in mutant.tests)]
    assert len(lone) < 0.04 * len(mutants), f"strike the tests of some of these out of tests/turns.toml: {lone}"


def test_what_takes_turns_exists() -> None:
    """A test that has another name now runs each time: its line has to have it too."""
    missing: list[str] = []
    for name in read_turns(ROOT / "tests" / "turns.toml").seconds:
        file, _, test = name.partition("::")
        path = ROOT / file
        if not path.exists() or f"def {test.rpartition('::')[2]}(" not in path.read_text():
            missing.append(name)
    assert not missing
