"""Which memory an operation touches, and whether two accesses may touch a common byte (language reference 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects import memref
from tilewright.dialects.addresses import AddressOf, FromAddress
from tilewright.dialects.arith import Add, Cast, Constant, Mul, Sub
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.statics import Reserve
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.definition import RECURSIVE_EFFECTS
from tilewright.ir.effects import Effect, EffectKind
from tilewright.ir.interfaces import AccessesBox, ViewLike, root_of
from tilewright.ir.types import INDEX, AddressSpace, GroupType, MemrefType


class Span(Struct, frozen=True):
    """Positions `base + start .. base + start + length - 1` of a mode; without base constant, None length: to the end.

    `known` is False if nothing can be said.
    """

    base: Value | None = None
    start: int = 0
    length: int | None = None
    known: bool = True

    def shifted(self, offset: Value | int) -> Span:
        """The span moved by an offset."""
        if not self.known:
            return self
        if isinstance(offset, int):
            return replace(self, start=self.start + offset)
        base, start = affine(offset)
        if base is not None and self.base is not None:
            return UNKNOWN_SPAN
        return Span(base or self.base, self.start + start, self.length)

    @staticmethod
    def at(index: Value, length: int | None) -> Span:
        """The span of a length that begins at an index."""
        base, start = affine(index)
        return Span(base, start, length)

    def apart(self, other: Span, unstable: Sequence[Operation]) -> bool:
        """Whether two spans certainly share no position; bases defined inside `unstable` operations differ by time."""
        if self.base is not other.base or not (self.known and other.known):
            return False
        if unstable and self.base is not None and defined_inside(self.base, unstable):
            return False
        first, second = (self, other) if self.start <= other.start else (other, self)
        return first.length is not None and first.start + first.length <= second.start


UNKNOWN_SPAN = Span(known=False)


def affine(value: Value) -> tuple[Value | None, int]:
    """A value as base plus constant."""
    total = 0
    while True:
        op = value.defining_op
        if isinstance(op, Constant) and isinstance(op.value, int):
            return None, total + op.value
        if isinstance(op, Add) and (known := _integer(op.rhs)) is not None:
            value, total = op.lhs, total + known
        elif isinstance(op, Sub) and (known := _integer(op.rhs)) is not None:
            value, total = op.lhs, total - known
        else:
            return value, total


def _integer(value: Value) -> int | None:
    op = value.defining_op
    return op.value if isinstance(op, Constant) and isinstance(op.value, int) and value.type is INDEX else None


def defined_inside(value: Value, ops: Sequence[Operation]) -> bool:
    """Whether a value is made anew by each of some operations, loops in general."""
    home = value.block.parent_op if isinstance(value, BlockArgument) else value.defining_op
    return home is not None and any(op.is_ancestor_of(home) for op in ops)


class Access(Struct, frozen=True, eq=False):
    """One effect of an operation on a box of a root; `root` None means any memory. Equal only to itself."""

    op: Operation
    kind: EffectKind
    root: Value | None
    spans: tuple[Span, ...] = ()

    @property
    def writes(self) -> bool:
        """Whether memory may change."""
        if self.kind is EffectKind.UPDATE and isinstance(self.op, AccessesBox):
            return self.op.box().writes
        return self.kind in (EffectKind.WRITE, EffectKind.UPDATE)

    @property
    def space(self) -> AddressSpace | None:
        """Address space, None for any."""
        return None if self.root is None else _space(self.root)


def effects_of(op: Operation) -> list[Effect] | None:
    """Effects of an operation and all it contains; None if some are unknown."""
    own = op.effects()
    if own is None and RECURSIVE_EFFECTS not in op.definition.traits:
        return None
    found = list(own or ())
    for region in op.regions:
        for block in region.blocks:
            for inner in block:
                nested = effects_of(inner)
                if nested is None:
                    return None
                found += nested
    return found


def accesses(op: Operation) -> Iterator[Access]:
    """Reads, writes and updates of an operation and all it contains."""
    for inner in op.walk() if op.regions else (op,):
        effects = inner.effects()
        if effects is None:
            if RECURSIVE_EFFECTS not in inner.definition.traits:
                yield Access(inner, EffectKind.WRITE, None)
            continue
        yield from own_accesses(inner, effects)


def own_accesses(op: Operation, effects: Sequence[Effect]) -> Iterator[Access]:
    """Reads, writes and updates among the effects of an operation."""
    for effect in effects:
        if effect.kind in (EffectKind.READ, EffectKind.WRITE, EffectKind.UPDATE):
            yield _access(op, effect.kind, effect.value)


def _access(op: Operation, kind: EffectKind, view: Value | None) -> Access:
    if view is None:
        return Access(op, kind, None)
    return Access(op, kind, *resolve(view, _box(op, view)))


def _box(op: Operation, view: Value) -> tuple[Span, ...]:
    if isinstance(op, AccessesBox):
        box = op.box()
        return tuple(map(Span.at, box.indices, box.shape))
    if isinstance(view.type, MemrefType):
        return tuple(Span(length=n) for n in view.type.shape)
    return ()


def resolve(view: Value, spans: tuple[Span, ...]) -> tuple[Value, tuple[Span, ...]]:
    """A box of a view as a box of its root; modes that cannot be followed become unknown."""
    while isinstance(op := view.defining_op, ViewLike):
        view, spans = op.memref, _through(op, spans)
    return view, spans


def _through(op: ViewLike, spans: tuple[Span, ...]) -> tuple[Span, ...]:
    assert isinstance(op.memref.type, MemrefType)
    order, modes = op.memref.type.order, op.source_modes()
    # where a mode is dropped, the view stays in one place
    found = [UNKNOWN_SPAN if any(k in made for made in modes) else Span(length=1) for k in range(order)]
    for mode, span in enumerate(spans):
        source = op.source_of(mode)
        if source is not None:
            found[source] = span
    offsets = op.source_offsets() or [0] * order
    return tuple(span.shifted(offset) for span, offset in zip(found, offsets, strict=True))


def may_overlap(a: Access, b: Access, unstable: Sequence[Operation] = ()) -> bool:
    """Whether two accesses may touch a common byte. `unstable` lists loops between whose iterations they happen."""
    if a.root is None or b.root is None:
        return True
    if a.root is not b.root:
        return a.space is b.space and roots_may_overlap(a.root, b.root)
    if unstable and defined_inside(a.root, unstable) and not isinstance(a.root.defining_op, memref.Alloca):
        return True
    if len(a.spans) != len(b.spans):
        return True
    return not any(x.apart(y, unstable) for x, y in zip(a.spans, b.spans, strict=True))


def views_may_overlap(a: Value, b: Value) -> bool:
    """Whether two views may share bytes, wherever in their roots they lie."""
    first, second = root_of(a), root_of(b)
    if first is second:
        return True
    return _space(first) is _space(second) and roots_may_overlap(first, second)


def roots_may_overlap(a: Value, b: Value) -> bool:
    """Whether two different roots may share bytes."""
    x, y = a.defining_op, b.defining_op
    if isinstance(x, FromAddress) and isinstance(y, FromAddress):
        return not addresses_apart(x.address, y.address)
    if isinstance(x, memref.Alloca) and isinstance(y, memref.Alloca):
        return _stack_overlap(x, y)
    if _space(a) is AddressSpace.LOCAL or _space(b) is AddressSpace.LOCAL:
        return False
    if isinstance(x, memref.GroupMemory) or isinstance(y, memref.GroupMemory):
        return isinstance(x, memref.GroupMemory) and isinstance(y, memref.GroupMemory) and _stack_overlap(x, y)
    source, other = _parameter(a), _parameter(b)
    return source is other or not (_noalias(source) or _noalias(other))


def addresses_apart(a: Value, b: Value) -> bool:
    """Whether memory at two addresses certainly shares no byte, however far it goes: they come from two places, each
    memory of the program's own or an array, and at most one is an array that others may lead to."""
    x, y = _origin(a), _origin(b)
    if x is None or y is None or x is y:
        return False
    return any(isinstance(v.defining_op, Reserve) or _noalias(v) for v in (x, y))


def lie_in_arrays(a: Value, b: Value) -> bool:
    """Whether two roots lie in arrays that a launch gives for two parameters, so that it sees whether they overlap."""
    x, y = _array(a), _array(b)
    return x is not None and y is not None and x is not y


def _array(root: Value) -> Value | None:
    """The parameter whose array a root lies in."""
    found = _origin(root.defining_op.address) if isinstance(root.defining_op, FromAddress) else root
    if not isinstance(found, BlockArgument) or isinstance(found.type, GroupType):
        return None
    return found if isinstance(found.block.parent_op, Kernel) else None


def _origin(address: Value) -> Value | None:
    """The pointer, or the memory of the program's own, that an address is some bytes behind; None for any other.

    What is added is surely no address itself, nor the distance of two.
    """
    while isinstance(op := address.defining_op, Add) and isinstance(op.rhs.defining_op, Constant | Mul | Cast | None):
        address = op.lhs
    match address.defining_op:
        case AddressOf(pointer=pointer):
            return pointer
        case Reserve():
            return address
        case _:
            return None


def _space(value: Value) -> AddressSpace:
    return value.type.space if isinstance(value.type, MemrefType) else AddressSpace.GLOBAL


def _stack_overlap(a: memref.Alloca | memref.GroupMemory, b: memref.Alloca | memref.GroupMemory) -> bool:
    if a.offset is None or b.offset is None:
        return False
    return a.offset < b.offset + allocation_bytes(b) and b.offset < a.offset + allocation_bytes(a)


def allocation_bytes(op: memref.Alloca | memref.GroupMemory) -> int:
    """Bytes of an allocation."""
    assert isinstance(op.out.type, MemrefType)
    span = op.out.type.span
    assert span is not None, "allocations are static"
    return span * op.out.type.element.bytes


def _parameter(value: Value) -> Value:
    """The kernel parameter behind a root."""
    op = value.defining_op
    return op.group if isinstance(op, memref.GroupLoad) and isinstance(op.group.type, GroupType) else value


def _noalias(value: Value) -> bool:
    if not isinstance(value, BlockArgument) or not isinstance(kernel := value.block.parent_op, Kernel):
        return False
    return kernel.attributes_of(value).get("noalias") is True


def commute(a: Access, b: Access) -> bool:
    """Whether two atomic updates may happen in any order: one kind, one type, and nobody looks at the old values."""
    return (
        _update_kind(a.op) is not None
        and _update_kind(a.op) is _update_kind(b.op)
        and not any(r.uses for op in (a.op, b.op) for r in op.results)
        and a.root is not None
        and b.root is not None
        and isinstance(a.root.type, MemrefType)
        and isinstance(b.root.type, MemrefType)
        and a.root.type.element is b.root.type.element
    )


def _update_kind(op: Operation) -> Enum | None:
    return op.box().update if isinstance(op, AccessesBox) else None
