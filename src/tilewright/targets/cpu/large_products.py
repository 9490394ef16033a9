"""Large products: packed factors, register blocks over panels, whatever surrounds the product as its epilogue.

A tile of a large matrix product (the tile policy chooses its size for the second cache) is computed as GotoBLAS does:
both factors are packed once, then each register block sums over the whole depth of the tile, and what the program does
with the product (scaling, the old target, conversions) happens in registers before it is stored. Blocks at the edge of
the tile go through the same code with masks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tilewright.targets.cpu.blocks import Block, split_powers
from tilewright.targets.cpu.panels import bounded, pack_panels, pack_scalars
from tilewright.targets.cpu.tiles import (
    AnyTile,
    Broadcast,
    Converted,
    Elementwise,
    Iota,
    Memory,
    Product,
    Splat,
    lane_bytes,
    natural_dim,
)
from tilewright.targets.llvm.emitter import Value, i64

if TYPE_CHECKING:
    from tilewright.targets.cpu.evaluate import Evaluator
    from tilewright.targets.cpu.roots import Roots

_SMALLEST = 72 * 72 * 72
_STEP = 4
_PANEL_VECTORS = 2


def large_product(value: AnyTile) -> Product | None:
    """The product inside a value, if it is large and all around it works element by element."""
    products = [part for part in _elementwise_parts(value) if isinstance(part, Product)]
    if len(products) != 1 or any(isinstance(part, Product) for part in _elementwise_parts(products[0].acc)):
        return None
    product = products[0]
    m, n = product.type.shape
    depth = product.lhs.type.shape[1]
    simple = not product.type.element.is_complex and isinstance(product.lhs, Memory) and isinstance(product.rhs, Memory)
    if not simple or m * n * depth < _SMALLEST or min(m, n, depth) < 16:
        return None
    known = all(
        isinstance(part, Product | Elementwise | Converted | Memory | Splat | Broadcast | Iota)
        for part in (*_elementwise_parts(value), *_elementwise_parts(product.acc))
    )
    return product if known else None


def _elementwise_parts(value: AnyTile) -> list[AnyTile]:
    """The formula down to its products and leaves."""
    match value:
        case Elementwise():
            return [value, *(part for source in value.operands for part in _elementwise_parts(source))]
        case Converted() | Broadcast():
            return [value, *_elementwise_parts(value.source)]
        case _:
            return [value]


def store_large(roots: Roots, value: AnyTile, product: Product, target: Memory) -> None:
    """Compute `value`, which contains `product`, into `target`."""
    b, ev = roots.ctx.b, roots.evaluator()
    vector = natural_dim(target) or 0
    long, short = (product.lhs, product.rhs) if vector == 0 else (product.rhs, product.lhs)
    assert isinstance(long, Memory)
    assert isinstance(short, Memory)
    lanes = ev.machine.lanes(lane_bytes(product))
    height = _PANEL_VECTORS * lanes
    width = (24 if ev.machine.registers >= 32 else 12) // _PANEL_VECTORS
    depth_dim = 1 - vector
    long_, short_, edge = bounded(b, long), bounded(b, short), bounded(b, target)
    depth = b.smin(_end(long_, depth_dim), _end(short_, vector))
    depth = b.smax(b.and_(b.add(depth, i64(_STEP - 1)), i64(-_STEP)), i64(0))
    rows, columns = _end(edge, vector), _end(edge, depth_dim)
    packed_long = pack_panels(roots, long_, height, depth_dim, depth, "panels")
    packed_short = pack_scalars(roots, short_, width, vector, depth, "scalars")
    factors = (packed_long, packed_short) if vector == 0 else (packed_short, packed_long)
    inner = _replace_product(value, replace(product, lhs=factors[0], rhs=factors[1], depth=depth), roots)
    pieces = split_powers(height, lanes)

    def block(column: Value, row: Value) -> Block:
        origin = (row, column) if vector == 0 else (column, row)
        return Block(origin, vector, pieces, 1 - vector, width)

    with b.loop(i64(0), columns, width, hint="column") as outer, b.loop(i64(0), rows, height, hint="row") as loop:
        whole = b.and_(
            b.icmp("sle", b.add(loop.index, i64(height)), rows), b.icmp("sle", b.add(outer.index, i64(width)), columns)
        )
        with b.if_else(whole, likely=True) as branch:
            for arm, checked in ((branch.then, False), (branch.otherwise, True)):
                with arm():
                    _store_block(roots.evaluator(checked), inner, edge, block(outer.index, loop.index))


def _store_block(ev: Evaluator, value: AnyTile, target: Memory, block: Block) -> None:
    ev.store(target, block, ev.block(value, block))


def _end(tile: Memory, dim: int) -> Value:
    bound = tile.bounds[dim]
    assert bound is not None
    return bound.high


def _replace_product(value: AnyTile, packed: Product, roots: Roots) -> AnyTile:
    """The formula with its product packed and all other memory checked."""
    match value:
        case Elementwise():
            return replace(value, operands=tuple(_replace_product(part, packed, roots) for part in value.operands))
        case Converted() | Broadcast():
            return replace(value, source=_replace_product(value.source, packed, roots))
        case Product():
            return replace(packed, acc=_replace_product(value.acc, packed, roots))
        case Memory():
            return bounded(roots.ctx.b, value)
        case _:
            return value
