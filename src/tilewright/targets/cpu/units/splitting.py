"""Numbers of f16 as sums of two numbers of bf16, so that products of bf16 give those of f16, exactly.

Of the eleven bits of x the first part has eight, the second one the others: either has the sign of x. So none of the
four products of the parts of x and y takes from another, they are exact in f32, and a sum of products is exact wherever
one of f16 in f32 is: its terms are multiples of the same unit, and their magnitudes add up to the same.

No second part is zero: infinite numbers, of which both parts are infinite, would give NaN with it. One that would be
zero is the least number that is none. Its products vanish: units count results below 2^-126 as zeros, and no sum
changes by so little. For this, numbers are made smaller by 2^-30, and sums of their products larger by 2^60. Then first
parts lie between 2^-54 and 2^-14; products of what is not that least number are multiples of 2^-108, whose sums in f32
do not change by less than 2^-132; products with it are below 2^-139.
"""

from __future__ import annotations

from typing import Final

from tilewright.targets.llvm.emitter import Builder, Value, constant, lanes_of, vector

PARTS: Final = 2
FIRST, SECOND = range(PARTS)
PRODUCTS: Final = ((FIRST, FIRST), (FIRST, SECOND), (SECOND, SECOND), (SECOND, FIRST))
"""Parts of both numbers whose products add up to that of these."""
_SMALLER: Final = 2.0**-30
LARGER: Final = _SMALLER**-2
"""What sums of products are multiplied by."""
_SIGN: Final = -(1 << 31)
_UPPER: Final = -(1 << 16)
_FINITE: Final = _UPPER - (1 << 30)
"""The upper half without the highest bit of the exponent, which is set in numbers that are not finite alone."""
_LEAST: Final = 1 << 23
"""The bits of 2^-126."""


def split(b: Builder, numbers: Value) -> tuple[Value, ...]:
    """The bits of both parts, <n x i16>, of numbers of f16 that have been converted to <n x float>."""
    floats, words = numbers.type, vector("i32", lanes_of(numbers.type))
    smaller = b.fmul(numbers, constant(floats, _SMALLER))
    bits = b.bitcast(smaller, words)
    finite_first = b.bitcast(b.and_(bits, constant(words, _FINITE)), floats)
    least = b.bitcast(b.or_(b.and_(bits, constant(words, _SIGN)), constant(words, _LEAST)), floats)
    second = b.fadd(b.fsub(smaller, finite_first), least)
    return _upper_half(b, bits), _upper_half(b, b.bitcast(second, words))


def _upper_half(b: Builder, words: Value) -> Value:
    """Of words of 32 bits."""
    lanes = lanes_of(words.type)
    halves = b.bitcast(words, vector("i16", 2 * lanes))
    return b.shuffle(halves, halves, range(1, 2 * lanes, 2))
