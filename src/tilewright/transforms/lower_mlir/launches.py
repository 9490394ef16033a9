"""Lowers launches of gpu: a block of threads is the work-group, which runs one block of the grid after the other.

    gpu.launch blocks(%bx ..) in (64 ..) threads(%tx ..) in (256 ..)    ->    for %bx = 0 to 64 { team.spmd { .. } }

In a function that is outlined, blocks are work-groups instead: `%bx` is `team.group_id`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from tilewright.dialects import arith, team
from tilewright.dialects import memref as shared
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.mlir import gpu
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import INDEX, AddressSpace, MemrefType
from tilewright.transforms.lower_mlir.context import Handler, Launched, Lowering, Threads, Unsupported
from tilewright.transforms.lower_mlir.control import LowerBlock, counted_loop, known_number
from tilewright.transforms.lower_mlir.memory import private
from tilewright.transforms.lower_mlir.types import memref_type

WARP: Final = 32
"""Threads of a warp, which is a subgroup."""


def block_shape(low: Lowering, op: gpu.Launch) -> tuple[int, int, int]:
    """The extents of a block. Raises `Unsupported` if they are not known or make no whole warps."""
    found: list[int] = []
    for value in op.block_size:
        number = known_number(low.value(value))
        if not isinstance(number, int) or number < 1:
            raise Unsupported(op, "gpu.launch: the extents of a block are positive constants")
        found.append(number)
    count = math.prod(found)
    if count % WARP:
        raise Unsupported(op, f"gpu.launch: a block of {count} threads is no whole number of warps of {WARP}")
    return found[0], found[1], found[2]


def lower_block_of_threads(low: Lowering, op: gpu.Launch, block: Sequence[Value], lower_block: LowerBlock) -> None:
    """What the threads of one block do; `block` is where it is in the grid, along x, y, z."""
    shape = block_shape(low, op)
    count = math.prod(shape)
    low.launches.append(Launched(op, count))
    for argument, value in zip(op.ids(0), block, strict=True):
        low.values[argument] = value
    for argument, value in zip(op.ids(2), op.grid, strict=True):
        low.bind(argument, low.value(value))
    for argument, number in zip(op.ids(3), shape, strict=True):
        low.bind(argument, low.b.index(number))
    for argument in op.shared:
        low.bind(argument, _shared(low, op, argument))
    outside = Builder(low.b.block, low.b.before, low.b.location)
    region, body = new_region()
    b = Builder(body, location=op.location)
    number = _number(b)
    inner = low.inside(b)
    inner.threads = Threads(outside, number, count)
    for argument, value in zip(op.ids(1), _position(inner, number, shape), strict=True):
        inner.bind(argument, value)
    for argument in op.private:
        inner.bind(argument, private(inner, inner.threads, _known(op, argument), None))
    lower_block(inner, op.body)
    low.b(team.Spmd(region))


def _known(op: gpu.Launch, argument: Value) -> MemrefType:
    type_ = memref_type(op, argument.type)
    if not type_.is_static or not type_.is_packed:
        raise Unsupported(op, f"gpu.launch: {argument.type} is not packed memory of known extents")
    return type_


def _shared(low: Lowering, op: gpu.Launch, argument: Value) -> Value:
    type_ = _known(op, argument)
    local = MemrefType(type_.element, type_.shape, type_.strides, AddressSpace.LOCAL)
    return low.b(shared.Alloca(None, result_types=[local])).out


def _number(b: Builder) -> Value:
    """Which thread of the block it is."""
    subgroup, lane = (
        b(arith.Cast(b(op).out, result_types=[INDEX])).out for op in (team.SubgroupLinearId(), team.SubgroupLocalId())
    )
    return b(arith.Add(b(arith.Mul(subgroup, b.index(WARP))).out, lane)).out


def _position(low: Lowering, number: Value, shape: Sequence[int]) -> list[Value]:
    """Where a thread is in a block, along x, y, z."""
    found: list[Value] = []
    for extent in shape[:2]:
        if math.prod(shape) == extent:
            found.append(number)
            number = low.b.index(0)
        elif extent == 1:
            found.append(low.b.index(0))
        else:
            size = low.b.index(extent)
            found.append(low.b(arith.Rem(number, size)).out)
            number = low.b(arith.Div(number, size)).out
    return [*found, number]


class _Launches:
    def __init__(self, lower_block: LowerBlock) -> None:
        self.lower_block = lower_block

    def launch(self, low: Lowering, op: Operation) -> None:
        """`gpu.launch`: loops over the grid."""
        assert isinstance(op, gpu.Launch)
        if low.threads is not None:
            raise Unsupported(op, "gpu.launch: a launch by threads of another one is not supported")
        if op.asyncDependencies or op.clusterSizeX is not None or op.dynamicSharedMemorySize is not None:
            raise Unsupported(op, "gpu.launch: tokens, clusters and dynamic shared memory are not supported")
        if low.outlined:
            blocks = [low.b(team.GroupId(dim)).out for dim in range(3)]
            lower_block_of_threads(low, op, blocks, self.lower_block)
            return
        self._along(low, op, [])

    def _along(self, low: Lowering, op: gpu.Launch, found: list[Value]) -> None:
        """A loop over the last extent of the grid that has none yet."""
        if len(found) == 3:
            lower_block_of_threads(low, op, found, self.lower_block)
            return

        def body(inner: Lowering, index: Value, carried: Sequence[Value]) -> list[Value]:
            self._along(inner, op, [index, *found])
            return []

        extent = known_number(low.value(op.grid[2 - len(found)]))
        if extent == 1:
            self._along(low, op, [low.b.index(0), *found])
        else:
            counted_loop(low, (0, extent, 1), [], body, INDEX)


def handlers(lower_block: LowerBlock) -> Mapping[type[Operation], Handler]:
    """The operations that are lowered here."""
    return {gpu.Launch: _Launches(lower_block).launch}
