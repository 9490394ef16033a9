"""Names of the units of processors that multiply matrices, as users write them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final


class Unit(Enum):
    """A unit by the name that users know it by."""

    VECTOR = "vector"
    VNNI = "vnni"
    BF16 = "bf16"
    AMX_INT8 = "amx-int8"
    AMX_BF16 = "amx-bf16"
    AMX_F16 = "amx-f16"


_WORDS: Final[Mapping[str, frozenset[Unit]]] = {
    **{unit.value: frozenset({unit}) for unit in Unit},
    "amx": frozenset({Unit.AMX_INT8, Unit.AMX_BF16, Unit.AMX_F16}),
}
UNIT_WORDS: Final = tuple(_WORDS)
"""What users may write: a unit, or a word for several."""


def read_units(text: str) -> frozenset[Unit]:
    """Units named in a text, with commas between; `vector`, which every machine needs, is one of them in any case.

    Raises ValueError for a name that is none.
    """
    words = [word.strip().lower() for word in text.split(",")]
    if unknown := [word for word in words if word not in _WORDS]:
        raise ValueError(f"{unknown[0]!r} is no product unit")
    return frozenset({Unit.VECTOR}).union(*(_WORDS[word] for word in words))
