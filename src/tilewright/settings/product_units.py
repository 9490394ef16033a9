"""Names of the units of processors that multiply matrices, as users write them."""

from __future__ import annotations

from enum import Enum


class Unit(Enum):
    """A unit by the name that users know it by."""

    VECTOR = "vector"
    VNNI = "vnni"
    BF16 = "bf16"


def read_units(text: str) -> frozenset[Unit]:
    """Units named in a text, with commas between; `vector`, which every machine needs, is one of them in any case.

    Raises ValueError for a name that is none.
    """
    return frozenset({Unit.VECTOR, *(Unit(name.strip().lower()) for name in text.split(","))})
