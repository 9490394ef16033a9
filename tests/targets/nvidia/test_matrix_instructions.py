"""The table of matrix instructions: its layouts are the PTX ISA's formulas, and ptxas knows every name."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tilewright.dialects.matrix_instructions import (
    F16_F16,
    TABLE,
    MatrixInstruction,
    instruction_of,
    instructions_of,
    is_warpgroup_width,
    warpgroup_product,
)
from tilewright.ir.layouts import Owner
from tilewright.ir.swizzles import Swizzle
from tilewright.ir.types import BF16, F16, F32, F64, I8, I32, TF32
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.llvm.emitter import Builder, Module, Parameter
from tilewright.targets.llvm.types import ELEMENTS
from tilewright.targets.nvidia.ptx import DATA_LAYOUT, TRIPLE, assemble, compile_to_ptx
from tilewright.transforms.lane_accesses import bank_conflicts

from .emulator.groups import GroupProduct
from .emulator.matrices import PRODUCTS, multiply
from .test_ptx import needs_ptxas

OF_WARPS = [found for found in TABLE if not found.is_scalar and not found.conversion]
of_warps = pytest.mark.parametrize("found", OF_WARPS, ids=lambda found: found.name)


@pytest.mark.parametrize("found", [*OF_WARPS, F16_F16], ids=lambda found: found.name)
def test_layouts_are_the_formulas_of_the_manual(found: MatrixInstruction) -> None:
    """Of each lane's element i: A is (row, k), B of the table (column, k) and of the manual (k, column)."""
    manual = PRODUCTS[found.name]
    assert manual.shape == found.shape
    for layout, place, turned in (
        (found.rows, manual.a, False),
        (found.columns, manual.b, True),
        (found.accumulators, manual.c, False),
    ):
        for register, said in enumerate(layout.table()[:, :, 0, 0]):
            first, second = place(register)
            assert np.array_equal(said, np.stack([second, first] if turned else [first, second], axis=-1))


@of_warps
def test_words_hold_neighbours_along_k(found: MatrixInstruction) -> None:
    for layout in (found.rows, found.columns):
        words = layout.table()[:, :, 0, 0, 1].reshape(-1, found.word_elements, 32)
        assert np.array_equal(
            words - words[:, :1], np.broadcast_to(np.arange(found.word_elements)[:, None], words.shape)
        )


def test_turned_rows_are_read_without_conflicts() -> None:
    """Two neighbours at a time from swizzled slabs; sums are of the rows that the registers are."""
    found = warpgroup_product(TF32, 64, turned=True)
    assert found.held is not None
    held, sums = found.held.table()[:, :, :, 0], found.accumulators.table()[:, :, :, 0]
    assert sorted(set(held[..., 0].flat)) == list(range(64))
    for register in range(2):
        assert np.array_equal(held[register, ..., 0], sums[2 * register, ..., 0])
    row, k = held[::2, ..., 0], held[::2, ..., 1]
    assert np.array_equal(held[1::2, ..., 0], row + 1)
    places = row // 32 * 4096 + k * 128 + row % 32 * 4
    for register, warp in itertools.product(range(len(places)), range(4)):
        offsets = [Swizzle(3, 4, 3).place(int(place)) for place in places[register, :, warp]]
        assert bank_conflicts(offsets, 8) == 1


@pytest.mark.parametrize("columns", [8, 64, 256])
def test_sums_of_groups_of_warps_are_where_the_manual_has_them(columns: int) -> None:
    """A factor of which all but one row is zero: each thread finds the sums of its column or row."""
    found, manual = warpgroup_product(F16, columns), GroupProduct(columns, np.dtype(np.float16))
    table = found.accumulators.table()[:, :, :, 0]
    zeros = [np.zeros(128, np.float32) for _ in range(found.accumulators.count(Owner.REG))]
    a, b = np.zeros((64, 16), np.float16), np.zeros((columns, 16), np.float16)
    a[:, 0], b[:, 0] = np.arange(64), 1
    a[:, 1], b[:, 1] = 64, np.arange(columns)
    sums = np.stack(manual.added(zeros, a, b)).reshape(-1, 4, 32).swapaxes(1, 2)
    assert np.array_equal(sums, table[..., 0] + 64 * table[..., 1])


def test_columns_of_groups_of_warps() -> None:
    """Of integers beyond 32 only multiples of 16."""
    widths = {each: [n for n in range(4, 300, 4) if is_warpgroup_width(each, n)] for each in (F16, I8)}
    assert widths[F16] == list(range(8, 264, 8))
    assert widths[I8] == [8, 16, 24, 32, *range(48, 264, 16)]


def test_scalar_multiply_adds_have_each_sum_once() -> None:
    (found,) = [each for each in TABLE if each.is_scalar and each.sum is F32]
    rows, columns, sums = (layout.table()[0, :, 0, 0] for layout in (found.rows, found.columns, found.accumulators))
    assert np.array_equal(sums, np.stack([rows[:, 0], columns[:, 0]], axis=-1))
    assert len({tuple(each) for each in sums.tolist()}) == 32


@of_warps
def test_what_the_emulator_multiplies_is_the_product(found: MatrixInstruction, rng: np.random.Generator) -> None:
    """Matrices dealt out by the table's layouts, multiplied by the manual's."""
    (m, n, k), manual = found.shape, PRODUCTS[found.name]
    a, b = (rng.integers(-4, 5, shape).astype(manual.factor) for shape in ((m, k), (n, k)))
    c = rng.integers(-4, 5, (m, n)).astype(manual.total)
    registers = [
        *_words(a[tuple(np.moveaxis(found.rows.table()[:, :, 0, 0], -1, 0))], found.word_elements),
        *_words(b[tuple(np.moveaxis(found.columns.table()[:, :, 0, 0], -1, 0))], found.word_elements),
        *_words(c[tuple(np.moveaxis(found.accumulators.table()[:, :, 0, 0], -1, 0))], 1),
    ]
    sums = np.stack([part[0] for part in multiply(found.name, registers)])
    a, b = (x.view(np.uint8) if unsigned else x for x, unsigned in zip((a, b), found.unsigned, strict=True))
    expected = c.astype(np.float64) + a.astype(np.float64) @ b.astype(np.float64).T
    assert np.array_equal(sums, expected[tuple(np.moveaxis(found.accumulators.table()[:, :, 0, 0], -1, 0))])


def _words(elements: np.ndarray, count: int) -> list[np.ndarray]:
    """[register, lane] as words of so many elements, each [warp, lane]."""
    grouped = elements.reshape(-1, count, 32).swapaxes(1, 2)
    whole = np.ascontiguousarray(grouped).view(np.int32)[..., 0] if count > 1 else grouped[..., 0]
    return [word[None] for word in whole]


@needs_ptxas
@pytest.mark.parametrize("architecture", list(Architecture), ids=lambda a: a.value)
@pytest.mark.usefixtures("users_ptx")
def test_ptxas_knows_all_that_an_architecture_has(architecture: Architecture) -> None:
    module = Module(TRIPLE, DATA_LAYOUT)
    block = Parameter("ptr", "slots", 'byval([16 x i8]) align 16 "nvvm.grid_constant"')
    b = Builder(module.function("k", "void", [block], convention="ptx_kernel"))
    memory = b.cast("addrspacecast", b.load("ptr", b.function.arguments[0], 8), "ptr addrspace(1)")
    usable = [each for each in OF_WARPS if each.since in (Architecture.SM_80, architecture)]
    for found in usable:
        total = ELEMENTS[found.sum.name].llvm
        counts = [layout.count(Owner.REG) for layout in (found.rows, found.columns, found.accumulators)]
        types = [found.word] * ((counts[0] + counts[1]) // found.word_elements) + [total] * counts[2]
        struct = f"{{ {', '.join([total] * counts[2])} }}"
        operands = [b.load(type_, memory, 8) for type_ in types]
        b.store(b.extract_value(b.intrinsic(found.intrinsic, struct, operands, overload=[]), total, 0), memory, 8)
    b.ret()
    ptx = compile_to_ptx(str(module), architecture)
    assert ptx.count("mma.sync.aligned") == len(usable)
    assert assemble(ptx, architecture).kernels["k"].spill_load_bytes == 0


def test_units_are_found_by_their_names() -> None:
    for found in (*TABLE, *(warpgroup_product(factor, 96) for factor in (F16, TF32, I8))):
        assert instruction_of(found.name) == found
    turned = warpgroup_product(I8, 256, (True, False), turned=True)
    assert instruction_of(turned.name) == turned
    assert instruction_of("wgmma.m64n12k16.f32.f16") is None


def test_the_best_instruction_of_types_is_exact() -> None:
    """What is no factor of a matrix unit is converted to what is summed, never to less."""
    for lhs, rhs, total in itertools.product(
        (F16, BF16, F32, F64, I8, I32), (F16, BF16, F32, F64, I8), (F32, F64, I32)
    ):
        for found in instructions_of(lhs, rhs, total, Architecture.SM_90A):
            assert found.sum is total
            assert not found.rounds
            assert (lhs is rhs is found.factor) or found.factor is total
    best = {types: instructions_of(*types, Architecture.SM_80)[0].name for types in ((F16, F16, F32), (F16, F32, F32))}
    assert best == {(F16, F16, F32): "m16n8k16.row.col.f32.f32", (F16, F32, F32): "fma.f32"}
    assert instructions_of(F64, F64, F64, Architecture.SM_80)[0].shape == (8, 8, 4)
    assert instructions_of(F64, F64, F64, Architecture.SM_90A)[0].shape == (16, 8, 8)
