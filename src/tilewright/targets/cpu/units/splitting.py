"""Numbers of f16 as sums of two numbers of bf16, so that products of bf16 give those of f16, exactly.

Of the eleven bits of x the first part has eight, those of the next number towards zero that bf16 holds *and that is not
x*; the second part has the rest. So both parts have the sign of x, and neither is zero but where x is: of x = +-inf the
first one is the largest number of bf16, the second one is infinite. The four products of the parts of x and y add up to
x y then, infinities and NaN included (inf times the parts of a number is inf twice, of its sign, or NaN twice), and
none of them takes from another: a sum of many has no more to round than one of the products themselves. All are
multiples of 2^-64, which is not subnormal in f32.
"""

from __future__ import annotations

from typing import Final

from tilewright.targets.llvm.emitter import Builder, Value, constant, lanes_of, vector, zero

_UPPER: Final = -(1 << 16)
_LOWER_BITS: Final = 0x7FFFFFFF


def split(b: Builder, numbers: Value) -> tuple[Value, Value]:
    """The bits of both parts, <n x i16>, of numbers of f16 that have been converted to <n x float>."""
    words = vector("i32", lanes_of(numbers.type))
    bits = b.bitcast(numbers, words)
    magnitude = b.and_(bits, constant(words, _LOWER_BITS))
    is_some = b.cast("sext", b.icmp("ne", magnitude, zero(words)), words)
    first = b.and_(b.add(bits, is_some), constant(words, _UPPER))
    second = b.fsub(numbers, b.bitcast(first, numbers.type))
    return _upper_half(b, first), _upper_half(b, second)


def _upper_half(b: Builder, words: Value) -> Value:
    """Of words of 32 bits, of which the others are zeros."""
    lanes = lanes_of(words.type)
    halves = b.bitcast(words, vector("i16", 2 * lanes))
    return b.shuffle(halves, halves, range(1, 2 * lanes, 2))
