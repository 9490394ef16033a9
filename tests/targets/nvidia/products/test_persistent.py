"""Blocks that go on from tile to tile while the factors of the next one are on their way: one ring for all."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

import msgspec
import numpy as np
import pytest

import tilewright as tw
from targets.nvidia.case import Launch, faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.emulator.races import RaceError
from targets.nvidia.emulator.text import EmulatorError
from targets.nvidia.lane_level import interpreted
from targets.nvidia.products.cases import TEXTS, ZEROS, launch
from targets.nvidia.products.test_levels import levels, read_back, some
from targets.nvidia.products.test_products import emitted
from targets.nvidia.test_ptx import needs_ptxas
from tilewright.artifacts.artifact import KernelInfo
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import gpu_tensors as tensors
from tilewright.dialects import scf
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Operation
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.model import MULTIPROCESSORS
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx
from tilewright.transforms.schedule.products import placing

OF = TEXTS.Product((64, 64, 128), "f16", "f32")
BY_TILES = TEXTS.tile_ir_product(OF, (64, 64, 64), band=1)
PERSISTENT = "tile=64x64x64 copies=tensor persistent=yes"


def gemm(m: int, n: int, k: int, total: str = "f32") -> str:
    return f"""func @product(%A: memref<f16x{m}x{k}>, %B: memref<f16x{k}x{n}>, %C: memref<{total}x{m}x{n}>) {{
    %alpha = constant 1.0 : f16
    %beta = constant 0.0 : {total}
    gemm.n.n %alpha, %A, %B, %beta, %C
}}
"""


def given_for(m: int, n: int, k: int, rng: np.random.Generator) -> Launch:
    return launch(TEXTS.Product((m, n, k), "f16", "f32"), (m, n), "F", rng)


def check(module: Module, given: Launch) -> None:
    results = interpreted(module, given)
    found = faults(given, {number: results[number] for number in given.expected})
    assert not found, found


def emulate(llvm: str, kernel: KernelInfo, given: Launch) -> None:
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found


@pytest.mark.covering(0)
@pytest.mark.parametrize("depth", [128, 328])
def test_every_level_means_the_product(depth: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer steps than there are stages and more, tiles that do not divide, several of them a block."""
    # small tiles go on to the next one as large ones do
    monkeypatch.setattr(placing, "MOST_SUM_REGISTERS", 32)
    m, n = 200, 136
    text, given = gemm(m, n, depth), given_for(m, n, depth, rng)
    schedule = f"{PERSISTENT} product=64x64x64:wgmma.m64n64k16.f32.f16/1x1/4"
    for module in some(levels(text, Architecture.SM_90A, schedule), rng):
        check(module, given)
    llvm, kernel = emitted(text, schedule=schedule)
    assert "persistent=yes" in kernel.facts[SCHEDULE]
    emulate(llvm, kernel, given)


@pytest.mark.covering(1)
@pytest.mark.parametrize("element", ["f64", "f32", "f16"])
@pytest.mark.parametrize(("extent", "depth"), [("", 40), ("", 160), ("?", 7), ("?", 40), ("?", 160)])
def test_threads_that_copy_go_on(element: str, depth: int, extent: str, rng: np.random.Generator) -> None:
    """For warps that multiply by themselves: fewer steps than there are stages and more, tiles that do not divide,
    several of them a block."""
    m, n = 100, 70
    total = "f32" if element == "f16" else element
    given = launch(TEXTS.Product((m, n, depth), element, total), (m, n), "F", rng)
    given = Launch(given.arguments, given.expected, (1, 1, 1))
    extents = (extent,) * 3 if extent else (m, n, depth)
    text = TEXTS.whole_product(extents, element, total, (False, False))
    for module in some(levels(text, Architecture.SM_80, "tile=32x32x16 persistent=yes"), rng):
        assert "persistent=yes" in (module.kernels[0].schedule or "")
        check(module, given)
    llvm, kernel = emitted(text, Architecture.SM_80, "tile=32x32x16 persistent=yes")
    emulate(llvm, msgspec.structs.replace(kernel, steps=None), given)


OF_PROGRAM = {
    "": "persistent=yes",
    "threads=256": "persistent=yes",
    "roles=yes stores=tensor": "persistent=yes roles=yes",
    "roles=yes pingpong=yes stores=tensor": "roles=yes pingpong=yes",
}
"""How a loop over tiles that the program writes is run, and what the schedule says of it."""


@pytest.mark.covering(1)
@pytest.mark.parametrize("asked", OF_PROGRAM)
@pytest.mark.parametrize("rows", [3, 4])
@pytest.mark.parametrize("depth", [64, 136, 320])
def test_a_loop_over_tiles_in_the_program(asked: str, rows: int, depth: int, rng: np.random.Generator) -> None:
    """Fewer steps than there are stages and more, several tiles of a block, all as many and not."""
    product = TEXTS.Product((rows * 64, 128, depth), "f16", "f32", rounded="f16")
    text, given = TEXTS.tile_ir_product(product, (64, 64, 32), ZEROS, band=1), launch(product, (64, 64), "C", rng)
    given = Launch(given.arguments, given.expected, (3, 1, 1))
    for module in some(levels(text, Architecture.SM_90A, asked), rng):
        assert OF_PROGRAM[asked] in (module.kernels[0].schedule or "")
        check(module, given)
    llvm, kernel = emitted(text, schedule=asked)
    emulate(llvm, kernel, given)


# What goes wrong is found


def turns_from_the_beginning(kernel: Kernel) -> None:
    """Each tile as if its ring were a new one."""
    tiles, terms = _loops(kernel)
    terms.set_operand(len(terms.operands) - 1, Builder.before_op(tiles).index(0))


def turns_not_handed_on(kernel: Kernel) -> None:
    tiles, _ = _loops(kernel)
    end = tiles.body.entry.last
    assert isinstance(end, scf.Yield)
    end.set_operand(0, tiles.carried[0])


def nothing_for_the_next_tile(kernel: Kernel) -> None:
    for op in _asked_behind_the_terms(kernel):
        op.erase()


def same_tile_again(kernel: Kernel) -> None:
    """What is asked for at the end of a tile is of the same tile."""
    tiles, terms = _loops(kernel)
    for op in takewhile(lambda op: op is not terms, tiles.body.entry):
        for number, value in enumerate(op.operands):
            if value.defining_op is not None and value.defining_op.operands[:1] == [tiles.index]:
                op.set_operand(number, tiles.index)


def barriers_opened_again(kernel: Kernel) -> None:
    _, terms = _loops(kernel)
    opened = next(op for op in kernel.walk() if isinstance(op, tensors.OpenBarriers))
    Builder.before_op(terms)(opened.clone({}))


MISTAKES = [
    (turns_from_the_beginning, (KernelError, AssertionError)),
    (turns_not_handed_on, (KernelError, AssertionError)),
    (nothing_for_the_next_tile, KernelError),
    (same_tile_again, AssertionError),
    (barriers_opened_again, (KernelError, AssertionError)),
]


def _loops(kernel: Kernel) -> tuple[scf.For, scf.For]:
    """That over tiles, and that over terms in it."""
    terms = next(op.parent_op for op in kernel.walk() if isinstance(op, tensors.AwaitPhase))
    assert isinstance(terms, scf.For)
    tiles = terms.parent_op
    assert isinstance(tiles, scf.For)
    return tiles, terms


def _asked_behind_the_terms(kernel: Kernel) -> list[Operation]:
    tiles, terms = _loops(kernel)
    asked = (tensors.Expect, tensors.CopyTensor)
    return [op for op in tiles.walk() if isinstance(op, asked) and terms not in op.ancestors()]


@pytest.fixture(scope="module")
def placed() -> Module:
    """Five tiles of two steps on the gpu level."""
    return next(levels(gemm(320, 64, 128), Architecture.SM_90A, PERSISTENT))


@pytest.mark.parametrize(("mistake", "error"), MISTAKES, ids=[each[0].__name__ for each in MISTAKES])
def test_mistakes_are_found(
    mistake: Callable[[Kernel], None],
    error: type[Exception] | tuple[type[Exception], ...],
    placed: Module,
    rng: np.random.Generator,
) -> None:
    module, given = read_back(placed), given_for(320, 64, 128, rng)
    check(module, given)
    mistake(module.kernels[0])
    with pytest.raises(error):
        check(module, given)


def test_the_barrier_in_front_of_the_next_tile_is_needed(rng: np.random.Generator) -> None:
    """Other threads may still wait for products of the stages that are asked for."""
    text, given = gemm(320, 64, 320), given_for(320, 64, 320, rng)
    llvm, kernel = emitted(text, schedule=PERSISTENT)
    lines = llvm.splitlines()
    waited = next(k for k, line in enumerate(lines) if "wgmma.wait_group.sync.aligned 0" in line)
    place = next(k for k in range(waited, len(lines)) if "call void @llvm.nvvm.barrier.cta.sync.all" in lines[k])
    lines[place] = ""
    with pytest.raises((RaceError, AssertionError, EmulatorError)):
        emulate("\n".join(lines), kernel, given)


# What the schedule says


def test_the_machine_stores_tiles_of_a_loop_in_the_program() -> None:
    """Where nobody asks, as it does without the loop: nothing orders the stores."""
    product = TEXTS.Product((256, 256, 128), "f16", "f32", rounded="f16")
    _, kernel = emitted(TEXTS.tile_ir_product(product, (128, 256, 64), band=2))
    assert "copies=tensor stores=tensor persistent=yes" in kernel.facts[SCHEDULE]


def test_as_many_blocks_as_run_at_a_time() -> None:
    for tile, blocks in (("tile=128x128x64", 2), ("threads=256 tile=256x128x64", 1)):
        _, kernel = emitted(gemm(4096, 4096, 4096), schedule=f"{tile} persistent=yes")
        assert kernel.parts is not None
        assert kernel.parts.most == blocks * MULTIPROCESSORS


@pytest.mark.parametrize(
    ("text", "schedule", "reason"),
    [
        (gemm(128, 128, 128), "copies=threads", "persistent=yes does not fit"),
        (gemm(64, 64, 128), "tile=64x64x64", "no loop over tiles"),
        (
            BY_TILES.replace("%bv[%k, %by] :", "%bv[%k, %by] token=%x_done :"),
            "",
            "loads are in an order with what other",
        ),
    ],
)
def test_why_not(text: str, schedule: str, reason: str) -> None:
    with pytest.raises(tw.CompileError, match=reason):
        tw.compile(text, target="nvidia:sm_90a", schedule=f"{schedule} persistent=yes")


@needs_ptxas
@pytest.mark.usefixtures("users_ptx")
def test_nothing_is_spilled() -> None:
    schedule = "threads=256 tile=256x128x64 persistent=yes"
    llvm, kernel = emitted(gemm(512, 512, 512, "f16"), schedule=schedule)
    resources = assemble(compile_to_ptx(llvm, Architecture.SM_90A), Architecture.SM_90A).kernels[kernel.symbol]
    assert resources.spill_load_bytes == resources.spill_store_bytes == resources.stack_bytes == 0
