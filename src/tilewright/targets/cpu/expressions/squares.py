"""Transposing in registers: vectors of rows become vectors of columns."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.targets.cpu.expressions.fragments import parts_of, shuffle
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.llvm.emitter import Builder, Complex, Value
from tilewright.targets.llvm.types import lanes_of


def transpose(b: Builder, rows: Sequence[Operand], size: int) -> list[Operand]:
    """The columns of a square of vectors whose missing rows may be anything."""
    if size == 1:
        return list(rows)
    padded = [*rows, *[rows[-1]] * (size - len(rows))]
    parts = [_transpose(b, [parts_of(row)[part] for row in padded]) for part in range(len(parts_of(rows[0])))]
    return [Complex(*column) if len(column) == 2 else column[0] for column in zip(*parts, strict=True)]


def columns_of(b: Builder, rows: Sequence[Operand], lanes: int) -> list[Operand]:
    """The columns of at most `lanes` rows, which are no wider, as vectors of `lanes`; lanes of no row are anything."""
    width = lanes_of(parts_of(rows[0])[0].type)
    order = [min(lane, width - 1) for lane in range(lanes)]
    widened = rows if width == lanes else [shuffle(b, row, None, order) for row in rows]
    return transpose(b, widened, lanes)[:width]


def _transpose(b: Builder, rows: list[Value]) -> list[Value]:
    """log2(n) rounds of interleaving the first half with the second."""
    size = len(rows)
    low = [lane // 2 + (size if lane % 2 else 0) for lane in range(size)]
    high = [lane + size // 2 for lane in low]
    for _ in range(size.bit_length() - 1):
        following: list[Value] = []
        for k in range(size // 2):
            following.append(b.shuffle(rows[k], rows[k + size // 2], low))
            following.append(b.shuffle(rows[k], rows[k + size // 2], high))
        rows = following
    return rows
