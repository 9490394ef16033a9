"""Factors in shared memory as memrefs: what a plan says, in types and attributes of `gpu.mma`, and back."""

from __future__ import annotations

from msgspec.structs import replace

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects.gpu_products import memref_of, rows_of
from tilewright.dialects.matrix_instructions import MatrixInstruction, instruction_of
from tilewright.dialects.tile_rules import tile_of
from tilewright.ir.core import Value
from tilewright.ir.layouts import Layout
from tilewright.ir.swizzles import SWIZZLED_LINES
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.transforms.schedule.products.factors import SLAB, Factor
from tilewright.transforms.schedule.products.plan import ProductPlan, layout_of_accumulators, layout_of_rows
from tilewright.transforms.tile_values import tile_type

ALIGNMENT = 1024
"""Of stages: what is swizzled together begins there."""


def buffer_type(factor: Factor, stages: int) -> MemrefType:
    """Of the memory of so many stages of a factor."""
    size = factor.element.bytes
    stage, near = factor.bytes // size, factor.row_bytes // size
    if not factor.swizzled:
        shape, strides = (near, factor.rows, stages), (1, factor.pitch // size, stage)
        return MemrefType(factor.element, shape, strides, AddressSpace.LOCAL)
    width = factor.slab // size
    shape, strides = (width, factor.rows, near // width, stages), (1, width, width * factor.rows, stage)
    return MemrefType(factor.element, shape, strides, AddressSpace.LOCAL, SWIZZLED_LINES[factor.slab])


def _held(factor: Value, dim: int, instruction: MatrixInstruction, warps: int) -> Factor:
    """A factor in registers."""
    shape = tile_type(factor).shape
    return Factor(instruction.factor, shape[dim], shape[1 - dim], False, instruction.rows, 1, 1, 1, warps, held=True)


def _in_memory(
    type_: MemrefType,
    dim: int,
    along: bool,
    outer: int,
    instruction: MatrixInstruction,
    swapped: bool,
    warps: tuple[int, int],
    scales: tuple[int, int, int],
) -> Factor:
    """A factor in shared memory, of attributes of a product."""
    near, far = rows_of(type_)
    size, swizzled, pitch = type_.element.bytes, type_.swizzle is not None, type_.strides[1]
    width = type_.shape[0]
    assert pitch is not None
    assert width is not None
    return Factor(
        instruction.factor,
        outer,
        far if along else near,
        along,
        _part(instruction, dim, swapped),
        1 if swizzled else instruction.word_elements,
        scales[dim],
        scales[2],
        warps[dim],
        near * size if swizzled else pitch * size,
        swizzled,
        slab=width * size if swizzled else SLAB,
    )


def _part(instruction: MatrixInstruction, dim: int, swapped: bool) -> Layout:
    return instruction.columns if (dim == 0) == swapped else instruction.rows


def plan_of(op: gpu.Mma) -> ProductPlan:
    """The plan that an operation carries out."""
    instruction, swapped = known(op), op.swapped
    factors: list[Factor] = []
    for dim, memory in enumerate((op.lhs, op.rhs)):
        if memory is op.held:
            factors.append(_held(memory, dim, instruction, op.warps[dim]))
            continue
        outer = tile_of(op.out).shape[dim]
        attributes = (op.along[dim], outer, instruction, swapped, op.warps, op.scales)
        factors.append(_in_memory(memref_of(memory), dim, *attributes))
    return _plan(instruction, swapped, factors)


def plan_of_parts(op: gpu.MmaParts) -> ProductPlan:
    """The same of one whose factors are in registers, wherever they were."""
    instruction, swapped = known(op), op.swapped
    factors = [
        Factor(
            instruction.factor,
            tile_type(value).shape[dim],
            tile_type(value).shape[1 - dim],
            False,
            _part(instruction, dim, swapped),
            instruction.word_elements,
            op.scales[dim],
            op.scales[2],
            op.warps[dim],
        )
        for dim, value in enumerate((op.lhs, op.rhs))
    ]
    return _plan(instruction, swapped, factors)


def factor_of(op: gpu.ReadParts) -> Factor:
    """The factor of which parts are read."""
    outer = tile_type(op.out).shape[op.side]
    return _in_memory(memref_of(op.memory), op.side, op.along, outer, known(op), op.swapped, op.warps, op.scales)


def layout_of_parts(op: gpu.ReadParts) -> Layout:
    """Who has which of the parts that are read."""
    found, dim = tile_type(op.out), op.side
    if known(op).turned:
        rows = replace(factor_of(op), depth=found.shape[1 - dim])
        return layout_of_rows(known(op), rows, op.swapped, op.warps[1 - dim])
    return factor_of(op).layout_of_parts(found.shape[1 - dim], dim, op.warps[1 - dim], counts_first(op))


def counts_first(op: gpu.ReadParts) -> bool:
    """Whether the warps of a factor are the first digit of their number, as in the layout of accumulators: those of
    rows."""
    return (op.side == 1) == op.swapped


def known(op: gpu.Mma | gpu.MmaParts | gpu.ReadParts) -> MatrixInstruction:
    """The instruction of an operation."""
    found = instruction_of(op.instruction)
    assert found is not None, "the verifier has asked"
    return found


def _plan(instruction: MatrixInstruction, swapped: bool, factors: list[Factor]) -> ProductPlan:
    columns, rows = factors if swapped else reversed(factors)
    return ProductPlan(instruction, swapped, rows, columns, layout_of_accumulators(instruction, rows, columns, swapped))
