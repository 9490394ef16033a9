"""join-accesses: what a thread copies element by element moves in accesses of several elements.

before:  %x = memref.load %a[%i]  %y = memref.load %a[%i + 1]  memref.store %x, %b[%j]  memref.store %y, %b[%j + 1]
after:   %f = lane.load %a[%i] {registers = [[2, 0, 1]], width = 2}  lane.store %f, %b[%j] {registers = .., width = 2}

Neighbours are one access where the first is known to be aligned to the bytes of all of them, 16 at most, and nothing
between them in their block touches memory but accesses of the same kind. Stores are joined where they write what was
loaded together, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, NamedTuple

from tilewright.dialects import arith, lane, memref, team
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.effects import EffectKind
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import FragmentType, MemrefType
from tilewright.transforms.aliasing import effects_of
from tilewright.transforms.facts import alignment
from tilewright.transforms.schedule.known import blocks_within

_MOST_BYTES: Final = 16

Access = memref.Load | memref.Store


class JoinAccesses(Pass, frozen=True):
    """Of kernels whose work-items run by themselves."""

    name: ClassVar[str] = "join-accesses"

    def run(self, module: Module, context: PassContext) -> bool:
        spmd = [op for op in module.walk() if isinstance(op, team.Spmd)]
        blocks = [block for op in spmd for block in blocks_within(op)]
        # all loads first: stores are joined by what was loaded together
        changed = [_join(block, kind) for kind in (memref.Load, memref.Store) for block in blocks]
        return any(changed)


class _Numbered(NamedTuple):
    """An access, and how many of its kind are in front of it where they may be joined."""

    number: int
    op: Access


def _join(block: Block, kind: type[Access]) -> bool:
    if sum(isinstance(op, kind) for op in block) < 2:
        return False
    changed = False
    for stretch in list(_stretches(block, kind)):
        rows: dict[object, dict[int, _Numbered]] = {}
        for number, op in enumerate(stretch):
            place = _place(op)
            if place is not None:
                row, offset = place
                rows.setdefault(row, {}).setdefault(offset, _Numbered(number, op))
        for run in (run for row in rows.values() for run in _runs(row)):
            changed |= _joined_loads(run) if kind is memref.Load else _joined_stores(run)
    return changed


def _stretches(block: Block, kind: type[Access]) -> Iterator[list[Access]]:
    """Accesses of a kind with nothing between them that minds their order."""
    found: list[Access] = []
    for op in block:
        if isinstance(op, kind):
            found.append(op)
        elif not _is_indifferent(op, kind):
            yield found
            found = []
    yield found


def _is_indifferent(op: Operation, kind: type[Access]) -> bool:
    effects = effects_of(op)
    if effects is None:
        return False
    return not effects or (kind is memref.Load and all(effect.kind is EffectKind.READ for effect in effects))


def _place(op: Access) -> tuple[object, int] | None:
    """What all neighbours of an access share, and where in that row it is; None if it is joined to none."""
    type_ = op.memref.type
    assert isinstance(type_, MemrefType)
    element = type_.element
    if element.is_complex or element.bits % 8 or 1 not in type_.strides:
        return None
    if type_.swizzle is not None and 1 << type_.swizzle.base < _MOST_BYTES:
        return None
    mode = type_.strides.index(1)
    parts = [_apart(index) for index in op.indices]
    others = tuple(0 if k == mode else offset for k, (_, offset) in enumerate(parts))
    return (op.memref, tuple(base for base, _ in parts), others), parts[mode][1]


def _apart(index: Value) -> tuple[Value | None, int]:
    """An index as a value and a number that is added to it."""
    total = 0
    while True:
        op = index.defining_op
        if isinstance(op, arith.Constant):
            assert isinstance(op.value, int)
            return None, total + op.value
        if not isinstance(op, arith.Add):
            return index, total
        first, second = (_number(operand) for operand in op.operands)
        if second is not None:
            index, total = op.lhs, total + second
        elif first is not None:
            index, total = op.rhs, total + first
        else:
            return index, total


def _number(value: Value) -> int | None:
    op = value.defining_op
    return op.value if isinstance(op, arith.Constant) and isinstance(op.value, int) else None


def _runs(row: dict[int, _Numbered]) -> Iterator[list[_Numbered]]:
    """Neighbours that are one access, in the order of memory."""
    left = dict(sorted(row.items()))
    while left:
        first = next(iter(left))
        run = [left.pop(first + k) for k in range(_width(left, first))]
        if len(run) > 1:
            yield run


def _width(row: dict[int, _Numbered], first: int) -> int:
    """How many elements from one on, a power of two, lie beside each other and are aligned to all their bytes."""
    op = row[first].op
    size, known = _type(op).element.bytes, alignment(op.memref, op.indices)
    width = max(_MOST_BYTES // size, 1)
    while width > 1 and (known % (width * size) or any(first + k not in row for k in range(width))):
        width //= 2
    return width


def _type(op: Access) -> MemrefType:
    assert isinstance(op.memref.type, MemrefType)
    return op.memref.type


def _steps(op: Access, count: int) -> lane.Steps:
    return ((count, _type(op).strides.index(1), 1),)


def _joined_loads(run: Sequence[_Numbered]) -> bool:
    """One load in the place of the first, if that is of the element that lies first: its indices are there then."""
    first, count = run[0].op, len(run)
    if run[0].number != min(number for number, _ in run):
        return False
    b = Builder.before_op(first)
    out = FragmentType(count, _type(first).element)
    found = b(lane.Load(first.memref, first.indices, _steps(first, count), width=count, result_types=[out])).out
    for register, (_, op) in enumerate(run):
        op.results[0].replace_all_uses_with(b(lane.Item(found, register)).out)
    for _, op in run:
        op.erase()
    return True


def _joined_stores(run: Sequence[_Numbered]) -> bool:
    """One store in the place of the last, of what was loaded together; no other one is between them."""
    stores = [op for _, op in run if isinstance(op, memref.Store)]
    fragment = _loaded_together([op.value for op in stores])
    if fragment is None or [number for number, _ in run] != list(range(run[0].number, run[0].number + len(run))):
        return False
    first, count = stores[0], len(stores)
    b = Builder.before_op(stores[-1])
    b(lane.Store(fragment, first.memref, first.indices, _steps(first, count), width=count))
    for op in stores:
        op.erase()
    return True


def _loaded_together(values: Sequence[Value]) -> Value | None:
    """The fragment whose registers these are, in order and none left out."""
    items = [value.defining_op for value in values]
    first = items[0].fragment if isinstance(items[0], lane.Item) else None
    if first is None or lane.fragment_of(first).size != len(items):
        return None
    for register, item in enumerate(items):
        if not isinstance(item, lane.Item) or item.fragment is not first or item.register != register:
            return None
    return first
