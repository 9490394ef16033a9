"""Numbers of f16 as sums of two numbers of bf16, so that products of bf16 give those of f16, exactly.

Of the eleven bits of x the first part has eight, the second one the others: either has the sign of x. So none of the
four products of the parts of x and y takes from another, they are exact in f32, and a sum of products is exact wherever
one of f16 in f32 is: its terms are multiples of the same unit, and their magnitudes add up to the same. All are
multiples of 2^-48, so that nothing is subnormal.

Where x is infinite or NaN, its first part is x, and the second one nothing. The other products would be NaN then, of
inf and 0, if they took that first part: for them there is another one, without what is not finite.
"""

from __future__ import annotations

from typing import Final

from tilewright.targets.llvm.emitter import Builder, Value, constant, lanes_of, vector, zero

PARTS: Final = 3
FIRST, FINITE, SECOND = range(PARTS)
PRODUCTS: Final = ((FIRST, FIRST), (FINITE, SECOND), (SECOND, SECOND), (SECOND, FINITE))
"""Parts of both numbers whose products add up to that of these."""
_UPPER: Final = -(1 << 16)
_EXPONENT: Final = 0x7F800000


def split(b: Builder, numbers: Value) -> tuple[Value, ...]:
    """The bits of all parts, <n x i16>, of numbers of f16 that have been converted to <n x float>."""
    words = vector("i32", lanes_of(numbers.type))
    bits, upper, exponent = b.bitcast(numbers, words), constant(words, _UPPER), constant(words, _EXPONENT)
    is_finite = b.icmp("ne", b.and_(bits, exponent), exponent)
    finite = b.select(is_finite, bits, zero(words))
    first = b.and_(finite, upper)
    second = b.fsub(b.bitcast(finite, numbers.type), b.bitcast(first, numbers.type))
    return _upper_half(b, bits), _upper_half(b, first), _upper_half(b, second)


def _upper_half(b: Builder, words: Value) -> Value:
    """Of words of 32 bits."""
    lanes = lanes_of(words.type)
    halves = b.bitcast(words, vector("i16", 2 * lanes))
    return b.shuffle(halves, halves, range(1, 2 * lanes, 2))
