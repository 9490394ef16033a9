"""Views: expand, fuse, subview, size (V26 to V29). Whatever is wrong in a type, nothing here fails on it."""

from __future__ import annotations

from tilewright.diagnostics import Location, Report
from tilewright.dialects import memref
from tilewright.frontends.tensor_language.rules.facts import counted, integer_of, name_of, spelled
from tilewright.ir.core import Operation
from tilewright.ir.types import Extent, GroupType, MemrefType


def _same(
    op: Operation, code: str, source: MemrefType, shape: list[Extent], strides: list[Extent], report: Report
) -> None:
    """The written result type is the computed one; a computed stride may be forgotten as `?`."""
    result = op.results[0].type
    if not isinstance(result, MemrefType):
        return
    wanted = MemrefType(source.element, tuple(shape), tuple(strides), source.space)
    message = _difference(result, wanted)
    if message is not None:
        report.error(code, op.place("type"), message).label(
            op.operands[0].location, "the operand is defined here"
        ).hint(f"the result is {wanted}")


def _difference(written: MemrefType, wanted: MemrefType) -> str | None:
    """What is wrong with the type of a view."""
    if written.order != wanted.order:
        return f"the result has {counted(wanted.order, 'mode')}, not {written.order}"
    if written.element is not wanted.element:
        return f"the elements stay {wanted.element}, they are not {written.element}"
    if written.space is not wanted.space:
        return f"the result stays in {wanted.space.value} memory"
    if written.shape != wanted.shape:
        return f"the shape is {spelled(wanted.shape)}, not {spelled(written.shape)}"
    for mode, (stride, computed) in enumerate(zip(written.strides, wanted.strides, strict=True)):
        if stride is not None and stride != computed:
            said = "unknown (`?`)" if computed is None else str(computed)
            return f"the stride of mode {mode} is {said}, not {stride}"
    return None


def _product(a: Extent, b: Extent) -> Extent:
    return None if a is None or b is None else a * b


def _entries(op: memref.Expand, first: int, last: int) -> Location:
    """The range from one entry to another."""
    start, end = op.place(("size", first)), op.place(("size", last))
    return start.primary.to(end) if start.primary is not None else start


def _known_sizes(op: memref.Expand) -> list[int | None]:
    """What each entry is for certain."""
    return list(map(integer_of, op.mixed_sizes))


def expand(op: memref.Expand, report: Report) -> None:
    """The product of the extents is the mode's."""
    source, mode = op.memref.type, op.mode
    if not isinstance(source, MemrefType):
        return
    if not 0 <= mode < source.order:
        _no_mode(op, "V26", "mode", mode, source.order, report)
        return
    known = _known_sizes(op)
    product = 1
    for index, entry in enumerate(known):
        if entry is not None and entry <= 0:
            report.error("V26", op.place(("size", index)), f"extent {entry} is not positive").hint(
                "the extents of an expanded mode are at least 1"
            )
            return
        product *= entry or 1
    extent = source.shape[mode]
    if extent is not None and (extent % product if None in known else extent != product):
        said = "divide" if None in known else "equal"
        report.error(
            "V26",
            _entries(op, 0, len(known) - 1),
            f"the extents multiply to {product}, which does not {said} {extent}, the extent of mode {mode}",
        ).label(op.memref.location, "the operand is defined here").hint(
            "every element keeps its place: none is added or lost"
        )
        return
    entries = op.static_sizes
    strides: list[Extent] = [source.strides[mode]]
    for entry in entries[:-1]:
        strides.append(_product(strides[-1], entry))
    shape = [*source.shape[:mode], *entries, *source.shape[mode + 1 :]]
    _same(op, "V26", source, shape, [*source.strides[:mode], *strides, *source.strides[mode + 1 :]], report)


def _no_mode(op: Operation, code: str, key: str, mode: int, order: int, report: Report) -> None:
    source = op.operands[0]
    report.error(code, op.place(key), f"{name_of(source)} has no mode {mode}").label(
        source.location, f"of order {order}"
    ).hint(f"modes count from 0; here they are 0 to {order - 1}" if order else "it has no modes at all")


def fuse(op: memref.Fuse, report: Report) -> None:
    """Neighbouring modes without gaps."""
    source, first, last = op.memref.type, op.first, op.last
    if not isinstance(source, MemrefType):
        return
    for key, mode in (("first", first), ("last", last)):
        if not 0 <= mode < source.order:
            _no_mode(op, "V27", key, mode, source.order, report)
            return
    if first >= last:
        report.error("V27", op.place("last"), f"modes {first} to {last} are no range of modes").hint(
            "give the first mode, then a later one"
        )
        return
    extent: Extent = 1
    for k in range(first, last):
        reach, following = _product(source.strides[k], source.shape[k]), source.strides[k + 1]
        if reach is not None and following is not None and reach != following:
            report.error(
                "V27",
                op.place("mnemonic"),
                f"modes {k} and {k + 1} cannot be fused: one reaches to {reach}, the next has stride {following}",
            ).label(op.memref.location, "the operand is defined here").hint(
                "there must be no gap: stride times extent of a mode is the stride of the next"
            )
            return
    for k in range(first, last + 1):
        extent = _product(extent, source.shape[k])
    shape = [*source.shape[:first], extent, *source.shape[last + 1 :]]
    _same(op, "V27", source, shape, [*source.strides[: first + 1], *source.strides[last + 1 :]], report)


def subview(op: memref.Subview, report: Report) -> None:
    """One entry a mode, inside the memref where that is known."""
    source = op.memref.type
    if not isinstance(source, MemrefType):
        return
    entries = len(op.static_offsets)
    if entries != source.order:
        report.error("V28", op.location, f"{counted(entries, 'entry')} for {counted(source.order, 'mode')}").label(
            op.memref.location, "the operand is defined here"
        ).hint("give one entry for each mode: `offset:size`, or `offset` to drop the mode")
        return
    shape, strides = list[Extent](), list[Extent]()
    for mode, (offset, size) in enumerate(zip(op.mixed_offsets, op.mixed_sizes, strict=True)):
        # A literal 0 drops the mode: the one element at the offset is meant.
        length = 1 if size == 0 else integer_of(size)
        if not _inside(op, mode, integer_of(offset), length, report):
            return
        if size != 0:
            shape.append(size if isinstance(size, int) else None)
            strides.append(source.strides[mode])
    _same(op, "V28", source, shape, strides, report)


def _inside(op: memref.Subview, mode: int, start: int | None, length: int | None, report: Report) -> bool:
    """Whether `start:length` may lie in the mode of the operand."""
    source = op.memref.type
    assert isinstance(source, MemrefType)
    for key, number in (("offset", start), ("size", length)):
        if number is not None and number < 0:
            report.error("V28", op.place((key, mode)), f"{key} {number} of mode {mode} is negative").hint(
                f"the {key} is at least 0"
            )
            return False
    extent = source.shape[mode]
    end = (start or 0) + (length or 0)
    if extent is None or end <= extent:
        return True
    if op.mixed_sizes[mode] == 0:
        where = op.place(("offset", mode))
        finding = report.error("V28", where, f"{start} is outside mode {mode}, which has {counted(extent, 'element')}")
        finding.label(op.memref.location, "the operand is defined here")
        finding.hint(f"offsets of a mode that is dropped count from 0 to {extent - 1}" if extent else "it is empty")
        return False
    where = op.place(("size" if (start or 0) <= extent else "offset", mode))
    finding = report.error("V28", where, f"the view ends at {end}, but mode {mode} has {counted(extent, 'element')}")
    finding.label(op.memref.location, "the operand is defined here")
    if start is not None and start < extent:
        finding.hint(f"from {start} on there are {extent - start}")
    else:
        finding.hint(f"offset and size together are at most {extent}")
    return False


def size(op: memref.Size, report: Report) -> None:
    """The mode exists."""
    type_ = op.source.type
    if isinstance(type_, GroupType):
        if op.mode != 0:
            report.error("V29", op.place("mode"), f"a group has no mode {op.mode}").label(
                op.source.location, "defined here"
            ).hint("it has mode 0 only: the number of its memrefs")
    elif isinstance(type_, MemrefType) and not 0 <= op.mode < type_.order:
        _no_mode(op, "V29", "mode", op.mode, type_.order, report)


def rules() -> dict[type[Operation], object]:
    """Rules of this file by operation."""
    return {memref.Expand: expand, memref.Fuse: fuse, memref.Subview: subview, memref.Size: size}
