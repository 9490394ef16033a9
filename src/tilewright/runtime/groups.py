"""Groups: many arrays behind one parameter, as a list of arrays or as a table of addresses that the caller keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeAlias, cast

import numpy as np
from msgspec import Struct

from tilewright.artifacts.artifact import GroupParameter, MemrefParameter
from tilewright.runtime.arrays import CPU, AnyArray, ArrayView, data_address
from tilewright.runtime.binders import Binder, MemrefLayouts, check_access, check_null, host_view
from tilewright.runtime.dtypes import AnyDtype, describe, numpy_dtype
from tilewright.runtime.errors import LaunchError, LaunchTypeError
from tilewright.runtime.group_arguments import ArrayGroup, PointerArray
from tilewright.runtime.memref_fit import bound_strides, layout_problem, shape_problem, stride_problem, type_text
from tilewright.runtime.scalars import SlotValue, is_integer

__all__ = [
    "ArrayGroup",
    "PointerArray",
    "Table",
    "group_binder",
    "open_numbers",
    "table_of",
    "table_of_pointers",
]

_NO_ARRAYS: Final[tuple[type, ...]] = (str, bytes, bytearray, memoryview)
_MOST_ELEMENTS: Final = 1 << 62

Words: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.int64]]"


class Table(Struct, frozen=True):
    """A group as the slots want it: addresses, then an array for each open size, all as long as the group.

    `owners` keep the memory behind the addresses alive.
    """

    pointers: AnyArray
    sizes: tuple[AnyArray, ...]
    size: int
    offset: int
    owners: tuple[object, ...]


def group_binder(parameter: GroupParameter, where: str, *, reverse: bool) -> Binder:
    """List of arrays, `ArrayGroup` or `PointerArray` to table, size arrays, size and offset. None is a null table."""
    layouts = MemrefLayouts(parameter.memref, reverse=reverse)
    of_array = partial(host_view, parameter.memref)
    address_of = data_address()

    def bind(argument: object, keep: list[object]) -> tuple[SlotValue, ...]:
        table = table_of(parameter, layouts, where, of_array, argument)
        if isinstance(argument, PointerArray) and argument.device not in (None, CPU):
            raise LaunchError(f"{where}: the arrays lie on {argument.device}, this kernel runs on the CPU")
        keep.append(table)
        values: list[SlotValue] = [0 if argument is None else address_of(table.pointers)]
        values += [address_of(sizes) for sizes in table.sizes]
        return (*values, *open_numbers(parameter, table))

    return bind


def open_numbers(parameter: GroupParameter, table: Table) -> tuple[int, ...]:
    """Size and offset, as far as the launch supplies them."""
    given = (parameter.size, table.size), (parameter.offset, table.offset)
    return tuple(actual for declared, actual in given if declared is None)


def table_of(
    parameter: GroupParameter,
    layouts: MemrefLayouts,
    where: str,
    of_array: Callable[[str, object], ArrayView],
    argument: object,
) -> Table:
    """An argument of a group on any target as a table in host memory; `of_array` looks at an array, where it lies.

    Raises `LaunchError`.
    """
    if argument is None:
        check_null(parameter, where)
        table = _null_table(parameter, layouts)
    elif isinstance(argument, PointerArray):
        table = table_of_pointers(parameter, where, argument)
    elif isinstance(argument, ArrayGroup):
        table = _table_of_arrays(parameter, layouts, where, of_array, argument)
    elif isinstance(argument, list | tuple):
        arrays = cast("Sequence[object]", argument)
        table = _table_of_arrays(parameter, layouts, where, of_array, ArrayGroup(arrays))
    else:
        raise LaunchTypeError(
            f"{where}: a group is wanted: a list of arrays for {type_text(parameter.memref)}, an ArrayGroup or a "
            f"PointerArray, not {type(argument).__name__}"
        )
    _check_size_and_offset(parameter, where, table)
    return table


def _check_size_and_offset(parameter: GroupParameter, where: str, table: Table) -> None:
    if parameter.size is not None and table.size < parameter.size:
        raise LaunchError(f"{where}: the group has {table.size} arrays, at least {parameter.size} are wanted")
    if parameter.offset is not None and table.offset not in (0, parameter.offset):
        raise LaunchError(f"{where}: the offset is {table.offset}, the kernel was compiled for {parameter.offset}")


def _members(group: ArrayGroup, where: str) -> Sequence[object]:
    """The arrays of a group. Raises `LaunchTypeError` if they are no sequence, or one of something else."""
    if not _is_list(group.arrays):
        raise LaunchTypeError(f"{where}: the arrays of a group are a list, not {type(group.arrays).__name__}")
    return group.arrays


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, _NO_ARRAYS)


def _table_of_arrays(
    parameter: GroupParameter,
    layouts: MemrefLayouts,
    where: str,
    of_array: Callable[[str, object], ArrayView],
    group: ArrayGroup,
) -> Table:
    memref = parameter.memref
    pointers: list[int] = []
    rows: list[tuple[int, ...]] = []
    owners: list[object] = []
    for index, argument in enumerate(_members(group, where)):
        place = f"{where}[{index}]"
        if argument is None:
            check_null(memref, place)
            pointers.append(0)
            rows.append(layouts.null_sizes())
            continue
        array = of_array(place, argument)
        rows.append(layouts.sizes(place, array.shape, array.strides))
        check_access(memref, place, array)
        pointers.append(array.address)
        owners.append(array.owner)
    offset = _number(where, "offset", group.offset)
    _check_offset_alignment(parameter, where, offset)
    return Table(np.array(pointers, np.uint64), _columns(rows, layouts), len(pointers), offset, tuple(owners))


def _null_table(parameter: GroupParameter, layouts: MemrefLayouts) -> Table:
    """What is passed with a null table: as many arrays without elements as the type says."""
    size = parameter.size or 0
    return Table(np.zeros(size, np.uint64), _columns([layouts.null_sizes()] * size, layouts), size, 0, ())


def _columns(rows: list[tuple[int, ...]], layouts: MemrefLayouts) -> tuple[Words, ...]:
    """One array for each open size."""
    columns = np.array(rows, np.int64).reshape(len(rows), len(layouts.null_sizes()))
    return tuple(np.ascontiguousarray(columns[:, k]) for k in range(columns.shape[1]))


def _check_offset_alignment(parameter: GroupParameter, where: str, offset: int) -> None:
    memref = parameter.memref
    actual = offset if parameter.offset is None else parameter.offset
    if actual * numpy_dtype(memref.dtype).itemsize % memref.alignment:
        raise LaunchError(
            f"{where}: an offset of {actual} elements breaks the alignment of {memref.alignment} bytes that the kernel "
            f"was promised"
        )


def _number(where: str, what: str, value: object) -> int:
    if not is_integer(value):
        raise LaunchTypeError(f"{where}: the {what} is an integer, not {type(value).__name__}")
    number = int(cast("int", value))
    if not -_MOST_ELEMENTS < number < _MOST_ELEMENTS:
        raise LaunchError(f"{where}: the {what} is beyond the range of index")
    return number


def table_of_pointers(parameter: GroupParameter, where: str, group: PointerArray) -> Table:
    """The caller's own table, checked as far as it can be, with the sizes that it leaves to `layout`."""
    memref = parameter.memref
    _check_words(where, "the array of pointers", group.pointers)
    size = len(group.pointers) if group.size is None else _number(where, "size", group.size)
    if size < 0:
        raise LaunchError(f"{where}: the group's size is {size}, it cannot be negative")
    offset = _number(where, "offset", group.offset)
    _check_dtype(parameter, where, group)
    _check_pointers(parameter, where, group, size, offset)
    for given in (group.extents, group.strides):
        if not _is_list(given):
            raise LaunchTypeError(f"{where}: extents and strides are lists of arrays, not {type(given).__name__}")
    known = _sizes_of_layout(memref, where, group)
    if known is None or len(group.extents) or len(group.strides):
        sizes = _given_sizes(parameter, where, group, size)
    else:
        sizes = tuple(np.full(size, number, np.int64) for number in known)
    return Table(group.pointers, sizes, size, offset, (group.owner,))


def _given_sizes(parameter: GroupParameter, where: str, group: PointerArray, size: int) -> tuple[AnyArray, ...]:
    """The caller's extents and strides of every array, checked."""
    memref = parameter.memref
    open_extents, open_strides = memref.shape.count(None), memref.strides.count(None)
    for kind, wanted, given in (("extents", open_extents, group.extents), ("strides", open_strides, group.strides)):
        if len(given) != wanted:
            raise LaunchError(
                f"{where}: {type_text(memref)} leaves {wanted} {kind} open, one array is wanted for each, "
                f"{len(given)} were given"
            )
    sizes = (*group.extents, *group.strides)
    for sizes_of_mode in sizes:
        _check_words(where, "an array of extents or strides", sizes_of_mode)
        _check_length(where, "an array of extents or strides", sizes_of_mode, size)
    return (*group.extents, *_bound_strides(parameter, where, sizes, size))


def _sizes_of_layout(memref: MemrefParameter, where: str, group: PointerArray) -> tuple[int, ...] | None:
    """What the layout gives for the memref's open extents and strides; None if the caller says nothing of it."""
    if group.layout is None:
        return None
    shape, strides = group.layout
    turned = shape[::-1], strides[::-1]
    ways = (False, True) if group.transposed is None else (group.transposed,)
    layouts = [turned if way else group.layout for way in ways]
    fitting = [layout for layout in layouts if layout_problem(memref, *layout) is None]
    if not fitting:
        raise LaunchError(f"{where}[0]: {layout_problem(memref, *layouts[0])}")
    checks = MemrefLayouts(memref, reverse=False)
    found = {checks.sizes(where, *layout) for layout in fitting}
    if len(found) > 1:
        raise LaunchError(
            f"{where}: arrays of shape {shape} fit {type_text(memref)} as they are and turned around; say which is "
            f"meant with PointerArray.of(.., transposed=True) or False"
        )
    return found.pop()


def _check_dtype(parameter: GroupParameter, where: str, group: PointerArray) -> None:
    memref = parameter.memref
    dtype = _dtype_of(where, group.dtype)
    if dtype != numpy_dtype(memref.dtype):
        raise LaunchTypeError(f"{where}: its dtype is {dtype}, {describe(memref.dtype)} is wanted")
    if group.readonly and memref.written:
        raise LaunchError(f"{where}: the group is read-only and the kernel writes to it")


def _check_pointers(parameter: GroupParameter, where: str, group: PointerArray, size: int, offset: int) -> None:
    memref = parameter.memref
    _check_length(where, "the array of pointers", group.pointers, size)
    addresses = cast("Words", group.pointers)[:size]
    misaligned = [int(index) for index in np.flatnonzero(addresses % memref.alignment)]
    if misaligned:
        raise LaunchError(
            f"{where}: pointer {misaligned[0]} is no multiple of {memref.alignment}, the alignment that the kernel was "
            f"promised"
        )
    is_empty = group.layout is not None and 0 in group.layout[0]
    if not memref.nullable and not is_empty and not addresses.all():
        check_null(memref, f"{where}[{int(np.flatnonzero(addresses == 0)[0])}]")
    _check_offset_alignment(parameter, where, offset)


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
    except (TypeError, ValueError):
        raise LaunchTypeError(f"{where}: {given!r} is no element type") from None


def _check_words(where: str, what: str, words: AnyArray) -> None:
    kind: object = type(words)
    if kind is not np.ndarray or words.dtype not in (np.dtype(np.int64), np.dtype(np.uint64)):
        raise LaunchTypeError(f"{where}: {what} must be a NumPy array of int64 or uint64")
    if words.ndim != 1 or not words.flags.c_contiguous:
        raise LaunchError(f"{where}: {what} must have one mode and be contiguous")


def _check_length(where: str, what: str, words: AnyArray, size: int) -> None:
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
    # A group has few layouts, if many arrays: each is checked once, in the order in which they first occur.
    rows = np.stack([column[:size] for column in sizes], axis=1)
    distinct, first, layout_of = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    changed = False
    layouts = np.empty((len(distinct), len(given)), np.int64)
    for number in np.argsort(first).tolist():
        index = int(first[number])
        entries = iter(cast("list[int]", distinct[number].tolist()))
        shape = tuple(next(entries) if extent is None else extent for extent in memref.shape)
        strides = tuple(next(entries) if stride is None else stride for stride in memref.strides)
        if any(extent < 0 for extent in shape):
            raise LaunchError(f"{where}[{index}]: negative extent in {shape}")
        problem = shape_problem(memref, shape) or stride_problem(memref, shape, strides)
        if problem is not None:
            raise LaunchError(f"{where}[{index}]: {problem} for {type_text(memref)}")
        actual = bound_strides(memref, shape, strides)
        changed = changed or actual != strides
        layouts[number] = [s for s, declared in zip(actual, memref.strides, strict=True) if declared is None]
    if not changed:
        return given
    # its shape differs between versions of NumPy
    of_array = layout_of.reshape(-1)
    return tuple(np.ascontiguousarray(layouts[of_array, mode]) for mode in range(len(given)))
