"""drop-empty-tiles: tiles of no elements are gone, and what is done with them.

before:  %e = tile.load %A, %i, %j -> tile<0x4xf32>    tile.store %e, %B, %i, %j    %m = tile.reduce %e {dim = 0}
after:   %m = arith.constant {value = 0.0} -> tile<4xf32>

What is left of a tile that others are joined with, a product of no terms, a reduction of nothing, are what the others,
the accumulator and a constant are. So no pass behind this one divides by an extent of 0, or waits for memory that is
not there. What prints such a tile prints a constant one. Linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tilewright.dialects import arith, scf, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import AccessesAddresses, AccessesBox
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import TileType
from tilewright.transforms.carried_values import Control, release, without


class DropEmptyTiles(Pass, frozen=True):
    """Compute nothing of no elements."""

    name: ClassVar[str] = "drop-empty-tiles"

    def run(self, module: Module, context: PassContext) -> bool:
        control, gone = list[tuple[Control, list[int]]](), list[Operation]()
        for op in list(module.walk()):
            if not any(map(_is_empty, (*op.operands, *op.results))):
                continue
            if isinstance(op, scf.For | scf.While | scf.If):
                control.append((op, [number for number, out in enumerate(op.outs) if _is_empty(out)]))
            elif _is_needless(op):
                gone.append(op)
        for op, numbers in control:
            release(op, numbers)
        for op in reversed(gone):
            _erase(op)
        for op, numbers in reversed(control):
            _leave_constants(op, [*op.outs, *(op.carried if isinstance(op, scf.For | scf.While) else ())])
            without(op, numbers)
        return bool(gone or control)

    def broken(self, module: Module) -> list[str]:
        """No operation computes a tile of no elements."""
        found = (op for op in module.walk() if not isinstance(op, arith.Constant))
        return [f"{op.name} gives nothing" for op in found if any(map(_is_empty, op.results))]


def _is_empty(value: Value) -> bool:
    return isinstance(value.type, TileType) and 0 in value.type.shape


def _is_needless(op: Operation) -> bool:
    """Whether an operation has no element to work on; one that gives others gives them at once now."""
    if any(map(_is_empty, op.results)):
        return True
    build = Builder.before_op(op)
    match op:
        case tile.Reduce():
            assert isinstance(op.out.type, TileType)
            op.out.replace_all_uses_with(build.constant(op.kind.of_nothing(op.out.type.element), op.out.type))
        case tile.Mma():
            op.out.replace_all_uses_with(op.acc)
        case tile.Cat():
            kept = [value for value in op.tiles if not _is_empty(value)]
            joined = build(tile.Cat(kept, op.dim, result_types=[op.out.type])).out if kept[1:] else kept[0]
            op.out.replace_all_uses_with(joined)
        case _:
            return isinstance(op, AccessesBox | AccessesAddresses)
    return True


def _erase(op: Operation) -> None:
    _leave_constants(op, op.results)
    op.erase()


def _leave_constants(op: Operation, values: Sequence[Value]) -> None:
    """Give what prints an empty tile one that nothing computes."""
    for value in values:
        if _is_empty(value) and value.uses:
            value.replace_all_uses_with(Builder.before_op(op).zero(value.type))
