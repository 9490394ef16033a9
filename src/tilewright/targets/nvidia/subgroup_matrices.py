"""Factors of products by a subgroup, which the warp loads as matrices of eight rows of 16 bytes (`ldmatrix`).

An instruction wants words of four bytes, of adjacent elements along k. Where k is what lies behind each other in shared
memory, lane l / 4 says where a row of a matrix lies and lane l gets word l % 4 of it; where rows and columns of the
factor do, elements of two bytes are turned on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tilewright.dialects import tile
from tilewright.dialects.lane_products import MATRIX_BYTES, MATRIX_ROWS
from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.ir.types import MemrefType
from tilewright.targets.llvm.emitter import i64
from tilewright.targets.nvidia.context import KernelContext
from tilewright.targets.nvidia.lane_products import matrix_words
from tilewright.targets.nvidia.lanes import apart
from tilewright.targets.nvidia.memory import address_behind, within_period
from tilewright.targets.nvidia.values import SHARED, Operand, RegisterTile
from tilewright.transforms.facts import alignment
from tilewright.transforms.tile_values import tile_type

_WORD: Final = 4
_TURNED: Final = 2
"""Bytes of the elements that can be turned."""


class _Matrices(NamedTuple):
    """The matrices of a tile: the dimensions of words and of the lines in which memory has them, and where each lies.

    Lane 8 q + r of a load says where row r of matrix q lies: `digits` says how far matrices 1 and 2 are from matrix 0.
    """

    words: int
    lines: int
    starts: Sequence[tuple[int, ...]]
    apart: Sequence[tuple[int, ...]]


def load_matrices(ctx: KernelContext, op: tile.Load) -> RegisterTile | None:
    """The tile of a load; None if it is not one of matrices that are aligned in shared memory."""
    found = _matrices(ctx, op)
    if found is None:
        return None
    b, view, type_ = ctx.b, ctx.view(op.memref), tile_type(op.out)
    rows = 1 - found.lines
    lane = b.sext(ctx.lane, "i64")
    whole, first = within_period(ctx, op.memref, op.indices)
    first[rows] = b.add(first[rows], b.and_(lane, i64(MATRIX_ROWS - 1)))
    for bit, distance in enumerate(found.apart):
        digit = b.and_(b.lshr(lane, i64((MATRIX_ROWS << bit).bit_length() - 1)), i64(1))
        first = [b.add(at, b.mul(digit, i64(steps))) for at, steps in zip(first, distance, strict=True)]
    slots: list[Operand] = []
    count = 1 << len(found.apart)
    for start in found.starts[::count]:
        rest = [b.add(at, i64(steps)) for at, steps in zip(first, start, strict=True)]
        place = address_behind(ctx, view, whole, rest)
        for word in matrix_words(ctx, place, count, transposed=found.words != found.lines):
            slots += apart(ctx, view.element, word)
    return RegisterTile(type_, tuple(slots))


def _matrices(ctx: KernelContext, op: tile.Load) -> _Matrices | None:
    layout, type_ = ctx.products.layouts.get(op.out), op.memref.type
    assert isinstance(type_, MemrefType)
    if layout is None or any(op.check) or ctx.view(op.memref).pointer.type != SHARED or not _is_aligned(op, type_):
        return None
    lines, words = type_.strides.index(1), _dimension_of_words(layout, type_.element.bytes)
    each = _WORD // type_.element.bytes
    if words is None or (words != lines and type_.element.bytes != _TURNED):
        return None
    starts = layout.registers()[::each]
    for bits in (2, 1):
        distances = _distances(starts, bits)
        if distances is not None:
            return _Matrices(words, lines, starts, distances)
    return _Matrices(words, lines, starts, ())


def _is_aligned(op: tile.Load, type_: MemrefType) -> bool:
    """Whether each line of a tile in memory is one of whole rows of matrices."""
    if not type_.is_static or type_.strides.count(1) != 1 or len(type_.shape) != 2:
        return False
    if type_.swizzle is not None and 1 << type_.swizzle.base < MATRIX_BYTES:
        return False
    size = type_.element.bytes
    apart = [stride * size for stride in type_.strides if stride not in (1, None)]
    return alignment(op.memref, op.indices) % MATRIX_BYTES == 0 and all(n % MATRIX_BYTES == 0 for n in apart)


def _dimension_of_words(layout: Layout, size: int) -> int | None:
    """Along which dimension the words of a matrix lie, of elements of `size` bytes; None if lanes hold no matrices."""
    each = _WORD // size
    if not each:
        return None
    for words in range(2):
        lanes = (Digit(Owner.LANE, 4, words, each), Digit(Owner.LANE, MATRIX_ROWS, 1 - words, 1))
        adjacent = Digit(Owner.REG, each, words, 1)
        if layout.of(Owner.LANE) == lanes and (each == 1 or layout.of(Owner.REG)[0] == adjacent):
            return words
    return None


def _distances(starts: Sequence[tuple[int, ...]], bits: int) -> list[tuple[int, ...]] | None:
    """How far matrices with one bit in their number are from those without; None if not all of them are so far."""
    count = 1 << bits
    if len(starts) % count:
        return None
    found = [_difference(starts[1 << bit], starts[0]) for bit in range(bits)]
    for number, start in enumerate(starts):
        first = starts[number - number % count]
        more = [found[bit] for bit in range(bits) if number >> bit & 1]
        if start != tuple(map(sum, zip(first, *more, strict=True))):
            return None
    return found


def _difference(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(x - y for x, y in zip(one, other, strict=True))
