"""Which unit a product takes, and why not a better one."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

from msgspec import Struct

from tilewright.ir.types import BF16, F32, I32, ScalarType
from tilewright.machine.units import FACTS, unavailable
from tilewright.settings.product_units import Unit
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.units.amx import AmxUnit, amx
from tilewright.targets.cpu.units.bf16_dot import Bf16Unit
from tilewright.targets.cpu.units.unit import Factor, ProductUnit
from tilewright.targets.cpu.units.vector import VectorUnit
from tilewright.targets.cpu.units.vnni import vnni

_SIDE_ON_TILES: Final = 96
"""From such cubes on tiles are faster than the next unit: on Emerald Rapids dot products of bytes make 350 GOP/s in
batches of 64, tiles 306, in those of 128 444 and 688; of f16 vectors make 1 to 1.7 times what tiles do at 64, .83
to .96 at 96."""
_NEXT: Final = {Unit.AMX_INT8: Unit.VNNI, Unit.AMX_F16: Unit.VECTOR}
"""The unit that is faster on small products."""


class Choice(Struct, frozen=True):
    """A unit, whether it is better than vectors, and what keeps the product from one that would be."""

    unit: ProductUnit | AmxUnit
    better: bool = False
    refused: tuple[str, ...] = ()


def choose(
    machine: Machine, vectors: Factor, scalars: Factor, accumulator: ScalarType, shape: tuple[int, int, int]
) -> Choice:
    """The best unit for a packed product whose accumulators are formed in a type; `shape`: rows, columns, terms."""
    refused: list[str] = []
    for unit, found in _better(vectors, scalars, accumulator):
        why = _refusal(machine, unit) or _too_small(machine, unit, shape)
        if why is None:
            return Choice(found, True, tuple(refused))
        refused.append(f"{unit.value}: {why}")
    return Choice(VectorUnit(accumulator, vectors.signed, scalars.signed), refused=tuple(refused))


def _better(vectors: Factor, scalars: Factor, accumulator: ScalarType) -> Iterator[tuple[Unit, ProductUnit | AmxUnit]]:
    """The units for products of these types, wherever they are, the best first."""
    if (tiles := amx(vectors, scalars, accumulator)) is not None:
        yield tiles.unit, tiles
    if accumulator is I32 and (dots := vnni(vectors, scalars)) is not None:
        yield Unit.VNNI, dots
    if accumulator is F32 and vectors.element is scalars.element is BF16:
        yield Unit.BF16, Bf16Unit()


def _refusal(machine: Machine, unit: Unit) -> str | None:
    """Why the machine's code does not use the unit; None if it may."""
    if (why := unavailable(machine.processor, unit)) is not None:
        return why
    if unit in machine.units:
        return None
    deviation = FACTS[unit].deviation
    return f"only used where asked for, since it {deviation}" if deviation else "not among the units to be used"


def _too_small(machine: Machine, unit: Unit, shape: tuple[int, int, int]) -> str | None:
    """Why so small a product is better off on the next unit; None if it is not, or cannot have that."""
    side, following = _SIDE_ON_TILES, _NEXT.get(unit)
    if following is not None and prod(shape) < side**3 and _refusal(machine, following) is None:
        return f"faster from {side}x{side}x{side} on"
    return None
