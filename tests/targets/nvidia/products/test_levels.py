"""Products on every level: each prints, reads back and means the same in the interpreter, late copies included."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from effort import thorough
from targets.nvidia.case import faults
from targets.nvidia.cases_tile_ir import entry
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.lane_level import interpreted
from targets.nvidia.products.cases import DEPTHS, TEXTS, TOTALS, ZEROS, launch
from tilewright.compiler import CompileOptions, read_module, target_passes
from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import gpu_products, operation_classes
from tilewright.dialects.builtin import Module
from tilewright.interpreter.engine import interpret
from tilewright.ir.parser import parse_ir
from tilewright.ir.passes import PassContext, PassManager
from tilewright.ir.printer import print_op
from tilewright.ir.schedules import Schedule
from tilewright.ir.verifier import verified
from tilewright.languages import ReadOptions
from tilewright.machine.cuda.architecture import Architecture
from tilewright.numerics.precision import Precision
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.targets.nvidia.model import NvidiaSchedulePolicy
from tilewright.targets.nvidia.target import NvidiaTarget
from tilewright.transforms.schedule.products.choice import Products, block_of, choose_products
from tilewright.transforms.schedule.said import schedule_of

LEVELS = ("place-products", "assign-layouts", "lower-to-lanes")
EVERY_UNIT = [*((element, Architecture.SM_90A) for element in TOTALS), *((e, Architecture.SM_80) for e in TOTALS)]
every_unit = pytest.mark.parametrize(("element", "architecture"), EVERY_UNIT, ids=str)


def levels(
    text: str,
    architecture: Architecture,
    schedule: str = "",
    precision: Precision = Precision.EXACT,
    reading: ReadOptions | None = None,
) -> Iterator[Module]:
    """The module after each of the passes, some of them read back from what was printed."""
    module = read_module(Source("product", text), Report(), reading)
    target = NvidiaTarget(architecture).scheduled(schedule)
    for step in target_passes(target, CompileOptions(precision=precision)):
        if step.name == "place-products" and not schedule:
            check_choices(module, architecture)
        PassManager([step]).run(module, PassContext())
        if step.name in LEVELS or (step.name == "assign-roles" and "roles=yes" in (module.kernels[0].schedule or "")):
            verified(module)
            assert (module.kernels[0].schedule or "").startswith("lanes")
            yield taken_down(module)


def some(modules: Iterable[Module], rng: np.random.Generator) -> Sequence[Module]:
    """The last level, which comes of all others, and another one; all if thorough."""
    *others, last = modules
    return [*others, last] if thorough() else [others[int(rng.integers(len(others)))], last]


def check_choices(module: Module, architecture: Architecture) -> None:
    """What the schedule says of products is what they are planned by again."""
    (kernel,) = (each for each in module.kernels if each.is_head)
    taken, block = schedule_of(kernel), block_of(kernel, NvidiaSchedulePolicy(architecture))
    found = choose_products(kernel, block, taken)
    assert isinstance(found, Products)
    assert taken.products == found.choices
    if taken.divide is not None:
        # how many blocks run at a time is known by then, of which stages depend
        return
    # how it had better be run has been forgotten by then
    first = choose_products(kernel, block, Schedule(roles=taken.roles, pingpong=taken.pingpong))
    assert isinstance(first, Products)
    assert first.choices == found.choices
    assert (first.plans, first.loops, first.buffers) == (found.plans, found.loops, found.buffers)


def taken_down(module: Module) -> Module:
    """The module read back from its text, or a copy: a usual run reads one text of four, the same each time."""
    text = print_op(module)
    if thorough() or crc32(text.encode()) % 4 == 0:
        return read_back(module)
    copy = module.clone()
    assert isinstance(copy, Module)
    return copy


def read_back(module: Module) -> Module:
    """The module of its own text, which prints the same."""
    report, text = Report(), print_op(module)
    again = parse_ir(Source("product.twir", text), report, operation_classes())
    assert isinstance(again, Module), report.diagnostics
    assert print_op(again) == text
    return again


def check(
    module: Module, product: Any, tiles: tuple[int, int], order: str, rng: np.random.Generator, beta: float = 0.0
) -> None:
    """Nothing differs from NumPy in the interpreter."""
    given = launch(product, tiles, order, rng, beta)
    found = faults(given, {2: interpreted(module, given)[2]})
    assert not found, found


@pytest.mark.covering(2)
@every_unit
@pytest.mark.parametrize("transposed", list(itertools.product((False, True), repeat=2)))
def test_every_level_means_the_product(
    element: str, architecture: Architecture, transposed: tuple[bool, bool], rng: np.random.Generator
) -> None:
    depth = DEPTHS.get(element, 64)
    product = TEXTS.Product((64, 64, 3 * depth), element, TOTALS[element], transposed)
    for module in some(levels(TEXTS.tile_ir_product(product, (64, 64, depth)), architecture), rng):
        check(module, product, (64, 64), "C", rng)


@pytest.mark.covering(1)
@pytest.mark.parametrize("element", TOTALS)
@pytest.mark.parametrize("known", [None, (72, 40, 48)], ids=["any", "eights"])
def test_tiles_that_do_not_divide(element: str, known: tuple[int, int, int] | None, rng: np.random.Generator) -> None:
    m, n, k = known or (int(extent) for extent in rng.integers(1, 70, 3))
    product = TEXTS.Product((m, n, k), element, TOTALS[element])
    for module in some(levels(TEXTS.tile_ir_product(product, (32, 32, 32), ZEROS), Architecture.SM_90A), rng):
        check(module, product, (32, 32), "C", rng)


@pytest.mark.covering(1)
@pytest.mark.parametrize("element", TOTALS)
@pytest.mark.parametrize("beta", ["0.0", "2.0"])
def test_gemm(element: str, beta: str, rng: np.random.Generator) -> None:
    m, n, k = (int(extent) for extent in rng.integers(1, 80, 3))
    product = TEXTS.Product((m, n, k), element, TOTALS[element])
    for module in some(levels(TEXTS.gemm_product(product, (64, 64), beta), Architecture.SM_80), rng):
        check(module, product, (64, 64), "F", rng, float(beta))


@pytest.mark.covering(0)
@pytest.mark.parametrize("terms", [0, 1, 33])
def test_few_terms_or_none_where_extents_are_open(terms: int, rng: np.random.Generator) -> None:
    """What is read ahead of the loop, and in its last iteration, is there."""
    product = TEXTS.Product((20, 24, terms), "f32", "f32")
    for module in some(levels(TEXTS.whole_gemm(0, "f32", "f32", extent="?"), Architecture.SM_80, "threads=128"), rng):
        check(module, product, (20, 24), "F", rng)


def test_the_last_steps_of_a_stage_read_nothing_behind_it(rng: np.random.Generator) -> None:
    """The only stage, whose steps are a loop that reads what its next iteration multiplies."""
    product = TEXTS.Product((64, 64, 64), "f32", "f32")
    schedule = "threads=64 product=64x64x32:fma.f32/1x2/1"
    *_, lanes = levels(TEXTS.gemm_product(product, (64, 64), "0.0"), Architecture.SM_80, schedule)
    assert schedule in (lanes.kernels[0].schedule or "")
    check(lanes, product, (64, 64), "F", rng)


@pytest.mark.covering(1)
@every_unit
def test_interpreter_and_emulator_agree_to_the_bit(
    element: str, architecture: Architecture, rng: np.random.Generator
) -> None:
    """Of numbers whose sums are rounded."""
    product = TEXTS.Product((64, 64, 96), element, TOTALS[element])
    text = TEXTS.tile_ir_product(product, (64, 64, 32))
    *_, lanes = levels(text, architecture)
    given = launch(product, (64, 64), "C", rng)
    for k in range(2):
        array = given.arguments[k]
        assert isinstance(array, np.ndarray)
        array[...] = (rng.standard_normal(array.shape) * 40).astype(array.dtype)
    llvm, kernels = emit_llvm(lanes, architecture)
    emulated = Emulated(Program(llvm), kernels).run(given)[2]
    np.testing.assert_array_equal(np.asarray(interpreted(lanes, given)[2]), np.asarray(emulated))


@pytest.mark.parametrize("architecture", list(Architecture), ids=lambda a: a.value)
def test_what_is_not_awaited_is_not_there(architecture: Architecture, rng: np.random.Generator) -> None:
    """Without any one wait somebody reads what has not arrived, at both levels."""
    product = TEXTS.Product((64, 64, 320), "f16", "f32")
    for module in some(levels(TEXTS.tile_ir_product(product, (64, 64, 64)), architecture, "copies=threads"), rng):
        waits = [op for op in module.kernels[0].walk() if isinstance(op, gpu_products.AwaitCopies)]
        assert waits
        for wait in waits:
            wait.attributes["pending"] = wait.pending + 1
            with pytest.raises(KernelError):
                check(module, product, (64, 64), "C", rng)
            wait.attributes["pending"] = wait.pending - 1
        check(module, product, (64, 64), "C", rng)


@pytest.mark.parametrize("architecture", list(Architecture), ids=lambda a: a.value)
@pytest.mark.parametrize("turned", [False, True])
def test_a_matrix_times_itself(turned: bool, architecture: Architecture, rng: np.random.Generator) -> None:
    """Both factors are one tile, turned once and used twice."""
    tile, matrix = "tile<64x64xf16>", "tensor_view<64x64xf16, strides=[64,1]>"
    view, x = f"partition_view<tile=(64x64), {matrix}>", "u" if turned else "x"
    text = entry(
        "product",
        "%a: tile<ptr<f16>>, %c: tile<ptr<f16>>",
        f"""%at = make_tensor_view %a, shape = [64, 64], strides = [64, 1] : {matrix}
%ct = make_tensor_view %c, shape = [64, 64], strides = [64, 1] : {matrix}
%aw = make_partition_view %at : {view}
%cw = make_partition_view %ct : {view}
%z = constant <i32: 0> : tile<i32>
%none = constant <f32: 0.0> : tile<64x64xf32>
%x, %d = load_view_tko weak %aw[%z, %z] : {view}, tile<i32> -> {tile}, token
%u = permute %x [1, 0] : {tile} -> {tile}
%p = mmaf %{x}, %{x}, %none : {tile}, {tile}, tile<64x64xf32>
%r = ftof %p : tile<64x64xf32> -> {tile}
%e = store_view_tko weak %r, %cw[%z, %z] : {tile}, {view}, tile<i32> -> token
return""",
    )
    a = rng.integers(-3, 4, (64, 64)).astype(np.float16)
    wanted = (a.T @ a.T if turned else a @ a).astype(np.float16)
    for module in some(levels(text, architecture), rng):
        c = np.zeros((64, 64), np.float16)
        interpret(module.kernels[0], [a, c], (1, 1, 1))
        np.testing.assert_array_equal(c, wanted)
