"""Memory: allocation, views, access, atomics (V25 to V33)."""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.dialects import memref
from tilewright.dialects.memref import AtomicKind, Semantics
from tilewright.frontends.tensor_language.rules.facts import element, integer_of, name_of, spelled
from tilewright.frontends.tensor_language.rules.kernels import check_alignment
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import AddressSpace, Extent, GroupType, MemrefType

_DEFAULT_ALIGNMENT = 128


def alloca(op: memref.Alloca, report: Report) -> None:
    """Static shape, local memory, an alignment that the stack can give."""
    type_ = op.out.type
    if not isinstance(type_, MemrefType):
        return
    where = op.place("type")
    if not type_.is_static:
        report.error("V25", where, "the size of an allocation must be known: no `?` in shape or strides")
    if type_.space is not AddressSpace.LOCAL:
        report.error("V25", where, "alloca gives local memory").hint(f"write {str(type_)[:-1]},local>")
    alignment = op.attributes.get("alignment")
    if alignment is not None:
        place = op.place("alignment")
        check_alignment(alignment, type_, place, report)
        if isinstance(alignment, int) and (alignment > _DEFAULT_ALIGNMENT or alignment & (alignment - 1)):
            report.error("V25", place, f"alignment {alignment} is no power of two up to {_DEFAULT_ALIGNMENT}")


def _same(
    op: Operation, code: str, source: MemrefType, shape: list[Extent], strides: list[Extent], report: Report
) -> None:
    """The written result type is the computed one; a computed stride may be forgotten as `?`."""
    result = op.results[0].type
    if not isinstance(result, MemrefType):
        return
    where = op.place("type")
    wanted = MemrefType(source.element, tuple(shape), tuple(strides), source.space)
    hint = f"the result is {wanted}"
    if result.order != len(shape):
        report.error(code, where, f"the result has {len(shape)} modes, not {result.order}").hint(hint)
    elif result.element is not source.element:
        report.error(code, where, f"the elements stay {source.element}, they are not {result.element}").hint(hint)
    elif result.space is not source.space:
        report.error(code, where, f"the result stays in {source.space.value} memory").hint(hint)
    elif result.shape != tuple(shape):
        report.error(code, where, f"the shape is {spelled(tuple(shape))}, not {spelled(result.shape)}").hint(hint)
    else:
        for mode, (written, computed) in enumerate(zip(result.strides, strides, strict=True)):
            if written is not None and written != computed:
                said = "unknown (`?`)" if computed is None else str(computed)
                report.error(code, where, f"stride of mode {mode} is {said}, not {written}").hint(hint)
                return


def _product(a: Extent, b: Extent) -> Extent:
    return None if a is None or b is None else a * b


def expand(op: memref.Expand, report: Report) -> None:
    """The product of the extents is the mode's."""
    source, mode = op.memref.type, op.mode
    if not isinstance(source, MemrefType):
        return
    if not 0 <= mode < source.order:
        report.error("V26", op.place("mode"), f"there is no mode {mode}; the memref has {source.order}")
        return
    entries = op.static_sizes
    if len(entries) < 2:
        report.error("V26", op.location, "a mode expands into at least two")
        return
    product = 1
    for entry in entries:
        if entry is not None and entry <= 0:
            report.error("V26", op.location, f"extent {entry} is not positive")
            return
        product *= entry or 1
    extent = source.shape[mode]
    if extent is not None and (extent % product if None in entries else extent != product):
        said = "divide" if None in entries else "equal"
        report.error("V26", op.location, f"the extents multiply to {product}, which does not {said} {extent}")
        return
    strides: list[Extent] = [source.strides[mode]]
    for entry in entries[:-1]:
        strides.append(_product(strides[-1], entry))
    shape = [*source.shape[:mode], *entries, *source.shape[mode + 1 :]]
    _same(op, "V26", source, shape, [*source.strides[:mode], *strides, *source.strides[mode + 1 :]], report)


def fuse(op: memref.Fuse, report: Report) -> None:
    """Neighbouring modes without gaps."""
    source, first, last = op.memref.type, op.first, op.last
    if not isinstance(source, MemrefType):
        return
    if not 0 <= first < last < source.order:
        report.error("V27", op.location, f"modes {first} to {last} are no range among {source.order} modes")
        return
    extent: Extent = 1
    for k in range(first, last + 1):
        extent = _product(extent, source.shape[k])
        if k == last:
            break
        reach, following = _product(source.strides[k], source.shape[k]), source.strides[k + 1]
        if reach is not None and following is not None and reach != following:
            report.error(
                "V27",
                op.location,
                f"modes {k} and {k + 1} cannot be fused: {reach} elements end before stride {following}",
            )
            return
    shape = [*source.shape[:first], extent, *source.shape[last + 1 :]]
    _same(op, "V27", source, shape, [*source.strides[: first + 1], *source.strides[last + 1 :]], report)


def subview(op: memref.Subview, report: Report) -> None:
    """One entry a mode, inside the memref where that is known."""
    source = op.memref.type
    if not isinstance(source, MemrefType):
        return
    if len(op.static_offsets) != source.order:
        report.error("V28", op.location, f"{len(op.static_offsets)} entries for {source.order} modes")
        return
    shape, strides = list[Extent](), list[Extent]()
    dynamic_offsets = iter(op.offsets)
    dynamic_sizes = iter(op.sizes)
    for mode, (offset, size) in enumerate(zip(op.static_offsets, op.static_sizes, strict=True)):
        start = integer_of(next(dynamic_offsets)) if offset is None else offset
        length = integer_of(next(dynamic_sizes)) if size is None else size
        if not _inside(op, mode, start, length, source.shape[mode], report):
            return
        if size != 0:
            shape.append(size)
            strides.append(source.strides[mode])
    _same(op, "V28", source, shape, strides, report)


def _inside(
    op: memref.Subview, mode: int, start: int | None, length: int | None, extent: Extent, report: Report
) -> bool:
    where = op.place(("offset", mode))
    if (start is not None and start < 0) or (length is not None and length < 0):
        report.error("V28", where, f"offset and size of mode {mode} are not negative")
        return False
    if extent is None or start is None:
        return True
    end = start + (1 if length == 0 else length if length is not None else 0)
    if end > extent or (length == 0 and start >= extent):
        what = f"{start}:{length}" if length else str(start)
        report.error("V28", where, f"{what} lies outside mode {mode}, which has {extent} elements")
        return False
    return True


def size(op: memref.Size, report: Report) -> None:
    """The mode exists."""
    type_ = op.source.type
    order = 1 if isinstance(type_, GroupType) else type_.order if isinstance(type_, MemrefType) else 0
    if not 0 <= op.mode < order:
        what = "a group has mode 0 only" if isinstance(type_, GroupType) else f"the memref has {order} modes"
        report.error("V29", op.place("mode"), f"there is no mode {op.mode}: {what}")


def _access(op: Operation, source: Value, indices: list[Value], report: Report, code: str = "V30") -> None:
    type_ = source.type
    if not isinstance(type_, MemrefType):
        return
    if len(indices) != type_.order:
        report.error(
            code, op.location, f"{len(indices)} indices for the {type_.order} modes of {name_of(source)}"
        ).label(source.location, "defined here")
        return
    for mode, (index, extent) in enumerate(zip(indices, type_.shape, strict=True)):
        known = integer_of(index)
        if known is not None and (known < 0 or (extent is not None and known >= extent)):
            bound = "" if extent is None else f", which has {extent} elements"
            report.warning("V32", op.location, f"index {known} is outside mode {mode} of {name_of(source)}{bound}")


def load(op: memref.Load, report: Report) -> None:
    """Indices, and the element's type."""
    _access(op, op.memref, op.indices, report)
    wanted = element(op.memref)
    if wanted is not None and op.out.type is not wanted:
        report.error(
            "V30", op.place("type"), f"the elements of {name_of(op.memref)} are {wanted}, not {op.out.type}"
        ).label(op.memref.location, "defined here")


def store(op: memref.Store, report: Report) -> None:
    """Indices, and the value's type."""
    _access(op, op.memref, op.indices, report)
    _value_fits(op, op.value, op.memref, report, "V30")


def _value_fits(op: Operation, value: Value, target: Value, report: Report, code: str) -> None:
    wanted = element(target)
    if wanted is not None and value.type is not wanted:
        report.error(
            code, op.place(("operand", 0)), f"{name_of(value)} is {value.type}; {name_of(target)} holds {wanted}"
        ).label(value.location, "defined here")


def group_load(op: memref.GroupLoad, report: Report) -> None:
    """The group's memref, inside the group."""
    type_ = op.group.type
    if not isinstance(type_, GroupType):
        return
    if op.out.type != type_.memref:
        report.error("V31", op.place("type"), f"the elements of the group are {type_.memref}, not {op.out.type}").label(
            op.group.location, "defined here"
        )
    known = integer_of(op.index)
    if known is not None and (known < 0 or (type_.size is not None and known >= type_.size)):
        size_ = "?" if type_.size is None else type_.size
        report.error("V31", op.place(("operand", 1)), f"index {known} is outside the group of {size_} elements")


def atomic_load(op: memref.AtomicLoad, report: Report) -> None:
    """Semantics that a load can have."""
    _access(op, op.memref, op.indices, report, "V33")
    wanted = element(op.memref)
    if wanted is not None and op.out.type is not wanted:
        report.error("V33", op.place("type"), f"the elements of {name_of(op.memref)} are {wanted}, not {op.out.type}")
    if op.semantics in (Semantics.RELEASE, Semantics.ACQUIRE_RELEASE):
        report.warning("V33", op.location, f"a load has no release part; {op.semantics.value} loses it")


def atomic_store(op: memref.AtomicStore, report: Report) -> None:
    """Semantics that a store can have."""
    _access(op, op.memref, op.indices, report, "V33")
    _value_fits(op, op.value, op.memref, report, "V33")
    if op.semantics in (Semantics.ACQUIRE, Semantics.ACQUIRE_RELEASE):
        report.warning("V33", op.location, f"a store has no acquire part; {op.semantics.value} loses it")


def atomic_rmw(op: memref.AtomicRmw, report: Report) -> None:
    """Types; an order for max and min."""
    _access(op, op.memref, op.indices, report, "V33")
    _value_fits(op, op.value, op.memref, report, "V33")
    held = element(op.memref)
    if held is not None and held.is_complex and op.kind is not AtomicKind.ADD:
        report.error("V33", op.location, f"atomic_{op.kind.value} needs an order, which {held} does not have")


def rules() -> dict[type[Operation], object]:
    """Rules of this file by operation."""
    return {
        memref.Alloca: alloca,
        memref.Expand: expand,
        memref.Fuse: fuse,
        memref.Subview: subview,
        memref.Size: size,
        memref.Load: load,
        memref.Store: store,
        memref.GroupLoad: group_load,
        memref.AtomicLoad: atomic_load,
        memref.AtomicStore: atomic_store,
        memref.AtomicRmw: atomic_rmw,
    }
