"""How a product of tiles is computed: the instruction, who holds which sum, how factors lie in shared memory.

Everything is decided here, from types, extents and the machine alone; what emits code only walks the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects.gpu_products import COPIED_BYTES
from tilewright.dialects.matrix_instructions import (
    SIGNED,
    MatrixInstruction,
    Signs,
    instructions_of,
    is_warpgroup_factor,
    is_warpgroup_width,
    warpgroup_product,
)
from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.ir.schedules import ProductChoice
from tilewright.ir.types import ScalarType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.transforms.schedule.products.factors import PIECE, SLAB, Factor

WARP: Final = 32
MOST_SUM_REGISTERS: Final = 128
MOST_GROUP_REGISTERS: Final = 192
"""Of sums of groups of warps that hold no factors beside them: with 255 registers nothing is spilled."""
_REGISTERS: Final = 65536
"""Of a multiprocessor."""
_OTHER_REGISTERS: Final = 96
"""What a thread has beside sums: factors, addresses."""
LEAST_STAGES: Final = 2
_GROUP: Final = 4
"""Warps that multiply together."""
_HALF: Final = 2
"""Bytes of the types of which as many sums as groups of warps may hold have been run on a device."""
_SWIZZLED_ROWS: Final = 8
_MOST_STAGES: Final = 4
MOST_ASKED_STAGES: Final = 8
"""As many as have a use where each is small and a block has a multiprocessor for itself."""
_MOST_EMITTED: Final = 256
"""Instructions that are written out one after the other; more are a loop."""
_MOST_SCALARS: Final = 512
"""The same of scalar instructions, which take no longer than what goes round the loop beside them."""
_FEW_STEPS: Final = 8
"""So many steps may have twice as many: 128 sums a thread were 1 to 2 % faster with 8 than with 4, f32, on an H200."""
_PADDINGS: Final = range(8)


class Block(Struct, frozen=True):
    """What computes a product: threads, the shared memory that is left for factors, the machine and how many it has.

    A block is `alone` on a multiprocessor if there are no more than these.
    """

    threads: int
    shared_bytes: int
    architecture: Architecture
    multiprocessors: int = 1
    alone: bool = False

    def stages(
        self, plans: Sequence[ProductPlan], bytes_: int | None = None, beside: int = 0, asked: int | None = None
    ) -> int:
        """How many iterations of a loop have factors of these products in shared memory at a time.

        That is `bytes_` an iteration, by default all their factors, and `beside` once. Two blocks share a
        multiprocessor where its registers allow, then its memory too. If a number is `asked` for, it is that, or as
        many as there is room for.
        """
        bytes_ = sum(plan.stage_bytes for plan in plans) if bytes_ is None else bytes_
        if asked is not None:
            return min(asked, (self.shared_bytes - beside) // bytes_, MOST_ASKED_STAGES)
        half = (self.shared_bytes // 2 - beside) // bytes_
        whole = (self.shared_bytes - beside) // bytes_
        if self.alone:
            # nothing else hides the way from memory
            return min(whole, MOST_ASKED_STAGES)
        return min(half if self._has_registers_of_two(plans) and half >= LEAST_STAGES else whole, _MOST_STAGES)

    def resident(self, plans: Sequence[ProductPlan], bytes_: int) -> int:
        """How many blocks with so many bytes of factors the device runs at a time."""
        is_half = self._has_registers_of_two(plans) and 2 * bytes_ <= self.shared_bytes
        return self.multiprocessors * (1 + is_half)

    def _has_registers_of_two(self, plans: Sequence[ProductPlan]) -> bool:
        registers = sum(plan.layout.count(Owner.REG) * max(plan.instruction.sum.bytes // 4, 1) for plan in plans)
        return 2 * self.threads * (registers + _OTHER_REGISTERS) <= _REGISTERS


class Shape(Struct, frozen=True):
    """What is multiplied: extents, element types, and whether rows of the factors in memory run along m and n.

    Threads compute the factor of side `held`, 0 for the left one: best they multiply it from their registers. A group
    of warps should hold all sums of a line along dimension `lines`, which become such a factor. `fast` says that sums
    of floats of 8 bits may be formed in fewer bits than their type has, `unsigned` which factors are integers without
    sign, `from_memory` which come to shared memory as they lie in memory, with what lies beside them.
    """

    m: int
    n: int
    k: int
    lhs: ScalarType
    rhs: ScalarType
    sum: ScalarType
    lhs_along_outer: bool
    rhs_along_outer: bool
    held: int | None = None
    lines: int | None = None
    fast: bool = False
    unsigned: Signs = SIGNED
    from_memory: tuple[bool, bool] = (False, False)

    def signs(self, columns: int) -> Signs:
        """Of rows and columns of instructions, whose columns are those of a dimension of the sums."""
        return (self.unsigned[1 - columns], self.unsigned[columns])


class ProductPlan(Struct, frozen=True):
    """The way of one product. The rows of the instruction are those of the tile, or, `swapped`, its columns."""

    instruction: MatrixInstruction
    swapped: bool
    rows: Factor
    columns: Factor
    layout: Layout

    @property
    def lhs(self) -> Factor:
        """The left factor."""
        return self.columns if self.swapped else self.rows

    @property
    def rhs(self) -> Factor:
        """The right factor."""
        return self.rows if self.swapped else self.columns

    @property
    def lines(self) -> int | None:
        """The dimension along which a group of warps has all sums of a line, if that is the columns' one."""
        return int(not self.swapped) if self.columns.warps == 1 else None

    @property
    def held(self) -> int | None:
        """The side of the factor that is in registers, 0 for the left one."""
        return int(self.swapped) if self.rows.held else None

    @property
    def held_layout(self) -> Layout:
        """Who has which element of the factor in registers: parts of a thread along k, then along the rows."""
        part, rows = self.instruction.held, self.rows
        assert part is not None
        dims = (1, 0) if self.swapped else (0, 1)
        digits = [Digit(digit.owner, digit.extent, dims[digit.dim or 0], digit.stride) for digit in part.digits]
        digits.append(Digit(Owner.REG, self.steps, dims[1], part.shape[1]))
        digits.append(Digit(Owner.REG, rows.repeats, dims[0], part.shape[0]))
        digits.append(Digit(Owner.WARP, rows.warps, dims[0], rows.repeats * part.shape[0]))
        extents = (rows.outer, rows.depth)
        return Layout((extents[dims[0]], extents[dims[1]]), tuple(digits))

    @property
    def most_registers(self) -> int:
        """Of a thread, that sums may take."""
        return MOST_GROUP_REGISTERS if self.instruction.reads_memory else MOST_SUM_REGISTERS

    @property
    def stage_bytes(self) -> int:
        """Shared memory of both factors."""
        return self.lhs.bytes + self.rhs.bytes

    @property
    def steps(self) -> int:
        """Instructions one after the other along k."""
        return self.rows.depth // self.instruction.shape[2]

    @property
    def steps_a_trip(self) -> int:
        """Steps written out in the loop over k; fewer where each is long, never less than is read at once."""
        together = max(self.rows.depth_scale, self.columns.depth_scale)
        most = _MOST_SCALARS if self.instruction.is_scalar else _MOST_EMITTED
        each = self.rows.repeats * self.columns.repeats
        fit = max(most // each, 1)
        if self.instruction.is_scalar:
            fit = max(fit, min(_FEW_STEPS, 2 * most // each))
        return max(
            count
            for count in range(together, self.steps + 1, together)
            if self.steps % count == 0 and count <= max(fit, together)
        )

    def __str__(self) -> str:
        rows, columns = self.lhs, self.rhs
        who = "groups of warps" if self.instruction.reads_memory else "warps"
        return (
            f"{self.instruction.name}, {self.lhs.warps}x{self.rhs.warps} {who} of "
            f"{rows.outer // rows.warps}x{columns.outer // columns.warps}"
        )


def plan_product(shape: Shape, block: Block, wanted: ProductChoice | None = None) -> ProductPlan | str:
    """The best way of a product, among those that are `wanted`, or why there is none."""
    if block.threads % WARP:
        return f"{block.threads} threads are no whole warps"
    if not (shape.m and shape.n and shape.k):
        return "there is nothing to multiply"
    plan = _of_warpgroups(shape, block, wanted)
    if plan is not None:
        return plan
    refused: list[str] = []
    known = _instructions(shape, block)
    usable = [instruction for instruction in known if wanted is None or instruction.name == wanted.instruction]
    if wanted is not None and not usable:
        return f"{wanted.instruction} is none of {', '.join(each.name for each in known)}"
    for instruction in usable:
        found = _with(instruction, shape, block.threads // WARP, block.shared_bytes, wanted)
        if not isinstance(found, str):
            return found
        refused.append(f"{instruction.name}: {found}")
    return "; ".join(refused) or f"nothing multiplies {shape.lhs} by {shape.rhs} into {shape.sum}"


def choices_beside(shape: Shape, block: Block, taken: ProductChoice) -> Iterator[ProductChoice]:
    """What a product could have instead of what it took: more or fewer stages, other warps, other instructions."""
    for stages in () if taken.stages is None else (taken.stages + 1, taken.stages - 1):
        if 1 <= stages <= MOST_ASKED_STAGES:
            yield replace(taken, stages=stages)
    instructions = _instructions(shape, block)
    found = dict[ProductChoice, None]()
    for along_m in range(1, block.threads // WARP + 1):
        for plan in _of_all_warps(shape, block, instructions, along_m):
            found[ProductChoice(taken.tile, plan.instruction.name, (plan.lhs.warps, plan.rhs.warps))] = None
    others = [choice for choice in found if (choice.instruction, choice.warps) != (taken.instruction, taken.warps)]
    yield from sorted(others, key=lambda choice: choice.instruction != taken.instruction)


def _instructions(shape: Shape, block: Block) -> list[MatrixInstruction]:
    """What warps multiply with, the best first."""
    return instructions_of(shape.lhs, shape.rhs, shape.sum, block.architecture, shape.signs(0))


def _of_all_warps(
    shape: Shape, block: Block, instructions: Sequence[MatrixInstruction], along_m: int
) -> Iterator[ProductPlan]:
    """For each instruction the plan whose warps are so many along m, if there is one."""
    warps = block.threads // WARP
    yield from _warpgroup_plans(shape, block, along_m)
    if warps % along_m == 0:
        for instruction in instructions:
            wanted = ProductChoice((shape.m, shape.n, shape.k), instruction.name, (along_m, warps // along_m))
            found = _with(instruction, shape, warps, block.shared_bytes, wanted)
            if not isinstance(found, str):
                yield found


def _is_wanted(plan: ProductPlan, wanted: ProductChoice | None) -> bool:
    """Whether instruction and warps are those asked for."""
    if wanted is None:
        return True
    return wanted.instruction == plan.instruction.name and wanted.warps in (None, (plan.lhs.warps, plan.rhs.warps))


def _with(
    instruction: MatrixInstruction, shape: Shape, warps: int, shared_bytes: int, wanted: ProductChoice | None
) -> ProductPlan | str:
    registers = shape.m * shape.n * max(shape.sum.bytes, 4) // 4 // (warps * WARP)
    if registers > MOST_SUM_REGISTERS:
        return f"{registers} registers of sums a thread are more than {MOST_SUM_REGISTERS}"
    # the two neighbouring sums of a lane are then neighbours in memory
    swapped = not instruction.is_scalar
    splits = [plan for plan in _splits(instruction, shape, warps, swapped) if _is_wanted(plan, wanted)]
    fits = [plan for plan in splits if plan.stage_bytes <= shared_bytes]
    if not fits:
        extents = "x".join(map(str, instruction.shape))
        return (
            f"{shape.m}x{shape.n}x{shape.k} are no whole parts of {extents} for {warps} warps in {shared_bytes:,} bytes"
        )
    return min(fits, key=lambda p: (p.rows.outer // p.rows.warps + p.columns.outer // p.columns.warps, p.lhs.warps))


def _of_warpgroups(shape: Shape, block: Block, wanted: ProductChoice | None) -> ProductPlan | None:
    """A plan for groups of four warps whose instruction reads both factors from shared memory, if there is such."""
    ways = range(1, block.threads // (WARP * _GROUP) + 1)
    plans = (plan for along_m in ways for plan in _warpgroup_plans(shape, block, along_m))
    found = [plan for plan in plans if _is_wanted(plan, wanted)]

    def rank(plan: ProductPlan) -> tuple[bool, bool, int]:
        """A factor in registers, lines of a group of warps, then the fewest bytes read for each product."""
        return plan.rows.held, shape.lines in (None, plan.lines), plan.columns.part.shape[0]

    return max(found, key=rank, default=None)


def _warpgroup_plans(shape: Shape, block: Block, along_m: int) -> Iterator[ProductPlan]:
    """The plans whose groups of warps are so many along m, the best first."""
    is_known = is_warpgroup_factor(shape.lhs, shape.rhs, shape.sum, shape.fast)
    if not is_known or block.architecture is not Architecture.SM_90A:
        return
    groups = block.threads // (WARP * _GROUP)
    is_plain = shape.held is None and shape.lines is None and shape.lhs.bytes == _HALF
    most = block.threads * (MOST_GROUP_REGISTERS if is_plain else MOST_SUM_REGISTERS)
    if block.threads % (WARP * _GROUP) or groups % along_m or shape.m * shape.n > most:
        return
    warps = (along_m, groups // along_m)
    for columns in (shape.lines, None if shape.held is None else 1 - shape.held):
        if columns is not None and warps[columns] == 1:
            plan = _warpgroup_plan(shape, block, warps, columns)
            if plan is not None:
                yield plan
    plan = _warpgroup_plan(replace(shape, held=None), block, warps, 0)
    if plan is not None:
        yield plan


def _warpgroup_plan(shape: Shape, block: Block, warps: tuple[int, int], columns: int) -> ProductPlan | None:
    """The plan with so many groups of warps along m and n, whose columns are those of a dimension of the sums."""
    extents, along = (shape.m, shape.n), (shape.lhs_along_outer, shape.rhs_along_outer)
    width = extents[columns] // warps[columns]
    if not is_warpgroup_width(shape.lhs, width):
        return None
    instruction = warpgroup_product(shape.lhs, width, shape.signs(columns))
    factors: list[Factor] = []
    for side in range(2):
        part = instruction.columns if side == columns else instruction.rows
        held = side == shape.held and side != columns
        found = _of_groups(instruction, part, extents[side], shape.k, along[side] and not held, warps[side], held)
        if found is None or (found.is_padded and not shape.from_memory[side]):
            return None
        factors.append(found)
    if sum(factor.bytes for factor in factors) > block.shared_bytes:
        return None
    swapped = columns == 0
    rows, others = factors[1 - columns], factors[columns]
    return ProductPlan(instruction, swapped, rows, others, layout_of_sums(instruction, rows, others, swapped))


def _of_groups(
    instruction: MatrixInstruction,
    part: Layout,
    outer: int,
    depth: int,
    along_outer: bool,
    groups: int,
    held: bool = False,
) -> Factor | None:
    """A factor of groups of warps, in swizzled shared memory or `held` in registers; None if it does not divide.

    What is not read along m or n has to be turned on its way to shared memory: bytes, which other units do not read
    along m or n either.
    """
    if held and instruction.held is None:
        return None
    turned = along_outer and not instruction.turns_factors
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
    )
    own = outer // groups
    divides = outer % (groups * part.shape[0]) == 0 and depth % part.shape[1] == 0
    if held:
        return found if divides else None
    # of the last group alone a slab may be a part
    whole = found.row_bytes % SLAB == 0 and (
        not along_outer or groups == 1 or own * instruction.factor.bytes % SLAB == 0
    )
    return replace(found, pitch=found.row_bytes) if divides and whole and found.rows % _SWIZZLED_ROWS == 0 else None


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
            yield ProductPlan(instruction, swapped, rows, columns, layout_of_sums(instruction, rows, columns, swapped))


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


def layout_of_sums(instruction: MatrixInstruction, rows: Factor, columns: Factor, swapped: bool) -> Layout:
    """Who holds which sum: registers count those of an instruction, then its repeats along rows, then along columns."""
    dims, factors = (1, 0) if swapped else (0, 1), (rows, columns)
    digits: list[Digit] = []
    for digit in instruction.sums.digits:
        assert digit.dim is not None
        scale = factors[digit.dim].outer_scale
        digits.append(Digit(digit.owner, digit.extent, dims[digit.dim], digit.stride * scale))
    for dim, factor in zip(dims, factors, strict=True):
        scale, extent = factor.outer_scale, factor.part.shape[0]
        digits.append(Digit(Owner.REG, scale, dim, 1))
        digits.append(Digit(Owner.REG, factor.repeats // scale, dim, scale * extent))
        digits.append(Digit(Owner.WARP, factor.warps, dim, factor.repeats * extent))
    shape = (columns.outer, rows.outer) if swapped else (rows.outer, columns.outer)
    return Layout(shape, tuple(digits))
