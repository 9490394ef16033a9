"""Units that tests compute products with: those of this machine, and those of tiles with emulated instructions too."""

from __future__ import annotations

import pytest
from msgspec import Struct

from targets.cpu.collective import Collective
from targets.cpu.units.tile_emulation import emulated, tile_machine
from tilewright.machine.processor import FeatureSet, machine
from tilewright.machine.units import FACTS, TILES, lacking, unavailable
from tilewright.settings.product_units import Unit


class Way(Struct, frozen=True):
    """A unit; `emulated`: functions take the place of its instructions."""

    unit: Unit
    emulated: bool = False

    def __str__(self) -> str:
        return f"{self.unit.value}{'-emulated' if self.emulated else ''}"

    def collective(self, parameters: str, body: str, level: FeatureSet = FeatureSet.HOST) -> Collective:
        """A kernel whose products take this unit where they can."""
        units = frozenset({Unit.VECTOR, self.unit})
        if not self.emulated:
            return Collective(parameters, body, level, units)
        return Collective(parameters, body, level, units, tile_machine(), emulated)


def ways(*units: Unit) -> list[object]:
    """Parameters of a test: what a machine lacks is skipped, and says so."""
    found: list[object] = []
    for unit in units:
        why_not = unavailable(machine(), unit)
        marks = [] if why_not is None else [pytest.mark.skip(reason=f"unit {unit.value}: {why_not}")]
        found.append(pytest.param(Way(unit), id=str(Way(unit)), marks=marks))
        if TILES in FACTS[unit].needs and not lacking(tile_machine().processor, unit):
            found.append(pytest.param(Way(unit, True), id=str(Way(unit, True))))
    return found
