"""forward-stores: a load takes the value that a store or load of the same place holds already.

before:  tile.store %x, %t, %0, %0      %y = tile.load %t, %0, %0      use %y
after:   tile.store %x, %t, %0, %0      use %x                            (dce removes the store if %t is local)

Tiles travel if boxes, order of modes and element types agree; a box inside a stored box at a known distance is a
`tile.extract`, a permuted view a `tile.permute`. What may have been written in between is forgotten; in SPMD regions,
where other subgroups write too, also at barriers. Only the last places are remembered, so that the time is linear.
"""

from __future__ import annotations

from typing import ClassVar, Final

from msgspec import Struct, field

from tilewright.dialects import memref, scf, team, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.definition import SPMD_REGION
from tilewright.ir.interfaces import ViewLike
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import TileType
from tilewright.transforms.aliasing import Access, Span, may_overlap
from tilewright.transforms.emit import memref_type
from tilewright.transforms.footprints import NOTHING, Footprint, Footprints

_REMEMBERED: Final = 128

Load = tile.Load | memref.Load
Store = tile.Store | memref.Store


class ForwardStores(Pass, frozen=True):
    """Forward stores and loads to later loads."""

    name: ClassVar[str] = "forward-stores"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            changed |= _Forwarding().block(kernel.body.entry, [])
        return changed


class _Held(Struct, frozen=True):
    """Memory whose content is known: the access and the value, with the modes of the root in the value's dimensions."""

    access: Access
    value: Value
    view: Value


class _Forwarding(Struct, frozen=True):
    footprints: Footprints = field(default_factory=Footprints)

    def block(self, block: Block, outer: list[_Held]) -> bool:
        """Forward within a block that is entered with what is known; whether a load went."""
        held = list(outer)
        changed = False
        for op in block:
            if op.regions:
                inner, held = self._nested(op, held)
                for region in op.regions:
                    for nested in region.blocks:
                        changed |= self.block(nested, inner)
                continue
            footprint = self.footprints.of(op)
            if footprint is NOTHING:
                continue
            if isinstance(op, tile.Load | memref.Load):
                found = _forwarded(op, footprint.accesses[0], held)
                if found is not None:
                    op.out.replace_all_uses_with(found)
                    op.erase()
                    self.footprints.forget()
                    changed = True
                    continue
            held = _after(op, footprint, held)
            entry = _holds(op, footprint)
            if entry is not None:
                held = [*held[-_REMEMBERED + 1 :], entry]
        return changed

    def _nested(self, op: Operation, held: list[_Held]) -> tuple[list[_Held], list[_Held]]:
        """What is known in the regions of `op`, in any iteration where it is a loop, and afterwards."""
        footprint = self.footprints.of(op)
        kept: list[_Held] = []
        if not (footprint.orders or footprint.frees):
            writes = footprint.writes
            kept = [h for h in held if not any(may_overlap(h.access, w) for w in writes)]
        inner = held if isinstance(op, scf.If | team.Spmd) else kept
        if SPMD_REGION in op.definition.traits:
            inner = [h for h in inner if not isinstance(h.value.type, TileType)]
        return inner, kept


def _after(op: Operation, footprint: Footprint, held: list[_Held]) -> list[_Held]:
    """What is still known after `op`."""
    if footprint.frees:
        return []
    if footprint.orders and any(SPMD_REGION in a.definition.traits for a in op.ancestors()):
        return []
    changed = footprint.writes
    return [h for h in held if not any(may_overlap(h.access, w) for w in changed)] if changed else held


def _holds(op: Operation, footprint: Footprint) -> _Held | None:
    """What is known because of `op`."""
    if isinstance(op, tile.Load | tile.Store) and any(op.check):
        return None
    if isinstance(op, tile.Load | memref.Load):
        return _Held(footprint.accesses[0], op.out, op.memref)
    if isinstance(op, tile.Store | memref.Store):
        return _Held(footprint.writes[0], op.value, op.memref)
    return None


def _forwarded(op: Load, wanted: Access, held: list[_Held]) -> Value | None:
    """A known value for a load, rearranged if need be."""
    if isinstance(op, tile.Load) and any(op.check):
        return None
    for entry in reversed(held):
        if entry.access.root is wanted.root and isinstance(entry.value.type, TileType) is isinstance(op, tile.Load):
            offsets = _offsets(entry.access.spans, wanted.spans)
            if offsets is not None:
                value = _rearranged(op, entry, offsets)
                if value is not None:
                    return value
    return None


def _offsets(have: tuple[Span, ...], want: tuple[Span, ...]) -> tuple[int, ...] | None:
    """Distances of a box inside another, by mode of the root; None if it is not certainly inside."""
    found: list[int] = []
    for outer, inner in zip(have, want, strict=True):
        if not (outer.known and inner.known) or outer.base is not inner.base:
            return None
        distance = inner.start - outer.start
        if outer.length is None or inner.length is None or not 0 <= distance <= outer.length - inner.length:
            return None
        found.append(distance)
    return tuple(found)


def _rearranged(op: Load, entry: _Held, offsets: tuple[int, ...]) -> Value | None:
    if isinstance(op, memref.Load):
        return entry.value
    have, want = _modes(entry.view), _modes(op.memref)
    if have is None or want is None or set(have) != set(want):
        return None
    build = Builder.before_op(op)
    value = entry.value
    assert isinstance(value.type, TileType)
    assert isinstance(op.out.type, TileType)
    order = tuple(have.index(m) for m in want)
    if order != tuple(range(len(order))):
        value = build(tile.Permute(value, order)).out
    if value.type != op.out.type:
        value = build(tile.Extract(value, tuple(offsets[m] for m in want), result_types=[op.out.type])).out
    return value


def _modes(view: Value) -> list[int] | None:
    """For each mode of a view the mode of its root; None if a view in between splits or fuses modes."""
    op = view.defining_op
    if not isinstance(op, ViewLike):
        return list(range(memref_type(view).order))
    inner = _modes(op.memref)
    sources = [op.source_of(mode) for mode in range(len(op.source_modes()))]
    if inner is None or None in sources:
        return None
    return [inner[source] for source in sources if source is not None]
