"""How elements are encoded: integers, floats of every format, complex numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Final

from msgspec import Struct


class IntegerFormat(Struct, frozen=True, eq=False):
    """Two's complement of `bits` bits, which an operation reads as signed or unsigned; a bool has one."""

    name: str
    bits: int

    def limits(self, is_signed: bool) -> tuple[int, int]:
        """The least and the largest number."""
        return (-(1 << self.bits - 1), (1 << self.bits - 1) - 1) if is_signed else (0, (1 << self.bits) - 1)


class FloatFormat(Struct, frozen=True, eq=False, dict=True):
    """A sign (if `signed`), `exponent` bits biased by `bias`, `mantissa` bits; `infinite` as IEEE 754 formats are.

    Formats that are not infinite have NaN only as the pattern of ones, or none at all (f4E2M1FN). One without mantissa
    (f8E8M0FNU) has the powers of two alone, and no zero.
    """

    name: str
    exponent: int
    mantissa: int
    bias: int
    signed: bool = True
    infinite: bool = True

    @cached_property
    def bits(self) -> int:
        """Width of the pattern."""
        return self.signed + self.exponent + self.mantissa

    @property
    def magnitude(self) -> int:
        """Width of the pattern without the sign, which is the place of the sign."""
        return self.exponent + self.mantissa

    @property
    def precision(self) -> int:
        """Significant bits, one of them implicit."""
        return self.mantissa + 1

    @cached_property
    def lowest(self) -> int:
        """The least exponent of a normal number."""
        return (1 if self.mantissa else 0) - self.bias

    @cached_property
    def highest(self) -> int:
        """The exponent of the largest finite number."""
        return (self.top >> self.mantissa) - self.bias

    @cached_property
    def top(self) -> int:
        """The pattern of the largest finite number."""
        ones = (1 << self.magnitude) - 1
        if self.infinite:
            return ones - (1 << self.mantissa)
        return ones - self.has_nan

    @property
    def has_nan(self) -> bool:
        """Whether there is a pattern for what is no number."""
        return self.magnitude > 3

    @cached_property
    def nan(self) -> int:
        """The pattern of the canonical NaN; of the largest number where there is none."""
        if self.infinite:
            return self.top + 1 | 1 << (self.mantissa - 1)
        return (1 << self.magnitude) - 1

    @property
    def beyond(self) -> int:
        """The pattern of what is larger than the largest number: infinity, else NaN or the largest number."""
        return self.top + 1 if self.infinite else self.nan

    @property
    def sign(self) -> int:
        """The pattern of a sign alone."""
        return 1 << self.magnitude

    def holds(self, other: FloatFormat) -> bool:
        """Whether it has every number of another format, infinity included."""
        finer = other.mantissa <= self.mantissa and self.lowest - self.mantissa <= other.lowest - other.mantissa
        is_wide = other.highest <= self.highest and (self.infinite or not other.infinite)
        return finer and is_wide and (self.signed or not other.signed)

    @cached_property
    def largest(self) -> float:
        """The largest finite number."""
        return self.number(self.top)

    def number(self, pattern: int) -> float:
        """The number behind a pattern; exact, since doubles hold all of them."""
        negative = self.signed and pattern >> self.magnitude & 1
        size = pattern & ((1 << self.magnitude) - 1)
        exponent, fraction = size >> self.mantissa, size & ((1 << self.mantissa) - 1)
        if size > self.top:
            found = math.inf if self.infinite and not fraction else math.nan
        elif exponent or not self.mantissa:
            found = math.ldexp((1 << self.mantissa) + fraction, exponent - self.bias - self.mantissa)
        else:
            found = math.ldexp(fraction, 1 - self.bias - self.mantissa)
        return -found if negative else found

    def pattern(self, number: float) -> int:
        """The pattern of a number that the format has: the inverse of `number`, but for NaN."""
        negative = math.copysign(1.0, number) < 0 and self.signed
        if not math.isfinite(number):
            size = self.top + 1 if self.infinite and math.isinf(number) else self.nan
        elif not number:
            size = 0
        else:
            power = max(math.frexp(number)[1] - 1, self.lowest)
            steps = int(math.ldexp(abs(number), self.mantissa - power))
            size = ((power - self.lowest) << self.mantissa) + (steps if self.mantissa else 0)
        return size | negative << self.magnitude


class ComplexFormat(Struct, frozen=True, eq=False):
    """Two floats of one format."""

    name: str
    component: FloatFormat


class AddressFormat(Struct, frozen=True, eq=False):
    """Bytes of memory by number, 64 bits without sign."""

    name: str


Format = IntegerFormat | FloatFormat | ComplexFormat | AddressFormat


def _ieee(name: str, exponent: int, mantissa: int) -> FloatFormat:
    return FloatFormat(name, exponent, mantissa, (1 << (exponent - 1)) - 1)


I1: Final = IntegerFormat("i1", 1)
F16: Final = _ieee("f16", 5, 10)
BF16: Final = _ieee("bf16", 8, 7)
TF32: Final = _ieee("tf32", 8, 10)
F32: Final = _ieee("f32", 8, 23)
F64: Final = _ieee("f64", 11, 52)
F8E4M3FN: Final = FloatFormat("f8E4M3FN", 4, 3, 7, infinite=False)
F8E5M2: Final = _ieee("f8E5M2", 5, 2)
F8E5M3FNU: Final = FloatFormat("f8E5M3FNU", 5, 3, 15, signed=False, infinite=False)
F8E8M0FNU: Final = FloatFormat("f8E8M0FNU", 8, 0, 127, signed=False, infinite=False)
F4E2M1FN: Final = FloatFormat("f4E2M1FN", 2, 1, 1, infinite=False)
ADDRESS: Final = AddressFormat("address")

INTEGER_FORMATS: Final = (I1, *(IntegerFormat(f"i{bits}", bits) for bits in (4, 8, 16, 32, 64)))
FLOAT_FORMATS: Final[Mapping[str, FloatFormat]] = MappingProxyType(
    {layout.name: layout for layout in (F16, BF16, TF32, F32, F64, F8E4M3FN, F8E5M2, F8E5M3FNU, F8E8M0FNU, F4E2M1FN)}
)
"""By the name of the element type."""
FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        "bool": I1,
        **{layout.name: layout for layout in INTEGER_FORMATS},
        "index": INTEGER_FORMATS[-1],
        **FLOAT_FORMATS,
        "c32": ComplexFormat("c32", F32),
        "c64": ComplexFormat("c64", F64),
    }
)
"""By the name of the element type, in every language."""
