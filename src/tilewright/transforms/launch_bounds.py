"""Accesses that every work-group makes, as boxes of memrefs whose extents a launch knows.

A collective accesses the views that it reads and writes from end to end, unless one of them is empty; loads, stores and
atomics access one element. Boxes are followed through subviews to what these are views of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from tilewright.artifacts.constraints import Polynomial, WithinExtent
from tilewright.artifacts.places import SourcePlace
from tilewright.dialects import memref, tl
from tilewright.ir.core import Operation, Value
from tilewright.ir.effects import EffectKind
from tilewright.ir.interfaces import ViewLike
from tilewright.ir.types import MemrefType
from tilewright.transforms.launch_quantities import Known, LaunchQuantities

_ELEMENTS = (memref.Load, memref.Store, memref.AtomicLoad, memref.AtomicStore, memref.AtomicRmw)
_ONE = Polynomial.constant(1)


class _Side(Struct, frozen=True):
    """Elements of a mode: the first one, and how many."""

    first: Known
    count: Known


def accesses_within(op: Operation, known: LaunchQuantities) -> Iterator[WithinExtent]:
    """What the accesses of an operation that certainly runs demand of extents."""
    if isinstance(op, _ELEMENTS):
        sides = [_Side(known.integer(index), _ONE) for index in op.indices]
        yield from _within(op, op.memref, op.memref, sides, (), known)
    elif isinstance(op, tl.Collective):
        sizes = known.extents(op.operands[-1])
        for effect in op.effects():
            if effect.value is not None and effect.kind is not EffectKind.ORDER:
                yield from _whole(op, effect.value, sizes, known)


def _whole(op: Operation, view: Value, sizes: Sequence[Known], known: LaunchQuantities) -> Iterator[WithinExtent]:
    """A view from end to end, if it and the target have elements."""
    present = [size for size in (*sizes, *known.extents(view)) if size is not None and not _positive(size)]
    if None in sizes or None in known.extents(view):
        return
    source = view
    while isinstance(inner := source.defining_op, ViewLike) and inner.is_whole:
        source = inner.memref
    if isinstance(part := source.defining_op, memref.Subview):
        yield from _within(op, view, part.memref, _sides(part, known), tuple(dict.fromkeys(present)), known)


def _positive(size: Polynomial) -> bool:
    return size.number is not None and size.number > 0


def _sides(op: memref.Subview, known: LaunchQuantities) -> list[_Side]:
    """The part of its operand that a subview is; a dropped mode is one element."""
    pairs = zip(op.mixed_offsets, op.mixed_sizes, strict=True)
    return [_Side(known.integer(offset), _ONE if size == 0 else known.integer(size)) for offset, size in pairs]


def _within(
    op: Operation,
    access: Value,
    source: Value,
    sides: Sequence[_Side],
    sizes: tuple[Polynomial, ...],
    known: LaunchQuantities,
) -> Iterator[WithinExtent]:
    while isinstance(part := source.defining_op, memref.Subview):
        sides, source = _outwards(part, sides, known), part.memref
    for mode, (side, extent) in enumerate(zip(sides, known.extents(source), strict=True)):
        if side.first is None or side.count is None or extent is None:
            continue
        found = WithinExtent(
            f"mode {mode} of {value_name(source)}",
            value_name(access),
            side.first,
            side.count,
            extent,
            sizes,
            SourcePlace.of(op.location),
        )
        if not _holds(found):
            yield found


def _outwards(op: memref.Subview, sides: Sequence[_Side], known: LaunchQuantities) -> list[_Side]:
    """A box of a subview as one of the operand."""
    inner = iter(sides)
    found: list[_Side] = []
    for own, size in zip(_sides(op, known), op.mixed_sizes, strict=True):
        if size == 0:
            found.append(own)
            continue
        side = next(inner)
        first = None if own.first is None or side.first is None else own.first + side.first
        found.append(_Side(first if first is not None and first.is_small else None, side.count))
    return found


def _holds(found: WithinExtent) -> bool:
    """Whether every launch fulfils it."""
    first, beyond = found.first.number, found.beyond.number
    return first is not None and first >= 0 and beyond is not None and beyond <= 0


def value_name(value: Value) -> str:
    """What a value is called in messages."""
    if isinstance(value.type, MemrefType) and not value.name:
        return "an unnamed memref"
    return f"%{value.name}"
