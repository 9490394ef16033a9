"""Units of the processor that multiply matrices: what each needs of it, and which are used if nobody says otherwise.

A unit is there or not whatever the width of vectors is, so it is no feature set; feature sets smaller than the machine
may take its instructions away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from tilewright.machine.processor import Machine
from tilewright.settings.product_units import Unit


class UnitFacts(Struct, frozen=True):
    """Features it needs, by LLVM's names; its instructions; in what they deviate from what the languages mean.

    A unit that deviates is used where it is asked for by name.
    """

    needs: tuple[str, ...]
    instructions: str
    deviation: str = ""


_AVX512: Final = ("avx512f", "avx512vl", "avx512bw", "avx512dq")

FACTS: Final[Mapping[Unit, UnitFacts]] = {
    Unit.VECTOR: UnitFacts((), "multiply-adds of vectors"),
    Unit.VNNI: UnitFacts((*_AVX512, "avx512vnni"), "vpdpbusd, vpdpwssd"),
    Unit.BF16: UnitFacts((*_AVX512, "avx512bf16"), "vdpbf16ps", "takes subnormal numbers for zeros"),
}

EXACT_UNITS: Final = frozenset(unit for unit, facts in FACTS.items() if not facts.deviation)
"""What is used where nobody says otherwise."""


def usable(machine: Machine, permitted: frozenset[Unit]) -> list[Unit]:
    """Those of the units that the machine has, in the order of the table."""
    return [unit for unit in FACTS if unit in permitted and not lacking(machine, unit)]


def lacking(machine: Machine, unit: Unit) -> tuple[str, ...]:
    """Features that the unit needs and the machine has not."""
    return tuple(feature for feature in FACTS[unit].needs if not machine.has(feature))
