"""Operands of collectives that provably share elements with what is written (V42)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tilewright.diagnostics import Report
from tilewright.dialects import memref, tl
from tilewright.frontends.tensor_language.rules.facts import integer_of, name_of
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import MemrefType

_View = memref.Expand | memref.Fuse | memref.Subview
_LONGEST = 64
"""Views of views that are followed."""


def _chain(value: Value) -> Iterator[Value]:
    """A value and what it is a view of, outwards."""
    yield value
    while isinstance(op := value.defining_op, _View):
        value = op.operands[0]
        yield value


def _nonempty(value: Value) -> bool:
    type_ = value.type
    return isinstance(type_, MemrefType) and all(s is not None and s > 0 for s in type_.shape)


def identical(a: Value, b: Value) -> bool:
    """Whether two values are the same view: one value, or the same steps from one value."""
    for _ in range(_LONGEST):
        if a is b:
            return True
        x, y = a.defining_op, b.defining_op
        if not (isinstance(x, _View) and type(x) is type(y) and y is not None):
            return False
        if x.attributes != y.attributes or list(x.operands[1:]) != list(y.operands[1:]):
            return False
        a, b = x.operands[0], y.operands[0]
    return False


def overlap(a: Value, b: Value) -> bool:
    """Whether two values certainly share an element."""
    if identical(a, b):
        return True
    if not (_nonempty(a) and _nonempty(b)):
        return False
    if any(v is a for v in islice(_chain(b), _LONGEST)) or any(v is b for v in islice(_chain(a), _LONGEST)):
        return True
    x, y = a.defining_op, b.defining_op
    if not (isinstance(x, memref.Subview) and isinstance(y, memref.Subview) and identical(x.memref, y.memref)):
        return False
    return _boxes_meet(x, y)


def _boxes_meet(x: memref.Subview, y: memref.Subview) -> bool:
    """Whether two subviews of one value, all of whose entries are known, meet in every mode."""
    first, second = _intervals(x), _intervals(y)
    if first is None or second is None or len(first) != len(second):
        return False
    return all(max(p, r) < min(q, s) for (p, q), (r, s) in zip(first, second, strict=True))


def _intervals(op: memref.Subview) -> list[tuple[int, int]] | None:
    """From and to in every mode of the operand, or None if one of them is not known."""
    found: list[tuple[int, int]] = []
    for offset, length in zip(op.mixed_offsets, op.mixed_sizes, strict=True):
        start = integer_of(offset)
        # A literal 0 drops the mode, and stands for the one element at the offset.
        size = max(length, 1) if isinstance(length, int) else integer_of(length)
        if start is None or size is None:
            return None
        found.append((start, start + size))
    return found


def written_operand(op: tl.Collective, report: Report) -> None:
    """The written operand is read too, other than as the identical view where that is allowed."""
    out = op.operands[-1]
    for index in range(1, len(op.operands) - 2):
        value = op.operands[index]
        if overlap(value, out) and not (op.in_place and identical(value, out)):
            report.warning(
                "V42",
                op.place(("operand", index)),
                f"{name_of(value)} is read and shares elements with {name_of(out)}, which is written:"
                " the result is undefined",
            ).label(op.place(("operand", len(op.operands) - 1)), "written here").hint("copy it to an alloca first")


def rules() -> dict[type[Operation], object]:
    """Rules of this file by operation."""
    return {
        tl.Collective: written_operand,
    }
