"""How a product of tiles is computed: the instruction, who holds which sum, how factors lie in shared memory.

Everything is decided here, from types, extents and the machine alone; what emits code only walks the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from tilewright.artifacts.parameters import Joined
from tilewright.dialects.matrix_instructions import SIGNED, MatrixInstruction, Signs
from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.ir.schedules import ProductChoice, Schedule
from tilewright.ir.types import F64, ScalarType, TileType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.transforms.schedule.products.factors import SLAB, Factor

WARP: Final = 32
_GROUP: Final = 4
"""Warps that multiply together."""
MOST_SUM_REGISTERS: Final = 128
MOST_GROUP_REGISTERS: Final = 192
"""Of accumulators of groups of warps that hold no factors beside them: with 255 registers nothing is spilled."""
REGISTERS: Final = 65536
"""Of a multiprocessor."""
_OTHER_REGISTERS: Final = 96
"""What a thread has beside accumulators: factors, addresses."""
_HELD_REGISTERS: Final = 64
"""The same where groups of warps compute factors from accumulators, as ptxas gives them for blocks of attention."""
_MOST_OF_THREAD: Final = 256
_LEAST_GOING_ON: Final = 128 * 128
"""Accumulators of a work-group from which on blocks go on over a grid."""
_MOST_IN_A_ROW: Final = 12
"""Blocks that may multiply the same factor at a time where sides take turns.

H100, f16, 128x128x64, of cuBLAS's speed at 2048, 4096, 8192: by turns 8 in a row 1.01 .98 .98, 12 1.01 .97, 14 .98 .81
.80, 16 .93 .78 .77; by two blocks a multiprocessor 8 .99 .97 .80 to .83, 16 .99 .91 .76.
"""
_WIDEST: Final = 256
"""Columns of an instruction of a group of warps at most: its rows come from shared memory once for all of them."""
_ROWS_OF_GROUP: Final = 64
_OF_JOINED: Final = 95
_ONCE_JOINED: Final = 20
"""Percent of a wave of tiles of 128 x 128, of two of which one is made, and once of a launch.

H200, f16, 128x128x64, of cuBLAS's speed at 2048, 4096, 8192: one by one 1.00 .975 .96, two by two .99 1.00 1.01, bf16
of 2048, 4096 1.00 .98, 1.00 1.00; tiles that a loop of the program deals to blocks 1.01 .98 .96, 1.00 1.00 1.01, bf16
1.01 .98, 1.01 1.00. Stages of larger tiles are fewer, and take longer to be filled; short launches are not at the limit
of the device's power, which bytes from shared memory take some of.
"""
LEAST_STAGES: Final = 2
_MOST_STAGES: Final = 4
_ENOUGH_OF_LONG: Final = 3
"""Of stages that take units so long that two of them hide the way from memory. H200, f64, 128x128x16 by 256 threads, of
the time of four: 2048 .99, 4096 .985, 8192 .98; of 64x64x16 three take 1.02."""
_LONG_STAGE: Final = 2048
"""Clocks of a multiprocessor."""
_F64_A_CLOCK: Final = 128
"""Multiply-adds of f64 that the units of a multiprocessor make."""
MOST_ASKED_STAGES: Final = 8
"""As many as have a use where each is small and a block has a multiprocessor for itself."""
_MOST_EMITTED: Final = 256
"""Instructions that are written out one after the other; more are a loop."""
_MOST_SCALARS: Final = 512
"""The same of scalar instructions, which take no longer than what goes round the loop beside them."""
_FEW_STEPS: Final = 8
"""So many steps may have twice as many: 128 accumulators a thread were 1 to 2 % faster with 8 than with 4, f32, on an
H200."""


_PAIR: Final = 2
_LEFT_OVER: Final = 12
"""Multiprocessors of an H200 that are in no cluster of more than two: those that run together are 16 or 18."""


class Joining(Struct, frozen=True):
    """So many work-groups whose results lie beside each other along an `axis` are computed as one: such a wave of
    `blocks` takes `percent` of the time of as many waves of them one by one, and all of them so many percent of one
    of those more `once`."""

    axis: int
    count: int
    blocks: int
    percent: int
    once: int

    def on(self, mode: int) -> Joined:
        """The grids for that, whose work-groups follow each other along a mode."""
        return Joined(mode, self.count, self.blocks, self.percent, self.once)

    def suits(self, plans: Iterable[ProductPlan]) -> bool:
        """Whether instructions multiply as many columns as there are."""
        return all(plan.instruction.reads_memory and plan.instruction.shape[1] == _WIDEST for plan in plans)


class Block(Struct, frozen=True):
    """What computes a product: threads, the shared memory that is left for factors, the machine and how many it has.

    A block is `alone` on a multiprocessor if there are no more than these. Rows of swizzled factors are cut into slabs
    of `slab` bytes or more. If its threads are one of `sides` that take tiles by turns, these share its memory.
    """

    threads: int
    shared_bytes: int
    architecture: Architecture
    multiprocessors: int = 1
    alone: bool = False
    slab: int = SLAB
    sides: int = 1

    def stages(
        self, plans: Sequence[ProductPlan], bytes_: int | None = None, beside: int = 0, asked: int | None = None
    ) -> int:
        """How many iterations of a loop have factors of these products in shared memory at a time.

        That is `bytes_` an iteration, by default all their factors, and `beside` once. Blocks share a multiprocessor
        where its registers allow, then its memory too: two, or as many as fit where factors are computed in the loop,
        which one does while others multiply. If a number is `asked` for, it is that, or as many as there is
        room for.
        """
        bytes_ = sum(plan.stage_bytes for plan in plans) if bytes_ is None else bytes_
        if asked is not None:
            return min(asked, (self.shared_bytes - beside) // bytes_, MOST_ASKED_STAGES)
        whole = (self.shared_bytes - beside) // bytes_
        if self.alone or self.sides > 1:
            # nothing else hides the way from memory
            return min(whole, MOST_ASKED_STAGES)
        shares = ((self.shared_bytes // blocks - beside) // bytes_ for blocks in range(self._blocks(plans), 1, -1))
        most = _ENOUGH_OF_LONG if all(plan.is_long for plan in plans) else _MOST_STAGES
        return min(next((stages for stages in shares if stages >= LEAST_STAGES), whole), most)

    def resident(self, plans: Sequence[ProductPlan], bytes_: int, together: int = 1) -> int:
        """How many blocks with so many bytes of factors the device runs at a time, so many of them in each cluster."""
        is_half = self.sides == 1 and self._has_registers_of_two(plans) and 2 * bytes_ <= self.shared_bytes
        lost = 0 if together <= _PAIR else _LEFT_OVER
        return (self.multiprocessors - lost) * (1 + is_half) // together * together

    def going_on(self, accumulators: TileType, shared: int, *, stores_alone: bool) -> Schedule | None:
        """How blocks go on from one work-group of a grid to the next, each of which multiplies such a tile; None if
        there had better be a block for each.

        Sides take turns if each thread stores what it holds (`stores_alone`), and no more blocks in a row multiply the
        same factor than is good: so many are `shared`.
        """
        if not self.architecture.has_clusters or accumulators.size < _LEAST_GOING_ON:
            return None
        takes_turns = stores_alone and self.threads == _GROUP * WARP and shared <= _MOST_IN_A_ROW
        return Schedule(roles=True, pingpong=True) if takes_turns else Schedule()

    def joining(self, accumulators: TileType) -> Joining | None:
        """How work-groups beside each other, each of which multiplies such a tile, had better be computed together."""
        axis, count = 0, 2
        along, across = (accumulators.shape[axis], accumulators.shape[1 - axis]) if accumulators.rank == 2 else (0, 0)
        if not self.architecture.has_clusters or along * count != _WIDEST or across != count * _ROWS_OF_GROUP:
            return None
        return Joining(axis, count, self.multiprocessors, _OF_JOINED, _ONCE_JOINED)

    def has_registers_for(self, plans: Sequence[ProductPlan], ahead: ProductPlan) -> bool:
        """Whether a thread has registers for all accumulators and, beside them, those of one product of the next
        iteration."""
        accumulators = _registers_of_accumulators([*plans, ahead])
        return accumulators + _HELD_REGISTERS <= min(REGISTERS // self.threads, _MOST_OF_THREAD)

    def _blocks(self, plans: Sequence[ProductPlan]) -> int:
        """How many blocks have registers at a time."""
        if not any(factor.held for plan in plans for factor in (plan.lhs, plan.rhs)):
            return 1 + self._has_registers_of_two(plans)
        return max(REGISTERS // (self.threads * (_registers_of_accumulators(plans) + _HELD_REGISTERS)), 1)

    def _has_registers_of_two(self, plans: Sequence[ProductPlan]) -> bool:
        return 2 * self.threads * (_registers_of_accumulators(plans) + _OTHER_REGISTERS) <= REGISTERS


def _registers_of_accumulators(plans: Sequence[ProductPlan]) -> int:
    return sum(plan.layout.count(Owner.REG) * max(plan.instruction.sum.bytes // 4, 1) for plan in plans)


class Shape(Struct, frozen=True):
    """What is multiplied: extents, element types, and whether rows of the factors in memory run along m and n.

    Threads compute the factor of side `held`, 0 for the left one: best they multiply it from their registers. A group
    of warps should hold all accumulators of a line along dimension `lines`, which become such a factor. `fast` says
    that accumulators of floats of 8 bits may be formed in fewer bits than their type has, `unsigned` which factors are
    integers without sign, `from_memory` which come to shared memory as they lie in memory, with what lies beside them.
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
        """Of rows and columns of instructions, whose columns are those of a dimension of the accumulators."""
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
        """The dimension along which a group of warps has all accumulators of a line, if that is the columns' one."""
        return int(not self.swapped) if self.columns.warps == 1 else None

    @property
    def held(self) -> int | None:
        """The side of the factor that is in registers, 0 for the left one."""
        return int(self.swapped) if self.rows.held else None

    @property
    def held_layout(self) -> Layout:
        """Who has which element of the factor in registers."""
        return layout_of_rows(self.instruction, self.rows, self.swapped, self.columns.warps)

    @property
    def most_registers(self) -> int:
        """Of a thread, that accumulators may take."""
        return MOST_GROUP_REGISTERS if self.instruction.reads_memory else MOST_SUM_REGISTERS

    @property
    def stage_bytes(self) -> int:
        """Shared memory of both factors."""
        return self.lhs.bytes + self.rhs.bytes

    @property
    def is_long(self) -> bool:
        """Whether a stage takes units that multiply f64 so long that few stages hide the way from memory."""
        multiplied = self.rows.outer * self.columns.outer * self.rows.depth
        return self.instruction.factor is F64 and multiplied >= _LONG_STAGE * _F64_A_CLOCK

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


def is_wanted(plan: ProductPlan, wanted: ProductChoice | None) -> bool:
    """Whether instruction and warps are those asked for."""
    if wanted is None:
        return True
    return wanted.instruction == plan.instruction.name and wanted.warps in (None, (plan.lhs.warps, plan.rhs.warps))


def layout_of_rows(instruction: MatrixInstruction, rows: Factor, swapped: bool, others: int) -> Layout:
    """Who has which element of rows in registers: parts of a thread along k, then along the rows.

    Groups of warps that share the columns, `others`, have the same.
    """
    part = instruction.held
    assert part is not None
    dims = (1, 0) if swapped else (0, 1)
    digits = [Digit(digit.owner, digit.extent, dims[digit.dim or 0], digit.stride) for digit in part.digits]
    digits.append(Digit(Owner.REG, rows.depth // part.shape[1], dims[1], part.shape[1]))
    digits.append(Digit(Owner.REG, rows.repeats, dims[0], part.shape[0]))
    digits.append(Digit(Owner.WARP, rows.warps, dims[0], rows.repeats * part.shape[0]))
    digits += [Digit(Owner.WARP, others)] * (others > 1)
    extents = (rows.outer, rows.depth)
    return Layout((extents[dims[0]], extents[dims[1]]), tuple(digits))


def layout_of_accumulators(instruction: MatrixInstruction, rows: Factor, columns: Factor, swapped: bool) -> Layout:
    """Who holds which sum: registers count those of an instruction, then its repeats along rows, then along columns."""
    dims, factors = (1, 0) if swapped else (0, 1), (rows, columns)
    digits: list[Digit] = []
    for digit in instruction.accumulators.digits:
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
