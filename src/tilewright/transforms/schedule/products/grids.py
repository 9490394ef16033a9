"""In which order the work-groups of a grid should run: which of them multiply the same factors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from tilewright.dialects import scf, team, tile
from tilewright.ir.core import BlockArgument, Value
from tilewright.transforms.schedule.products.sources import source_of
from tilewright.transforms.tile_values import tile_type

_BANDS: Final = (1, 4, 8, 16, 32)
_PLANE: Final = frozenset((0, 1))


def best_order(products: Iterable[tile.Mma], resident: int) -> int | None:
    """The band of work-groups along x with which those that run at a time load fewest bytes; None if all are alike.

    That depends on the numbers of work-groups only where one factor of a product is found by their place along x and
    the other one by that along y. The grid counts as large: in a small one, all bands are the same.
    """
    panels = next(filter(None, map(panels_of, products)), None)
    if panels is None or not resident:
        return None
    return min(_BANDS, key=lambda band: band * panels[0] + -(-resident // band) * panels[1])


def panels_of(op: tile.Mma) -> Mapping[int, int] | None:
    """Bytes of the factor that is found by the work-group's place along x, and of that along y, in each plane of a grid
    for itself; None if that is not how they are found."""
    panels: dict[int, int] = {}
    for factor in (op.lhs, op.rhs):
        dims = _dims(factor) & _PLANE
        if len(dims) == 1:
            (dim,) = dims
            type_ = tile_type(factor)
            panels[dim] = type_.size * type_.element.bytes
    return panels if panels.keys() == _PLANE else None


def _dims(factor: Value) -> frozenset[int]:
    """Along which dimensions of the grid the place of a factor is told by that of the work-group."""
    source = source_of(factor, None)
    if source is None:
        return _PLANE
    found, seen = set[int](), set[Value]()
    work: list[Value] = [source.load.memref, *source.load.indices]
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        op = value.defining_op
        if isinstance(op, team.GroupId):
            found.add(op.dim)
        elif op is not None:
            work += op.operands
        elif isinstance(value, BlockArgument):
            loop = value.block.parent_op
            if isinstance(loop, scf.For) and value is loop.index:
                work += [bound for bound in (loop.lower, loop.upper, loop.step) if bound is not None]
            elif isinstance(loop, scf.For | scf.While):
                # what a loop carries may be anything
                return _PLANE
    return frozenset(found)
