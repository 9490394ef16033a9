"""Plans of warps that multiply by themselves, and of threads that do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from tilewright.dialects.gpu_products import COPIED_BYTES
from tilewright.dialects.matrix_instructions import MatrixInstruction
from tilewright.ir.layouts import Layout
from tilewright.ir.schedules import ProductChoice
from tilewright.transforms.schedule.products.factors import PIECE, Factor
from tilewright.transforms.schedule.products.plan import (
    MOST_SUM_REGISTERS,
    WARP,
    ProductPlan,
    Shape,
    is_wanted,
    layout_of_accumulators,
)

_PADDINGS: Final = range(8)


def plan_with(
    instruction: MatrixInstruction, shape: Shape, warps: int, shared_bytes: int, wanted: ProductChoice | None
) -> ProductPlan | str:
    """The best plan with an instruction, among those that are `wanted`, or why there is none."""
    registers = shape.m * shape.n * max(shape.sum.bytes, 4) // 4 // (warps * WARP)
    if registers > MOST_SUM_REGISTERS:
        return f"{registers} registers of accumulators a thread are more than {MOST_SUM_REGISTERS}"
    # the two neighbouring accumulators of a lane are then neighbours in memory
    swapped = not instruction.is_scalar
    splits = [plan for plan in _splits(instruction, shape, warps, swapped) if is_wanted(plan, wanted)]
    fits = [plan for plan in splits if plan.stage_bytes <= shared_bytes]
    if not fits:
        extents = "x".join(map(str, instruction.shape))
        return (
            f"{shape.m}x{shape.n}x{shape.k} are no whole parts of {extents} for {warps} warps in {shared_bytes:,} bytes"
        )
    return min(fits, key=lambda p: (p.rows.outer // p.rows.warps + p.columns.outer // p.columns.warps, p.lhs.warps))


def _splits(instruction: MatrixInstruction, shape: Shape, warps: int, swapped: bool) -> Iterator[ProductPlan]:
    """Plans for all ways of sharing m and n among the warps."""
    lhs_part, rhs_part = (instruction.columns, instruction.rows) if swapped else (instruction.rows, instruction.columns)
    for along_m in range(1, warps + 1):
        if warps % along_m:
            continue
        deep = _depth_scale(instruction, shape)
        lhs = _factor(instruction, lhs_part, shape.m, shape.k, shape.lhs_along_outer, deep, along_m)
        rhs = _factor(instruction, rhs_part, shape.n, shape.k, shape.rhs_along_outer, deep, warps // along_m)
        if lhs is not None and rhs is not None:
            rows, columns = (rhs, lhs) if swapped else (lhs, rhs)
            yield ProductPlan(
                instruction, swapped, rows, columns, layout_of_accumulators(instruction, rows, columns, swapped)
            )


def _depth_scale(instruction: MatrixInstruction, shape: Shape) -> int:
    """Instructions that share one access along k, the same for both factors; 1 if neither lies along k."""
    if not instruction.interleaves or _turns(instruction) or (shape.lhs_along_outer and shape.rhs_along_outer):
        return 1
    return PIECE // instruction.factor.bytes


def _turns(instruction: MatrixInstruction) -> bool:
    """Whether factors lie along m and n in shared memory, whatever they do in global memory.

    What a thread then holds of a factor is of one k, and there is room for that of the next one. An element of these
    bytes can be copied alone.
    """
    return instruction.is_scalar and instruction.factor.bytes in COPIED_BYTES


def _factor(
    instruction: MatrixInstruction, part: Layout, outer: int, depth: int, along_outer: bool, deep: int, warps: int
) -> Factor | None:
    """A factor with rows so far apart that reading meets the fewest conflicts; None if it does not divide."""
    element, words = instruction.factor, instruction.word_elements
    # matrices of two bytes are transposed as they are loaded, bytes are not
    turned = not along_outer and _turns(instruction)
    along_outer = turned or (along_outer and not (words > 1 and element.bytes == 1))
    scale = 1
    if along_outer and instruction.interleaves:
        scale = PIECE // element.bytes
        while scale > 1 and outer % (warps * part.shape[0] * scale):
            scale //= 2
    found = Factor(element, outer, depth, along_outer, part, words, scale, deep, warps, turned=turned)
    if outer % (warps * part.shape[0] * scale) or depth % (part.shape[1] * deep) or found.row_bytes % PIECE:
        return None
    return _read_best(replace(found, pitch=found.row_bytes + PIECE * more) for more in _PADDINGS)


def _read_best(factors: Iterable[Factor]) -> Factor:
    """The first that is read with the fewest conflicts; no more are looked at than it takes."""
    best: tuple[int, Factor] | None = None
    for factor in factors:
        conflicts = factor.conflicts()
        if best is None or conflicts < best[0]:
            best = conflicts, factor
        if conflicts == 1:
            break
    assert best is not None
    return best[1]
