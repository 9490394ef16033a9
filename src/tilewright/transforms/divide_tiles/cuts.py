"""Along which modes the tiles of a kernel are cut when what it stores is divided into slices.

    tile.store %rounded, %C                                   cut along both modes: (0, 1)
    %next = tile.mma %y, %x, %acc                             so are the sums; %y is cut as (0, -), %x as (-, 1)
    %sum = scf.for .. (%acc = %zeros) { .. yield %next }      what is carried has the same cuts all the way

Asked backwards, from stores to what they need. In the way are tiles that two operations need cut in two ways, those of
which an operation needs more than its slice, and what a work-group does once. Linear in the operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from msgspec import Struct, field

from tilewright.dialects import arith, memref, scf, tile
from tilewright.dialects.addresses import Gather
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import BlockArgument, Operation, OpResult, Value
from tilewright.ir.definition import PURE
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import TileType
from tilewright.transforms.tile_values import tile_type

Cut: TypeAlias = tuple[int | None, ...]
"""For each mode of a tile the axis along which it is cut; None for none."""

NUMBERS: Final = (arith.Constant, tile.Splat, tile.Iota)
"""Tiles that each of their users may have for itself."""

_AXES: Final = 2
_ALLOWED: Final = (scf.For, scf.If, scf.Yield, tile.Store, tile.Load, memref.Load, Gather)


class Undivided(Exception):
    """Why the tiles of a kernel stay whole, in words."""


class Cuts(Struct, frozen=True):
    """The cut of each tile of a kernel; `extents` are those of the results along the axes, of which some are `cut`."""

    extents: tuple[int, ...]
    cut: frozenset[int]
    of: dict[Value, Cut] = field(default_factory=dict[Value, Cut])

    @staticmethod
    def of_kernel(kernel: Kernel, cut: frozenset[int]) -> Cuts:
        """Those of what a kernel computes, whose numbers have one user each, for slices along some axes.

        Raises `Undivided`.
        """
        ops = [op for op in kernel.walk() if op is not kernel]
        for op in ops:
            _check_effects(op)
        stores = [op for op in ops if isinstance(op, tile.Store)]
        extents = {tuple(tile_type(op.value).shape[mode] for mode in _axes(op.value)) for op in stores}
        if len(extents) != 1:
            raise Undivided("its results are tiles of several shapes" if extents else "it stores no tiles")
        (found,) = extents
        if not cut <= set(range(len(found))):
            raise Undivided(f"its results have {len(found)} modes of several elements")
        cuts = Cuts(found, cut)
        for op in stores:
            axis_of = {mode: axis for axis, mode in enumerate(_axes(op.value)) if axis in cut}
            cuts.need(op.value, tuple(axis_of.get(mode) for mode in range(tile_type(op.value).rank)))
        # what nobody has asked for so far is whole, and so is what it needs
        for op in reversed(ops):
            cuts.need_for(op)
        return cuts

    def need(self, value: Value, cut: Cut) -> None:
        """Let a tile have this cut, and all tiles that it is computed of those that follow."""
        waiting = [(value, cut)]
        while waiting:
            value, cut = waiting.pop()
            if value not in self.of:
                self.of[value] = cut
                waiting += _behind(value, cut)
            elif self.of[value] != cut:
                raise Undivided("a tile would be divided in two ways")

    def is_whole(self, cut: Cut) -> bool:
        """Whether a tile with this cut is divided along all axes, so that no two slices share an element."""
        return set(cut) >= self.cut

    def need_for(self, op: Operation) -> None:
        """Let an operation have its operands as its results are cut."""
        for result in op.results:
            if isinstance(result.type, TileType) and result not in self.of:
                self.need(result, _whole(result))
        if isinstance(op, tile.Store | scf.For | scf.If | scf.Yield):
            return
        cut = next((self.of[result] for result in op.results if result in self.of), ())
        for operand, needed in _operands(op, cut):
            self.need(operand, needed)


def _axes(value: Value) -> list[int]:
    """The modes of a result that are axes."""
    return [mode for mode, extent in enumerate(tile_type(value).shape) if extent > 1][:_AXES]


def _whole(value: Value) -> Cut:
    return (None,) * tile_type(value).rank


def _check_effects(op: Operation) -> None:
    """Raise `Undivided` for what only a work-group as a whole may do."""
    if isinstance(op, _ALLOWED):
        is_alone = isinstance(op, scf.For) and op.parallel
        if is_alone or (isinstance(op, Gather) and op.semantics is not None):
            raise Undivided("its instructions are divided" if is_alone else f"{op.name} is done once")
    elif op.regions:
        raise Undivided(f"what {op.name} gives is not divided")
    elif PURE not in op.definition.traits:
        raise Undivided(f"{op.name} is done once")


def _behind(value: Value, cut: Cut) -> Iterator[tuple[Value, Cut]]:
    """What a tile with a cut is computed of."""
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op
        assert isinstance(loop, scf.For), "no other region has tiles for arguments"
        yield loop.outs[value.index - 1], cut
        return
    assert isinstance(value, OpResult)
    op = value.owner
    if isinstance(op, scf.For):
        number = value.index
        yield from ((each, cut) for each in (op.inits[number], op.carried[number], scf.yielded(op.body)[number]))
    elif isinstance(op, scf.If):
        yield from ((scf.yielded(region)[value.index], cut) for region in op.regions)
    else:
        yield from _operands(op, cut)


def _operands(op: Operation, cut: Cut) -> Iterator[tuple[Value, Cut]]:
    """The tiles that an operation computes a result with a cut of."""
    match op:
        case tile.Mma():
            rows, columns = cut
            yield from ((op.lhs, (rows, None)), (op.rhs, (None, columns)), (op.acc, cut))
        case tile.Broadcast():
            stretched = zip(tile_type(op.tile).shape, tile_type(op.out).shape, cut, strict=True)
            yield op.tile, tuple(None if n < m else axis for n, m, axis in stretched)
        case tile.Permute():
            yield op.tile, tuple(cut[op.order.index(mode)] for mode in range(len(cut)))
        case tile.Reshape():
            yield op.tile, _reshaped(tile_type(op.tile).shape, tile_type(op.out).shape, cut)
        case tile.Reduce():
            yield op.tile, (*cut[: op.dim], None, *cut[op.dim :])
        case Elementwise() | Gather():
            yield from ((value, cut) for value in _tiles(op))
        case _:
            if any(axis is not None for axis in cut) and not isinstance(op, (tile.Load, *NUMBERS)):
                raise Undivided(f"what {op.name} gives is not divided")
            yield from ((value, _whole(value)) for value in _tiles(op))


def _tiles(op: Operation) -> list[Value]:
    return [value for value in op.operands if isinstance(value.type, TileType)]


def _reshaped(source: Sequence[int], target: Sequence[int], cut: Cut) -> Cut:
    """The cut of a tile whose reshape has a cut: of the same modes, but those of one element."""
    if not any(axis is not None for axis in cut):
        return (None,) * len(source)
    long = [axis for extent, axis in zip(target, cut, strict=True) if extent > 1]
    if [n for n in source if n > 1] != [n for n in target if n > 1]:
        raise Undivided("a tile that is reshaped is not divided")
    rest = iter(long)
    return tuple(next(rest) if extent > 1 else None for extent in source)
