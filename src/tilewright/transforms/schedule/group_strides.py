"""How much larger numbers are of which a work-group computes places than those of one some way before it.

%t                  8 further on: 8             of %t that are less than 8 above a multiple of 16
%t / 512            0                           neither quotient changes within 16
%t % 512 / 8        1
%t % 512 % 8        0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects import arith, scf
from tilewright.dialects.arith_integers import FloorDiv, UCast, UDiv, URem
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.definition import PURE
from tilewright.transforms import emit

CASTS: Final = (arith.Cast, UCast)


class Strides(Struct, frozen=True):
    """The strides of numbers, None for those that nobody knows, of `count` work-groups whose numbers lie `far` apart.

    It is `known` what is computed of; of `numbers` the first of these has one that is less than `far` above a multiple
    of `far * count`. What is in memory or handed on by a loop nobody knows; loops count alike, as far as is known here.
    """

    far: int
    count: int
    known: dict[Value, int | None]
    numbers: Sequence[Value]

    def of(self, value: Value) -> int | None:
        """That of a number, or of anything that is computed of numbers alone: 0 where it is the same."""
        if value not in self.known:
            self.known[value] = self._of(value)
        return self.known[value]

    def are_none(self, *values: Value) -> bool:
        """Whether the others have the same."""
        return all(self.of(value) == 0 for value in values)

    def _of(self, value: Value) -> int | None:
        op = value.defining_op
        if op is None:
            return self._of_argument(value)
        if PURE not in op.definition.traits or op.regions:
            return None
        strides = [self.of(operand) for operand in op.operands]
        if all(stride == 0 for stride in strides):
            return 0
        known = [stride for stride in strides if stride is not None]
        return self._combined(op, known) if len(known) == len(strides) else None

    def _combined(self, op: Operation, strides: Sequence[int]) -> int | None:
        """Of operands that have such strides."""
        first, second = strides[0], strides[-1]
        factor = emit.integer_of(op.operands[-1])
        match op:
            case arith.Add():
                return first + second
            case arith.Sub():
                return first - second
            case arith.Mul():
                other = emit.integer_of(op.operands[0])
                return first * factor if factor is not None else None if other is None else second * other
            case UDiv() | FloorDiv():
                return self._of_quotient(op.operands[0], first, factor)
            case URem():
                quotient = self._of_quotient(op.operands[0], first, factor)
                return None if quotient is None or factor is None else first - quotient * factor
            case _:
                return first if isinstance(op, CASTS) else None

    def _of_quotient(self, value: Value, stride: int, divisor: int | None) -> int | None:
        if divisor is None or divisor <= 0:
            return None
        if stride % divisor == 0:
            return stride // divisor
        return 0 if stride == self.far and divisor % (self.far * self.count) == 0 and self._is_low(value) else None

    def _of_argument(self, value: Value) -> int | None:
        assert isinstance(value, BlockArgument)
        loop = value.block.parent_op
        if isinstance(loop, scf.For):
            return 0 if value is loop.index else None
        return 0 if isinstance(loop, Kernel) else None

    def _is_low(self, value: Value) -> bool:
        """Whether a number is that of the first work-group, but for multiples of `far * count`."""
        op = value.defining_op
        match op:
            case None:
                return value in self.numbers
            case arith.Add():
                a, b = op.operands
                return (self._is_low(a) and self._is_whole(b)) or (self._is_low(b) and self._is_whole(a))
            case arith.Sub():
                return self._is_low(op.operands[0]) and self._is_whole(op.operands[1])
            case URem():
                return self._is_low(op.operands[0]) and self._is_whole(op.operands[1])
            case _:
                return value in self.numbers or (isinstance(op, CASTS) and self._is_low(op.operands[0]))

    def _is_whole(self, value: Value) -> bool:
        """Whether a number is a multiple of `far * count`."""
        known, op = emit.integer_of(value), value.defining_op
        match op:
            case arith.Constant():
                return known is not None and known % (self.far * self.count) == 0
            case arith.Mul():
                return any(map(self._is_whole, op.operands))
            case arith.Add() | arith.Sub():
                return all(map(self._is_whole, op.operands))
            case _:
                return isinstance(op, CASTS) and self._is_whole(op.operands[0])
