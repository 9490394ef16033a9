"""Cases in the IR's own text by way of lanes, interpreted and emulated; test_emulated.py has those of the language."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.compile_options import CompileOptions
from tilewright.compiler import lower_module
from tilewright.diagnostics import Report
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.target import NvidiaTarget

from .case import faults
from .emulated import emulated
from .lane_level import interpreted
from .test_kernels import CASES, words

ALL = {words(case): case for case in CASES if not case.language}


@pytest.mark.covering(1)
@pytest.mark.parametrize("kind", ALL, ids=[case.name for case in ALL.values()])
def test_right_answers(kind: tuple[str, ...], rng: np.random.Generator) -> None:
    """A usual run takes each kind of kernel, each type and all takers; test_interpreted.py has all cases as tiles."""
    case = ALL[kind]
    module, seed = case.module(), int(rng.integers(1 << 32))
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(verify_each=True), Report())
    assert not (module.kernels[0].schedule or "").startswith("elements")
    for is_device in (False, True):
        launch = case.prepare(np.random.default_rng(seed))
        found = faults(launch, emulated(module).run(launch) if is_device else interpreted(module, launch))
        assert not found, "; ".join(found)
