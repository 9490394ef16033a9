"""What operations with all they contain do to memory, worked out once a pass."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field

from tilewright.dialects.memref import Semantics
from tilewright.ir.core import Operation
from tilewright.ir.definition import RECURSIVE_EFFECTS
from tilewright.ir.effects import EffectKind
from tilewright.transforms.aliasing import Access, own_accesses


class Footprint(Struct, frozen=True):
    """Accesses of an operation and all it contains; whether memory is ordered there (or nothing is known) or freed."""

    accesses: tuple[Access, ...] = ()
    orders: bool = False
    frees: bool = False

    @property
    def writes(self) -> list[Access]:
        """The accesses that may change memory."""
        return [a for a in self.accesses if a.writes]


NOTHING: Final = Footprint()
_ORDERING: Final = frozenset(Semantics) - {Semantics.RELAXED}


class Footprints(Struct, frozen=True):
    """Footprints by operation. `forget` them when operands change: accesses hold the values found then."""

    _known: dict[Operation, Footprint] = field(default_factory=dict[Operation, Footprint])

    def of(self, op: Operation) -> Footprint:
        """The footprint of an operation; the same accesses, by identity, until it is forgotten."""
        found = self._known.get(op)
        if found is None:
            found = self._known[op] = self._nested(op) if op.regions else _own(op)
        return found

    def forget(self) -> None:
        """Start anew."""
        self._known.clear()

    def _nested(self, op: Operation) -> Footprint:
        own = _own(op)
        parts = [own]
        for region in op.regions:
            for block in region.blocks:
                for inner in block:
                    part = self.of(inner)
                    if part is not NOTHING:
                        parts.append(part)
        if len(parts) == 1:
            return own
        accesses = tuple(a for part in parts for a in part.accesses)
        return Footprint(accesses, any(p.orders for p in parts), any(p.frees for p in parts))


def _own(op: Operation) -> Footprint:
    effects = op.effects()
    if effects is None:
        if RECURSIVE_EFFECTS in op.definition.traits:
            return NOTHING
        return Footprint((Access(op, EffectKind.WRITE, None),), orders=True)
    if not effects:
        return NOTHING
    kinds = [e.kind for e in effects]
    if _orders_others(op):
        # what it orders may be anywhere
        return Footprint((*own_accesses(op, effects), Access(op, EffectKind.WRITE, None)), orders=True)
    orders = EffectKind.ORDER in kinds and RECURSIVE_EFFECTS not in op.definition.traits
    return Footprint(tuple(own_accesses(op, effects)), orders, EffectKind.FREE in kinds)


def _orders_others(op: Operation) -> bool:
    """Whether an atomic orders other accesses, so that all of the work-group come before or behind it."""
    return op.attributes.get("semantics") in _ORDERING
