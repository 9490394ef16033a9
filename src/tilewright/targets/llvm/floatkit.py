"""Building blocks of mathematical functions on f32 or f64, any number of lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tilewright.targets.llvm.types import lanes_of, scalar_of, vector
from tilewright.targets.llvm.values import Value, constant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilewright.targets.llvm.emitter import Builder
    from tilewright.targets.llvm.features import Features


class Format(NamedTuple):
    """The layout of a floating-point format."""

    name: str
    bits: int
    fraction: int
    bias: int


VECTOR_BITS: Final = (128, 256, 512)
"""Of registers of x86 that such intrinsics take whole."""
CURRENT_ROUNDING: Final = 4
"""As intrinsics of AVX-512 are told that they round as the processor does."""
FORMATS = {"float": Format("F32", 32, 23, 127), "double": Format("F64", 64, 52, 1023)}


class FloatKit:
    """Emits at the position of a builder, for values of one type."""

    __slots__ = ("b", "features", "format", "integer", "lanes", "ltype", "scalar")

    def __init__(self, builder: Builder, features: Features, ltype: str) -> None:
        self.b = builder
        self.features = features
        self.ltype = ltype
        self.lanes = lanes_of(ltype)
        self.scalar = scalar_of(ltype)
        self.format = FORMATS[self.scalar]
        self.integer = vector(f"i{self.format.bits}", self.lanes)

    def number(self, number: float) -> Value:
        """A floating-point constant in all lanes."""
        return constant(self.ltype, number)

    def bits(self, number: int) -> Value:
        """An integer constant as wide as the float."""
        return constant(self.integer, number)

    def as_integer(self, x: Value) -> Value:
        """The bits of a float."""
        return self.b.bitcast(x, self.integer)

    def as_float(self, x: Value) -> Value:
        """The float with these bits."""
        return self.b.bitcast(x, self.ltype)

    def with_sign(self, magnitude: Value, sign: Value) -> Value:
        """One number with the sign of another."""
        return self.b.intrinsic("llvm.copysign", self.ltype, [magnitude, sign])

    def mad(self, x: Value, y: Value, z: Value) -> Value:
        """`x * y + z`, fused if the target can; the callers' error bounds hold either way."""
        if self.features.fma:
            return self.b.fma(x, y, z)
        return self.b.fadd(self.b.fmul(x, y), z)

    def polynomial(self, x: Value, coefficients: Sequence[float]) -> Value:
        """Horner's scheme; coefficients from the lowest power."""
        total = self.number(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            total = self.mad(total, x, self.number(coefficient))
        return total

    def nearest_integer(self, x: Value, factor: float = 1.0) -> tuple[Value, Value]:
        """`x * factor` (small) rounded to nearest, as a float and as an integer.

        Adding 1.5 * 2^fraction makes the unit of the last place 1, so that the addition rounds and the integer stands
        in the low bits. No rounding instruction is needed, which SSE2 lacks, and no conversion, which 64-bit AVX2
        lanes lack.
        """
        magic = 1.5 * 2.0**self.format.fraction
        if factor == 1.0:
            shifted = self.b.fadd(x, self.number(magic))
        else:
            shifted = self.mad(x, self.number(factor), self.number(magic))
        rounded = self.b.fsub(shifted, self.number(magic))
        return rounded, self.b.sub(self.as_integer(shifted), self.bits(self._magic_bits()))

    def small_integer_to_float(self, n: Value) -> Value:
        """The reverse of `nearest_integer`."""
        shifted = self.as_float(self.b.add(n, self.bits(self._magic_bits())))
        return self.b.fsub(shifted, self.number(1.5 * 2.0**self.format.fraction))

    def _magic_bits(self) -> int:
        return self.format.bias + self.format.fraction << self.format.fraction | 1 << self.format.fraction - 1

    def power_of_two(self, n: Value) -> Value:
        """2^n for an integer within the exponents of normal numbers."""
        return self.as_float(self.b.shl(self.b.add(n, self.bits(self.format.bias)), self.bits(self.format.fraction)))

    def scaled(self, x: Value, n: Value, integer: Value) -> Value:
        """`x 2^n` rounded once, for |n| up to twice the largest exponent; n as a float and as an integer."""
        if self.features.scaling and self.format.bits * self.lanes in VECTOR_BITS:
            return self._scaled_at_once(x, n)
        # Two steps, of which only the second can round.
        first = self.b.ashr(integer, self.bits(1))
        part = self.b.fmul(x, self.power_of_two(first))
        return self.b.fmul(part, self.power_of_two(self.b.sub(integer, first)))

    def _scaled_at_once(self, x: Value, n: Value) -> Value:
        bits = self.format.bits * self.lanes
        arguments = [x, n, x, constant(f"i{max(self.lanes, 8)}", -1)]
        if bits == VECTOR_BITS[-1]:
            arguments.append(constant("i32", CURRENT_ROUNDING))
        letter = "s" if self.format.bits == 32 else "d"
        return self.b.intrinsic(f"llvm.x86.avx512.mask.scalef.p{letter}.{bits}", self.ltype, arguments, overload=())

    def subtract_product(self, x: Value, n: Value, parts: Sequence[float]) -> Value:
        """`x - n * sum(parts)`, part by part (Cody and Waite)."""
        for part in parts:
            x = self.mad(n, self.number(-part), x)
        return x

    def clamp(self, x: Value, low: float, high: float) -> Value:
        """Into a range; a NaN stays."""
        below = self.b.fcmp("olt", x, self.number(low))
        return self.at_most(self.b.select(below, self.number(low), x), high)

    def at_most(self, x: Value, high: float) -> Value:
        """The smaller of two; a NaN stays."""
        return self.b.select(self.b.fcmp("ogt", x, self.number(high)), self.number(high), x)
