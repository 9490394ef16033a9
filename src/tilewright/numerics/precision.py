"""How exactly products multiply and sum, which a caller may say."""

from __future__ import annotations

from enum import Enum


class Precision(Enum):
    """In what products of f32 multiply: f32, factors rounded to tf32, or those and what rounding has left of them; and
    whether sums of products of floats of 8 bits may be `fast`, in the bits that units keep, fewer than f32 has."""

    EXACT = "exact"
    TF32 = "tf32"
    THREE_TF32 = "3xtf32"
    FAST = "fast"

    @staticmethod
    def of(name: str) -> Precision:
        """By its name. Raises ValueError for what is none."""
        try:
            return Precision(name)
        except ValueError:
            names = ", ".join(each.value for each in Precision)
            raise ValueError(f"precision is one of {names}, not {name!r}") from None
