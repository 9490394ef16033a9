"""drop-unit-modes: tiles of one element along a mode, as those of batches are, become tiles of views without it.

before:  %t = tile.load %A, %i, %j, %b -> tile<64x64x1xf16>    %x = tile.reshape %t -> tile<64x64xf16>
after:   %v = memref.subview %A[:, :, %b] -> memref<f16x?x?>    %x = tile.load %v, %i, %j -> tile<64x64xf16>

Stores of what a reshape gives such modes likewise. Products know factors that are loads of matrices, which the machine
copies, and accumulators that are stored as they are; a program in Tile IR that multiplies batches has its tiles between
reshapes. Left alone is what is tested along such a mode, and what else than the reshape takes. Linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tilewright.dialects import memref, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import MemrefType
from tilewright.transforms import emit
from tilewright.transforms.tile_values import tile_type


class DropUnitModes(Pass, frozen=True):
    """Of all loads and stores of a module."""

    name: ClassVar[str] = "drop-unit-modes"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for op in list(module.walk()):
            if isinstance(op, tile.Reshape):
                changed = _with_load(op) or _with_store(op) or changed
        return changed


def _with_load(op: tile.Reshape) -> bool:
    """Let a reshape of what is loaded be a load."""
    load = op.tile.defining_op
    if not isinstance(load, tile.Load) or list(load.out.uses) != [op]:
        return False
    kept = _kept(tile_type(load.out).shape, tile_type(op.out).shape, load.check)
    if kept is None:
        return False
    build = Builder.before_op(load)
    view, indices, check = _without(build, load, kept)
    found = build(tile.Load(view, indices, check, load.unordered, result_types=[op.out.type]))
    op.out.replace_all_uses_with(found.out)
    op.erase()
    load.erase()
    return True


def _with_store(op: tile.Reshape) -> bool:
    """Let a store of what a reshape gives be one of what it takes."""
    (store,) = uses if len(uses := list(op.out.uses)) == 1 else (None,)
    if not isinstance(store, tile.Store):
        return False
    kept = _kept(tile_type(op.out).shape, tile_type(op.tile).shape, store.check)
    if kept is None:
        return False
    build = Builder.before_op(store)
    view, indices, check = _without(build, store, kept)
    build(tile.Store(op.tile, view, indices, check, store.unordered))
    store.erase()
    op.erase()
    return True


def _kept(long: Sequence[int], short: Sequence[int], check: Sequence[bool]) -> list[int] | None:
    """The modes that are left of a box without some of one element that are not tested; None if that is no such."""
    kept: list[int] = []
    for mode, extent in enumerate(long):
        left = short[len(kept) :]
        if left and extent == left[0] and (extent > 1 or len(long) - mode == len(left)):
            kept.append(mode)
        elif extent > 1 or (check and check[mode]):
            return None
    return kept if len(short) == len(kept) < len(long) else None


def _without(
    build: Builder, op: tile.Load | tile.Store, kept: Sequence[int]
) -> tuple[Value, list[Value], tuple[bool, ...]]:
    """The memref of an access without the other modes, at its place along these; indices and tests of those kept."""
    type_ = op.memref.type
    assert isinstance(type_, MemrefType)
    modes = range(len(type_.shape))
    offsets: list[int | None] = [0 if mode in kept else None for mode in modes]
    lengths = [emit.size_kept(build, op.memref, mode) if mode in kept else 0 for mode in modes]
    sizes = tuple(length if isinstance(length, int) else None for length in lengths)
    places = [op.indices[mode] for mode in modes if mode not in kept]
    given = [length for length in lengths if isinstance(length, Value)]
    shape, strides = (tuple(each[mode] for mode in kept) for each in (sizes, type_.strides))
    result = MemrefType(type_.element, shape, strides, type_.space)
    view = build(memref.Subview(op.memref, places, given, tuple(offsets), sizes, result_types=[result])).out
    check = tuple(op.check[mode] for mode in kept) if op.check else ()
    return view, [op.indices[mode] for mode in kept], check
