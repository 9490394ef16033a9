"""Regions that compute with elements, on fragments: each operation at once for all registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilewright.dialects import scf
from tilewright.dialects.builder import Builder
from tilewright.dialects.lane import fragment_of
from tilewright.ir.core import Operation, Region, Value
from tilewright.ir.types import FragmentType
from tilewright.transforms import emit
from tilewright.transforms.schedule.fragments import splat


def is_arithmetic(body: Region) -> bool:
    """Whether a region consists of constants and operations element by element."""
    return all(op.definition.dialect in ("arith", "math") for op in body.entry if not isinstance(op, scf.Yield))


def on_fragments(
    build: Builder, body: Region, arguments: Sequence[Value], outer: Callable[[Value], Value]
) -> tuple[Value, ...]:
    """What an arithmetic region yields for the elements in each register; `outer` says what values around it became."""
    size = fragment_of(arguments[0]).size
    known: dict[Value, Value] = dict(zip(body.entry.arguments, arguments, strict=True))

    def found(value: Value) -> Value:
        if value not in known:
            known[value] = splat(build, outer(value), size)
        return known[value]

    for op in body.entry:
        if not isinstance(op, scf.Yield):
            new = build(_copied(op, [found(value) for value in op.operands], size))
            known[op.results[0]] = new.results[0]
    return tuple(found(value) for value in scf.yielded(body))


def _copied(op: Operation, operands: list[Value], size: int) -> Operation:
    results = [FragmentType(size, emit.scalar_type(value.type)) for value in op.results]
    new = type(op).of_parts(operands, results, dict(op.attributes))
    new.places = op.places
    return new
