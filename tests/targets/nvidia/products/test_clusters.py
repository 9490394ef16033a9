"""Blocks of a cluster that copy factors for each other: one meaning on every level, and what each barrier is for."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import numpy as np
import pytest

import tilewright as tw
from targets.nvidia.case import Launch, faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.emulator.races import RaceError
from targets.nvidia.emulator.text import EmulatorError
from targets.nvidia.products.cases import TEXTS, launch
from targets.nvidia.products.test_levels import levels, read_back, some
from targets.nvidia.products.test_products import emitted
from targets.nvidia.test_ptx import needs_ptxas
from tilewright.artifacts.artifact import KernelInfo
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import gpu_clusters as clusters
from tilewright.dialects import gpu_tensors as tensors
from tilewright.dialects import scf, team
from tilewright.dialects.builder import Builder, OperationT
from tilewright.dialects.builtin import Kernel, Module
from tilewright.interpreter.engine import interpret
from tilewright.ir.verifier import verified
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx

STAGES = "product=64x64x64:wgmma.m64n64k16.f32.f16/1x1/3"
TILES = f"tile=64x64x64 copies=tensor {STAGES}"
ERRORS = (KernelError, AssertionError)
CASES = [
    ("2x1", "n.n", (200, 136, 128), "persistent=no"),
    ("1x2", "t.n", (136, 128, 320), "persistent=no"),
    ("2x1", "n.t", (200, 128, 384), "persistent=yes product=64x64x64:wgmma.m64n64k16.f32.f16/1x1/4"),
    ("1x2", "t.t", (128, 136, 192), "persistent=yes"),
    ("2x2", "n.t", (136, 200, 320), "persistent=yes"),
    ("4x1", "t.n", (320, 128, 128), "persistent=yes stores=threads"),
]


def gemm(extents: tuple[int, int, int], kind: str = "n.n", total: str = "f32") -> str:
    m, n, k = extents
    a, b = (f"{k}x{m}" if kind[0] == "t" else f"{m}x{k}"), (f"{n}x{k}" if kind[2] == "t" else f"{k}x{n}")
    return f"""func @product(%A: memref<f16x{a}>, %B: memref<f16x{b}>, %C: memref<{total}x{m}x{n}>) {{
    %alpha = constant 1.0 : f16
    %beta = constant 0.0 : {total}
    gemm.{kind} %alpha, %A, %B, %beta, %C
}}
"""


def given_for(extents: tuple[int, int, int], kind: str, rng: np.random.Generator) -> Launch:
    transposed = (kind[0] == "t", kind[2] == "t")
    return launch(TEXTS.Product(extents, "f16", "f32", transposed), extents[:2], "F", rng)


def check(module: Module, given: Launch, order: random.Random | None = None, parts: int = 3) -> None:
    arrays = [np.array(argument, order="K") for argument in given.arguments]
    interpret(module.kernels[0], arrays, given.grid, order=order, parts=parts)
    found = faults(given, {2: arrays[2]})
    assert not found, found


def emulate(llvm: str, kernel: KernelInfo, given: Launch, schedule: random.Random | None = None) -> None:
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given, schedule=schedule))
    assert not found, found


@pytest.mark.covering(0)
@pytest.mark.parametrize(("cluster", "kind", "extents", "more"), CASES)
def test_every_level_means_the_product(
    cluster: str, kind: str, extents: tuple[int, int, int], more: str, rng: np.random.Generator
) -> None:
    """All majors; tiles beyond the edge; fewer steps than stages and more; several tiles a block, or one."""
    tiles = "tile=64x64x64 copies=tensor" if "product" in more else TILES
    schedule, given = f"{tiles} {more} cluster={cluster}", given_for(extents, kind, rng)
    for module in some(levels(gemm(extents, kind), Architecture.SM_90A, schedule), rng):
        assert f"cluster={cluster}" in (module.kernels[0].schedule or "")
        order = random.Random(int(rng.integers(1 << 30)))
        check(module, given, order, parts=4 if "yes" in more else 64)


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    ("cluster", "kind", "extents", "more"),
    [
        ("2x1", "n.t", (128, 128, 256), "persistent=no"),
        ("1x2", "t.n", (128, 136, 128), "persistent=yes"),
        ("2x2", "n.n", (128, 128, 256), "persistent=yes"),
    ],
)
def test_the_emulated_device_means_the_product(
    cluster: str, kind: str, extents: tuple[int, int, int], more: str, rng: np.random.Generator
) -> None:
    given = given_for(extents, kind, rng)
    llvm, kernel = emitted(gemm(extents, kind), schedule=f"{TILES} {more} cluster={cluster}")
    assert f"cluster={cluster}" in kernel.facts[SCHEDULE]
    emulate(llvm, kernel, given, random.Random(int(rng.integers(1 << 30))))


@pytest.mark.parametrize(("tile", "threads", "ahead"), [("256x128x64", 256, 3), ("64x64x64", 128, 2)])
def test_long_products_wait_for_no_other_block(tile: str, threads: int, ahead: int, rng: np.random.Generator) -> None:
    """Of four stages, three are on their way then; a short product leaves the others one more to read theirs."""
    extents = (2 * threads, 2 * threads, 320)
    columns = tile.split("x")[0]
    stages = f"product={tile}:wgmma.m64n{columns}k16.f32.f16/1x{threads // 128}/4"
    module = next(levels(gemm(extents), Architecture.SM_90A, f"threads={threads} tile={tile} {stages} cluster=1x2"))
    kernel = module.kernels[0]
    assert "cluster=1x2" in (kernel.schedule or "")
    asked = [op for op in kernel.walk() if isinstance(op, tensors.Expect)]
    first = [op for op in asked if not any(isinstance(each, scf.For) for each in op.ancestors())]
    assert len(first) == ahead
    check(module, given_for(extents, "n.n", rng), random.Random(int(rng.integers(1 << 30))), parts=2)


def test_stages_leave_one_slab_a_warp() -> None:
    """Warps fill one slab while another one is stored, unless four stages of blocks in clusters take the room."""
    alone, many = "threads=384 tile=192x192x64", " product=192x192x64:wgmma.m64n192k16.f32.f16/1x3/4"
    for stages, asked in ((3, alone), (4, alone + many), (4, f"{alone} cluster=1x2")):
        _, kernel = emitted(gemm((3000, 3000, 3000), total="f16"), schedule=asked)
        assert f"/1x3/{stages} " in kernel.facts[SCHEDULE]
        assert "stores=tensor" in kernel.facts[SCHEDULE]


# What goes wrong is found

EXTENTS = (320, 128, 320)


def the(kernel: Kernel, kind: type[OperationT], number: int = 0) -> OperationT:
    return [op for op in kernel.walk() if isinstance(op, kind)][number]


def nobody_waits_at_the_end(kernel: Kernel) -> None:
    end = the(kernel, tensors.CloseBarriers).block
    for op in [op for op in kernel.walk() if isinstance(op, tensors.AwaitReaders) and op.block is end]:
        op.erase()


def nobody_meets_at_the_beginning(kernel: Kernel) -> None:
    meeting = the(kernel, clusters.ClusterBarrier)
    Builder.before_op(meeting)(team.Barrier(fence_local=True))
    meeting.erase()


def nothing_is_released(kernel: Kernel) -> None:
    for op in [op for op in kernel.walk() if isinstance(op, clusters.Release)]:
        op.erase()


def nobody_awaits_the_others(kernel: Kernel) -> None:
    for op in [op for op in kernel.walk() if isinstance(op, tensors.AwaitReaders)]:
        op.erase()


def one_arrival_is_enough(kernel: Kernel) -> None:
    the(kernel, tensors.OpenBarriers, 1).arrivals = 1


def only_the_own_share_is_expected(kernel: Kernel) -> None:
    for op in [op for op in kernel.walk() if isinstance(op, tensors.Expect)]:
        op.bytes = op.bytes * 3 // 4


def released_before_it_is_read(kernel: Kernel) -> None:
    """In front of the wait for what has arrived: the product of the iteration before still goes on."""
    release, awaited = the(kernel, clusters.Release), the(kernel, tensors.AwaitPhase)
    release.set_operand(1, awaited.number)


def same_parity(kernel: Kernel) -> None:
    """As if all stages had been released once."""
    for op in [op for op in kernel.walk() if isinstance(op, tensors.AwaitReaders)]:
        op.set_operand(2, Builder.before_op(op).index(1))


MISTAKES = [
    nobody_waits_at_the_end,
    nobody_meets_at_the_beginning,
    nothing_is_released,
    nobody_awaits_the_others,
    one_arrival_is_enough,
    only_the_own_share_is_expected,
    released_before_it_is_read,
    same_parity,
]


@pytest.fixture(scope="module", params=["persistent=no", "persistent=yes"])
def placed(request: pytest.FixtureRequest) -> Module:
    """Four clusters of two blocks, or two that go on, on the gpu level."""
    return next(levels(gemm(EXTENTS), Architecture.SM_90A, f"{TILES} cluster=2x1 {request.param}"))


@pytest.mark.covering(0)
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_mistakes_are_found(mistake: Callable[[Kernel], None], placed: Module, rng: np.random.Generator) -> None:
    module, given = read_back(placed), given_for(EXTENTS, "n.n", rng)
    check(module, given)
    mistake(module.kernels[0])
    with pytest.raises(ERRORS):
        check_orders(module, given)


def check_orders(module: Module, given: Launch) -> None:
    for order in (None, *map(random.Random, range(4))):
        check(module, given, order)


def other_factor(kernel: Kernel) -> None:
    for op in [op for op in kernel.walk() if isinstance(op, clusters.MulticastTensor)]:
        op.side = 1 - op.side


def test_shares_go_to_whom_they_are_for(rng: np.random.Generator) -> None:
    """Blocks of another row of the cluster have other left factors."""
    module = next(levels(gemm(EXTENTS), Architecture.SM_90A, f"{TILES} cluster=2x2 persistent=no"))
    other_factor(module.kernels[0])
    with pytest.raises(ERRORS):
        check(module, given_for(EXTENTS, "n.n", rng))


def changed(llvm: str, pattern: str, new: str | None) -> str:
    """The text with what matches in all lines replaced; without the last of them if there is nothing in its place."""
    lines = llvm.splitlines()
    places = [k for k, line in enumerate(lines) if re.search(pattern, line)]
    assert places
    if new is None:
        return "\n".join(line for k, line in enumerate(lines) if k != places[-1])
    return "\n".join(re.sub(pattern, new, line) for line in lines)


BROKEN = {
    "arrives_only_here": (r"(@llvm.nvvm.mapa.shared.cluster\(.*), i32 [^)]*\)", r"\1, i32 0)"),
    "copies_for_one": (r"i16 3, i64 0, i1 true", "i16 1, i64 0, i1 true"),
    "shares_for_itself": (r"i16 3, i64 0, i1 true", "i16 0, i64 0, i1 false"),
    "wrong_bytes": (r"(arrive.expect.tx\S+\(.*), i32 \d+\)", r"\1, i32 8192)"),
}


@pytest.fixture(scope="module")
def text() -> tuple[str, KernelInfo]:
    """Two clusters of two blocks that go round their three stages more than once."""
    return emitted(gemm((128, 128, 320)), schedule=f"{TILES} cluster=2x1 persistent=no")


@pytest.mark.covering(0)
@pytest.mark.parametrize("broken", BROKEN)
def test_mistakes_are_found_on_the_device(broken: str, text: tuple[str, KernelInfo], rng: np.random.Generator) -> None:
    llvm, kernel = text
    with pytest.raises((RaceError, EmulatorError, AssertionError)):
        emulate(changed(llvm, *BROKEN[broken]), kernel, given_for((128, 128, 320), "n.n", rng))


def test_blocks_that_end_too_early_are_found(text: tuple[str, KernelInfo], rng: np.random.Generator) -> None:
    """Nobody waits for the last arrivals: as if each phase had ended long ago."""
    llvm, kernel = text
    for wait in re.findall(r"call i1 @llvm.nvvm.mbarrier.try.wait.*", llvm)[-3:]:
        llvm = llvm.replace(wait, "xor i1 false, true")
    with pytest.raises(EmulatorError, match=r"has ended|is closed"):
        emulate(llvm, kernel, given_for((128, 128, 320), "n.n", rng))


# What the schedule says


@pytest.mark.parametrize(
    ("text", "schedule", "reason"),
    [
        (gemm((512, 512, 512)), "cluster=3x3", "8 blocks at most"),
        (gemm((512, 512, 512)), "cluster=2x1 copies=threads", "threads copy factors"),
        (gemm((512, 512, 512)), "cluster=2x1 spread=no", "no tiles of products that several blocks share"),
        (gemm((512, 512, 512)), "tile=64x64x64 cluster=3x1", "64 rows of a factor are no 3 shares"),
        (
            TEXTS.tile_ir_product(TEXTS.Product((128, 128, 128), "f16", "f32"), (64, 64, 64)),
            "cluster=2x1",
            "no tiles",
        ),
    ],
)
def test_why_not(text: str, schedule: str, reason: str) -> None:
    with pytest.raises(tw.CompileError, match=reason):
        tw.compile(text, target="nvidia:sm_90a", schedule=schedule)


def test_not_on_machines_without_clusters() -> None:
    with pytest.raises(tw.CompileError, match="the machine has none"):
        tw.compile(gemm((512, 512, 512)), target="nvidia:sm_80", schedule="cluster=2x1")


def test_one_block_is_no_cluster() -> None:
    """The option by its default value gives the text that there is without it."""
    text = gemm((512, 512, 512))
    (llvm, kernel), (other, _) = emitted(text, schedule="cluster=1x1"), emitted(text)
    assert llvm == other
    assert kernel.launch is not None
    assert not kernel.launch.is_clustered


def test_whole_clusters_are_launched() -> None:
    _, kernel = emitted(gemm((4096, 4096, 4096)), schedule="tile=64x64x64 cluster=4x2")
    assert kernel.launch is not None
    assert kernel.parts is not None
    assert kernel.launch.cluster == (8, 1, 1)
    assert kernel.parts.count((1, 1, 1), lambda _: 0) == 240
    assert kernel.parts.count((7, 1, 1), lambda _: 0) == 240 // 7 // 8 * 8
    assert kernel.parts.count((999, 1, 1), lambda _: 0) == 8


@pytest.mark.parametrize(("m", "blocks"), [(384, 4), (128 * 5, 6)])
def test_tiles_beyond_the_edge_have_blocks(m: int, blocks: int) -> None:
    _, kernel = emitted(gemm((m, 128, 128)), schedule="tile=128x64x64 cluster=2x1 persistent=no")
    assert kernel.parts is not None
    assert kernel.parts.count((1, 1, 1), lambda _: 0) == 2 * blocks


def test_what_the_verifier_says() -> None:
    module = next(levels(gemm((256, 256, 128)), Architecture.SM_90A, "tile=64x64x64 cluster=2x1"))
    module.kernels[0].cluster = None
    with pytest.raises(Exception, match="no other block of the cluster"):
        verified(module)


@needs_ptxas
@pytest.mark.usefixtures("users_ptx")
def test_ptxas_takes_it() -> None:
    """Arrivals of the scope of a cluster would wait for all memory in each of them."""
    llvm, kernel = emitted(gemm((256, 256, 256), total="f16"), schedule=f"{TILES} cluster=2x1")
    ptx = compile_to_ptx(llvm, Architecture.SM_90A)
    assert ".reqnctapercluster 2, 1, 1" in ptx
    assert "mbarrier.arrive.shared::cluster.b64" in ptx
    assert "mbarrier.arrive.release.cluster" not in ptx
    # with release semantics all memory would be waited for
    assert ptx.count("barrier.cluster.arrive.relaxed.aligned") == ptx.count("barrier.cluster.arrive") == 1
    resources = assemble(ptx, Architecture.SM_90A).kernels[kernel.symbol]
    assert resources.spill_load_bytes == resources.spill_store_bytes == resources.stack_bytes == 0


def test_what_ends_is_not_there(rng: np.random.Generator) -> None:
    """A block that writes to the memory of one that has ended, even where that has left its barriers open."""
    module = next(levels(gemm(EXTENTS), Architecture.SM_90A, f"{TILES} cluster=2x1 persistent=no"))
    nobody_waits_at_the_end(module.kernels[0])
    for op in [op for op in module.walk() if isinstance(op, tensors.CloseBarriers)]:
        op.erase()
    with pytest.raises(KernelError, match="has ended"):
        check(module, given_for(EXTENTS, "n.n", rng), parts=64)
