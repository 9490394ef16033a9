"""Factors in shared memory as memrefs: what a plan says, in types and attributes of `gpu.mma`, and back."""

from __future__ import annotations

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects.gpu_products import memref_of, rows_of
from tilewright.dialects.matrix_instructions import MatrixInstruction, instruction_of
from tilewright.ir.core import Value
from tilewright.ir.swizzles import Swizzle
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.transforms.schedule.products.factors import SLAB, Factor
from tilewright.transforms.schedule.products.plan import ProductPlan, layout_of_sums
from tilewright.transforms.tile_values import tile_type

ALIGNMENT = 1024
"""Of stages: what is swizzled together begins there."""
_SWIZZLE = Swizzle(3, 4, 3)


def buffer_type(factor: Factor, stages: int) -> MemrefType:
    """Of the memory of so many stages of a factor."""
    size = factor.element.bytes
    stage, near = factor.bytes // size, factor.row_bytes // size
    if not factor.swizzled:
        shape, strides = (near, factor.rows, stages), (1, factor.pitch // size, stage)
        return MemrefType(factor.element, shape, strides, AddressSpace.LOCAL)
    width = SLAB // size
    shape, strides = (width, factor.rows, near // width, stages), (1, width, width * factor.rows, stage)
    return MemrefType(factor.element, shape, strides, AddressSpace.LOCAL, _SWIZZLE)


def _held(factor: Value, dim: int, instruction: MatrixInstruction, warps: int) -> Factor:
    """A factor in registers."""
    shape = tile_type(factor).shape
    return Factor(instruction.factor, shape[dim], shape[1 - dim], False, instruction.rows, 1, 1, 1, warps, held=True)


def plan_of(op: gpu.Mma) -> ProductPlan:
    """The plan that an operation carries out."""
    instruction, swapped = instruction_of(op.instruction), op.swapped
    assert instruction is not None
    factors: list[Factor] = []
    for dim, memory in enumerate((op.lhs, op.rhs)):
        if memory is op.held:
            factors.append(_held(memory, dim, instruction, op.warps[dim]))
            continue
        type_ = memref_of(memory)
        near, far = rows_of(type_)
        size, swizzled = type_.element.bytes, type_.swizzle is not None
        pitch = type_.strides[1]
        assert pitch is not None
        factors.append(
            Factor(
                instruction.factor,
                near if op.along[dim] else far,
                far if op.along[dim] else near,
                op.along[dim],
                instruction.columns if (dim == 0) == swapped else instruction.rows,
                1 if swizzled else instruction.word_elements,
                op.scales[dim],
                op.scales[2],
                op.warps[dim],
                near * size if swizzled else pitch * size,
                swizzled,
            )
        )
    columns, rows = factors if swapped else reversed(factors)
    return ProductPlan(instruction, swapped, rows, columns, layout_of_sums(instruction, rows, columns, swapped))
