"""Every case becomes PTX that ptxas accepts for both architectures."""

from __future__ import annotations

import pytest

from tilewright.targets.nvidia.ptx import Architecture, assemble, find_assembler

from .case import Case
from .cases_kernels import kernel_cases
from .cases_language import language_cases
from .cases_scalars import scalar_cases
from .cases_spmd import spmd_cases
from .cases_tiles import tile_cases

CASES = [*language_cases(), *kernel_cases(), *scalar_cases(), *spmd_cases(), *tile_cases()]


@pytest.mark.parametrize("architecture", list(Architecture), ids=lambda a: a.value)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_accepted(case: Case, architecture: Architecture) -> None:
    artifact = case.artifact(architecture)
    if find_assembler() is not None:
        resources = assemble(artifact.payload.decode(), architecture).kernels
        assert set(resources) == {info.symbol for info in artifact.kernels}
