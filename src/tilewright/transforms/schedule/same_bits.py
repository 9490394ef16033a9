"""Rows of integers read as integers of another width: the parts of a wide one are registers of one thread."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.dialects import arith, tile
from tilewright.dialects.arith_integers import UCast, UShr
from tilewright.dialects.builder import Builder
from tilewright.dialects.lane import fragment_of
from tilewright.ir.core import Value
from tilewright.ir.layouts import Digit, Layout, LayoutError, Owner
from tilewright.ir.types import FragmentType, ScalarType
from tilewright.transforms import emit
from tilewright.transforms.schedule.reductions import picked


def divides(op: tile.Reinterpret) -> bool:
    """Whether the result has the narrower integers."""
    return emit.scalar_type(op.out.type).bits <= emit.scalar_type(op.tile.type).bits


def parts(op: tile.Reinterpret) -> int:
    """How many narrow integers are a wide one."""
    widths = sorted(emit.scalar_type(value.type).bits for value in (op.tile, op.out))
    return widths[1] // widths[0]


def of_parts(layout: Layout, count: int) -> Layout:
    """Who holds the parts of what a layout holds."""
    (extent,) = layout.shape
    digits = [d if d.dim is None else Digit(d.owner, d.extent, 0, d.stride * count) for d in layout.digits]
    return Layout((extent * count,), (Digit(Owner.REG, count, 0, 1), *digits))


def of_wholes(layout: Layout, count: int) -> Layout:
    """Who holds wholes of so many parts each. Raises `LayoutError` if the parts of one are not a thread's."""
    (extent,) = layout.shape
    digits: list[Digit] = []
    for digit in layout.digits:
        if digit.dim is None:
            digits.append(digit)
        elif digit.stride % count == 0:
            digits.append(Digit(digit.owner, digit.extent, 0, digit.stride // count))
        elif digit.owner is Owner.REG and digit.stride == 1 and digit.extent % count == 0:
            digits.append(Digit(Owner.REG, digit.extent // count, 0, 1))
        else:
            raise LayoutError(f"threads share {count} elements in a row")
    return Layout((extent // count,), tuple(digits))


def reinterpreted(build: Builder, op: tile.Reinterpret, value: Value, wholes: Layout) -> Value:
    """The fragment of the result; `wholes` is the layout of the wide integers, those of the narrow one follow it."""
    element, count = emit.scalar_type(op.out.type), parts(op)
    if count == 1:
        return value
    numbers = [at[0] for at in wholes.first_thread().tolist()]
    places = {at[0]: k for k, at in enumerate(of_parts(wholes, count).first_thread().tolist())}
    if divides(op):
        found = list(_divided(build, value, element, count))
        order = {number * count + k: k * len(numbers) + r for r, number in enumerate(numbers) for k in range(count)}
        registers = {places[number]: register for number, register in order.items()}
        return picked(build, found, [registers[k] for k in range(len(registers))])
    pieces = [picked(build, [value], [places[number * count + k] for number in numbers]) for k in range(count)]
    return _joined(build, pieces, element)


def _divided(build: Builder, value: Value, element: ScalarType, count: int) -> Iterator[Value]:
    """The parts of integers, the lowest bits of each first."""
    type_ = fragment_of(value)
    for k in range(count):
        shift = build.constant(k * element.bits, type_)
        part = build(UShr(value, shift)).out if k else value
        yield build(UCast(part, result_types=[FragmentType(type_.size, element)])).out


def _joined(build: Builder, pieces: list[Value], element: ScalarType) -> Value:
    narrow = fragment_of(pieces[0])
    wide = FragmentType(narrow.size, element)
    total: Value | None = None
    for k, piece in enumerate(pieces):
        part = build(UCast(piece, result_types=[wide])).out
        part = build(arith.Shl(part, build.constant(k * narrow.element.bits, wide))).out if k else part
        total = part if total is None else build(arith.Or(total, part)).out
    assert total is not None
    return total
