"""Registers of an instruction from a factor in shared memory."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from tilewright.ir.types import TF32
from tilewright.targets.llvm.emitter import Value, i32
from tilewright.targets.llvm.types import ELEMENTS
from tilewright.targets.nvidia.context import KernelContext
from tilewright.targets.nvidia.products.fragments import digit_of
from tilewright.transforms.schedule.products.factors import PIECE, Factor

_MATRIX_ROWS: Final = 8
_TOGETHER: Final = 4
"""Matrices that one instruction loads."""

Parts = Mapping[tuple[int, int], list[Value]]
"""The registers of each part: of (repeat, step)."""


class Reader:
    """Reads the parts of this thread's warp; what lane and warp add to addresses is computed once."""

    def __init__(self, ctx: KernelContext, factor: Factor, warp: Value, word: str) -> None:
        self._ctx, self._factor, self._word = ctx, factor, word
        b = ctx.b
        own = factor.repeats * factor.part.shape[0] * factor.steps[0]
        across = b.mul(warp, i32(own))
        self._lane = b.zext(b.add(across, self._matrix_row() if factor.by_matrices else self._element()), "i64")

    def at(self, base: Value) -> Value:
        """The address that this lane's offsets count from, in a stage that begins there."""
        return self._ctx.b.offset(base, self._lane)

    def read(self, base: Value, steps: Sequence[int]) -> Parts:
        """All repeats of some steps; `base` is what `at` gave, moved on by whole steps."""
        keys = [(repeat, step) for step in steps for repeat in range(self._factor.repeats)]
        return self._matrices(base, keys) if self._factor.by_matrices else self._elements(base, keys)

    def _start(self, repeat: int, step: int) -> tuple[int, int]:
        return self._factor.repeat_start(repeat), self._factor.step_start(step)

    # By ldmatrix: lane 8 i + j knows where row j of matrix i lies

    def _matrix_offsets(self, keys: Sequence[tuple[int, int]]) -> list[int]:
        found: list[int] = []
        for key in keys:
            outer, deep = self._start(*key)
            found += [self._factor.offset(outer + o, deep + d) for o, d in self._factor.words()]
        return found

    def _matrix_row(self) -> Value:
        """The lane's row, and which of four matrices: they lie alike for all of a factor."""
        ctx, b, factor = self._ctx, self._ctx.b, self._factor
        keys = [(repeat, 0) for repeat in range(factor.repeats)]
        first = self._matrix_offsets(keys)[:_TOGETHER]
        row = b.mul(b.and_(ctx.warp_lane, i32(_MATRIX_ROWS - 1)), i32(factor.pitch))
        for bit in range(len(first).bit_length() - 1):
            apart = first[1 << bit] - first[0]
            row = b.add(row, b.mul(digit_of(ctx, ctx.warp_lane, _MATRIX_ROWS << bit, 2), i32(apart)))
        return row

    def _matrices(self, base: Value, keys: Sequence[tuple[int, int]]) -> Parts:
        b = self._ctx.b
        trans = ".trans" if self._factor.along_outer else ""
        words: list[Value] = []
        for group in _batched(self._matrix_offsets(keys), _TOGETHER):
            count = len(group)
            type_ = "i32" if count == 1 else f"{{ {', '.join(['i32'] * count)} }}"
            name = f"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x{count}{trans}.b16"
            place = b.offset(base, group[0])
            found = b.intrinsic(name, type_, [place], overload=[place.type])
            words += [found] if count == 1 else [b.extract_value(found, "i32", k) for k in range(count)]
        each = len(self._factor.words())
        parts = [words[k : k + each] for k in range(0, len(words), each)]
        return {key: [b.bitcast(w, self._word) for w in part] for key, part in zip(keys, parts, strict=True)}

    # Element by element, neighbours next to each other: they become one access

    def _element(self) -> Value:
        b, total = self._ctx.b, i32(0)
        for weight, extent, step in self._factor.lane_steps():
            total = b.add(total, b.mul(digit_of(self._ctx, self._ctx.warp_lane, weight, extent), i32(step)))
        return total

    def _elements(self, base: Value, keys: Sequence[tuple[int, int]]) -> Parts:
        b, factor = self._ctx.b, self._factor
        ltype, width = ELEMENTS[factor.element.name].llvm, factor.vector * factor.element.bytes
        wanted: dict[int, tuple[tuple[int, int], int]] = {}
        for key in keys:
            outer, deep = self._start(*key)
            for number, (o, d) in enumerate(factor.words()):
                wanted[factor.offset(outer + o, deep + d)] = (key, number)
        found: dict[tuple[int, int], list[Value]] = {key: [Value("", "")] * len(factor.words()) for key in keys}
        for offset, (key, number) in sorted(wanted.items()):
            align = math.gcd(offset, width) if offset else width
            value = b.load(ltype, b.offset(base, offset), min(align, PIECE))
            found[key][number] = b.bitcast(value, self._word) if factor.element is TF32 else value
        return found


def _batched(numbers: Sequence[int], size: int) -> list[Sequence[int]]:
    """Groups of four, and at the end of two and one."""
    found: list[Sequence[int]] = []
    at = 0
    while at < len(numbers):
        while size > len(numbers) - at:
            size //= 2
        found.append(numbers[at : at + size])
        at += size
    return found
