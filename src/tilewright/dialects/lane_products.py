"""The lane level of products: copies that go on by themselves, loads of matrices by warps, matrix instructions.

Registers of a fragment are those of the layouts in `matrix_instructions.py`, one part of a factor behind the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tilewright.diagnostics import Report
from tilewright.dialects.gpu_products import copied_apart, memref_of
from tilewright.dialects.lane import Steps, fragment_of
from tilewright.dialects.matrix_instructions import MatrixInstruction, instruction_of
from tilewright.dialects.tile_rules import fail
from tilewright.ir.definition import (
    CONVERGENT,
    PURE,
    SPMD_ONLY,
    Operation,
    Value,
    attribute,
    operand,
    operands,
    optional_attribute,
    result,
)
from tilewright.ir.effects import Effect, reads, writes
from tilewright.ir.layouts import Owner
from tilewright.ir.types import FRAGMENT, INDEX_ONLY, MEMREF, AddressSpace, FragmentType, MemrefType, Type

MATRIX_ROWS = 8
MATRIX_BYTES = 16
"""Of a row of a matrix that a warp loads."""
_WORD_BYTES = 4
PAIR = 2
"""Matrices of bytes that are transposed together."""


class CopyAsync(Operation, name="lane.copy_async", traits=(SPMD_ONLY,)):
    """Begins to copy elements `memref[i0 + r0, ..]` to `target[j0 + q0, ..]`.

    The r and q of element number n follow from the digits of n, `registers` and `target_registers`, as those of
    registers do for `lane.load`. Each `width` elements in a row are one copy of 4, 8 or 16 bytes, aligned on both
    sides. If `fills`, the first of them that lies outside by `check`, and all behind it, are zero; else all are inside,
    or all outside and nothing is copied. Nobody may touch the target before `gpu.await_copies` says that it has
    arrived. What is `shared` other blocks copy too: it stays in the multiprocessor's cache.
    """

    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    target: Value = operand(MEMREF)
    target_indices: list[Value] = operands(INDEX_ONLY)
    registers: Steps = attribute(tuple)
    target_registers: Steps = attribute(tuple)
    width: int = attribute(int)
    check: tuple[bool, ...] = optional_attribute(tuple, default=())
    fills: bool = optional_attribute(bool, default=True)
    shared: bool = optional_attribute(bool, default=False)

    def effects(self) -> Sequence[Effect]:
        return [*reads(self.memref), *writes(self.target)]

    def verify(self, report: Report) -> None:
        source, target = memref_of(self.memref), memref_of(self.target)
        copied_apart(self, report, source, target, self.width)
        if len(self.indices) != source.order or len(self.target_indices) != target.order:
            fail(self, report, f"{len(self.indices)} and {len(self.target_indices)} indices for {source} and {target}")
        if len(self.check) not in (0, source.order):
            fail(self, report, f"check has {len(self.check)} flags for {source}", "check")
        counts = {prod(extent for extent, _, _ in steps) for steps in (self.registers, self.target_registers)}
        if len(counts) != 1:
            fail(self, report, "as many elements are written as are read", "target_registers")
        for steps, type_, name in (
            (self.registers, source, "registers"),
            (self.target_registers, target, "target_registers"),
        ):
            if any(not 0 <= mode < type_.order for _, mode, _ in steps):
                fail(self, report, f"the memref has {type_.order} modes", name)
            elif not _behind_each_other(steps, type_, self.width):
                fail(self, report, f"{self.width} elements in a row do not lie behind each other", name)


def _behind_each_other(steps: Steps, type_: MemrefType, width: int) -> bool:
    if width == 1:
        return True
    if not steps:
        return False
    extent, mode, stride = steps[0]
    return extent % width == 0 and stride == 1 and type_.strides[mode] == 1


def _loaded(op: Operation) -> Type:
    memref, counts = op.operands[0].type, op.attributes["counts"]
    assert isinstance(memref, MemrefType)
    assert isinstance(counts, tuple)
    words = sum(count for count in counts if isinstance(count, int))
    return FragmentType(words * (_WORD_BYTES // memref.element.bytes), memref.element)


class LoadMatrices(Operation, name="lane.load_matrices", traits=(SPMD_ONLY, CONVERGENT)):
    """Each warp loads matrices of eight rows of 16 bytes, `counts[i]` (1, 2 or 4) of them at a time.

    Row r of matrix q of step i lies where lane 8 q + r says: at its `indices` and, from there, `starts[i]`. Lane l gets
    4 bytes of row l / 4 of each matrix, from byte 4 (l % 4) on; if `transposed`, for elements of two bytes, those that
    the transposed matrix has there.

    Matrices of bytes are transposed by pairs. Lane l gets a word of column 2 (l / 4) and one of the next column: rows
    2 (l % 4) and the next of one matrix, then those of the other one. That is the first matrix of the pair first where
    l % 4 is 0 or 1, else the second (`row_of_pair`).
    """

    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    starts: tuple[tuple[int, ...], ...] = attribute(tuple)
    counts: tuple[int, ...] = attribute(tuple)
    transposed: bool = optional_attribute(bool, default=False)
    out: Value = result(FRAGMENT, infer=_loaded)

    def effects(self) -> Sequence[Effect]:
        return reads(self.operands[0])

    def verify(self, report: Report) -> None:
        type_ = memref_of(self.memref)
        if type_.space is not AddressSpace.LOCAL or type_.element.bytes not in (1, 2):
            fail(self, report, f"matrices are loaded from shared memory, of one or two bytes an element, not {type_}")
        if self.transposed and type_.element.bytes == 1 and any(count % PAIR for count in self.counts):
            fail(self, report, "matrices of bytes are transposed by pairs", "counts")
        if any(count not in (1, 2, 4) for count in self.counts) or len(self.counts) != len(self.starts):
            fail(self, report, "one, two or four matrices are loaded at a time, from a start each", "counts")
        if any(len(start) != type_.order for start in self.starts) or len(self.indices) != type_.order:
            fail(self, report, f"the memref has {type_.order} modes", "starts")
        if self.out.type != _loaded(self):
            fail(self, report, f"the result is {_loaded(self)}")


def row_of_pair(lane: int) -> int:
    """The row, of 32 that follow each other, where a lane says that it lies, so that lanes get four of a column.

    The eight rows of a matrix are apart by other numbers than eight: in swizzled memory they lie in different banks.
    """
    return (lane & 16) | (lane & 4) << 1 | (lane & 2) << 1 | ((lane >> 3 ^ lane >> 2) & 1) << 1 | (lane & 1)


def _known(op: Mma | MmaAsync, report: Report) -> MatrixInstruction | None:
    found = instruction_of(op.instruction)
    if found is None:
        fail(op, report, f"there is no instruction {op.instruction!r}", "instruction")
    elif fragment_of(op.out).element is not found.sum:
        fail(op, report, f"accumulators of {found.name} are {found.sum}")
    return found


class Mma(Operation, name="lane.mma", traits=(PURE, SPMD_ONLY, CONVERGENT)):
    """Each part of the left factor, times each of the right one, is added to accumulators by a warp's instruction.

    Accumulators of left part r and right part c stand at place `r + c R`, of R parts on the left.
    """

    left: Value = operand(FRAGMENT)
    right: Value = operand(FRAGMENT)
    accumulators: Value = operand(FRAGMENT, var="T")
    instruction: str = attribute(str)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        found = _known(self, report)
        if found is None:
            return
        if found.reads_memory:
            fail(self, report, f"{found.name} has no factors in registers", "instruction")
            return
        left, right = fragment_of(self.left), fragment_of(self.right)
        if not left.element is right.element is found.factor:
            fail(self, report, f"{found.name} multiplies {found.factor}, not {left.element} by {right.element}")
        counts = [layout.count(Owner.REG) for layout in (found.rows, found.columns, found.accumulators)]
        parts = (left.size // counts[0], right.size // counts[1])
        if left.size % counts[0] or right.size % counts[1] or fragment_of(self.out).size != prod(parts) * counts[2]:
            fail(self, report, f"{left} by {right} are no whole parts with accumulators in {self.out.type}")


class MmaAsync(Operation, name="lane.mma_async", traits=(SPMD_ONLY, CONVERGENT)):
    """Groups of warps begin to add products of factors in shared memory to accumulators, which are there when awaited.

    The group's part of each factor begins at its indices, of which those along `near` (see `gpu_products`) are whole
    slabs; it has `repeats` parts of the instruction's rows and `steps` along k. `along` says of rows and columns
    whether neighbours are along m or n. The memory must not be written before the accumulators are awaited. Rows may be
    a fragment, without indices: of each part the registers of all steps, then those of the next part. Steps in memory
    are counted from `first` on.
    """

    accumulators: Value = operand(FRAGMENT, var="T")
    rows: Value = operand(MEMREF | FRAGMENT)
    columns: Value = operand(MEMREF)
    row_indices: list[Value] = operands(INDEX_ONLY)
    column_indices: list[Value] = operands(INDEX_ONLY)
    instruction: str = attribute(str)
    along: tuple[bool, bool] = attribute(tuple)
    repeats: int = attribute(int)
    steps: int = attribute(int)
    first: int = optional_attribute(int, default=0)
    out: Value = result(var="T")

    @property
    def holds_rows(self) -> bool:
        """Whether rows are in registers."""
        return isinstance(self.rows.type, FragmentType)

    def effects(self) -> Sequence[Effect]:
        return [*([] if self.holds_rows else reads(self.rows)), *reads(self.columns)]

    def verify(self, report: Report) -> None:
        found = _known(self, report)
        if found is None:
            return
        if not found.reads_memory:
            fail(self, report, f"{found.name} has its factors in registers", "instruction")
        elif fragment_of(self.out).size != self.repeats * found.accumulators.count(Owner.REG):
            fail(self, report, f"{self.out.type} are no sums of {self.repeats} parts")
        for factor, indices in ((self.rows, self.row_indices), (self.columns, self.column_indices)):
            if isinstance(type_ := factor.type, FragmentType):
                each = 0 if found.held is None else found.held.count(Owner.REG)
                if type_ != FragmentType(self.repeats * self.steps * each, found.factor) or indices:
                    fail(self, report, f"{type_} has no {self.repeats} x {self.steps} parts of {found.name}")
                continue
            type_ = memref_of(factor)
            if type_.swizzle is None or type_.element is not found.factor or len(indices) != type_.order:
                fail(self, report, f"{found.name} reads swizzled slabs of {found.factor}, not {type_}")


class AwaitMma(Operation, name="lane.await_mma", traits=(SPMD_ONLY, CONVERGENT)):
    """Accumulators that groups of warps have begun, with all but the last `pending` products formed:
    `gpu.await_mma`."""

    accumulators: Value = operand(FRAGMENT, var="T")
    pending: int = optional_attribute(int, default=0)
    others: bool = optional_attribute(bool, default=False)
    out: Value = result(var="T")

    def effects(self) -> Sequence[Effect]:
        return ()

    def verify(self, report: Report) -> None:
        if self.pending < 0:
            fail(self, report, f"{self.pending} products cannot be left", "pending")


def spot(factor: MemrefType, near: int, far: int) -> tuple[int, ...]:
    """Coordinates in the modes of a factor in shared memory, stages excepted."""
    if factor.swizzle is None:
        return near, far
    width = factor.shape[0]
    assert width is not None
    return near % width, far, near // width
