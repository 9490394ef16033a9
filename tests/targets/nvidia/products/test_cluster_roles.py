"""Producer warps of blocks in clusters, which fill each other's stages: one meaning, and what each wait is for."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from targets.nvidia.case import Launch
from targets.nvidia.emulator.races import RaceError
from targets.nvidia.emulator.text import EmulatorError
from targets.nvidia.products.test_clusters import changed, check, emulate, gemm, given_for
from targets.nvidia.products.test_levels import levels, read_back, some
from targets.nvidia.products.test_products import emitted
from targets.nvidia.test_ptx import needs_ptxas
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import gpu_clusters, gpu_tensors, lane_roles, scf
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Operation
from tilewright.ir.verifier import verified
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx

ROLES = "threads=128 tile=64x64x64 roles=yes product=64x64x64:wgmma.m64n64k16.f32.f16/1x1/3"
PINGPONG = f"{ROLES} pingpong=yes"
SHAPE = (200, 136, 320)
ERRORS = (KernelError, AssertionError)


def lanes(extents: tuple[int, int, int], kind: str, schedule: str) -> Module:
    *_, module = levels(gemm(extents, kind), Architecture.SM_90A, schedule)
    return module


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    ("cluster", "kind", "extents", "parts"),
    [("2x1", "n.n", SHAPE, 4), ("1x2", "t.n", (136, 200, 128), 2), ("2x2", "n.t", (136, 200, 128), 64)],
)
def test_every_level_means_the_product(
    cluster: str, kind: str, extents: tuple[int, int, int], parts: int, rng: np.random.Generator
) -> None:
    """More steps than stages, and fewer; tiles beyond the edge; clusters that go on, and one a tile."""
    for module in some(levels(gemm(extents, kind), Architecture.SM_90A, f"{ROLES} cluster={cluster}"), rng):
        assert f"roles=yes cluster={cluster}" in (module.kernels[0].schedule or "")
        check(module, given_for(extents, kind, rng), random.Random(int(rng.integers(1 << 30))), parts)


@pytest.mark.parametrize(
    ("cluster", "kind", "extents", "parts"),
    [("1x2", "t.t", SHAPE, 2), ("2x2", "n.n", (200, 200, 192), 4), ("2x1", "n.t", (320, 136, 128), 2)],
)
def test_sides_take_turns_in_clusters(
    cluster: str, kind: str, extents: tuple[int, int, int], parts: int, rng: np.random.Generator
) -> None:
    module = lanes(extents, kind, f"{PINGPONG} cluster={cluster}")
    assert f"pingpong=yes cluster={cluster}" in (module.kernels[0].schedule or "")
    check(module, given_for(extents, kind, rng), random.Random(int(rng.integers(1 << 30))), parts)


@pytest.mark.parametrize("schedule", [ROLES, PINGPONG])
def test_the_emulated_device_means_the_product(schedule: str, rng: np.random.Generator) -> None:
    """Other warps of the producer's group have ended when blocks meet."""
    extents = (128, 136, 256)
    llvm, kernel = emitted(gemm(extents, "n.t"), schedule=f"{schedule} cluster=1x2")
    assert "cluster=1x2" in kernel.facts[SCHEDULE]
    emulate(llvm, kernel, given_for(extents, "n.t", rng), random.Random(int(rng.integers(1 << 30))))


# What goes wrong is found


def of(kernel: Kernel, *kinds: type[Operation]) -> list[Operation]:
    return [op for op in kernel.walk() if isinstance(op, kinds)]


def nobody_waits_at_the_end(kernel: Kernel) -> None:
    for op in of(kernel, gpu_tensors.AwaitPhase):
        if not isinstance(op.parent_op, scf.For):
            op.erase()


def nothing_is_released(kernel: Kernel) -> None:
    for op in of(kernel, gpu_clusters.ReleaseByWarps):
        op.erase()


def nobody_awaits_readers(kernel: Kernel) -> None:
    for op in of(kernel, gpu_tensors.AwaitReaders):
        op.erase()


def the_own_warps_are_enough(kernel: Kernel) -> None:
    for op in kernel.walk():
        if isinstance(op, gpu_tensors.OpenBarriers) and op.arrivals > 1:
            op.arrivals //= 2


def blocks_do_not_meet(kernel: Kernel) -> None:
    for op in kernel.walk():
        if isinstance(op, lane_roles.Meet):
            op.cluster = False


def the_other_factor_is_shared(kernel: Kernel) -> None:
    for op in kernel.walk():
        if isinstance(op, gpu_clusters.MulticastTensor):
            op.side = 1 - op.side


MISTAKES = [
    nobody_waits_at_the_end,
    nothing_is_released,
    nobody_awaits_readers,
    the_own_warps_are_enough,
    blocks_do_not_meet,
    the_other_factor_is_shared,
]


@pytest.fixture(scope="module")
def placed() -> Module:
    """Two clusters of four blocks, which have two tiles each, on the lane level."""
    return lanes((320, 200, 320), "n.n", f"{ROLES} cluster=2x2")


@pytest.mark.covering(0)
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_mistakes_are_found(mistake: Callable[[Kernel], None], placed: Module, rng: np.random.Generator) -> None:
    module, given = read_back(placed), given_for((320, 200, 320), "n.n", rng)
    check(module, given, random.Random(0), 8)
    mistake(module.kernels[0])
    with pytest.raises(ERRORS):
        check_orders(module, given)


def check_orders(module: Module, given: Launch) -> None:
    for order in (None, *map(random.Random, range(6))):
        check(module, given, order, 8)


def test_arrivals_that_go_nowhere_else_are_found_on_the_device(rng: np.random.Generator) -> None:
    extents = (128, 128, 320)
    llvm, kernel = emitted(gemm(extents), schedule=f"{ROLES} cluster=2x1")
    llvm = changed(llvm, r"(@llvm.nvvm.mapa.shared.cluster\(.*), i32 [^)]*\)", r"\1, i32 0)")
    with pytest.raises((RaceError, EmulatorError, AssertionError)):
        emulate(llvm, kernel, given_for(extents, "n.n", rng))


def test_what_the_verifier_says(placed: Module) -> None:
    module = read_back(placed)
    meet = next(op for op in module.walk() if isinstance(op, lane_roles.Meet))
    meet.sides = True
    with pytest.raises(Exception, match="either the work-groups of a block meet or all blocks of a cluster"):
        verified(module)
    module = read_back(placed)
    module.kernels[0].cluster = None
    with pytest.raises(Exception, match="the kernel has no clusters"):
        verified(module)


def test_a_ring_without_tiles_around_it_is_closed_behind_its_last_reader(rng: np.random.Generator) -> None:
    """Whoever has read the last stage says so at a barrier that is still open."""
    module = lanes((64, 64, 192), "n.n", f"{ROLES} spread=no")
    assert "roles=yes" in (module.kernels[0].schedule or "")
    check(module, given_for((64, 64, 192), "n.n", rng), random.Random(1), 1)


@needs_ptxas
@pytest.mark.usefixtures("users_ptx")
def test_ptxas_takes_it() -> None:
    asked = "threads=256 tile=256x128x64 roles=yes cluster=1x2"
    llvm, kernel = emitted(gemm((512, 512, 512), total="f16"), schedule=asked)
    ptx = compile_to_ptx(llvm, Architecture.SM_90A)
    assert ptx.count(".multicast::cluster") > 0
    assert "setmaxnreg.inc" in ptx
    assert "mbarrier.arrive.release.cluster" not in ptx
    # of both roles
    assert ptx.count("barrier.cluster.arrive.relaxed.aligned") == ptx.count("barrier.cluster.arrive") == 2
    found = assemble(ptx, Architecture.SM_90A).kernels[kernel.symbol]
    assert found.spill_load_bytes == found.spill_store_bytes == found.stack_bytes == 0
