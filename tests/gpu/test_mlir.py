"""Programs of MLIR in all the forms that the stock tool prints, on a GPU."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from frontends.mlir.cases import CASES
from frontends.mlir.forms import PRINTED, PROGRAMS, WRITTEN_PROGRAMS
from frontends.mlir.test_programs import compare
from frontends.mlir.written_cases import WRITTEN
from gpu.test_tlx import launch
from tilewright.machine.cuda import driver

pytestmark = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")


@pytest.mark.parametrize("path", [*PROGRAMS, *WRITTEN_PROGRAMS, *PRINTED], ids=lambda p: p.name)
def test_right_answers(path: Path, rng: np.random.Generator) -> None:
    case = {**CASES, **WRITTEN}[path.stem.partition(".")[0]]
    arguments = case.arguments(rng)
    inputs: list[Any] = deepcopy(arguments)
    expected = case.expected(*deepcopy(arguments))
    launch(tw.compile(path, target="nvidia", cache=False), arguments)
    for given, found, wanted in zip(inputs, arguments, expected, strict=True):
        compare(path, found, given if wanted is None else wanted, 0.0 if wanted is None else case.tolerance)
