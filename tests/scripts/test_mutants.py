"""The lists of mutants fit the code: every text stands in its file once, names are distinct, tests exist."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]


def mutate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutate", ROOT / "scripts" / "mutate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_lists_fit_the_code() -> None:
    module = mutate()
    mutants = module.mutants()
    assert [name for name, count in Counter(m.name for m in mutants).items() if count > 1] == []
    for mutant in mutants:
        text = (ROOT / mutant.file).read_text()
        broken = module.mutated(mutant, text)
        assert broken != text
        compile(broken, mutant.file, "exec")
        assert mutant.tests, mutant.name
        assert all((ROOT / test.split("::")[0]).exists() for test in mutant.tests), mutant.name


def test_a_text_that_is_gone_is_reported() -> None:
    module = mutate()
    mutant = module.Mutant("n", "src/tilewright/x.py", "a + b", "a - b", ("tests",))
    with pytest.raises(ValueError, match="stands 0 times"):
        module.mutated(mutant, "a * b")
    with pytest.raises(ValueError, match="stands 2 times"):
        module.mutated(mutant, "a + b, a + b")


def test_rooms_and_the_table() -> None:
    module = mutate()
    rooms = [
        module.Mutant("n", f"src/tilewright/{path}", "a", "b", ("t",)).room
        for path in ("api.py", "ir/core.py", "targets/cpu/kernel.py", "targets/target.py")
    ]
    assert rooms == ["(top)", "ir", "targets/cpu", "targets"]
    verdicts = [module.Verdict("n", "ir", True, "t", 1.0), module.Verdict("m", "ir", False, "", 1.0)]
    assert "| ir | 1 | 2 | 50 |" in module.table(verdicts, 3)
    assert module.table(verdicts, 3).endswith("survived: m (ir)")
