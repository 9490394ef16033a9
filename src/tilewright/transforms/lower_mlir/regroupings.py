"""Lowers expand_shape and collapse_shape: to views, or a copy of tensors whose elements may lie apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod

from tilewright.dialects import arith_integers
from tilewright.dialects import memref as shared
from tilewright.dialects.mlir import regroupings
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.types import TensorType
from tilewright.ir.types import Extent, MemrefType
from tilewright.transforms.lower_mlir.context import Agreement, Handler, Lowering, Number, Unsupported
from tilewright.transforms.lower_mlir.memory import copy, each_element, view
from tilewright.transforms.lower_mlir.tensors import fresh, share

_Expand = regroupings.ExpandTensor | regroupings.ExpandMemref


def _modes(op: regroupings.Regrouping) -> list[tuple[int, ...]]:
    """The groups as modes of the larger shape, which are in reverse; the last modes first."""
    count = sum(map(len, op.groups))
    return [tuple(count - 1 - dimension for dimension in reversed(group)) for group in op.groups]


def _expand(low: Lowering, op: Operation) -> None:
    assert isinstance(op, regroupings.ExpandTensor | regroupings.ExpandMemref)
    memory = low.value(op.src)
    if not op.groups:
        low.bind(op.out, _ones(low, op, memory))
        return
    shape = tuple(reversed(regroupings.extents_of(op.out)))
    sizes = {
        mode: size
        for number, group in enumerate(_modes(op))
        for mode, size in zip(group, _sizes(low, op, memory, len(op.groups) - 1 - number, shape, group), strict=True)
    }
    is_own = isinstance(op, regroupings.ExpandTensor) and share(low, op, op.src)
    found = _split(low, memory, _modes(op), [sizes[mode] for mode in range(len(sizes))])
    if is_own:
        low.buffers.owned.add(found)
    low.bind(op.out, found)


def _sizes(
    low: Lowering, op: _Expand, memory: Value, mode: int, shape: Sequence[Extent], group: Sequence[int]
) -> list[Number]:
    """The extents that a mode is split into, of which one may follow from the others.

    A launch compares what the operation says of that one, where it knows it.
    """
    known = [extent for part in group if (extent := shape[part]) is not None]
    if len(known) < len(group) - 1:
        raise Unsupported(op, f"{op.name}: of the parts of a dimension only one may have an open extent")
    if len(known) == len(group):
        return [*known]
    whole, others = low.extent(memory, mode), prod(known)
    rest = whole if others == 1 else _quotient(low, whole, others)
    if low.certain and op.output_shape:
        said = next(value for value, part in zip(op.output_shape, _open_modes(shape), strict=True) if part in group)
        product = low.index(low.mul(low.value(said), others))
        low.agreements.append(Agreement((memory, mode), (product, None), op.location))
    return [rest if (extent := shape[part]) is None else extent for part in group]


def _open_modes(shape: Sequence[Extent]) -> list[int]:
    """Those of open extents, as MLIR counts them."""
    return [mode for mode in reversed(range(len(shape))) if shape[mode] is None]


def _quotient(low: Lowering, whole: Number, others: int) -> Number:
    """No elements are there to be split where an extent is zero."""
    return low.b(arith_integers.FloorDiv(low.index(whole), low.index(others))).out if others else 0


def _split(low: Lowering, memory: Value, groups: Sequence[tuple[int, ...]], sizes: Sequence[Number]) -> Value:
    """A view whose modes are parts of those of memory, of these extents."""
    for number, group in enumerate(groups):
        if len(group) == 1:
            continue
        mode = len(groups) - 1 - number
        type_ = memory.type
        assert isinstance(type_, MemrefType)
        parts = [sizes[part] for part in group]
        static = tuple(part if isinstance(part, int) else None for part in parts)
        strides: list[Extent] = [type_.strides[mode]]
        for extent in static[:-1]:
            before = strides[-1]
            strides.append(None if before is None or extent is None else before * extent)
        shape = (*type_.shape[:mode], *static, *type_.shape[mode + 1 :])
        steps = (*type_.strides[:mode], *strides, *type_.strides[mode + 1 :])
        result = MemrefType(type_.element, shape, steps, type_.space)
        open_ = [part for part in parts if not isinstance(part, int)]
        memory = low.b(shared.Expand(memory, open_, mode, static, result_types=[result])).out
    return memory


def _ones(low: Lowering, op: regroupings.Regrouping, memory: Value) -> Value:
    """One element in memory of as many modes as there are."""
    if not isinstance(op.out.type, TensorType):
        raise Unsupported(op, f"{op.name}: memory of no dimensions is not expanded")
    found = fresh(low, op, op.out)
    each_element(low, found, lambda at, _: at(shared.Load(memory, [])).out, op)
    return found


def _collapse(low: Lowering, op: Operation) -> None:
    assert isinstance(op, regroupings.CollapseTensor | regroupings.CollapseMemref)
    memory, type_ = low.memref(op.src)
    groups = _modes(op)
    is_tensor = isinstance(op, regroupings.CollapseTensor)
    if all(_lies_together(type_, group) for group in groups):
        is_own = is_tensor and share(low, op, op.src)
        found = _joined(low, memory, groups)
        if is_own:
            low.buffers.owned.add(found)
    elif is_tensor:
        extents = [low.extent(memory, mode) for mode in range(type_.order)]
        found = fresh(low, op, op.out, [_product(low, [extents[mode] for mode in group]) for group in reversed(groups)])
        copy(low, memory, _split(low, found, groups, extents), op)
    else:
        said = f"{op.name}: elements of {op.src.type} may lie apart; those of packed memory of known rows do not"
        raise Unsupported(op, said)
    low.bind(op.out, found)


def _lies_together(type_: MemrefType, group: Sequence[int]) -> bool:
    """Whether a mode begins where the one before ends."""
    for first, second in pairwise(group):
        stride, extent = type_.strides[first], type_.shape[first]
        if stride is None or extent is None or stride * extent != type_.strides[second]:
            return False
    return True


def _joined(low: Lowering, memory: Value, groups: Sequence[tuple[int, ...]]) -> Value:
    type_ = memory.type
    assert isinstance(type_, MemrefType)
    if not groups:
        return view(low, memory, [0] * type_.order, [0] * type_.order)
    for group in groups:
        if len(group) == 1:
            continue
        first, last = group[0], group[-1]
        type_ = memory.type
        assert isinstance(type_, MemrefType)
        known = [extent for extent in type_.shape[first : last + 1] if extent is not None]
        extent = prod(known) if len(known) == len(group) else None
        result = MemrefType(
            type_.element,
            (*type_.shape[:first], extent, *type_.shape[last + 1 :]),
            (*type_.strides[: first + 1], *type_.strides[last + 1 :]),
            type_.space,
        )
        memory = low.b(shared.Fuse(memory, first, last, result_types=[result])).out
    return memory


def _product(low: Lowering, numbers: Sequence[Number]) -> Number:
    found: Number = 1
    for number in numbers:
        found = low.mul(found, number)
    return found


def handlers() -> Mapping[type[Operation], Handler]:
    """The operations that are lowered here."""
    return {
        regroupings.ExpandTensor: _expand,
        regroupings.ExpandMemref: _expand,
        regroupings.CollapseTensor: _collapse,
        regroupings.CollapseMemref: _collapse,
    }
