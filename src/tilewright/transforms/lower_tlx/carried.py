"""Long vectors that loops carry and branches yield: each has memory of its own around the loop or branch.

before:  %r = scf.for .. inits(%v) { .. scf.yield %w }
after:   copy %v to %m   scf.for .. { .. copy %w to %m }   %r is %m
"""

from __future__ import annotations

from tilewright.dialects import scf
from tilewright.ir.core import Value
from tilewright.ir.types import BOOL, I8, TileType
from tilewright.transforms import emit
from tilewright.transforms.lower_tlx.context import Lowering, origin

Carrier = scf.For | scf.While | scf.If


def is_long(low: Lowering, value: Value) -> bool:
    """Whether a vector lives in memory."""
    return isinstance(value.type, TileType) and low.is_large(value.type)


def open_carrier(low: Lowering, op: Carrier) -> None:
    """In front of a loop or branch: memory for what it carries, which holds what a loop begins with."""
    for number, result in enumerate(op.outs):
        if not is_long(low, result):
            continue
        assert isinstance(result.type, TileType)
        element = I8 if result.type.element is BOOL else result.type.element
        memory = low.reserved(element, result.type.shape, (1,))
        low.values[result] = memory
        if not isinstance(op, scf.If):
            low.copy(low.values[op.inits[number]], memory)
            low.values[op.carried[number]] = memory


def close_carrier(low: Lowering, op: scf.Yield) -> None:
    """In front of a yield: what is handed on goes to the memory of its loop or branch; what lies there already is read
    before anything is written."""
    parent = op.parent_op
    assert isinstance(parent, Carrier)
    first = len(op.values) - len(parent.outs)
    pairs = [
        (low.values[value], low.values[result])
        for value, result in zip(op.values[first:], parent.outs, strict=True)
        if is_long(low, value)
    ]
    carried = {origin(target) for _, target in pairs}
    moves: list[tuple[Value, Value]] = []
    for source, target in pairs:
        if source is target:
            continue
        if origin(source) in carried:
            type_ = emit.memref_type(source)
            copy = low.reserved(type_.element, [n or 1 for n in type_.shape], (1,))
            low.copy(source, copy)
            source = copy
        moves.append((source, target))
    for source, target in moves:
        low.copy(source, target)


def release(low: Lowering, op: Carrier) -> None:
    """Take what lives in memory out of the operands of a loop or branch and of its yields."""
    gone = _gone(low, op)
    for region in op.regions:
        end = region.entry.last
        assert isinstance(end, scf.Yield)
        first = len(end.values) - len(op.outs)
        end.operands = [v for k, v in enumerate(end.values) if k - first not in gone]
    if not isinstance(op, scf.If):
        kept = [v for k, v in enumerate(op.inits) if k not in gone]
        op.operands = [*op.operands[: len(op.operands) - len(op.inits)], *kept]
        if isinstance(op, scf.For):
            op.attributes["operand_segments"] = (1, 1, int(op.step is not None), len(kept))


def shrink(low: Lowering, op: Carrier) -> None:
    """Take it out of arguments and results, which nobody uses any more."""
    gone = _gone(low, op)
    for number in reversed(gone):
        if not isinstance(op, scf.If):
            op.regions[0].entry.erase_argument(op.carried[number].index)
        del op.results[number]
    for index, result in enumerate(op.results):
        result.index = index


def _gone(low: Lowering, op: Carrier) -> list[int]:
    return [number for number, result in enumerate(op.outs) if is_long(low, result)]
