"""Every case becomes PTX that ptxas accepts."""

from __future__ import annotations

import pytest

from tilewright.artifacts.parameters import entry_symbols, with_stand_ins
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import assemble, find_assembler

from .case import Case
from .cases_exchanges import exchange_cases
from .cases_kernels import kernel_cases
from .cases_language import language_cases
from .cases_runs import run_cases
from .cases_scalars import scalar_cases
from .cases_spmd import spmd_cases
from .cases_tiles import tile_cases

WHOLE_KERNELS = [*language_cases(), *kernel_cases()]
CASES = [*WHOLE_KERNELS, *scalar_cases(), *spmd_cases(), *tile_cases(), *exchange_cases(), *run_cases()]
NAMED = {case.name: case for case in CASES}


def words(case: Case) -> tuple[str, ...]:
    """The parts of a name: what kind of kernel, types of elements, who takes part; `covering` takes each part once."""
    return tuple(case.name.split("-"))


# Subgroups of 8 and 32 differ from those of 16 in constants only; tests/gpu runs them.
ASSEMBLED = [case for case in CASES if not case.name.endswith(("-subgroup8", "-subgroup32"))]


@pytest.mark.covering(1)
@pytest.mark.parametrize(
    ("name", "architecture"),
    [
        *((words(case), Architecture.SM_80) for case in ASSEMBLED),
        *((words(case), Architecture.SM_90A) for case in WHOLE_KERNELS),
    ],
    ids=lambda each: each.value if isinstance(each, Architecture) else "-".join(each),
)
def test_accepted(name: tuple[str, ...], architecture: Architecture) -> None:
    """Whole kernels for either architecture; a usual run takes each kind of kernel and each type of elements."""
    assemble_all(NAMED["-".join(name)], architecture)


def assemble_all(case: Case, architecture: Architecture) -> None:
    """Compile a case; where ptxas is, it takes the text."""
    artifact = case.artifact(architecture)
    if find_assembler() is not None:
        resources = assemble(artifact.payload.decode(), architecture).kernels
        infos = (info for head in artifact.kernels for info in with_stand_ins(head))
        assert set(resources) == {symbol for info in infos for symbol in entry_symbols(info)}
