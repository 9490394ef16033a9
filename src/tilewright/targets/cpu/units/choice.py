"""Which unit a product takes, and why not a better one."""

from __future__ import annotations

from msgspec import Struct

from tilewright.ir.types import BF16, F32, I32, ScalarType
from tilewright.machine.units import FACTS, lacking
from tilewright.settings.product_units import Unit
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.units.bf16_dot import Bf16Unit
from tilewright.targets.cpu.units.unit import Factor, ProductUnit
from tilewright.targets.cpu.units.vector import VectorUnit
from tilewright.targets.cpu.units.vnni import vnni


class Choice(Struct, frozen=True):
    """A unit, whether it is better than vectors, and what keeps the product from one that would be."""

    unit: ProductUnit
    better: bool = False
    refused: tuple[str, ...] = ()


def choose(machine: Machine, vectors: Factor, scalars: Factor, accumulator: ScalarType) -> Choice:
    """The best unit for a packed product whose sums are formed in a type."""
    plain = VectorUnit(accumulator, vectors.signed, scalars.signed)
    better = _better(vectors, scalars, accumulator)
    if better is None:
        return Choice(plain)
    unit, found = better
    why = _refusal(machine, unit)
    return Choice(found, better=True) if why is None else Choice(plain, refused=(f"{unit.value}: {why}",))


def _better(vectors: Factor, scalars: Factor, accumulator: ScalarType) -> tuple[Unit, ProductUnit] | None:
    """The unit for products of these types, wherever it is."""
    if accumulator is I32:
        found = vnni(vectors, scalars)
        return None if found is None else (Unit.VNNI, found)
    if accumulator is F32 and vectors.element is scalars.element is BF16:
        return Unit.BF16, Bf16Unit()
    return None


def _refusal(machine: Machine, unit: Unit) -> str | None:
    """Why the machine's code does not use the unit; None if it may."""
    if missing := lacking(machine.processor, unit):
        return f"the target lacks {', '.join(missing)}"
    if unit in machine.units:
        return None
    deviation = FACTS[unit].deviation
    return f"only used where asked for, since it {deviation}" if deviation else "not among the units to be used"
