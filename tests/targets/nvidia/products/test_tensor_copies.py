"""Factors that the machine copies by itself: one meaning on every level; phases, waits and stages that are needed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from msgspec import structs

import tilewright as tw
from effort import SEED, Ran, count
from targets.nvidia.case import Argument, Array, Launch, faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.emulator.races import RaceError
from targets.nvidia.emulator.text import EmulatorError
from targets.nvidia.lane_level import interpreted
from targets.nvidia.products.cases import DTYPES, TEXTS, TOTALS, ZEROS, launch, moved
from targets.nvidia.products.test_levels import check, levels, read_back, some
from targets.nvidia.products.test_products import check as run
from targets.nvidia.products.test_products import emitted
from targets.nvidia.test_ptx import needs_ptxas
from tilewright.artifacts.artifact import KernelInfo
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import arith, gpu_products, lane_products
from tilewright.dialects import gpu_tensors as tensors
from tilewright.dialects.builder import Builder, OperationT
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import F16, MemrefType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.machine.cuda.tensor_maps import has_map
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx

TENSOR = "copies=tensor"
PRODUCTS = count("RANDOM_TENSOR_COPIES", 2, 150)


@pytest.mark.covering(2)
@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("transposed", list(itertools.product((False, True), repeat=2)))
@pytest.mark.parametrize("depth", [128, 192, 576])
def test_every_level_means_the_product(
    element: str, transposed: tuple[bool, bool], depth: int, rng: np.random.Generator
) -> None:
    product = TEXTS.Product((64, 128, depth), element, "f32", transposed)
    for module in some(levels(TEXTS.tile_ir_product(product, (64, 64, 64)), Architecture.SM_90A, TENSOR), rng):
        assert "copies=tensor" in (module.kernels[0].schedule or "")
        check(module, product, (64, 64), "C", rng)


@pytest.mark.parametrize("extents", [(72, 40, 200), (8, 128, 72)])
def test_tiles_that_do_not_divide(extents: tuple[int, int, int], rng: np.random.Generator) -> None:
    product = TEXTS.Product(extents, "f16", "f32")
    for module in some(levels(TEXTS.tile_ir_product(product, (64, 64, 64), ZEROS), Architecture.SM_90A, TENSOR), rng):
        check(module, product, (64, 64), "C", rng)


def emitted_by_tensor(product: Any, tiles: tuple[int, int, int], edges: str = "") -> tuple[str, KernelInfo]:
    return emitted(TEXTS.tile_ir_product(product, tiles, edges), schedule=TENSOR)


@pytest.mark.parametrize("transposed", [(False, True), (True, False)])
def test_emulated(transposed: tuple[bool, bool], rng: np.random.Generator) -> None:
    product = TEXTS.Product((64, 128, 320), "f16", "f32", transposed)
    run(emitted_by_tensor(product, (64, 64, 64)), product, (64, 64), "C", rng)


def test_a_group_of_warps_multiplies_all_rows(rng: np.random.Generator) -> None:
    """Twice as many as one instruction has."""
    product = TEXTS.Product((128, 64, 128), "f16", "f32")
    code = emitted(TEXTS.tile_ir_product(product, (128, 64, 64)), schedule=f"threads=128 {TENSOR}")
    assert "wgmma" in code[1].facts[SCHEDULE]
    run(code, product, (128, 64), "C", rng)


# What goes wrong is found


def no_arrival(kernel: Kernel) -> None:
    """The last one in the text, of the loop."""
    _last(kernel, tensors.Expect).erase()


def too_few_bytes(kernel: Kernel) -> None:
    expect = _last(kernel, tensors.Expect)
    expect.attributes["bytes"] = expect.bytes // 2


def other_parity(kernel: Kernel) -> None:
    """The first time round as the second."""
    wait = _last(kernel, tensors.AwaitPhase)
    build = Builder.before_op(wait)
    wait.set_operand(2, build(arith.Sub(build.index(1), wait.parity)).out)


def one_parity(kernel: Kernel) -> None:
    """The second time round as the first."""
    wait = _last(kernel, tensors.AwaitPhase)
    wait.set_operand(2, Builder.before_op(wait).index(0))


def no_wait(kernel: Kernel) -> None:
    _last(kernel, tensors.AwaitPhase).erase()


def stage_that_is_read(kernel: Kernel) -> None:
    """A stage too few: boxes are copied to the one that is multiplied."""
    read = _last(kernel, tensors.AwaitPhase).number
    for op in list(kernel.walk()):
        if isinstance(op, tensors.CopyTensor) and read in _visible(op):
            op.set_operand(list(op.operands).index(op.stage, len(op.indices) + 2), read)


def product_that_goes_on(kernel: Kernel) -> None:
    """Nobody waits for the product that reads the stage which is copied to."""
    for op in kernel.walk():
        if isinstance(op, gpu_products.AwaitMma | lane_products.AwaitMma) and op.pending:
            op.pending += 1


def sums_that_are_not_there(kernel: Kernel) -> None:
    last = [op for op in kernel.walk() if isinstance(op, gpu_products.AwaitMma | lane_products.AwaitMma)][-1]
    last.results[0].replace_all_uses_with(last.operands[0])
    last.erase()


def barriers_of_two_arrivals(kernel: Kernel) -> None:
    _last(kernel, tensors.OpenBarriers).attributes["arrivals"] = 2


def barriers_that_nobody_opens(kernel: Kernel) -> None:
    _last(kernel, tensors.OpenBarriers).erase()


MISTAKES = [
    (no_arrival, KernelError, "bytes are missing"),
    (too_few_bytes, KernelError, "bytes are missing"),
    (other_parity, KernelError, "not there"),
    (one_parity, KernelError, "not there"),
    (no_wait, KernelError, "not there"),
    (stage_that_is_read, KernelError, ""),
    (product_that_goes_on, KernelError, "not there"),
    (sums_that_are_not_there, AssertionError, ""),
    (barriers_of_two_arrivals, KernelError, "arrivals"),
    (barriers_that_nobody_opens, KernelError, "no barrier"),
]


def _last(kernel: Kernel, wanted: type[OperationT]) -> OperationT:
    return [op for op in kernel.walk() if isinstance(op, wanted)][-1]


def _visible(op: Operation) -> list[Value]:
    """What the operations in front of one compute, in its blocks and those around it."""
    blocks = [at.block for at in (op, *op.ancestors()) if at.block is not None]
    return [value for block in blocks for other in block for value in other.results]


@pytest.fixture(scope="module")
def placed() -> list[Module]:
    """A product with more steps than stages, on the gpu level and that of lanes."""
    first, _, last = levels(TEXTS.tile_ir_product(PRODUCT, (64, 64, 64)), Architecture.SM_90A, TENSOR)
    return [first, last]


PRODUCT = TEXTS.Product((64, 64, 640), "f16", "f32")


@pytest.mark.parametrize("level", [0, 1], ids=["gpu", "lanes"])
@pytest.mark.parametrize(("mistake", "error", "said"), MISTAKES, ids=[each[0].__name__ for each in MISTAKES])
def test_mistakes_are_found(
    mistake: Callable[[Kernel], None],
    error: type[Exception],
    said: str,
    level: int,
    placed: list[Module],
    rng: np.random.Generator,
) -> None:
    module = read_back(placed[level])
    mistake(module.kernels[0])
    with pytest.raises(error) as found:
        check(module, PRODUCT, (64, 64), "C", rng)
    assert said in str(found.value)


@pytest.mark.parametrize(
    ("taken", "put"),
    [
        ("call void @llvm.nvvm.barrier.cta.sync.all(i32 0)", ""),
        ("call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 1)", ""),
        ("call i64 @llvm.nvvm.mbarrier.arrive.expect.tx", "arrive"),
        ("call i1 @llvm.nvvm.mbarrier.try.wait", "wait"),
    ],
    ids=["barrier", "wait for a product", "arrival", "wait for copies"],
)
def test_each_wait_of_the_loop_is_needed(
    taken: str, put: str, emulated_product: Code, rng: np.random.Generator
) -> None:
    llvm, kernel = emulated_product
    lines = llvm.splitlines()
    place = max(k for k, line in enumerate(lines) if taken in line and not _is_behind_the_loop(lines, k))
    name = lines[place].split(" = ")[0]
    lines[place] = {"": "", "arrive": f"{name} = add i64 0, 0", "wait": f"{name} = or i1 true, true"}[put]
    with pytest.raises((RaceError, AssertionError, EmulatorError)):
        run(("\n".join(lines), kernel), PRODUCT, (64, 64), "C", rng)


def _is_behind_the_loop(lines: list[str], place: int) -> bool:
    """The loop ends with the last line that counts its turns."""
    last = max(k for k, line in enumerate(lines) if "mbarrier.arrive.expect.tx" in line and "declare" not in line)
    return place > last or "declare" in lines[place]


Code = tuple[str, KernelInfo]


@pytest.fixture(scope="module")
def emulated_product() -> Code:
    return emitted_by_tensor(PRODUCT, (64, 64, 64))


def _moved(array: Argument, first: int) -> Array:
    """A column-major matrix so many elements behind a multiple of 16 bytes."""
    assert isinstance(array, np.ndarray)
    return moved(array.T, first).T


@pytest.mark.covering(0)
@pytest.mark.parametrize(("first", "transposed"), [(0, True), (1, False), (8, False)])
def test_threads_copy_what_a_launch_does_not_align(first: int, transposed: bool, rng: np.random.Generator) -> None:
    """`gemm` promises nothing of its matrices: which of two loops runs is found out by the kernel."""
    n = 128
    text = TEXTS.whole_gemm(n, "f16", "f32", transposed)
    given = launch(TEXTS.Product((n, n, n), "f16", "f32", (transposed, False)), (n, n), "F", rng)
    given = Launch(
        [*(_moved(array, first) for array in given.arguments[:2]), given.arguments[2]], given.expected, (1, 1, 1)
    )
    llvm, kernel = emitted(text, schedule=f"tile=64x64x64 {TENSOR}")
    assert "copies=tensor" in kernel.facts[SCHEDULE]
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found
    *_, lanes = levels(text, Architecture.SM_90A, f"tile=64x64x64 {TENSOR}")
    found = faults(given, {2: interpreted(lanes, given)[2]})
    assert not found, found


def test_what_was_written_before_is_shown() -> None:
    """To the unit that copies, by a fence; nobody pays for one who has written nothing."""
    text = TEXTS.tile_ir_product(TEXTS.Product((64, 64, 192), "f16", "f32"), (64, 64, 64))
    stored = next(line for line in text.splitlines() if "%done = store_view_tko" in line)
    early = stored.replace("%done", "%early").replace("%sum", "%zeros")
    for found, fences in ((text, 0), (text.replace("    %sum = for", f"{early}\n    %sum = for"), 1)):
        first = next(levels(found, Architecture.SM_90A, TENSOR))
        assert sum(isinstance(op, gpu_products.FenceAsync) for op in first.walk()) == fences


@pytest.mark.covering(0)
@pytest.mark.parametrize("copies", ["tensor", "threads"])
@pytest.mark.parametrize(("m", "transposed"), [(232, False), (240, False), (232, True)])
def test_rows_that_end_within_a_slab(copies: str, m: int, transposed: bool, rng: np.random.Generator) -> None:
    """Boxes reach beyond the tile, by threads beyond the matrix too; what lies there is not multiplied."""
    n, k = 64, 136
    text = TEXTS.whole_product((m, n, k), "f16", "f32", (transposed, False))
    given = launch(TEXTS.Product((m, n, k), "f16", "f32", (transposed, False)), (m, n), "F", rng)
    schedule = f"tile=80x64x64 copies={copies}"
    for module in some(levels(text, Architecture.SM_90A, schedule), rng):
        assert "wgmma.m64n80k16" in (module.kernels[0].schedule or "")
        found = faults(given, {2: interpreted(module, given)[2]})
        assert not found, found
    llvm, kernel = emitted(text, schedule=schedule)
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found


@pytest.mark.parametrize("far", [False, True])
def test_positions_in_a_matrix_are_signed_numbers_of_32_bits(far: bool) -> None:
    """Those from 2^31 on would be outside of it, where boxes are zeros."""
    for extent, fits in ((1 << 31, True), ((1 << 31) + 8, False), ((1 << 32) - 8, False)):
        shape, stride = ((64, extent), 64) if far else ((extent, 64), extent)
        assert (tensors.no_map(MemrefType(F16, shape, (1, stride)), (0, 1)) is None) == fits
        assert has_map(shape, (stride,), 2) == fits


@pytest.mark.parametrize(
    ("extents", "element", "reason"),
    [
        ((64, 72, 100), "f16", "rows that are 200 bytes apart, no multiple of 16"),
        ((64, 100, 72), "bf16", "rows that are 200 bytes apart, no multiple of 16"),
        ((64, 64, 128), "f16", ""),
    ],
)
def test_why_threads_copy(extents: tuple[int, int, int], element: str, reason: str) -> None:
    text = TEXTS.tile_ir_product(TEXTS.Product(extents, element, "f32"), (64, 64, 64), ZEROS)
    _, kernel = emitted(text)
    assert ("copies=tensor" in kernel.facts[SCHEDULE]) == (not reason)
    assert (f"# copies by threads: {reason}" in kernel.facts[SCHEDULE]) == bool(reason)
    with nullcontext() if not reason else pytest.raises(tw.CompileError, match=f"copies=tensor does not fit.*{reason}"):
        tw.compile(text, target="nvidia:sm_90a", schedule=TENSOR)


@pytest.mark.parametrize(("count", "fits"), [(1 << 31, True), (1 << 32, False)])
def test_positions_among_matrices_are_signed_numbers_of_32_bits(count: int, fits: bool) -> None:
    whole, one = f"memref<{count}x64x64xf16>", "memref<64x64xf16, strided<[64, 1], offset: ?>>"
    cut = f"[%p, 0, 0] [1, 64, 64] [1, 1, 1] : {whole} to {one}"
    text = f"""func.func @products(%a: {whole}, %b: {whole}, %out: {whole}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f16
  %count = arith.constant {count} : index
  scf.parallel (%p) = (%c0) to (%count) step (%c1) {{
    %x = memref.subview %a{cut}
    %y = memref.subview %b{cut}
    %z = memref.subview %out{cut}
    linalg.fill ins(%zero : f16) outs(%z : {one})
    linalg.matmul ins(%x, %y : {one}, {one}) outs(%z : {one})
  }}
  return
}}
"""
    found = tw.compile(text, target="nvidia:sm_90a").products.schedule or ""
    assert ("stores=tensor" in found) == fits


def test_views_at_places_of_work_groups() -> None:
    _, kernel = emitted(TEXTS.gemm_product(TEXTS.Product((64, 64, 64), "f16", "f32"), (64, 64)))
    said = "order=16 # copies by threads: a launch does not know where memref<f16x?x?> begins"
    assert said in kernel.facts[SCHEDULE]


@pytest.mark.parametrize("architecture", list(Architecture), ids=lambda a: a.value)
def test_threads_copy_if_they_are_asked_to(architecture: Architecture) -> None:
    text = TEXTS.tile_ir_product(TEXTS.Product((64, 64, 128), "f16", "f32"), (64, 64, 64))
    found = tw.compile(text, target=f"nvidia:{architecture.value}", schedule="copies=threads").product
    assert "copies=tensor" not in (found.schedule or "")
    assert "by threads" not in (found.schedule or "")


def test_code_with_maps_is_read_back() -> None:
    """By caches and from files; its block of parameters is aligned as the maps at its end."""
    text = TEXTS.tile_ir_product(TEXTS.Product((64, 64, 128), "f16", "f32"), (64, 64, 64))
    program = tw.compile(text, target="nvidia:sm_90a", schedule=TENSOR)
    assert tw.Program.from_bytes(program.to_bytes()).artifact.kernels == program.artifact.kernels
    block, payload = b".param .align 64 .b8 tw_product_param_0[448]", program.artifact.payload
    assert block in payload
    for wrong in (block.replace(b"64", b"16"), block.replace(b"448", b"464")):
        changed = structs.replace(program.artifact, payload=payload.replace(block, wrong))
        with pytest.raises(ValueError, match="takes other parameters than the header tells of"):
            tw.Program.from_bytes(changed.to_bytes())


@needs_ptxas
@pytest.mark.covering(0)
@pytest.mark.parametrize(("tiles", "rounded"), [((128, 128, 64), ""), ((128, 128, 64), "f16"), ((128, 256, 64), "f16")])
@pytest.mark.usefixtures("users_ptx")
def test_products_overlap_and_nothing_is_spilled(tiles: tuple[int, int, int], rounded: str) -> None:
    """ptxas would say if it waited for a product before it begins the next one (C75..), whatever is done with sums."""
    llvm, kernel = emitted_by_tensor(TEXTS.Product((256, 256, 256), "f16", "f32", rounded=rounded), tiles)
    ptx = compile_to_ptx(llvm, Architecture.SM_90A)
    for instruction in ("cp.async.bulk.tensor.2d", "mbarrier.try_wait.parity", "wgmma.wait_group.sync.aligned \t1;"):
        assert instruction in ptx, instruction
    resources = assemble(ptx, Architecture.SM_90A).kernels[kernel.symbol]
    assert resources.spill_load_bytes == resources.spill_store_bytes == resources.stack_bytes == 0


@pytest.mark.parametrize("number", range(PRODUCTS))
def test_random_products(number: int, ran: Ran) -> None:
    """Any extents, of which those of rows are multiples of 16 bytes, both factors in any order, any number of steps."""
    seed = SEED + number
    print(f"seed {seed}")
    choose, rng = random.Random(seed), np.random.default_rng(seed)
    element = choose.choice(["f16", "bf16", "i8"])
    whole, line = 16 // DTYPES[element].itemsize, 128 // DTYPES[element].itemsize
    tiles = choose.choice([(64, 64, 1), (64, 128, 1), (128, 64, 1), (64, 64, 2), (128, 128, 1)])
    tiles = (*tiles[:2], tiles[2] * line)
    transposed = (False, True) if element == "i8" else (choose.random() < 0.5, choose.random() < 0.5)
    m, n, k = choose.randint(1, 150), choose.randint(1, 150), choose.randint(tiles[2] + 1, 400 * line // 64)
    m, n = (-(-m // whole) * whole if transposed[0] else m, n if transposed[1] else -(-n // whole) * whole)
    k = k if transposed == (True, False) else -(-k // whole) * whole
    rounded = choose.choice(["", element]) if element != "i8" else ""
    product = TEXTS.Product((m, n, k), element, TOTALS[element], transposed, rounded=rounded)
    code = emitted_by_tensor(product, tiles, ZEROS)
    assert "copies=tensor" in code[1].facts[SCHEDULE]
    run(code, product, tiles[:2], "C", rng, schedule=random.Random(seed) if choose.random() < 0.3 else None)
    ran(1, "products whose factors the device copies")
