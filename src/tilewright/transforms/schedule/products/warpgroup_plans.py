"""Plans of groups of four warps, whose instruction reads factors from shared memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from tilewright.dialects.group_layouts import has_turned_rows
from tilewright.dialects.matrix_instructions import (
    MatrixInstruction,
    is_warpgroup_factor,
    is_warpgroup_width,
    warpgroup_product,
)
from tilewright.ir.layouts import Layout
from tilewright.ir.schedules import ProductChoice
from tilewright.ir.swizzles import SWIZZLED_LINES
from tilewright.machine.cuda.architecture import Architecture
from tilewright.transforms.schedule.products.factors import SLAB, Factor
from tilewright.transforms.schedule.products.plan import (
    MOST_GROUP_REGISTERS,
    MOST_SUM_REGISTERS,
    REGISTERS,
    WARP,
    Block,
    ProductPlan,
    Shape,
    is_wanted,
    layout_of_accumulators,
)

_GROUP: Final = 4
"""Warps that multiply together."""
_HALF: Final = 2
"""Bytes of the types of which as many accumulators as groups of warps may hold have been run on a device."""
_SWIZZLED_ROWS: Final = 8
_ROWS: Final = 64
"""Of an instruction."""
_BESIDE_SUMS: Final = 26
"""Registers of a thread that ptxas needs beside accumulators at least (C7602)."""


def best_of_warpgroups(shape: Shape, block: Block, wanted: ProductChoice | None) -> ProductPlan | None:
    """A plan for groups of four warps whose instruction reads both factors from shared memory, if there is such."""
    ways = range(1, block.threads // (WARP * _GROUP) + 1)
    plans = (plan for along_m in ways for plan in warpgroup_plans(shape, block, along_m))
    found = [plan for plan in plans if is_wanted(plan, wanted)]

    def rank(plan: ProductPlan) -> tuple[bool, bool, int, int]:
        """A factor in registers, lines of a group of warps, few factors that copies turn element by element, then the
        fewest bytes read for each product."""
        turned = plan.rows.turned + plan.columns.turned
        return plan.rows.held, shape.lines in (None, plan.lines), -turned, plan.columns.part.shape[0]

    return max(found, key=rank, default=None)


def why_no_groups(shape: Shape, block: Block) -> str:
    """What keeps groups of warps from multiplying what they have an instruction for, if it is one of these."""
    is_theirs = is_warpgroup_factor(shape.lhs, shape.rhs, shape.sum, fast=True)
    if not is_theirs or block.architecture is not Architecture.SM_90A:
        return ""
    if not is_warpgroup_factor(shape.lhs, shape.rhs, shape.sum, shape.fast):
        return "its sums of floats of 8 bits are not exact (fast)"
    if block.threads % (WARP * _GROUP):
        return f"{block.threads} threads are no groups of {WARP * _GROUP}"
    if shape.m * shape.n > _most_sums(shape, block):
        each, have = shape.m * shape.n // block.threads, REGISTERS // block.threads
        return f"{shape.m}x{shape.n} sums are {each} for each of {block.threads} threads with {have} registers"
    if shape.m % _ROWS and shape.n % _ROWS:
        return f"tiles of {shape.m}x{shape.n} have no multiples of {_ROWS} rows"
    return ""


def _most_sums(shape: Shape, block: Block) -> int:
    """So many accumulators a block may have."""
    is_plain = shape.held is None and shape.lines is None and shape.lhs.bytes == _HALF
    most = MOST_GROUP_REGISTERS if is_plain else MOST_SUM_REGISTERS
    return block.threads * min(most, REGISTERS // block.threads - _BESIDE_SUMS)


def warpgroup_plans(shape: Shape, block: Block, along_m: int) -> Iterator[ProductPlan]:
    """The plans whose groups of warps are so many along m, the best first."""
    is_known = is_warpgroup_factor(shape.lhs, shape.rhs, shape.sum, shape.fast)
    if not is_known or block.architecture is not Architecture.SM_90A:
        return
    groups = block.threads // (WARP * _GROUP)
    if block.threads % (WARP * _GROUP) or groups % along_m or shape.m * shape.n > _most_sums(shape, block):
        return
    warps = (along_m, groups // along_m)
    for columns in (shape.lines, None if shape.held is None else 1 - shape.held):
        if columns is not None and warps[columns] == 1:
            plan = _warpgroup_plan(shape, block, warps, columns)
            if plan is not None:
                yield plan
    free = replace(shape, held=None)
    # neighbouring accumulators of a lane are neighbours in memory best; few columns are too few rows of an instruction
    order = (1, 0) if _only_left_is_read(shape) else (0, 1)
    for reads in (True, False):
        plans = (_warpgroup_plan(free, block, warps, columns, reads) for columns in order)
        plan = next((found for found in plans if found is not None and found.rows.read == reads), None)
        if plan is not None:
            yield plan


def _only_left_is_read(shape: Shape) -> bool:
    """Whether threads have to read the left factor, which then has the rows of the instruction, and no other one."""
    return has_turned_rows(shape.lhs.bytes) and shape.lhs_along_outer and not shape.rhs_along_outer


def _warpgroup_plan(
    shape: Shape, block: Block, warps: tuple[int, int], columns: int, reads: bool = False
) -> ProductPlan | None:
    """The plan with so many groups of warps along m and n, whose columns are those of a dimension of the accumulators.

    Threads read rows that lie along them if `reads`.
    """
    extents, along = (shape.m, shape.n), (shape.lhs_along_outer, shape.rhs_along_outer)
    width = extents[columns] // warps[columns]
    if not is_warpgroup_width(shape.lhs, width):
        return None
    is_read = reads and along[1 - columns] and has_turned_rows(shape.lhs.bytes)
    instruction = warpgroup_product(shape.lhs, width, shape.signs(columns), is_read)
    factors: list[Factor] = []
    for side in range(2):
        part = instruction.columns if side == columns else instruction.rows
        held = side == shape.held and side != columns
        is_along = along[side] and not held
        found = _of_groups(instruction, part, extents[side], shape.k, is_along, warps[side], held, block.slab)
        if found is None or (found.is_padded and not shape.from_memory[side]):
            return None
        factors.append(found)
    if sum(factor.bytes for factor in factors) > block.shared_bytes:
        return None
    swapped = columns == 0
    rows, others = factors[1 - columns], factors[columns]
    return ProductPlan(instruction, swapped, rows, others, layout_of_accumulators(instruction, rows, others, swapped))


def _of_groups(
    instruction: MatrixInstruction,
    part: Layout,
    outer: int,
    depth: int,
    along_outer: bool,
    groups: int,
    held: bool = False,
    slab: int = SLAB,
) -> Factor | None:
    """A factor of groups of warps, in swizzled shared memory or `held` in registers; None if it does not divide.

    Slabs are the longest that divide what a group has of a row, of `slab` bytes at least. Where there are none, rows
    along m or n are cut into the longest that there are, the last one a part; rows along k, all of which is multiplied,
    into the longest that divide them: wherever lines are swizzled, lanes meet all banks.

    What is not read along m or n has to be turned on its way to shared memory: bytes, which other units do not read
    along m or n either.
    """
    if held and instruction.held is None:
        return None
    read = instruction.turned and part is instruction.rows
    turned = along_outer and not (instruction.turns_factors or read)
    along_outer = along_outer and not turned
    if turned and instruction.factor.bytes > 1:
        return None
    found = Factor(
        instruction.factor,
        outer,
        depth,
        along_outer,
        part,
        *(1, 1, 1),
        groups,
        swizzled=not held,
        turned=turned,
        held=held,
        read=read,
    )
    own = outer // groups if along_outer else depth
    divides = outer % (groups * part.shape[0]) == 0 and depth % part.shape[1] == 0
    if held:
        return found if divides else None
    # what threads read is multiplied by halves
    divides = divides and not (read and depth % (2 * part.shape[1]))
    found = replace(found, slab=_slab(own * instruction.factor.bytes, slab if not read else SLAB, along_outer))
    # of the last group alone a slab may be a part; what threads read may begin in one
    parts = (own * instruction.factor.bytes, found.slab)
    whole = found.row_bytes % found.slab == 0 and (
        not along_outer or groups == 1 or parts[0] % parts[1] == 0 or (read and parts[1] % parts[0] == 0)
    )
    return replace(found, pitch=found.row_bytes) if divides and whole and found.rows % _SWIZZLED_ROWS == 0 else None


def _slab(bytes_: int, least: int, along_outer: bool) -> int:
    """The longest slabs that divide so many bytes; threads read lines of 128 bytes without conflicts of banks."""
    lines = (line for line in SWIZZLED_LINES if line >= (least if along_outer else 0) and bytes_ % line == 0)
    return next(lines, SLAB)
