"""A kernel that computes its results slice by slice, in parallel loops over slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tilewright.dialects import tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.definition import PURE
from tilewright.ir.interfaces import AccessesBox
from tilewright.ir.types import TileType
from tilewright.transforms import emit
from tilewright.transforms.divide_tiles.cuts import NUMBERS, Cut, Cuts
from tilewright.transforms.tile_values import tile_type


def separate_numbers(kernel: Kernel) -> None:
    """Let each use of a tile of numbers or positions have one of its own, which may be cut in a way of its own."""
    for op in list(kernel.walk()):
        if not isinstance(op, NUMBERS) or not isinstance(op.results[0].type, TileType):
            continue
        for user in list(op.results[0].uses):
            for number, operand in enumerate(user.operands):
                if operand is op.results[0]:
                    user.set_operand(number, Builder.before_op(user)(op.clone()).results[0])


def slice_by_slice(kernel: Kernel, cuts: Cuts, lengths: Sequence[int]) -> None:
    """Compute slices of such lengths along the axes, which divide the extents."""
    entry = kernel.body.entry
    old = list(entry)
    build, offsets = Builder.at_end(entry, kernel.location), list[Value]()
    for extent, length in zip(cuts.extents, lengths, strict=True):
        if length == extent:
            offsets.append(build.index(0))
            continue
        bounds = (build.index(0), build.index(extent), build.index(length))
        loop = emit.open_loop(build, *bounds, parallel=True)
        build = loop.body
        offsets.append(loop.index)
    _move_inside(old, build)
    sizes = dict(enumerate(lengths))
    for value, cut in cuts.of.items():
        value.type = _cut(tile_type(value), cut, sizes)
    for op in [each for top in old for each in top.walk()]:
        _shift(op, cuts, offsets)


def _move_inside(ops: Sequence[Operation], build: Builder) -> None:
    """What is the same for all slices stays in front of the loops."""
    shared = set[Operation | None]()
    for op in ops:
        is_shared = PURE in op.definition.traits and not any(isinstance(out.type, TileType) for out in op.results)
        if is_shared and all(isinstance(v, BlockArgument) or v.defining_op in shared for v in op.operands):
            shared.add(op)
        else:
            op.detach()
            build(op)


def _cut(type_: TileType, cut: Cut, sizes: Mapping[int, int]) -> TileType:
    """The type of a slice of a tile."""
    shape = (extent if axis is None else sizes[axis] for extent, axis in zip(type_.shape, cut, strict=True))
    return TileType(tuple(shape), type_.element)


def _shift(op: Operation, cuts: Cuts, offsets: Sequence[Value]) -> None:
    """Let an access, or a tile of positions, begin where the slice begins."""
    if isinstance(op, AccessesBox) and isinstance(op.box().data.type, TileType):
        first = len(op.operands) - len(op.box().shape)
        for mode, axis in enumerate(cuts.of[op.box().data]):
            if axis is not None:
                moved = emit.add(Builder.before_op(op), op.operands[first + mode], offsets[axis])
                op.set_operand(first + mode, moved)
    elif isinstance(op, tile.Iota) and (axis := cuts.of[op.out][op.dim]) is not None:
        assert op.block is not None
        build, users = Builder(op.block, op.next, op.location), list(op.out.uses)
        start = emit.cast(build, offsets[axis], tile_type(op.out).element)
        moved = emit.add(build, op.out, emit.shaped(build, start, op.out.type))
        for user in users:
            user.replace_operand(op.out, moved)
