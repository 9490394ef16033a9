"""stream-K: blocks that share the terms of tiles: one meaning on every level, whatever their number, and who waits."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

import tilewright as tw
from targets.nvidia.case import Array, Launch, faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.emulator.races import RaceError
from targets.nvidia.products.test_clusters import gemm, given_for, the
from targets.nvidia.products.test_levels import levels, read_back
from targets.nvidia.products.test_products import emitted
from targets.nvidia.test_ptx import needs_ptxas
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import scf, team, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.interpreter.engine import interpret
from tilewright.ir.verifier import verified
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx

TILES = "threads=128 tile=64x64x64 product=64x64x64:wgmma.m64n64k16.f32.f16/1x1/4 copies=tensor stream=yes"
EXTENTS = (200, 136, 320)
"""Four by three tiles of five steps."""
UNEVEN = (200, 128, 320)
"""Four by two."""


def result(module: Module, given: Launch, parts: int, *, checked: bool = False) -> Array:
    arrays = [np.array(argument, order="K") for argument in given.arguments]
    interpret(module.kernels[0], arrays, given.grid, parts=parts, checked=checked)
    found = faults(given, {2: arrays[2]})
    assert not found, found
    return arrays[2]


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    ("kind", "extents", "more", "parts"),
    [
        ("n.n", EXTENTS, "persistent=yes", 7),
        ("t.n", EXTENTS, "persistent=yes stores=threads", 5),
        ("n.t", (320, 136, 130), "persistent=no", 8),
        ("t.t", (136, 200, 448), "persistent=yes", 9),
        ("n.t", (320, 136, 320), "persistent=yes cluster=2x1", 8),
    ],
)
def test_every_level_means_the_product(
    kind: str, extents: tuple[int, int, int], more: str, parts: int, rng: np.random.Generator
) -> None:
    """One wave that is shared and a rest, two of which one is whole; blocks that share, fill the device, or are too
    many, on elements whose sums are exact in any order."""
    given = given_for(extents, kind, rng)
    for number, module in enumerate(levels(gemm(extents, kind), Architecture.SM_90A, f"{TILES} {more}")):
        assert "stream=yes" in (module.kernels[0].schedule or "")
        shared = result(module, given, parts, checked=True)
        others = (1, 4, 6, 12, 16) if number == 0 else ()
        assert all(np.array_equal(result(module, given, other), shared) for other in others)


def test_blocks_have_two_whole_tiles_in_front(rng: np.random.Generator) -> None:
    """Fifteen tiles for eight blocks: the steps of some begin and end with a tile."""
    extents = (320, 136, 130)
    module = next(levels(gemm(extents, "n.t"), Architecture.SM_90A, f"{TILES} persistent=no"))
    result(module, given_for(extents, "n.t", rng), 8)


@pytest.mark.covering(0)
@pytest.mark.parametrize("kind", ["n.n", "t.n"])
def test_the_emulated_device_means_the_product(kind: str, rng: np.random.Generator) -> None:
    """With extents that are known at a launch only; the flags are 0 again."""
    given = given_for(UNEVEN, kind, rng)
    llvm, kernel = emitted(gemm(UNEVEN, kind), schedule=f"{TILES} persistent=yes")
    assert "stream=yes" in kernel.facts[SCHEDULE]
    assert kernel.launch is not None
    assert kernel.launch.flag_bytes
    order = random.Random(int(rng.integers(1 << 30)))
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given, schedule=order))
    assert not found, found


def test_missing_barriers_are_races_of_the_device(rng: np.random.Generator) -> None:
    """Where the store that publishes releases nothing, another block reads without order."""
    llvm, kernel = emitted(gemm(UNEVEN), schedule=f"{TILES} persistent=yes")
    assert llvm.count(" release, ") == llvm.count(" acquire, ") >= 1
    given = given_for(UNEVEN, "n.n", rng)
    for order in ("release", "acquire"):
        broken = llvm.replace(f" {order}, ", " monotonic, ")
        with pytest.raises(RaceError, match="blocks"):
            Emulated(Program(broken), (kernel,)).run(given)


# What goes wrong is found


def nobody_publishes(kernel: Kernel) -> None:
    for op in [op for op in kernel.walk() if isinstance(op, team.Publish)]:
        op.erase()


def nobody_waits(kernel: Kernel) -> None:
    for op in [op for op in kernel.walk() if isinstance(op, team.AwaitPublished)]:
        op.erase()


def published_too_early(kernel: Kernel) -> None:
    for op in [op for op in kernel.walk() if isinstance(op, team.Publish)]:
        assert op.block is not None
        store = next(other for other in op.block if isinstance(other, tile.Store))
        Builder.before_op(store)(op.clone({}))
        op.erase()


def the_next_block_is_awaited(kernel: Kernel) -> None:
    for op in [op for op in kernel.walk() if isinstance(op, team.AwaitPublished)]:
        op.set_operand(2, the(kernel, team.Part).out)


def heads_are_stored(kernel: Kernel) -> None:
    for op in [op for op in kernel.walk() if isinstance(op, scf.If) and _publishes(op)]:
        op.set_operand(0, Builder.before_op(op).constant(False, op.condition.type))


def _publishes(branch: scf.If) -> bool:
    return any(isinstance(op, team.Publish) for op in branch.then.entry)


def tails_begin_with_nothing(kernel: Kernel) -> None:
    for op in [op for op in kernel.walk() if isinstance(op, scf.If) and _awaits(op)]:
        op.set_operand(0, Builder.before_op(op).constant(False, op.condition.type))


def _awaits(branch: scf.If) -> bool:
    return any(isinstance(op, team.AwaitPublished) for op in branch.then.entry)


MISTAKES = [
    nobody_publishes,
    nobody_waits,
    published_too_early,
    the_next_block_is_awaited,
    heads_are_stored,
    tails_begin_with_nothing,
]


@pytest.fixture(scope="module")
def shared() -> Module:
    """On the gpu level."""
    return next(levels(gemm(EXTENTS), Architecture.SM_90A, f"{TILES} persistent=yes"))


@pytest.mark.covering(0)
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_mistakes_are_found(mistake: Callable[[Kernel], None], shared: Module, rng: np.random.Generator) -> None:
    module, given = read_back(shared), given_for(EXTENTS, "n.n", rng)
    mistake(module.kernels[0])
    with pytest.raises((KernelError, AssertionError)):
        result(module, given, 7, checked=True)


@pytest.mark.parametrize("kind", [team.Publish, team.AwaitPublished])
def test_threads_meet_where_memory_is_published(
    kind: type[team.Publish | team.AwaitPublished], rng: np.random.Generator
) -> None:
    """Behind the last store of any of them, and in front of the first load."""
    *_, module = levels(gemm(EXTENTS), Architecture.SM_90A, f"{TILES} persistent=yes")
    for op in [op for op in module.walk() if isinstance(op, kind)]:
        beside = (each.previous if kind is team.Publish else each.next for each in op.ancestors())
        barrier = next(each for each in beside if isinstance(each, team.Barrier))
        while isinstance(barrier, team.Barrier):
            other = barrier.previous if kind is team.Publish else barrier.next
            barrier.erase()
            barrier = other
    with pytest.raises(KernelError, match="race"):
        result(module, given_for(EXTENTS, "n.n", rng), 7, checked=True)


def test_what_the_verifier_says() -> None:
    module = next(levels(gemm(EXTENTS), Architecture.SM_90A, TILES))
    for op in [op for op in module.walk() if isinstance(op, team.Publish)]:
        op.set_operand(1, op.memory)
    with pytest.raises(Exception, match="flags are i32 beside each other"):
        verified(module)


@pytest.mark.parametrize(
    ("text", "more", "why"),
    [
        (gemm((512, 512, 512)).replace("%beta = constant 0.0", "%beta = constant 1.0"), "", "accumulators begin with"),
        (gemm((64, 64, 512)), "", "no product of it has several tiles"),
        (gemm((512, 512, 512)), "spread=no", "no product of it has several tiles"),
    ],
)
def test_what_cannot_be_shared_is_said(text: str, more: str, why: str) -> None:
    with pytest.raises(tw.CompileError, match=why):
        tw.compile(text, target="nvidia:sm_90a", schedule=f"tile=64x64x64 stream=yes {more}")


@needs_ptxas
@pytest.mark.usefixtures("users_ptx")
def test_ptxas_takes_it() -> None:
    """Without a fence for all memory, and without a spill where tiles have as many sums as registers allow."""
    llvm, kernel = emitted(gemm((4096, 4096, 4096), total="f16"), schedule="threads=256 tile=256x128x64 stream=yes")
    ptx = compile_to_ptx(llvm, Architecture.SM_90A)
    assert ptx.count("st.release.gpu.global.b32") == ptx.count("ld.acquire.gpu.global.b32") >= 1
    assert "fence.sc" not in ptx
    resources = assemble(ptx, Architecture.SM_90A).kernels[kernel.symbol]
    assert resources.spill_load_bytes == resources.spill_store_bytes == resources.stack_bytes == 0
