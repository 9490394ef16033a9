"""VNNI: four products of bytes, or two of 16-bit integers, added to each lane of i32, which wraps.

`vpdpbusd` multiplies unsigned bytes by signed ones. Where both factors are signed, or both unsigned, the scalars are
packed with their highest bit changed, which makes them what the instruction wants and 128 more or less than they are.
What that is too much, the vectors times the words of zeros, is taken off the sum.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilewright.ir.types import I8, I16, I32, ScalarType
from tilewright.targets.cpu.expressions.block_reader import BlockReader
from tilewright.targets.cpu.expressions.fragments import value_of
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.units.unit import Factor, Packing
from tilewright.targets.llvm.emitter import lanes_of
from tilewright.targets.llvm.emitter import vector as vector_type

_HIGHEST: Final = 0x80


class ByteUnit(Struct, frozen=True):
    """`vpdpbusd`, for factors of i8 of any signs."""

    signed_vectors: bool
    signed_scalars: bool
    name: str = "vnni"
    accumulator: ScalarType = I32

    @property
    def vectors(self) -> Packing:
        """Bytes as they are."""
        return Packing(I8, 4)

    @property
    def scalars(self) -> Packing:
        """Bytes of the other kind than those of vectors."""
        return Packing(I8, 4, flipped=_HIGHEST if self.signed_vectors == self.signed_scalars else 0)

    def multiply(self, ev: BlockReader, vector: Operand, scalar: Operand, total: Operand) -> Operand:
        """One instruction; unsigned bytes come first."""
        first, second = (scalar, vector) if self.signed_vectors else (vector, scalar)
        return _dot(ev, "vpdpbusd", I8, first, second, total)


class ShortUnit(Struct, frozen=True):
    """`vpdpwssd`, for factors of integers that i16 holds."""

    signed_vectors: bool
    signed_scalars: bool
    name: str = "vnni"
    accumulator: ScalarType = I32

    @property
    def vectors(self) -> Packing:
        """Elements widened to i16."""
        return Packing(I16, 2, signed=self.signed_vectors)

    @property
    def scalars(self) -> Packing:
        """The same."""
        return Packing(I16, 2, signed=self.signed_scalars)

    def multiply(self, ev: BlockReader, vector: Operand, scalar: Operand, total: Operand) -> Operand:
        """One instruction."""
        return _dot(ev, "vpdpwssd", I16, vector, scalar, total)


def vnni(vectors: Factor, scalars: Factor) -> ByteUnit | ShortUnit | None:
    """The unit for two factors; None if there is none."""
    if all(factor.element is I8 for factor in (vectors, scalars)):
        return ByteUnit(vectors.signed, scalars.signed)
    if all(factor.element is I8 or (factor.element is I16 and factor.signed) for factor in (vectors, scalars)):
        return ShortUnit(vectors.signed, scalars.signed)
    return None


def _dot(ev: BlockReader, word: str, element: ScalarType, x: Operand, y: Operand, total: Operand) -> Operand:
    accumulators = value_of(total)
    lanes = lanes_of(accumulators.type)
    packed = vector_type(element.name, lanes * (I32.bytes // element.bytes))
    operands = [accumulators, *(ev.b.bitcast(value_of(operand), packed) for operand in (x, y))]
    return ev.b.intrinsic(f"llvm.x86.avx512.{word}.{lanes * 32}", accumulators.type, operands, overload=(), hint="dot")
