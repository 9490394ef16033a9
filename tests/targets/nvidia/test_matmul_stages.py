"""What the stages of a product end in becomes PTX that ptxas accepts, without memory of threads."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from msgspec import Struct

from tilewright.artifacts.artifact import Artifact
from tilewright.compile_options import CompileOptions
from tilewright.compiler import compile_module, lower_module
from tilewright.diagnostics import Report
from tilewright.dialects import gpu_products, scf, team
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Operation
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import assemble
from tilewright.targets.nvidia.target import NvidiaTarget
from transforms.matmul_stages.products import Case, module_of, outcomes, schedule_of

from .case import Launch, faults
from .emulated import emulated
from .emulator.races import RaceError
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
    Kernel(Case(32, 64, 160, "f16", "f16"), "block=32x32x32 warp=16x32x32 buffers=4 ahead=1"),
    Kernel(Case(71, 45, 99, opened="ijk"), "block=32x32x32 warp=16x16x16 vector=1 buffers=3 ahead=1"),
    Kernel(Case(64, 128, 64), "block=32x128x32 warp=32x32x32 swizzle=yes"),
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
        (
            Case(32, 64, 128),
            "block=32x64x64 warp=32x32x32 swizzle=yes shared=65536 buffers=3 ahead=1",
            {"x4": 16, "x4.trans": 16},
        ),
        (Case(32, 32, 64), "block=32x32x32 warp=32x16x16 swizzle=yes", {"x4": 4, "x4.trans": 2}),
        (Case(32, 64, 64), "block=32x64x16 warp=32x64x16 swizzle=yes buffers=2", {"x4": 4, "x4.trans": 8}),
        (Case(32, 32, 64, transposed="b"), "block=32x32x32 warp=16x16x16", {"x4": 4, "x4.trans": 0}),
        (Case(32, 32, 64, transposed="a"), "block=32x32x32 warp=16x16x16", {"x4": 0, "x4.trans": 4}),
        (Case(32, 32, 64, "i8", "i32"), "block=32x32x32 warp=16x16x16 pad=16", {"x2": 2, "x4.trans": 0}),
    ],
    ids=[
        "plain",
        "sums of f16",
        "swizzled ring",
        "swizzled",
        "four rows at once",
        "b transposed",
        "a transposed",
        "bytes",
    ],
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


@pytest.mark.parametrize("more", ["", " swizzle=yes"])
def test_rows_are_copied_by_accesses_of_16_bytes(more: str) -> None:
    """Two of A and two of B of each thread, for the first tile and for those behind."""
    ptx = Kernel(Case(64, 64, 96), f"block=32x32x32 warp=32x16x16{more}").artifact(Architecture.SM_80).payload.decode()
    assert len(re.findall(r"ld\.global\.v4", ptx)) == len(re.findall(r"st\.shared\.v4", ptx)) == 6
    assert "ld.global.b16" not in ptx
    assert "st.shared.b16" not in ptx


@pytest.mark.parametrize(
    ("case", "schedule", "width"),
    [
        (Case(64, 64, 64), "block=32x32x32 warp=32x16x16", "v2.b32"),
        (Case(64, 64, 64, "f16", "f16"), "block=32x32x32 warp=32x16x16", "b32"),
        (Case(64, 64, 64, "f64", "f64"), "block=32x32x16 warp=16x16x16", "v2.b64"),
        (Case(64, 64, 64), "block=32x32x32 warp=32x16x16 vector=1", "b32"),
        (Case(64, 64, 64, "f16", "f16"), "block=32x32x32 warp=32x16x16 vector=1", "b16"),
    ],
    ids=str,
)
def test_lanes_access_neighbours_of_c_at_once(case: Case, schedule: str, width: str, rng: np.random.Generator) -> None:
    """Where rows of C begin at multiples of two elements, which launches promise unless copies are of one element."""
    kernel = Kernel(case, schedule)
    ptx = kernel.artifact(Architecture.SM_80).payload.decode()
    assert set(re.findall(r"st\.global\.(\S+)", ptx)) == {width}
    module = module_of(outcomes(case.text, schedule)[-1])
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), Report())
    launch = kernel.launch(rng)
    assert not faults(launch, emulated(module).run(launch))


RING = Kernel(Case(64, 64, 160), "block=32x32x32 warp=32x16x32 buffers=3 ahead=1")


def test_steps_copy_by_the_device() -> None:
    """Two of A and two of B of each thread in a step, which begin beside the products; one group may be on its way."""
    ptx = RING.artifact(Architecture.SM_80).payload.decode()
    (step,) = (part for part in ptx.split("$L__BB") if "mma.sync" in part and "cp.async.cg" in part)
    assert step.count("cp.async.cg.shared.global") == 4
    names = ("cp.async.cg", "cp.async.commit_group", "mma.sync", "cp.async.wait_group \t1", "barrier.sync")
    places = [step.index(name) for name in names]
    assert places == sorted(places)
    assert step.index("ldmatrix", places[-1]) < step.rindex("mma.sync")
    assert ptx.rindex("cp.async.wait_group \t0") > ptx.rindex("mma.sync")


@pytest.mark.usefixtures("users_ptx")
def test_where_a_swizzle_moves_what_is_computed_in_front_of_the_steps() -> None:
    """What changes from step to step are whole periods; LLVM leaves little of the rest in the loop."""
    kernel = Kernel(Case(64, 128, 160), "block=64x128x32 warp=32x64x32 buffers=3 ahead=1 swizzle=yes")
    ptx = kernel.artifact(Architecture.SM_80).payload.decode()
    (step,) = (part for part in ptx.split("$L__BB") if "mma.sync" in part and "cp.async.cg" in part)
    assert step.count("xor.b") < (step.count("ldmatrix.sync") + step.count("cp.async.cg")) // 4
    assert "xor.b" in ptx


def no_wait(module: Module) -> None:
    """A step does not wait for copies."""
    in_loop(module, gpu_products.AwaitCopies).erase()


def waits_for_less(module: Module) -> None:
    """A step leaves one group more on its way."""
    in_loop(module, gpu_products.AwaitCopies).attributes["pending"] = 2


def no_barrier(module: Module) -> None:
    """A step does not wait for other threads."""
    in_loop(module, team.Barrier).erase()


def a_place_too_few(module: Module) -> None:
    """Copies go to the place that is read."""
    names = {value.name: value for op in module.walk() for value in op.results}
    names["free_place"].replace_all_uses_with(names["place"])


def in_loop(module: Module, kind: type[Operation]) -> Operation:
    """The operation in the loop along k."""
    loops = [op for op in module.walk() if isinstance(op, scf.For)]
    return next(op for loop in loops for op in loop.walk() if isinstance(op, kind))


@pytest.mark.covering(0)
@pytest.mark.parametrize("mutate", [None, no_wait, waits_for_less, no_barrier, a_place_too_few])
def test_the_emulator_notices_what_a_ring_lacks(
    mutate: Callable[[Module], None] | None, rng: np.random.Generator
) -> None:
    module = module_of(outcomes(RING.case.text, RING.schedule)[-1])
    if mutate is not None:
        mutate(module)
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), Report())
    launch = RING.launch(rng)
    try:
        found = faults(launch, emulated(module).run(launch))
    except RaceError as race:
        found = [str(race)]
    assert bool(found) == (mutate is not None)


@needs_ptxas
@pytest.mark.usefixtures("users_ptx")
@pytest.mark.parametrize(
    ("schedule", "most"),
    [
        ("block=128x128x64 warp=64x32x32 pad=8", 128),
        ("block=128x128x64 warp=64x64x32 pad=8", 254),
        ("block=128x256x64 warp=64x64x64 shared=232448 swizzle=yes buffers=4 ahead=1 order=16", 232),
    ],
)
def test_registers_of_threads_of_large_tiles(schedule: str, most: int) -> None:
    """Two blocks of the tiles of the paper run on a multiprocessor; of those with larger ones nothing is spilled."""
    kernel = Kernel(Case(8192, 8192, 8192), f"{schedule} vector=8")
    artifact = kernel.artifact(Architecture.SM_90A)
    (resources,) = assemble(artifact.payload.decode(), Architecture.SM_90A).kernels.values()
    assert resources.registers <= most
    assert resources.spill_store_bytes == resources.spill_load_bytes == resources.stack_bytes == 0


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
