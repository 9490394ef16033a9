"""The modules of `benchmarks/`, which is a folder of scripts and no package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def imported() -> Generator[Callable[[str], ModuleType]]:
    """Imports a module by the name that scripts know it by."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
        yield importlib.import_module
