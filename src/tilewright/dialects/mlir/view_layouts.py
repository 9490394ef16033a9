"""Views of MLIR: strides and offsets that follow from the source, against those that the result's type says; bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import MlirOperation, fail, memref_of
from tilewright.ir.definition import Value
from tilewright.ir.mlir.attributes import StridedLayout
from tilewright.ir.mlir.types import MemrefType
from tilewright.ir.types import Extent

Layout: TypeAlias = tuple[Sequence[Extent], Extent]
"""Strides and offset in elements; None where they are not known."""


def layout_of(type_: MemrefType) -> Layout:
    """What a type says; of a layout that a map gives, nothing."""
    shape = type_.shape or ()
    if isinstance(type_.layout, StridedLayout):
        return type_.layout.strides, type_.layout.offset
    if type_.layout is not None:
        return (None,) * len(shape), None
    strides: list[Extent] = []
    stride: Extent = 1
    for extent in reversed(shape):
        strides.append(stride)
        stride = product(stride, extent)
    return strides[::-1], 0


def product(first: Extent, second: Extent) -> Extent:
    """Of two numbers that are known."""
    return None if first is None or second is None else first * second


def contradict(type_: MemrefType, layout: Layout) -> bool:
    """Whether a type says another layout than a memref has; strides along extents of 1 mean nothing."""
    strides, offset = layout_of(type_)
    wide = [k for k, extent in enumerate(type_.shape or ()) if extent != 1]
    pairs = [(strides[k], layout[0][k]) for k in wide] + [(offset, layout[1])]
    return any(None not in pair and pair[0] != pair[1] for pair in pairs)


def check_view(op: MlirOperation, report: Report, source: Value, layout: Layout) -> None:
    """Report a result that has not the elements of its source, or not the layout of the view, as far as it is known."""
    type_ = memref_of(op.result)
    if type_.element != memref_of(source).element:
        fail(op, report, f"{type_} has other elements than {source.type}")
    elif contradict(type_, layout):
        strides, offset = (["?" if n is None else str(n) for n in numbers] for numbers in (layout[0], [layout[1]]))
        said = f"the result {type_} has not the strides [{', '.join(strides)}] and the offset {offset[0]} of the view"
        fail(op, report, said)


def check_bounds(
    op: MlirOperation,
    report: Report,
    extents: Sequence[Extent],
    offsets: Sequence[Extent],
    sizes: Sequence[Extent],
    steps: Sequence[Extent],
) -> None:
    """Report a box with elements outside of what it is cut from, as far as its numbers are known."""
    for dimension, (extent, offset, size, step) in enumerate(zip(extents, offsets, sizes, steps, strict=True)):
        if extent is None or offset is None or size is None or step is None or size == 0:
            continue
        last = offset + (size - 1) * step
        if offset < 0 or last >= extent:
            said = f"the box reaches from {offset} to {last} in dimension {dimension}, whose extent is {extent}"
            fail(op, report, said)
