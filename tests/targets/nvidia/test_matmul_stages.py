"""What the stages of a product end in becomes PTX that ptxas accepts, without memory of threads."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec import Struct

from tilewright.artifacts.artifact import Artifact
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, lower_module
from tilewright.diagnostics import Report
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import assemble
from tilewright.targets.nvidia.target import NvidiaTarget
from transforms.matmul_stages.products import Case, module_of, outcomes, schedule_of

from .case import Launch, faults
from .emulated import emulated
from .test_ptx import needs_ptxas


class Kernel(Struct, frozen=True):
    """A product through all stages."""

    case: Case
    schedule: str

    @property
    def grid(self) -> tuple[int, int]:
        """As many work-groups as there are whole tiles."""
        rows, columns, _ = schedule_of(self.schedule).block
        return max(self.case.n // columns, 1), max(self.case.m // rows, 1)

    def artifact(self, architecture: Architecture) -> Artifact:
        """Code for a device."""
        module = module_of(outcomes(self.case.text, self.schedule)[-1])
        return compile_module(module, NvidiaTarget(architecture), CompileOptions(), Report())

    def launch(self, rng: np.random.Generator) -> Launch:
        """Arguments, as the kernel has them: with dimensions in reverse."""
        a, b, c = self.case.arrays(rng)
        return Launch([a.T, b.T, c.T], {2: self.case.expected(a, b, c).T}, (*self.grid, 1))


KERNELS = [
    Kernel(Case(128, 64, 96), "block=64x32x32 warp=32x16x16"),
    Kernel(Case(64, 64, 64, "f16", "f16"), "block=32x32x32 warp=16x16x16"),
    Kernel(Case(64, 96, 64, "i8", "i32"), "block=32x32x32 warp=16x16x16 pad=16"),
    Kernel(Case(64, 32, 96, "bf16", "f32"), "block=32x32x32 warp=16x16x16"),
    Kernel(Case(64, 64, 64, "f32", "f32", "a"), "block=32x32x32 warp=16x16x16"),
    Kernel(Case(64, 64, 64, "f32", "f32"), "block=32x32x32 warp=16x16x16 precision=tf32"),
    Kernel(Case(71, 45, 99, "f64", "f64", "b"), "block=32x32x32 warp=16x16x16 vector=1"),
    Kernel(Case(64, 32, 96, transposed="a"), "block=32x32x32 warp=16x16x16"),
    Kernel(Case(64, 32, 96, transposed="b"), "block=32x32x32 warp=16x16x16"),
    Kernel(Case(71, 45, 99, opened="ijk"), "block=32x32x32 warp=16x16x16 vector=1"),
    Kernel(Case(71, 30, 64, opened="i"), "block=32x16x32 warp=16x16x16 vector=2"),
    Kernel(Case(64, 64, 64, "f32", "f32", second="f16"), "block=32x32x32 warp=16x16x16"),
    Kernel(Case(64, 96, 64, "i8", "i32", second="i16"), "block=32x32x32 warp=16x16x16 pad=16"),
    Kernel(Case(71, 45, 99), "block=32x32x32 warp=16x16x16 vector=1"),
]


@needs_ptxas
@pytest.mark.covering(1)
@pytest.mark.parametrize("architecture", list(Architecture), ids=lambda a: a.value)
@pytest.mark.parametrize("kernel", [KERNELS[0], KERNELS[-1]], ids=str)
@pytest.mark.usefixtures("users_ptx")
def test_ptxas_accepts_the_kernel(kernel: Kernel, architecture: Architecture) -> None:
    (resources,) = assemble(kernel.artifact(architecture).payload.decode(), architecture).kernels.values()
    assert resources.registers <= 255
    assert resources.spill_store_bytes == resources.spill_load_bytes == resources.stack_bytes == 0


def test_threads_of_the_emulator(rng: np.random.Generator) -> None:
    """The text that the device gets, run without one, with a look at races."""
    kernel = Kernel(Case(32, 17, 33, "i8", "i32"), "block=16x16x16 warp=16x16x16 vector=1 pad=0")
    module = module_of(outcomes(kernel.case.text, kernel.schedule)[-1])
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), Report())
    launch = kernel.launch(rng)
    found = faults(launch, emulated(module).run(launch))
    assert not found, "; ".join(found)
