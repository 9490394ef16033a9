"""Units of the processor that multiply matrices: what each needs of it, and which are used if nobody says otherwise.

A unit is there or not whatever the width of vectors is, so it is no feature set; feature sets smaller than the machine
may take its instructions away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from tilewright.machine.processor import Machine, machine
from tilewright.machine.tile_state import tiles_refused
from tilewright.settings.product_units import Unit


class UnitFacts(Struct, frozen=True):
    """Features it needs, by LLVM's names; its instructions; in what they deviate from what the languages mean.

    A unit that deviates is used where it is asked for by name.
    """

    needs: tuple[str, ...]
    instructions: str
    deviation: str = ""


TILES: Final = "amx-tile"
"""The feature of units whose factors and sums are tiles, which a process may use once the system permits it."""
_AVX512: Final = ("avx512f", "avx512vl", "avx512bw", "avx512dq")

FACTS: Final[Mapping[Unit, UnitFacts]] = {
    Unit.VECTOR: UnitFacts((), "multiply-adds of vectors"),
    Unit.VNNI: UnitFacts((*_AVX512, "avx512vnni"), "vpdpbusd, vpdpwssd"),
    Unit.BF16: UnitFacts((*_AVX512, "avx512bf16"), "vdpbf16ps", "takes subnormal numbers for zeros"),
    Unit.AMX_INT8: UnitFacts((*_AVX512, TILES, "amx-int8"), "tdpbssd, tdpbsud, tdpbusd, tdpbuud"),
    Unit.AMX_BF16: UnitFacts((*_AVX512, TILES, "amx-bf16"), "tdpbf16ps", "takes subnormal numbers for zeros"),
    Unit.AMX_F16: UnitFacts(
        (*_AVX512, TILES, "amx-bf16"), "tdpbf16ps, four for factors that are sums of two bf16 each"
    ),
}

EXACT_UNITS: Final = frozenset(unit for unit, facts in FACTS.items() if not facts.deviation)
"""What is used where nobody says otherwise."""


def usable(processor: Machine, permitted: frozenset[Unit]) -> list[Unit]:
    """Those of the units that may run on the processor, in the order of the table."""
    return [unit for unit in FACTS if unit in permitted and unavailable(processor, unit) is None]


def lacking(processor: Machine, unit: Unit) -> tuple[str, ...]:
    """Features that the unit needs and the processor has not."""
    return tuple(feature for feature in FACTS[unit].needs if not processor.has(feature))


def unavailable(processor: Machine, unit: Unit) -> str | None:
    """Why code for a processor cannot use the unit; None if it can.

    The system is asked for its permission only where this is a machine with tiles: others refuse in any case.
    """
    if missing := lacking(processor, unit):
        return f"the target lacks {', '.join(missing)}"
    if TILES not in FACTS[unit].needs or not machine().has(TILES):
        return None
    refusal = tiles_refused()
    return None if refusal is None else f"the system refuses the state of tiles ({refusal})"
