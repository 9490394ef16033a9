"""Regions that compute with elements, on fragments or tiles: each operation at once for all elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilewright.dialects import scf
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Operation, Region, Value
from tilewright.ir.types import FragmentType, Type, with_element
from tilewright.transforms import emit
from tilewright.transforms.schedule.fragments import splat


def is_arithmetic(body: Region) -> bool:
    """Whether a region consists of constants and operations element by element."""
    return all(op.definition.dialect in ("arith", "math") for op in body.entry if not isinstance(op, scf.Yield))


def elementwise(
    build: Builder, body: Region, arguments: Sequence[Value], outer: Callable[[Value], Value]
) -> tuple[Value, ...]:
    """What an arithmetic region yields for the elements of fragments, or of tiles; `outer` says what values around it
    became."""
    like = arguments[0].type
    known: dict[Value, Value] = dict(zip(body.entry.arguments, arguments, strict=True))

    def found(value: Value) -> Value:
        if value not in known:
            known[value] = _filled(build, outer(value), like)
        return known[value]

    for op in body.entry:
        if not isinstance(op, scf.Yield):
            new = build(_copied(op, [found(value) for value in op.operands], like))
            known[op.results[0]] = new.results[0]
    return tuple(found(value) for value in scf.yielded(body))


def _filled(build: Builder, value: Value, like: Type) -> Value:
    return splat(build, value, like.size) if isinstance(like, FragmentType) else emit.shaped(build, value, like)


def _copied(op: Operation, operands: list[Value], like: Type) -> Operation:
    results = [with_element(like, emit.scalar_type(value.type)) for value in op.results]
    new = type(op).of_parts(operands, results, dict(op.attributes))
    new.places = op.places
    return new
