"""The shape of views in terms of the memory that they come from: extents, strides, first element, span, order."""

from __future__ import annotations

from tilewright.dialects import addresses, memref
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.ir.interfaces import ViewLike, root_of
from tilewright.ir.types import AddressSpace
from tilewright.transforms import emit
from tilewright.transforms.conditions import Conjunction
from tilewright.transforms.emit import Length
from tilewright.transforms.signature import is_made


def parts_of(view: Value) -> list[Value]:
    """Values that give the extents, strides and the place of a view: those of the address that it is made of, if so."""
    op = view.defining_op
    return list(op.operands) if isinstance(op, addresses.FromAddress) else [view]


def extents(build: Builder, view: Value) -> list[Length]:
    """The extents of a view."""
    op = view.defining_op
    if isinstance(op, addresses.FromAddress):
        return op.mixed_layout[0]
    return [emit.extent(build, view, mode) for mode in range(emit.memref_type(view).order)]


def strides(build: Builder, view: Value) -> list[Length]:
    """The strides of a view, in elements."""
    op = view.defining_op
    if isinstance(op, addresses.FromAddress):
        return op.mixed_layout[1]
    known = enumerate(emit.memref_type(view).strides)
    return [build(memref.Stride(view, mode)).out if stride is None else stride for mode, stride in known]


def has_memory(view: Value) -> bool:
    """Whether the memory behind a view surely exists: allocations, local parameters and what launches make are never
    null."""
    root = root_of(view)
    local = emit.memref_type(root).space is AddressSpace.LOCAL
    return local or is_made(root) or isinstance(root.defining_op, memref.Alloca | addresses.FromAddress)


def is_contained(view: Value) -> bool:
    """Whether all elements of a view surely are elements of the memory that it comes from."""
    while isinstance(op := view.defining_op, ViewLike):
        if not op.is_contained:
            return False
        view = op.memref
    return not isinstance(view.defining_op, addresses.FromAddress)


def keeps_order(view: Value) -> bool:
    """Whether larger indices surely lie further on: strides of the program's own making may be anything."""
    while isinstance(op := view.defining_op, ViewLike):
        if not op.keeps_order:
            return False
        view = op.memref
    return not isinstance(view.defining_op, addresses.FromAddress)


def first_element(build: Builder, view: Value) -> Length:
    """How far the first element of a view lies behind that of its root, in elements."""
    total: Length = 0
    while isinstance(op := view.defining_op, ViewLike):
        offsets = op.source_offsets()
        if offsets:
            for offset, stride in zip(offsets, strides(build, op.memref), strict=True):
                total = plus(build, total, times(build, offset, stride))
        view = op.memref
    return total


def span(build: Builder, root: Value) -> Length:
    """Elements from the first to one past the last; 0 if there are none."""
    known = emit.memref_type(root).span
    if known is not None:
        return known
    total: Length = 1
    some = Conjunction(build)
    for extent, stride in zip(extents(build, root), strides(build, root), strict=True):
        total = plus(build, total, times(build, plus(build, extent, -1), stride))
        some.at_most(1, extent)
    number = emit.as_value(build, total)
    return number if some.value is None else emit.select(build, some.value, number, build.index(0))


def plus(build: Builder, x: Length, y: Length) -> Length:
    """Sum."""
    if isinstance(x, int) and isinstance(y, int):
        return x + y
    return emit.add(build, emit.as_value(build, x), emit.as_value(build, y))


def minus(build: Builder, x: Length, y: Length) -> Length:
    """Difference."""
    if x is y:
        return 0
    if isinstance(x, int) and isinstance(y, int):
        return x - y
    return emit.sub(build, emit.as_value(build, x), emit.as_value(build, y))


def times(build: Builder, x: Length, y: Length) -> Length:
    """Product."""
    if isinstance(x, int) and isinstance(y, int):
        return x * y
    return 0 if 0 in (x, y) else emit.mul(build, emit.as_value(build, x), emit.as_value(build, y))
