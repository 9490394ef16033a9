"""Complex arithmetic on pairs of values.

Products are the textbook formula without contraction. Quotient and absolute value first scale by powers of two, which
is exact, so that no intermediate overflows or underflows unless the result does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.targets.llvm.types import bits_of, lanes_of, vector
from tilewright.targets.llvm.values import Complex, Value, constant

if TYPE_CHECKING:
    from tilewright.targets.llvm.emitter import Builder


class ComplexArithmetic:
    """Operations whose operands are pairs of f32 or f64 values, scalars or vectors."""

    __slots__ = ("_b",)

    def __init__(self, builder: Builder) -> None:
        self._b = builder

    def binary(self, op: str, x: Complex, y: Complex) -> Complex:
        """add sub mul div."""
        b = self._b
        match op:
            case "add":
                return Complex(b.fadd(x.re, y.re), b.fadd(x.im, y.im))
            case "sub":
                return Complex(b.fsub(x.re, y.re), b.fsub(x.im, y.im))
            case "mul":
                re = b.fsub(b.fmul(x.re, y.re), b.fmul(x.im, y.im))
                return Complex(re, b.fadd(b.fmul(x.re, y.im), b.fmul(x.im, y.re)))
            case "div":
                return self._divide(x, y)
            case _:
                raise ValueError(f"{op} is not defined for complex numbers")

    def unary(self, op: str, x: Complex) -> Value | Complex:
        """abs neg conj re im."""
        match op:
            case "neg":
                return Complex(self._b.fneg(x.re), self._b.fneg(x.im))
            case "conj":
                return Complex(x.re, self._b.fneg(x.im))
            case "re":
                return x.re
            case "im":
                return x.im
            case "abs":
                return self._abs(x)
            case _:
                raise ValueError(f"{op} is not defined for complex numbers")

    def compare(self, predicate: str, x: Complex, y: Complex) -> Value:
        """eq: both parts equal; ne: its negation."""
        b = self._b
        match predicate:
            case "eq":
                return b.and_(b.fcmp("oeq", x.re, y.re), b.fcmp("oeq", x.im, y.im))
            case "ne":
                return b.or_(b.fcmp("une", x.re, y.re), b.fcmp("une", x.im, y.im))
            case _:
                raise ValueError(f"complex numbers have no order, so {predicate} is not defined")

    def fma(self, x: Complex, y: Complex, z: Complex) -> Complex:
        """`x * y + z` with four fused operations."""
        b = self._b
        re = b.fma(b.fneg(x.im), y.im, b.fma(x.re, y.re, z.re))
        return Complex(re, b.fma(x.im, y.re, b.fma(x.re, y.im, z.im)))

    def _largest(self, x: Complex) -> Value:
        b = self._b
        return b.intrinsic("llvm.maximumnum", x.re.type, [b.fabs(x.re), b.fabs(x.im)], flags="nsz", hint="large")

    def _scale(self, magnitude: Value) -> tuple[Value, Value]:
        """Powers of two s and 1/s: `s * magnitude` is in [1, 2) for normal numbers, about 1 or less for others."""
        b = self._b
        bits = bits_of(magnitude.type)
        fraction, top = (23, 253) if bits == 32 else (52, 2045)
        integer = vector(f"i{bits}", lanes_of(magnitude.type))
        exponent = b.and_(b.bitcast(magnitude, integer), constant(integer, (2 * top + 5 >> 1) - 1 << fraction))
        exponent = b.smax(b.smin(exponent, constant(integer, top << fraction)), constant(integer, 1 << fraction))
        scale = b.sub(constant(integer, top + 1 << fraction), exponent)
        return b.bitcast(scale, magnitude.type), b.bitcast(exponent, magnitude.type)

    def _abs(self, x: Complex) -> Value:
        """`sqrt((s re)^2 + (s im)^2) / s`; an infinite part wins over a NaN."""
        b = self._b
        largest = self._largest(x)
        scale, inverse = self._scale(largest)
        re, im = b.fmul(x.re, scale), b.fmul(x.im, scale)
        root = b.sqrt(b.fadd(b.fmul(re, re), b.fmul(im, im)))
        infinity = constant(largest.type, float("inf"))
        return b.select(b.fcmp("oeq", largest, infinity), infinity, b.fmul(root, inverse), hint="abs")

    def _divide(self, x: Complex, y: Complex) -> Complex:
        """`(x s)(conj(y) t) / |y t|^2`, then unscaled by t/s in two steps, the shrinking one last.

        x/0 divides both parts by zero as for reals; a finite number over infinity is zero.
        """
        b = self._b
        x_scale, x_inverse = self._scale(self._largest(x))
        y_largest = self._largest(y)
        y_scale, _ = self._scale(y_largest)
        infinite = b.fcmp("oeq", y_largest, constant(y_largest.type, float("inf")))
        scaled_x = Complex(b.fmul(x.re, x_scale), b.fmul(x.im, x_scale))
        scaled_y = Complex(self._finite(y.re, y_scale, infinite), self._finite(y.im, y_scale, infinite))
        norm = b.fadd(b.fmul(scaled_y.re, scaled_y.re), b.fmul(scaled_y.im, scaled_y.im))
        by_zero = b.fcmp("oeq", y_largest, constant(y_largest.type, 0.0))
        product = self.binary("mul", scaled_x, Complex(scaled_y.re, b.fneg(scaled_y.im)))
        y_factor = b.select(infinite, constant(y_largest.type, 0.0), y_scale)
        parts: list[Value] = []
        for numerator, own in zip(product, x, strict=True):
            quotient = b.fdiv(b.select(by_zero, own, numerator), norm)
            parts.append(self._unscale(quotient, x_inverse, y_factor))
        return Complex(parts[0], parts[1])

    def _finite(self, part: Value, scale: Value, infinite: Value) -> Value:
        """The scaled part; of an infinite divisor only its direction counts."""
        b = self._b
        one = constant(part.type, 1.0)
        is_infinite = b.fcmp("oeq", b.fabs(part), constant(part.type, float("inf")))
        unit = b.select(is_infinite, one, constant(part.type, 0.0))
        direction = b.intrinsic("llvm.copysign", part.type, [unit, part])
        nan_or_direction = b.select(b.fcmp("uno", part, part), part, direction)
        return b.select(infinite, nan_or_direction, b.fmul(part, scale))

    def _unscale(self, quotient: Value, first: Value, second: Value) -> Value:
        """`quotient * first * second`; factors on different sides of 1 meet first, so that nothing overflows between.

        The quotient is near 1. The product of the factors is exact unless it leaves the range of normal numbers, and
        then both are on the same side of 1 and their order does not matter.
        """
        b = self._b
        one = constant(quotient.type, 1.0)
        opposite = b.xor(b.fcmp("olt", first, one), b.fcmp("olt", second, one))
        joint = b.select(opposite, b.fmul(first, second), first)
        return b.fmul(b.fmul(quotient, joint), b.select(opposite, one, second))
