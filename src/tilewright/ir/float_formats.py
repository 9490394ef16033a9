"""The IEEE formats of floats, and rounding a double to them.

Without NumPy: to import it takes longer than to check a kernel.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from msgspec import Struct


class FloatFormat(Struct, frozen=True):
    """`precision` bits, one of them implicit, and exponents of normal numbers `lowest` to `highest`."""

    precision: int
    lowest: int
    highest: int

    @property
    def largest(self) -> float:
        """The largest finite number."""
        return math.ldexp(2.0 - 2.0 ** (1 - self.precision), self.highest)

    def nearest(self, number: float) -> float:
        """A double rounded once, ties to even; infinity beyond the range."""
        if not math.isfinite(number):
            return number
        _, exponent = math.frexp(number)
        if exponent - 1 > self.highest:
            return math.copysign(math.inf, number)
        unit = max(exponent - 1, self.lowest) - self.precision + 1
        found = math.ldexp(round(math.ldexp(number, -unit)), unit)
        return math.copysign(found if abs(found) <= self.largest else math.inf, number)


FLOAT_FORMATS: Final[Mapping[str, FloatFormat]] = {
    "f16": FloatFormat(11, -14, 15),
    "bf16": FloatFormat(8, -126, 127),
    "tf32": FloatFormat(11, -126, 127),
    "f32": FloatFormat(24, -126, 127),
    "f64": FloatFormat(53, -1022, 1023),
}
"""By the name of the element type; formats of a byte and less are not IEEE's."""
