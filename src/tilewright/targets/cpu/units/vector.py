"""Multiply-adds of vectors: the unit of every machine and every type."""

from __future__ import annotations

from msgspec import Struct

from tilewright.ir.types import ScalarType
from tilewright.targets.cpu.expressions.block_reader import BlockReader
from tilewright.targets.cpu.expressions.fragments import value_of
from tilewright.targets.cpu.lowered import Operand
from tilewright.targets.cpu.units.unit import Packing
from tilewright.targets.llvm.emitter import Complex, Value, lanes_of
from tilewright.targets.llvm.types import ELEMENTS, Kind


class VectorUnit(Struct, frozen=True):
    """Both factors in the accumulator's type, one term a word."""

    accumulator: ScalarType
    signed_vectors: bool = True
    signed_scalars: bool = True
    name: str = "vector"

    @property
    def vectors(self) -> Packing:
        """Elements of the accumulator's type."""
        return Packing(self.accumulator, signed=self.signed_vectors)

    @property
    def scalars(self) -> Packing:
        """The same."""
        return Packing(self.accumulator, signed=self.signed_scalars)

    def multiply(self, ev: BlockReader, vector: Operand, scalar: Operand, total: Operand) -> Operand:
        """One multiply-add, or several of the parts of complex numbers."""
        return multiply_add(ev, self.accumulator, vector, scalar, total)


def multiply_add(ev: BlockReader, element: ScalarType, x: Operand, y: Operand, total: Operand) -> Operand:
    """`total + x y`, fused where the machine can; the first term of a sum is a plain product."""
    if isinstance(x, Complex) and isinstance(y, Complex) and isinstance(total, Complex):
        part = element.component
        negative = ev.b.fneg(x.im)
        re = multiply_add(ev, part, x.re, y.re, total.re)
        im = multiply_add(ev, part, x.re, y.im, total.im)
        return Complex(
            value_of(multiply_add(ev, part, negative, y.im, re)), value_of(multiply_add(ev, part, x.im, y.re, im))
        )
    left, right, sum_ = value_of(x), value_of(y), value_of(total)
    if ELEMENTS[element.name].kind is not Kind.FLOAT:
        return ev.b.add(ev.b.mul(left, right), sum_)
    if is_zero(sum_):
        return ev.b.fmul(left, right)
    if not ev.machine.fma:
        return ev.b.fadd(ev.b.fmul(left, right), sum_)
    return ev.b.fma(left, right, sum_)


def is_zero(value: Value) -> bool:
    """Whether a value is the constant positive zero in all lanes."""
    scalar = value.type if lanes_of(value.type) == 1 else value.type[value.type.index(" x ") + 3 : -1]
    return value.text in ("zeroinitializer", "0x0000000000000000", f"splat ({scalar} 0x0000000000000000)")
