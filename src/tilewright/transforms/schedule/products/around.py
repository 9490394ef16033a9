"""Loops over tiles of a result: whether what an inner loop loads ahead may go on from one tile to the next."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilewright.dialects import scf, tile
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import INDEX
from tilewright.transforms import emit
from tilewright.transforms.schedule.products.iterations import at_iteration
from tilewright.transforms.schedule.products.loops import computed, is_inside, is_reading, loops_over_tiles
from tilewright.transforms.schedule.products.sources import source_of

Side = tuple[tile.Mma, int]
"""A factor: of which product, 0 for the left one."""


class Around(Struct, frozen=True):
    """A loop over tiles of a result, and its operations that compute where factors of a tile lie.

    Its iterations may run in any order, or their loads are unordered. What another loop in it loads ahead at its end
    is for the next tile, and with it the factors that stay the same in a tile.
    """

    loop: scf.For
    slices: tuple[Operation, ...]


def at_tile(build: Builder, around: Around, index: Value, present: Value) -> tuple[Builder, dict[Value, Value]] | None:
    """Where code runs if a loop over tiles has one of an index, None if it surely has not; what stands there for the
    number of a tile, and for what says where its factors lie.

    `present` is an index that has not wrapped.
    """
    there = at_iteration(build, around.loop, index, present)
    if there is None:
        return None
    known: dict[Value, Value] = {around.loop.index: emit.cast(there, index, emit.scalar_type(around.loop.index.type))}
    for op in around.slices:
        there(op.clone(known))
    return there, known


def around_product(loop: scf.For, product: tile.Mma, slices: Sequence[Operation]) -> Around | str:
    """The loop over tiles in which a loop over the terms of one product stands, or why it cannot go on between them."""
    tiles = loop.parent_op
    sources = [source_of(value, None) for value in (product.lhs, product.rhs)]
    loads = [each.load for each in sources if each is not None]
    if not isinstance(tiles, scf.For) or tiles.outs:
        return "no loop over tiles of a result"
    if not tiles.parallel or tiles.index.type is not INDEX:
        return around_products(loop, [product], slices, loads)
    if any(isinstance(op, tile.Mma) and op is not product for op in tiles.walk()):
        return "each tile has more than one product"
    if any(not (tiles is other or tiles.is_ancestor_of(other)) for other in loops_over_tiles(tiles)):
        return "blocks share tiles of other instructions too, which want more of them"
    found = _where(loop, tiles, loads, slices)
    return found if isinstance(found, str) else Around(tiles, found)


def around_products(
    loop: scf.For,
    products: Sequence[tile.Mma],
    slices: Sequence[Operation],
    loads: Sequence[tile.Load],
) -> Around | str:
    """The same of a loop with several products, and of all their `loads`, also those that are the same in a tile."""
    tiles = loop.parent_op
    if not isinstance(tiles, scf.For) or loop.block is not tiles.body.entry or tiles.outs:
        return "no loop over tiles of a result"
    if not all(load.unordered for load in loads):
        return "loads are in an order with what other tiles store"
    if any(isinstance(op, tile.Mma) and op not in products for op in tiles.walk()):
        return "a tile has products beside those of a loop"
    if any(op.block is not loop.body.entry and op.block is not tiles.body.entry for op in loads):
        return "factors are loaded in a branch"
    body = list(tiles.body.entry)
    at = body.index(loop)
    if not all(is_reading(op) for op in body[:at]) or not all(
        is_reading(op) or isinstance(op, tile.Store | scf.Yield) for op in body[at:]
    ):
        return "a tile does more than load, multiply, and store at its end"
    found = _where(loop, tiles, loads, slices)
    return found if isinstance(found, str) else Around(tiles, found)


def _where(
    loop: scf.For, tiles: scf.For, loads: Sequence[tile.Load], slices: Sequence[Operation]
) -> tuple[Operation, ...] | str:
    """What of the body of the outer loop computes where factors of a tile lie, and how many of them there are."""
    places = [value for load in loads for value in (load.memref, *load.indices)]
    bounds = [bound for bound in (loop.lower, loop.upper) if is_inside(bound, tiles)]
    found = computed([*places, *bounds, *(value for op in slices for value in op.operands)], tiles)
    if found is None:
        return "where factors lie is not computed of the number of the tile"
    return tuple(op for op in tiles.body.entry if op in found)
