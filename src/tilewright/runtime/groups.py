"""Groups: many arrays behind one parameter, as a list of arrays or as a table of addresses that the caller keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np

from tilewright.runtime.arrays import AnyArray, ArrayView, data_address
from tilewright.runtime.binders import Binder, MemrefLayouts, check_access, host_view
from tilewright.runtime.dtypes import AnyDtype, describe, numpy_dtype
from tilewright.runtime.errors import LaunchError, LaunchTypeError
from tilewright.runtime.memref_fit import Sizes, bound_strides, layout_problem, shape_problem, stride_problem, type_text
from tilewright.runtime.scalars import SlotValue
from tilewright.targets.artifact import GroupParameter

Words: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.int64]]"


@dataclass(frozen=True, slots=True)
class ArrayGroup:
    """Arrays of a group with an offset in elements that the kernel adds to each address; None is a null pointer."""

    arrays: Sequence[object]
    offset: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class PointerArray:
    """A group whose addresses the caller has at hand, on the host.

    `pointers` is a contiguous one-dimensional array of 64-bit addresses. `extents` and `strides` hold one array of
    64-bit integers for each `?` of the memref's shape and strides, in order, at least as long as the group. `size`
    defaults to the number of pointers. Nothing can be checked of the memory behind the addresses but what the caller
    says of it: its type, `dtype`, and the extents and strides (in elements) that all arrays have, `layout`.
    """

    pointers: AnyArray
    dtype: object
    extents: Sequence[AnyArray] = ()
    strides: Sequence[AnyArray] = ()
    size: int | None = None
    offset: int = 0
    readonly: bool = False
    layout: tuple[Sizes, Sizes] | None = None

    @staticmethod
    def of(batch: AnyArray) -> PointerArray:
        """The addresses of `batch[0]`, `batch[1]`, ..; the array must outlive the launches that use them.

        These must be of the memref's extents and strides, or their transposes must: row-major arrays are taken for
        column-major ones with the modes turned around. Raises `LaunchTypeError` for what is no NumPy array of arrays.
        """
        if not _has_modes(batch):
            raise LaunchTypeError(f"PointerArray.of takes a NumPy array of arrays, not {type(batch).__name__}")
        first, step = int(batch.ctypes.data), batch.strides[0]
        pointers = first + step * np.arange(len(batch), dtype=np.int64)
        layout = batch.shape[1:], tuple(stride // batch.itemsize for stride in batch.strides[1:])
        return PointerArray(pointers, batch.dtype, readonly=not batch.flags.writeable, layout=layout)


def _has_modes(value: object) -> bool:
    return isinstance(value, np.ndarray) and cast("AnyArray", value).ndim > 0


@dataclass(frozen=True, slots=True)
class _Table:
    """A group as the slots want it: addresses, then an array for each open size, all as long as the group."""

    pointers: AnyArray
    sizes: tuple[AnyArray, ...]
    size: int
    offset: int


def group_binder(parameter: GroupParameter, where: str, *, reverse: bool) -> Binder:
    """List of arrays, `ArrayGroup` or `PointerArray` to table, size arrays, size and offset. None is a null table."""
    layouts = MemrefLayouts(parameter.memref, reverse=reverse)
    address_of = data_address()

    def bind(argument: object, keep: list[object]) -> tuple[SlotValue, ...]:
        if argument is None:
            table = _table_of_arrays(parameter, layouts, where, ArrayGroup([None] * (parameter.size or 0)))
        elif isinstance(argument, PointerArray):
            table = _table_of_pointers(parameter, where, argument)
        elif isinstance(argument, ArrayGroup):
            table = _table_of_arrays(parameter, layouts, where, argument)
        elif isinstance(argument, list | tuple):
            arrays = cast("Sequence[object]", argument)
            table = _table_of_arrays(parameter, layouts, where, ArrayGroup(arrays))
        else:
            raise LaunchTypeError(
                f"{where}: a group is wanted: a list of arrays for {type_text(parameter.memref)}, an ArrayGroup or a "
                f"PointerArray, not {type(argument).__name__}"
            )
        _check_size_and_offset(parameter, where, table)
        keep.append(table)
        values: list[SlotValue] = [0 if argument is None else address_of(table.pointers)]
        values += [address_of(sizes) for sizes in table.sizes]
        values += [table.size] if parameter.size is None else []
        values += [table.offset] if parameter.offset is None else []
        return tuple(values)

    return bind


def _check_size_and_offset(parameter: GroupParameter, where: str, table: _Table) -> None:
    if table.size < 0:
        raise LaunchError(f"{where}: the group's size is {table.size}, it cannot be negative")
    if parameter.size is not None and table.size < parameter.size:
        raise LaunchError(f"{where}: the group has {table.size} arrays, at least {parameter.size} are wanted")
    if parameter.offset is not None and table.offset not in (0, parameter.offset):
        raise LaunchError(f"{where}: the offset is {table.offset}, the kernel was compiled for {parameter.offset}")


def _table_of_arrays(parameter: GroupParameter, layouts: MemrefLayouts, where: str, group: ArrayGroup) -> _Table:
    memref = parameter.memref
    pointers: list[int] = []
    rows: list[tuple[int, ...]] = []
    for index, argument in enumerate(group.arrays):
        if argument is None:
            pointers.append(0)
            rows.append(layouts.null_sizes())
            continue
        place = f"{where}[{index}]"
        array: ArrayView = host_view(memref, place, argument)
        rows.append(layouts.sizes(place, array.shape, array.strides))
        check_access(memref, place, array)
        pointers.append(array.address)
    _check_offset_alignment(parameter, where, group.offset)
    columns = np.array(rows, np.int64).reshape(len(rows), len(layouts.null_sizes()))
    sizes = tuple(np.ascontiguousarray(columns[:, k]) for k in range(columns.shape[1]))
    return _Table(np.array(pointers, np.uint64), sizes or _no_columns(layouts), len(pointers), group.offset)


def _no_columns(layouts: MemrefLayouts) -> tuple[Words, ...]:
    return tuple(np.zeros(1, np.int64) for _ in layouts.null_sizes())


def _check_offset_alignment(parameter: GroupParameter, where: str, offset: int) -> None:
    memref = parameter.memref
    actual = offset if parameter.offset is None else parameter.offset
    if actual * numpy_dtype(memref.dtype).itemsize % memref.alignment:
        raise LaunchError(
            f"{where}: an offset of {actual} elements breaks the alignment of {memref.alignment} bytes that the kernel "
            f"was promised"
        )


def _table_of_pointers(parameter: GroupParameter, where: str, group: PointerArray) -> _Table:
    memref = parameter.memref
    size = len(group.pointers) if group.size is None else group.size
    _check_pointers(parameter, where, group, size)
    open_extents = [k for k, extent in enumerate(memref.shape) if extent is None]
    open_strides = [k for k, stride in enumerate(memref.strides) if stride is None]
    for kind, wanted, given in (("extents", open_extents, group.extents), ("strides", open_strides, group.strides)):
        if len(given) != len(wanted):
            raise LaunchError(
                f"{where}: {type_text(memref)} leaves {len(wanted)} {kind} open, one array is wanted for each, "
                f"{len(given)} were given"
            )
    sizes = (*group.extents, *group.strides)
    for sizes_of_mode in sizes:
        _check_words(where, "an array of extents or strides", sizes_of_mode, size)
    strides = _bound_strides(parameter, where, sizes, size)
    return _Table(group.pointers, (*group.extents, *strides), size, group.offset)


def _check_pointers(parameter: GroupParameter, where: str, group: PointerArray, size: int) -> None:
    memref = parameter.memref
    dtype = _dtype_of(where, group.dtype)
    if dtype != numpy_dtype(memref.dtype):
        raise LaunchTypeError(f"{where}: its dtype is {dtype}, {describe(memref.dtype)} is wanted")
    if group.readonly and memref.written:
        raise LaunchError(f"{where}: the group is read-only and the kernel writes to it")
    if group.layout is not None:
        shape, strides = group.layout
        problem = layout_problem(memref, shape, strides)
        if problem is not None and layout_problem(memref, shape[::-1], strides[::-1]) is not None:
            raise LaunchError(f"{where}[0]: {problem}")
    _check_words(where, "the array of pointers", group.pointers, size)
    addresses = cast("Words", group.pointers)[:size]
    misaligned = [int(index) for index in np.flatnonzero(addresses % memref.alignment)]
    if misaligned:
        raise LaunchError(
            f"{where}: pointer {misaligned[0]} is no multiple of {memref.alignment}, the alignment that the kernel was "
            f"promised"
        )
    _check_offset_alignment(parameter, where, group.offset)


def _dtype_of(where: str, given: object) -> AnyDtype:
    if isinstance(given, str) and given in (
        "bf16",
        "f16",
        "f32",
        "f64",
        "c32",
        "c64",
        "i8",
        "i16",
        "i32",
        "i64",
        "index",
    ):
        return numpy_dtype(given)
    try:
        return np.dtype(cast("AnyDtype", given))
    except TypeError:
        raise LaunchTypeError(f"{where}: {given!r} is no element type") from None


def _check_words(where: str, what: str, words: AnyArray, size: int) -> None:
    kind: object = type(words)
    if kind is not np.ndarray or words.dtype not in (np.dtype(np.int64), np.dtype(np.uint64)):
        raise LaunchTypeError(f"{where}: {what} must be a NumPy array of int64 or uint64")
    if words.ndim != 1 or not words.flags.c_contiguous:
        raise LaunchError(f"{where}: {what} must have one mode and be contiguous")
    if len(words) < size:
        raise LaunchError(f"{where}: {what} has {len(words)} entries, the group has {size}")


def _bound_strides(
    parameter: GroupParameter, where: str, sizes: tuple[AnyArray, ...], size: int
) -> tuple[AnyArray, ...]:
    """The open strides of every layout, each of which is checked: the caller's own arrays unless one must change."""
    memref = parameter.memref
    known = memref.shape.count(None)
    given = sizes[known:]
    if not sizes:
        return given
    changed = False
    rows: list[list[int]] = []
    for index, row in enumerate(np.stack([column[:size] for column in sizes], axis=1).tolist()):
        entries = iter(cast("list[int]", row))
        shape = tuple(next(entries) if extent is None else extent for extent in memref.shape)
        strides = tuple(next(entries) if stride is None else stride for stride in memref.strides)
        if any(extent < 0 for extent in shape):
            raise LaunchError(f"{where}[{index}]: negative extent in {shape}")
        problem = shape_problem(memref, shape) or stride_problem(memref, shape, strides)
        if problem is not None:
            raise LaunchError(f"{where}[{index}]: {problem} for {type_text(memref)}")
        actual = bound_strides(memref, shape, strides)
        changed = changed or actual != strides
        rows.append([stride for stride, declared in zip(actual, memref.strides, strict=True) if declared is None])
    if not changed:
        return given
    return tuple(np.array(column, np.int64) for column in zip(*rows, strict=True))
