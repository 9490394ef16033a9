"""What the stages of a product end in becomes PTX that ptxas accepts, without memory of threads."""

from __future__ import annotations

import re

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
    Kernel(Case(64, 64, 128), "block=32x32x32 warp=32x16x32 buffers=2 order=2"),
    Kernel(Case(32, 64, 96, "f16", "f16"), "block=32x32x32 warp=16x32x32 buffers=2"),
    # with steps of 32 ptxas spills for sm_80: test_nothing_is_spilled_where_ptxas_is_told_of_one_block
    Kernel(Case(71, 45, 99), "block=32x32x16 warp=16x16x16 vector=1"),
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


@pytest.mark.parametrize(
    ("case", "schedule", "instructions"),
    [
        (Case(64, 32, 64), "block=32x32x32 warp=32x16x16", {"x4": 4, "x4.trans": 2, "f32.f16.f16.f32": 8}),
        (Case(32, 32, 64, "f16", "f16"), "block=32x32x32 warp=16x32x16", {"f16.f16.f16.f16": 8}),
        (Case(32, 32, 64, transposed="b"), "block=32x32x32 warp=16x16x16", {"x4": 4, "x4.trans": 0}),
        (Case(32, 32, 64, transposed="a"), "block=32x32x32 warp=16x16x16", {"x4": 0, "x4.trans": 4}),
        (Case(32, 32, 64, "i8", "i32"), "block=32x32x32 warp=16x16x16 pad=16", {"x2": 2, "x4.trans": 0}),
    ],
    ids=["plain", "sums of f16", "b transposed", "a transposed", "bytes"],
)
def test_warps_load_matrices(case: Case, schedule: str, instructions: dict[str, int], rng: np.random.Generator) -> None:
    """As many as there are in a step and in the one behind the loop."""
    kernel = Kernel(case, schedule)
    module = module_of(outcomes(case.text, schedule)[-1])
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), Report())
    launch = kernel.launch(rng)
    found = faults(launch, emulated(module).run(launch))
    assert not found, "; ".join(found)
    ptx = kernel.artifact(Architecture.SM_80).payload.decode()
    for name, count in instructions.items():
        if name.startswith("x"):
            assert ptx.count(f"ldmatrix.sync.aligned.m8n8.{name}.shared.b16") == count, name
        else:
            assert ptx.count(f"row.col.{name}") == count, name


def test_rows_are_copied_by_accesses_of_16_bytes() -> None:
    """Two of A and two of B of each thread, for the first tile and for those behind."""
    ptx = Kernel(Case(64, 64, 96), "block=32x32x32 warp=32x16x16").artifact(Architecture.SM_80).payload.decode()
    assert len(re.findall(r"ld\.global\.v4", ptx)) == len(re.findall(r"st\.shared\.v4", ptx)) == 6
    assert "ld.global.b16" not in ptx
    assert "st.shared.b16" not in ptx


def test_steps_copy_by_the_device(rng: np.random.Generator) -> None:
    """With two places: two of A and two of B of each thread in a step, which begin beside the products."""
    kernel = Kernel(Case(64, 64, 128), "block=32x32x32 warp=32x16x32 buffers=2")
    module = module_of(outcomes(kernel.case.text, kernel.schedule)[-1])
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), Report())
    launch = kernel.launch(rng)
    found = faults(launch, emulated(module).run(launch))
    assert not found, "; ".join(found)
    ptx = kernel.artifact(Architecture.SM_80).payload.decode()
    assert ptx.count("cp.async.cg.shared.global") == 4
    assert ptx.index("ldmatrix") < ptx.index("cp.async.cg") < ptx.index("mma.sync") < ptx.index("cp.async.wait_group")


@needs_ptxas
@pytest.mark.usefixtures("users_ptx")
def test_nothing_is_spilled_where_ptxas_is_told_of_one_block() -> None:
    """Left alone it keeps to 40 registers here, for 12 blocks a multiprocessor, and spills four."""
    kernel = Kernel(KERNELS[-1].case, "block=32x32x32 warp=16x16x16 vector=1")
    module = module_of(outcomes(kernel.case.text, kernel.schedule)[-1])
    target = NvidiaTarget(Architecture.SM_80).scheduled("resident=1")
    artifact = compile_module(module, target, CompileOptions(), Report())
    (resources,) = assemble(artifact.payload.decode(), Architecture.SM_80).kernels.values()
    assert resources.spill_store_bytes == resources.stack_bytes == 0


def test_threads_of_the_emulator(rng: np.random.Generator) -> None:
    """The text that the device gets, run without one, with a look at races."""
    kernel = Kernel(Case(32, 17, 33, "i8", "i32"), "block=16x16x16 warp=16x16x16 vector=1 pad=0")
    module = module_of(outcomes(kernel.case.text, kernel.schedule)[-1])
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), Report())
    launch = kernel.launch(rng)
    found = faults(launch, emulated(module).run(launch))
    assert not found, "; ".join(found)
