"""What a user reads of each product: the unit that it runs on, and why on no better one (`Kernel.schedule`)."""

from __future__ import annotations

from collections.abc import Iterable

from tilewright.dialects import tile
from tilewright.ir.types import TileType
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.cpu.units.choice import Choice, choose
from tilewright.targets.cpu.units.unit import Factor
from tilewright.targets.cpu.units.vector import VectorUnit


def in_registers(op: tile.Mma, lhs: Factor, rhs: Factor, machine: Machine) -> str:
    """The line of a product whose factors are not packed."""
    left, result = op.lhs.type, op.out.type
    assert isinstance(left, TileType)
    assert isinstance(result, TileType)
    m, n = result.shape
    element = result.element
    packed = choose(machine, lhs, rhs, element, (m, n, left.shape[1]))
    better = (f"{packed.unit.name}: only packed products take it",) if packed.better else ()
    choice = Choice(VectorUnit(element), refused=(*better, *packed.refused))
    return described(op, lhs, rhs, choice, "factors read in place")


def described(op: tile.Mma, lhs: Factor, rhs: Factor, choice: Choice, how: str) -> str:
    """One line: place, extents, types, unit, the shape of its code, what keeps it from better units."""
    left, result = op.lhs.type, op.out.type
    assert isinstance(left, TileType)
    assert isinstance(result, TileType)
    extents = "x".join(map(str, (*result.shape, left.shape[1])))
    types = f"{lhs} by {rhs} into {result.element}"
    return "; ".join([f"{_place(op)}{extents}, {types}: {choice.unit.name}, {how}", *choice.refused])


def _place(op: tile.Mma) -> str:
    found = op.location.primary
    if found is None:
        return ""
    line, column = found.source.position(found.start)
    return f"{line}:{column}: "


def joined(lines: Iterable[str]) -> str:
    """All products, each kind once: parts of one at the edges of a matrix are told apart by their extents."""
    return "\n".join(dict.fromkeys(lines))
