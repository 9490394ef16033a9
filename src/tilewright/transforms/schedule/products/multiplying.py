"""Products of a stage as what a warp does: loads of its parts of the factors, and instructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import lane
from tilewright.dialects import lane_products as instructions
from tilewright.dialects.arith import And, Shr, Xor
from tilewright.dialects.builder import Builder
from tilewright.dialects.gpu_products import memref_of
from tilewright.dialects.lane import Steps, fragment_of
from tilewright.dialects.lane_products import MATRIX_ROWS, spot
from tilewright.ir.core import Value
from tilewright.ir.layouts import Owner
from tilewright.ir.types import FragmentType
from tilewright.transforms import emit
from tilewright.transforms.schedule.products.factors import Factor
from tilewright.transforms.schedule.products.plan import ProductPlan
from tilewright.transforms.schedule.products.shared_factors import (
    counts_first,
    factor_of,
    known,
    layout_of_parts,
    plan_of,
    plan_of_parts,
)
from tilewright.transforms.schedule.reductions import picked
from tilewright.transforms.schedule.threads import Threads, register_steps
from tilewright.transforms.tile_values import tile_type

_TOGETHER: Final = 4
"""Matrices that one instruction loads."""
_GROUP: Final = 4
"""Warps that multiply together."""


class _Operand(Struct, frozen=True):
    """A factor and where it lies: a memref of shared memory, and the stage in it."""

    factor: Factor
    memory: Value
    stage: Value

    def indices(self, build: Builder, outer: Value, deep: Value) -> list[Value]:
        """Of an element of a factor that is not swizzled."""
        near, far = (outer, deep) if self.factor.along_outer else (deep, outer)
        return [near, far, self.stage]

    def start(self, outer: int, deep: int) -> tuple[int, int, int]:
        """The distance of an element from where a lane's indices point."""
        return (outer, deep, 0) if self.factor.along_outer else (deep, outer, 0)


def lower_product(build: Builder, threads: Threads, op: gpu.Mma, values: Sequence[Value]) -> Value:
    """The fragment of the accumulators; `values` are what the operands became."""
    plan = plan_of(op)
    lhs, lhs_stage, rhs, rhs_stage, accumulators = values
    left, right = _Operand(plan.lhs, lhs, lhs_stage), _Operand(plan.rhs, rhs, rhs_stage)
    rows, columns = (right, left) if plan.swapped else (left, right)
    if plan.instruction.reads_memory:
        return _by_groups(build, threads, plan, rows, columns, accumulators, op.first // plan.instruction.shape[2])
    return _Multiplier(threads, plan, rows, columns).multiply(build, accumulators)


def lower_read(build: Builder, threads: Threads, op: gpu.ReadParts, values: Sequence[Value]) -> Value:
    """The fragment of what is read of a factor, step by step along k; `values` are what the operands became."""
    memory, stage, deep = values
    if known(op).turned:
        read = _turned_bytes if known(op).factor.bytes == 1 else _turned_rows
        return read(build, threads, op, values)
    factor, weight = factor_of(op), 1 if counts_first(op) else op.warps[1 - op.side]
    reader = _Reader(threads, _Operand(factor, memory, stage), _warp_digit(threads, weight, factor.warps))
    steps = tile_type(op.out).shape[1 - op.side] // known(op).shape[2]
    return reader.all(build, deep, range(steps))


def _turned_rows(build: Builder, threads: Threads, op: gpu.ReadParts, values: Sequence[Value]) -> Value:
    """Rows of a group of warps from slabs in which they lie beside each other."""
    memory, stage, start = values
    layout, type_, dim, head = layout_of_parts(op), memref_of(memory), op.side, threads.head
    width = type_.shape[0]
    assert width is not None
    outer, deep = (threads.coordinate(layout, mode) for mode in (dim, 1 - dim))
    slab = head(Shr(outer, head.index(width.bit_length() - 1))).out
    near = head(And(outer, head.index(width - 1))).out
    steps: list[tuple[int, int, int]] = []
    for extent, mode, stride in register_steps(layout):
        # digits of rows are powers of two, none of which is partly in a slab
        along = 1 if mode != dim else 0 if stride < width else 2
        steps.append((extent, along, stride // width if along == 2 else stride))
    out = FragmentType(layout.count(Owner.REG), type_.element)
    at = [near, emit.add(build, deep, start), slab, stage]
    return build(lane.Load(memory, at, tuple(steps), width=steps[0][0], result_types=[out])).out


def _turned_bytes(build: Builder, threads: Threads, op: gpu.ReadParts, values: Sequence[Value]) -> Value:
    """The same of bytes, by pairs of neighbours: `ldmatrix` moves nothing smaller."""
    memory, stage, start = values
    layout, type_, dim, head = layout_of_parts(op), memref_of(memory), op.side, threads.head
    width, (rows, _, depth) = type_.shape[0], known(op).shape
    assert width is not None
    outer = head.index(0)
    for place in layout.along(dim):
        if place.digit.owner is Owner.WARP:
            outer = emit.add(head, outer, emit.mul(head, threads.digit(place), head.index(place.digit.stride)))
    slab = head(Shr(outer, head.index(width.bit_length() - 1))).out
    near = head(And(outer, head.index(width - 1))).out
    shape = tile_type(op.out).shape
    repeats, steps = shape[dim] // (op.warps[dim] * rows), shape[1 - dim] // depth
    # a group's rows are whole slabs, or all in one
    starts = tuple(
        (repeat * rows % width, step * depth, repeat * rows // width, 0)
        for repeat in range(repeats)
        for step in range(steps)
    )
    at = [near, emit.add(build, _row_of_pair(threads), start), slab, stage]
    return build(instructions.LoadMatrices(memory, at, starts, (_TOGETHER,) * len(starts), True)).out


def _row_of_pair(threads: Threads) -> Value:
    """`lane_products.row_of_pair` of this lane."""
    head, row = threads.head, threads.bits(Owner.LANE, 1, 2)
    odd = head(Xor(threads.bits(Owner.LANE, 4, 2), threads.bits(Owner.LANE, 8, 2))).out
    for bit, step in ((threads.bits(Owner.LANE, 16, 2), 16), (threads.bits(Owner.LANE, 2, 4), 4), (odd, 2)):
        bit = emit.mul(head, bit, head.index(step))
        row = emit.add(head, row, bit)
    return row


def lower_parts(build: Builder, op: gpu.MmaParts, values: Sequence[Value]) -> Value:
    """The fragment of the accumulators; `values` are what the operands became."""
    plan, (lhs, rhs, accumulators) = plan_of_parts(op), values
    rows, columns = (_steps_of(build, part, plan.steps) for part in ((rhs, lhs) if plan.swapped else (lhs, rhs)))
    for left, right in zip(rows, columns, strict=True):
        accumulators = build(instructions.Mma(left, right, accumulators, plan.instruction.name)).out
    return accumulators


def _steps_of(build: Builder, parts: Value, steps: int) -> list[Value]:
    """What each step has of parts that are read together."""
    each = fragment_of(parts).size // steps
    return [picked(build, [parts], range(each * step, each * (step + 1))) for step in range(steps)]


def _warp_digit(threads: Threads, weight: int, extent: int) -> Value:
    return threads.bits(Owner.WARP, weight, extent) if extent > 1 else threads.head.index(0)


class _Multiplier:
    """Instructions of warps, whose factors are in registers."""

    def __init__(self, threads: Threads, plan: ProductPlan, rows: _Operand, columns: _Operand) -> None:
        self._plan = plan
        # as the layout of the accumulators numbers warps
        self._rows = _Reader(threads, rows, _warp_digit(threads, 1, plan.rows.warps))
        self._columns = _Reader(threads, columns, _warp_digit(threads, plan.rows.warps, plan.columns.warps))

    def multiply(self, build: Builder, accumulators: Value) -> Value:
        """The accumulators with the product of a stage added."""
        plan = self._plan
        first = self._read(build, build.index(0), self._groups[0])
        if plan.steps_a_trip == plan.steps:
            return self._trip(build, build.index(0), accumulators, first, None)[0]
        deep = plan.steps_a_trip * plan.instruction.shape[2]
        depth = plan.steps * plan.instruction.shape[2]
        loop = emit.open_loop(build, build.index(0), build.index(depth), build.index(deep), [accumulators, *first])
        loop.op.unroll = False
        body, (accumulators, *first) = loop.body, loop.carried
        following = emit.add(body, loop.index, body.index(deep))
        # the last trip reads the first parts once more
        following = emit.select(body, emit.less(body, following, body.index(depth)), following, body.index(0))
        accumulators, first = self._trip(body, loop.index, accumulators, first, following)
        return loop.finish([accumulators, *first])[0]

    @property
    def _groups(self) -> Sequence[Sequence[int]]:
        """The steps of a trip that are read together."""
        together = max(self._plan.rows.depth_scale, self._plan.columns.depth_scale)
        return [range(first, first + together) for first in range(0, self._plan.steps_a_trip, together)]

    def _read(self, build: Builder, deep: Value, steps: Sequence[int]) -> list[Value]:
        """The parts of the rows for each step, then those of the columns."""
        return [*self._rows.read(build, deep, steps), *self._columns.read(build, deep, steps)]

    def _trip(
        self, build: Builder, deep: Value, accumulators: Value, parts: list[Value], following: Value | None
    ) -> tuple[Value, list[Value]]:
        """The steps of a trip group by group; each group is read before the one before is multiplied.

        `parts` are those of the first group. What is read last is the first group from `following` on, of the next
        trip.
        """
        groups = self._groups
        for number, steps in enumerate(groups):
            now = parts
            if number + 1 < len(groups):
                parts = self._read(build, deep, groups[number + 1])
            elif following is not None:
                parts = self._read(build, following, groups[0])
            for left, right in zip(now[: len(steps)], now[len(steps) :], strict=True):
                accumulators = build(instructions.Mma(left, right, accumulators, self._plan.instruction.name)).out
        return accumulators, parts


class _Reader:
    """Reads the parts of this thread's warp; what lane and warp add to coordinates is computed once."""

    def __init__(self, threads: Threads, operand: _Operand, warp: Value) -> None:
        self._threads, self._operand, self._factor = threads, operand, operand.factor
        head, factor = threads.head, operand.factor
        own = emit.mul(head, warp, head.index(factor.repeats * factor.part.shape[0]))
        outer, deep = self._matrix_row() if factor.by_matrices else self._element()
        self._outer, self._deep = emit.add(head, own, outer), deep

    def read(self, build: Builder, deep: Value, steps: Sequence[int]) -> list[Value]:
        """For each step the registers of all repeats; `deep` is where along k the steps are counted from."""
        return _steps_of(build, self.all(build, deep, steps), len(steps))

    def all(self, build: Builder, deep: Value, steps: Sequence[int]) -> Value:
        """The same as one fragment."""
        at = self._operand.indices(build, self._outer, emit.add(build, self._deep, deep))
        found, order = (
            self._matrices(build, at, steps) if self._factor.by_matrices else self._elements(build, at, steps)
        )
        return picked(build, [found], order)

    def _starts(self, steps: Sequence[int]) -> list[tuple[int, int]]:
        """The coordinates of each part, step by step."""
        factor = self._factor
        return [(factor.repeat_start(r), factor.step_start(step)) for step in steps for r in range(factor.repeats)]

    # By ldmatrix: lane 8 i + j knows where row j of matrix i lies

    def _matrix_places(self, steps: Sequence[int]) -> list[tuple[int, int]]:
        return [(outer + o, deep + d) for outer, deep in self._starts(steps) for o, d in self._factor.words()]

    def _matrix_row(self) -> tuple[Value, Value]:
        """The lane's row, and which of four matrices: they lie alike for all of a factor."""
        head, factor = self._threads.head, self._factor
        first = self._matrix_places([0])[:_TOGETHER]
        row, found = self._threads.bits(Owner.LANE, 1, MATRIX_ROWS), [head.index(0), head.index(0)]
        found[1 if factor.along_outer else 0] = row
        for bit in range(len(first).bit_length() - 1):
            digit = self._threads.bits(Owner.LANE, MATRIX_ROWS << bit, 2)
            for dim in range(2):
                apart = first[1 << bit][dim] - first[0][dim]
                if apart:
                    found[dim] = emit.add(head, found[dim], emit.mul(head, digit, head.index(apart)))
        return found[0], found[1]

    def _matrices(self, build: Builder, at: list[Value], steps: Sequence[int]) -> tuple[Value, Sequence[int]]:
        starts: list[tuple[int, ...]] = []
        counts: list[int] = []
        for group in batched(self._matrix_places(steps), _TOGETHER):
            starts.append(self._operand.start(*group[0]))
            counts.append(len(group))
        memory, transposed = self._operand.memory, self._factor.along_outer
        found = build(instructions.LoadMatrices(memory, at, tuple(starts), tuple(counts), transposed)).out
        return found, range(fragment_of(found).size)

    # Element by element, neighbours next to each other: they are one access

    def _element(self) -> tuple[Value, Value]:
        head, factor = self._threads.head, self._factor
        found, scales = [head.index(0), head.index(0)], (factor.outer_scale, factor.depth_scale)
        for place in factor.part.places:
            dim = place.digit.dim
            if place.digit.owner is Owner.LANE and dim is not None:
                step = head.index(place.digit.stride * scales[dim])
                found[dim] = emit.add(head, found[dim], emit.mul(head, self._threads.digit(place), step))
        return found[0], found[1]

    def _elements(self, build: Builder, at: list[Value], steps: Sequence[int]) -> tuple[Value, Sequence[int]]:
        factor, first = self._factor, self._factor.step_start(steps[0])
        digits = self._digits()
        numbers: dict[tuple[int, int], int] = {}
        for number, (outer, deep) in enumerate(lane.offsets(digits, 2)):
            numbers[outer, deep + first] = number
        places = [(outer + o, deep + d) for outer, deep in self._starts(steps) for o, d in factor.words()]
        modes = (0, 1) if factor.along_outer else (1, 0)
        registers = tuple((extent, modes[dim], stride) for extent, dim, stride in digits)
        start = self._operand.start(0, first)
        at = [emit.add(build, index, build.index(more)) for index, more in zip(at, start, strict=True)]
        out = FragmentType(len(numbers), factor.element)
        found = build(lane.Load(self._operand.memory, at, registers, width=factor.vector, result_types=[out])).out
        return found, [numbers[place] for place in places]

    def _digits(self) -> Steps:
        """What a lane reads for the steps that share accesses, neighbours first: extents, dimensions, strides."""
        factor = self._factor
        scales = (factor.outer_scale, factor.depth_scale)
        interleaved = [(scales[0], 0, 1), (scales[1], 1, 1)]
        near = interleaved.pop(0 if factor.along_outer else 1)
        words = [(d.extent, d.dim, d.stride * scales[d.dim]) for d in factor.part.of(Owner.REG) if d.dim is not None]
        repeats = (factor.repeats // scales[0], 0, scales[0] * factor.part.shape[0])
        return tuple(step for step in (near, *interleaved, *words, repeats) if step[0] > 1)


def batched(places: Sequence[tuple[int, int]], size: int) -> list[Sequence[tuple[int, int]]]:
    """Groups of `size`, a power of two, and at the end smaller powers."""
    found: list[Sequence[tuple[int, int]]] = []
    at = 0
    while at < len(places):
        while size > len(places) - at:
            size //= 2
        found.append(places[at : at + size])
        at += size
    return found


def _by_groups(
    build: Builder,
    threads: Threads,
    plan: ProductPlan,
    rows: _Operand,
    columns: _Operand,
    accumulators: Value,
    first: int,
) -> Value:
    """Groups of warps read factors by themselves, those that are not in registers."""
    indices: list[list[Value]] = []
    for operand, weight in ((rows, _GROUP), (columns, _GROUP * plan.rows.warps)):
        factor, head = operand.factor, threads.head
        if factor.held:
            indices.append([])
            continue
        group = _warp_digit(threads, weight, factor.warps)
        own = factor.repeats * factor.part.shape[0]
        near, far = (own, 0) if factor.along_outer else (0, own)
        steps = spot(memref_of(operand.memory), near, far)
        indices.append([*(emit.mul(head, group, head.index(n)) if n else head.index(0) for n in steps), operand.stage])
    along = (plan.rows.along_outer, plan.columns.along_outer)
    return build(
        instructions.MmaAsync(
            accumulators,
            rows.memory,
            columns.memory,
            indices[0],
            indices[1],
            plan.instruction.name,
            along,
            plan.rows.repeats,
            plan.steps,
            first,
        )
    ).out
