"""The products of a step, one after the other, by slices along k that are as deep as a matrix of an instruction."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import affine, mma
from tilewright.ir.core import Operation, Value
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.nests import bounds, inside, numbers, variable
from tilewright.transforms.matmul_stages.tiling import substitute


class Slice(Struct, frozen=True):
    """What a step does with one slice: it reads `loads` of both factors, and multiplies them."""

    loads: list[mma.LoadMatrix]
    products: list[mma.Compute]


def unrolled(loop: affine.For, products: int) -> list[Slice]:
    """Put the iterations of a loop along k one behind the other in its place; a slice has so many products."""
    limits, trips, body = bounds(loop), numbers(loop), loop.body.entry
    assert limits is not None
    assert trips is not None, "a step has a known number of slices"
    values: Sequence[Value] = list(loop.inits)
    build, end, ops = Builder.before_op(loop), body.last, list[Operation]()
    assert end is not None
    for trip in trips:
        mapping: dict[Value, Value] = dict(zip(body.arguments[1:], values, strict=True))
        copies = [build(op.clone(mapping)) for op in inside(loop)]
        substitute(copies, {variable(loop): limits[0].plus(Linear(trip))})
        values = [mapping.get(value, value) for value in end.operands]
        ops += copies
    for result, value in zip(loop.outs, values, strict=True):
        result.replace_all_uses_with(value)
    loop.erase()
    return _cut(ops, products)


def _cut(ops: Sequence[Operation], products: int) -> list[Slice]:
    found = [Slice([], [])]
    for op in ops:
        if len(found[-1].products) == products:
            found.append(Slice([], []))
        if isinstance(op, mma.LoadMatrix):
            found[-1].loads.append(op)
        elif isinstance(op, mma.Compute):
            found[-1].products.append(op)
    return found
