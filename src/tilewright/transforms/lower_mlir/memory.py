"""Lowers memref: allocation, views, access. Indices stand in reverse here."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from tilewright.dialects import addresses, arith, statics, tl
from tilewright.dialects import memref as shared
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.mlir import arith as foreign_arith
from tilewright.dialects.mlir import memref, tensor
from tilewright.dialects.mlir.base import integer_of, memref_of
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.attributes import IntegerAttribute, SymbolReference
from tilewright.ir.mlir.types import is_identity_layout
from tilewright.ir.types import INDEX, AddressSpace, MemrefType, mixed, packed_strides
from tilewright.transforms.lower_mlir.context import Agreement, Handler, Lowering, Number, Threads, Unsupported
from tilewright.transforms.lower_mlir.control import counted_loop, known_number
from tilewright.transforms.lower_mlir.types import memref_type
from tilewright.transforms.lower_mlir.workspaces import workspace


def _load(low: Lowering, op: Operation) -> None:
    assert isinstance(op, memref.Load)
    low.bind(op.result, low.load(low.value(op.memref), low.indices(op.indices), op.result.type))


def _store(low: Lowering, op: Operation) -> None:
    assert isinstance(op, memref.Store)
    low.store(low.value(op.value), low.value(op.memref), low.indices(op.indices))


def _allocation(low: Lowering, op: Operation) -> None:
    assert isinstance(op, memref.Alloc | memref.Alloca)
    type_ = memref_type(op, op.memref.type)
    layout = memref_of(op.memref).layout
    packed = type_.is_packed if type_.is_static else layout is None or is_identity_layout(layout)
    if not packed:
        raise Unsupported(op, f"{op.name}: {op.memref.type} is not packed in row-major order")
    sizes = mixed(type_.shape, reversed(low.all(op.dynamicSizes)))
    low.bind(op.memref, allocated_at_most(low, op, type_, sizes, integer_of(op.alignment) or None))


def allocated_at_most(
    low: Lowering, op: Operation, type_: MemrefType, sizes: Sequence[Number], alignment: int | None = None
) -> Value:
    """Memory of extents of which each is known, or surely no more than a number: a part of memory of these extents.

    Else the launch makes it.
    """
    if type_.is_static:
        return allocated(low, type_, alignment)
    most = tuple(_at_most(size) for size in sizes)
    if None in most:
        return workspace(low, op, type_, sizes, alignment)
    whole = allocated(low, MemrefType(type_.element, most, packed_strides(most), type_.space), alignment)
    return view(low, whole, [0] * len(most), [low.index(size) if size == 0 else size for size in sizes])


def _at_most(size: Number) -> int | None:
    """A number that an extent is never greater than, if it shows."""
    if isinstance(size, int):
        return size
    op = size.defining_op
    match op:
        case arith.Constant() if isinstance(op.value, int):
            return op.value
        case arith.Min():
            known = [most for value in (op.lhs, op.rhs) if (most := _at_most(value)) is not None]
            return min(known, default=None)
        case shared.Size() if isinstance(op.source.defining_op, shared.Subview):
            cut_ = op.source.defining_op
            kept = [size for size in mixed(cut_.static_sizes, cut_.sizes) if size != 0]
            return _at_most(kept[op.mode])
        case _:
            return None


def allocated(low: Lowering, type_: MemrefType, alignment: int | None = None) -> Value:
    """Packed memory of known extents: of the work-group, or of each thread of a block that runs this."""
    if low.threads is not None:
        return private(low, low.threads, type_, alignment)
    local = MemrefType(type_.element, type_.shape, type_.strides, AddressSpace.LOCAL)
    return low.b(shared.Alloca(alignment, result_types=[local])).out


def private(low: Lowering, threads: Threads, type_: MemrefType, alignment: int | None) -> Value:
    """Memory of one thread: its part of memory that the work-group has for all of them."""
    known = [extent for extent in type_.shape if extent is not None]
    shape = (*known, threads.count)
    whole = MemrefType(type_.element, shape, packed_strides(shape), AddressSpace.LOCAL)
    memory = threads.outside(shared.Alloca(alignment, result_types=[whole])).out
    return view(low, memory, [*(0 for _ in known), threads.number], [*known, 0])


def _deallocation(low: Lowering, op: Operation) -> None:
    """Memory of the work-group ends with its region."""


def lower_dim(low: Lowering, op: Operation) -> None:
    """The extent of a memref or tensor."""
    assert isinstance(op, memref.Dim | tensor.Dim)
    value, type_ = low.memref(op.source)
    known = op.index.defining_op
    if not isinstance(known, foreign_arith.Constant) or not isinstance(known.value, IntegerAttribute):
        raise Unsupported(op, f"{op.name}: the dimension is no constant")
    dimension = known.value.value
    if not 0 <= dimension < type_.order:
        raise Unsupported(op, f"{op.name}: {op.source.type} has no dimension {dimension}")
    low.bind(op.result, low.index(low.extent(value, type_.order - 1 - dimension)))


def _cast(low: Lowering, op: Operation) -> None:
    """The same view: what the type says more or less is known anyway."""
    assert isinstance(op, memref.Cast)
    memref_type(op, op.dest.type)
    low.values[op.dest] = low.value(op.source)


def _copy(low: Lowering, op: Operation) -> None:
    assert isinstance(op, memref.Copy)
    copy(low, low.value(op.source), low.value(op.target), op)


def copy(low: Lowering, source: Value, target: Value, op: Operation) -> None:
    """All elements of a view to another of its shape, which does not overlap it."""
    assert isinstance(source.type, MemrefType)
    type_ = source.type
    if low.threads is not None or not 0 < type_.order <= 2:
        _copy_elements(low, source, target, op)
        return
    one, zero = low.constant(1.0 if type_.element.is_float else 1, type_.element), low.b.zero(type_.element)
    low.b(tl.Axpby(one, source, zero, target))


def _copy_elements(low: Lowering, source: Value, target: Value, op: Operation) -> None:
    assert isinstance(target.type, MemrefType)
    if low.certain:
        low.agreements += [Agreement((target, k), (source, k), op.location) for k in range(target.type.order)]
    each_element(low, target, lambda at, indices: at(shared.Load(source, indices)).out, op)


def each_element(low: Lowering, target: Value, made: Callable[[Builder, list[Value]], Value], op: Operation) -> None:
    """Writes what `made` makes of the indices to each element of a view: a thread of a block one after the other."""

    def write(b: Builder, indices: list[Value]) -> None:
        b(shared.Store(made(b, indices), target, indices))

    assert isinstance(target.type, MemrefType)
    extents = [low.extent(target, mode) for mode in range(target.type.order)]
    if low.threads is not None or not extents:
        _in_order(low, extents, [], write)
        return
    uppers = [low.index(extent) for extent in extents]
    body, block = new_region([INDEX for _ in uppers])
    write(Builder(block, location=op.location), list(block.arguments))
    low.b(tl.Foreach([low.b.index(0) for _ in uppers], uppers, body))


def _in_order(
    low: Lowering, extents: Sequence[Number], indices: list[Value], write: Callable[[Builder, list[Value]], None]
) -> None:
    """Loops over a box, the innermost over its first mode."""
    if not extents:
        write(low.b, indices)
        return
    *others, last = extents

    def body(inner: Lowering, index: Value, _: Sequence[Value]) -> list[Value]:
        _in_order(inner, others, [index, *indices], write)
        return []

    counted_loop(low, (0, last, 1), [], body, INDEX)


def _number(low: Lowering, number: int | Value) -> Number:
    return number if isinstance(number, int) else low.value(number)


def _subview(low: Lowering, op: Operation) -> None:
    assert isinstance(op, memref.Subview)
    kept = memref.kept_dimensions(op)
    assert kept is not None, "verified"
    box = tensor.Box(op.mixed_offsets, op.mixed_sizes, op.mixed_strides, kept)
    low.bind(op.result, cut(low, op, low.value(op.source), box))


def cut(low: Lowering, op: Operation, source: Value, box: tensor.Box) -> Value:
    """A box of a memref, by its dimensions as MLIR has them."""
    modes = range(len(box.sizes) - 1, -1, -1)
    steps = [_step(low, op, box.strides[k]) for k in modes if k in box.kept]
    if any(step != 1 for step in steps):
        return _cut_with_gaps(low, source, box, steps)
    offsets = [_number(low, box.offsets[k]) for k in modes]
    sizes = [_number(low, box.sizes[k]) if k in box.kept else 0 for k in modes]
    if any(k in box.kept and box.sizes[k] == 0 for k in modes):
        sizes = [low.b.index(0) if k in box.kept and size == 0 else size for k, size in zip(modes, sizes, strict=True)]
    return view(low, source, offsets, sizes)


def _step(low: Lowering, op: Operation, step: int | Value) -> Number:
    found = _number(low, step)
    number = known_number(found) if isinstance(found, Value) else found
    if isinstance(number, int) and number < 1:
        raise Unsupported(op, f"{op.name}: steps of {number} elements are not supported, positive ones are")
    return number


def _cut_with_gaps(low: Lowering, source: Value, box: tensor.Box, steps: Sequence[Number]) -> Value:
    """A box with steps: what reaches from its first element to its last one, and every so many of that."""
    modes = range(len(box.sizes) - 1, -1, -1)
    kept = [k for k in modes if k in box.kept]
    sizes = [_number(low, box.sizes[k]) for k in kept]
    reach = iter([_reach(low, size, step) for size, step in zip(sizes, steps, strict=True)])
    spans: list[Number] = [next(reach) if k in box.kept else 0 for k in modes]
    part = view(low, source, [_number(low, box.offsets[k]) for k in modes], spans)
    return strided(low, part, list(range(len(kept))), sizes, steps)


def _reach(low: Lowering, size: Number, step: Number) -> Number:
    """How many elements lie from the first of so many to behind the last one; of none, a value that is 0."""
    return low.b.index(0) if size == 0 else low.add(low.mul(low.sub(size, 1), step), 1)


def strided(
    low: Lowering, source: Value, modes: Sequence[int], sizes: Sequence[Number], steps: Sequence[Number]
) -> Value:
    """Elements of modes of a memref with gaps between them."""
    assert isinstance(source.type, MemrefType)
    type_ = source.type
    shape, gaps = (tuple(n if isinstance(n, int) else None for n in numbers) for numbers in (sizes, steps))
    known = [type_.strides[mode] for mode in modes]
    strides = tuple(None if s is None or gap is None else s * gap for s, gap in zip(known, gaps, strict=True))
    open_sizes, open_steps = ([n for n in numbers if not isinstance(n, int)] for numbers in (sizes, steps))
    result = MemrefType(type_.element, shape, strides, type_.space)
    op = shared.Strided(source, open_sizes, open_steps, tuple(modes), shape, gaps, result_types=[result])
    return low.b(op).out


def view(low: Lowering, source: Value, offsets: Sequence[Number], sizes: Sequence[Number]) -> Value:
    """A box of a memref, by its modes as they are here; modes of the size 0 are dropped."""
    assert isinstance(source.type, MemrefType)
    type_ = source.type
    static_offsets = tuple(o if isinstance(o, int) else None for o in offsets)
    static_sizes = tuple(s if isinstance(s, int) else None for s in sizes)
    kept = [k for k, size in enumerate(static_sizes) if size != 0]
    result = MemrefType(
        type_.element,
        tuple(static_sizes[k] for k in kept),
        tuple(type_.strides[k] for k in kept),
        type_.space,
    )
    dynamic = [[n for n in numbers if not isinstance(n, int)] for numbers in (offsets, sizes)]
    return low.b(
        shared.Subview(source, dynamic[0], dynamic[1], static_offsets, static_sizes, result_types=[result])
    ).out


def _reinterpret(low: Lowering, op: Operation) -> None:
    """Packed memory, all modes in one, with other extents: split if it stays packed, else with gaps."""
    assert isinstance(op, memref.ReinterpretCast)
    source, type_ = low.memref(op.source)
    sizes = [_number(low, s) for s in reversed(op.mixed_sizes)]
    steps = [_step(low, op, s) for s in reversed(op.mixed_strides)]
    offset = _number(low, op.mixed_offsets[0])
    packed = type_.is_packed if type_.is_static else type_.order == 1 and type_.strides == (1,)
    if not packed or not type_.order:
        said = "memory is reinterpreted that is packed in row-major order, of known extents or of one dimension"
        raise Unsupported(op, f"memref.reinterpret_cast: {said}; {op.source.type} is not")
    if type_.order > 1:
        flat = MemrefType(type_.element, (math.prod(_known(type_.shape)),), (1,), type_.space)
        source = low.b(shared.Fuse(source, 0, type_.order - 1, result_types=[flat])).out
    low.bind(op.result, _of_row(low, op, source, offset, sizes, steps))


def _of_row(
    low: Lowering, op: Operation, row: Value, offset: Number, sizes: Sequence[Number], steps: Sequence[Number]
) -> Value:
    """Elements of memory of one mode, from an offset on."""
    shape = _known(sizes)
    reach = [low.mul(low.sub(size, 1), step) for size, step in zip(sizes, steps, strict=True)]
    wanted: Number = 1
    for length in reach:
        wanted = low.add(wanted, length)
    if 0 in shape:
        wanted = 0
    whole = low.extent(row, 0)
    if isinstance(wanted, int) and isinstance(offset, int) and isinstance(whole, int) and offset + wanted > whole:
        raise Unsupported(op, f"memref.reinterpret_cast: {offset + wanted} elements of {whole}")
    part = view(low, row, [offset], [low.b.index(0) if wanted == 0 else wanted])
    if len(shape) < len(sizes) or tuple(steps) != packed_strides(shape) or not shape or 0 in shape:
        return strided(low, part, [0] * len(sizes), sizes, steps)
    if len(shape) == 1:
        return part
    assert isinstance(part.type, MemrefType)
    target = MemrefType(part.type.element, shape, packed_strides(shape), part.type.space)
    return low.b(shared.Expand(part, [], 0, shape, result_types=[target])).out


def _known(lengths: Sequence[Number | None]) -> tuple[int, ...]:
    """The lengths that are numbers."""
    return tuple(length for length in lengths if isinstance(length, int))


def _global(low: Lowering, op: Operation) -> None:
    assert isinstance(op, memref.GetGlobal)
    assert isinstance(op.name_, SymbolReference)
    name = op.name_.root
    type_ = memref_type(op, op.result.type)
    symbol = low.globals.symbol(name)
    if symbol is not None:
        address = low.b(statics.GlobalAddress(symbol)).out
        low.bind(op.result, low.b(addresses.FromAddress(address, [], [], result_types=[type_])).out)
        return
    declared = low.globals.of_work_group(name)
    if declared is None:
        said = "with known contents, or of a work-group (space 3),"
        raise Unsupported(op, f"memref.get_global: there is no global @{name} {said} in the module")
    low.bind(op.result, _of_work_group(low, declared, type_))


def _of_work_group(low: Lowering, declared: memref.Global, type_: MemrefType) -> Value:
    """Memory that a work-group has from the beginning of the kernel to its end, one for all uses of the name."""
    found = low.of_work_group.get(declared.sym_name)
    if found is None:
        entry = low.buffers.entry
        local = MemrefType(type_.element, type_.shape, type_.strides, AddressSpace.LOCAL)
        begin = Builder(entry, entry.first, declared.location)
        found = begin(shared.Alloca(integer_of(declared.alignment) or None, result_types=[local])).out
        low.of_work_group[declared.sym_name] = found
    return found


def handlers() -> Mapping[type[Operation], Handler]:
    """The operations that are lowered here."""
    return {
        memref.Load: _load,
        memref.Store: _store,
        memref.Alloc: _allocation,
        memref.Alloca: _allocation,
        memref.Dealloc: _deallocation,
        memref.Dim: lower_dim,
        memref.Cast: _cast,
        memref.Copy: _copy,
        memref.Subview: _subview,
        memref.ReinterpretCast: _reinterpret,
        memref.GetGlobal: _global,
    }
