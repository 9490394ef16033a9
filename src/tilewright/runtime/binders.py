"""One function for each parameter of a kernel, made once: it checks an argument and gives the values of its slots.

The layouts that an argument came with before are remembered, so that a loop over arrays of one shape pays for two
look-ups.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from tilewright.artifacts.artifact import GroupParameter, MemrefParameter, PointerParameter
from tilewright.runtime.addresses import FirstElement, MemoryAt, check_memory
from tilewright.runtime.arrays import CPU, AnyArray, ArrayView, NotAnArray, UnusableArray, data_address, view
from tilewright.runtime.dtypes import describe, numpy_dtype
from tilewright.runtime.errors import LaunchError, LaunchTypeError
from tilewright.runtime.memref_fit import bound_strides, layout_problem, type_text
from tilewright.runtime.scalars import SlotValue, is_integer
from tilewright.runtime.strides import is_row_major

Binder: TypeAlias = Callable[[object, list[object]], tuple[SlotValue, ...]]
"""From an argument to slot values; what must outlive the launch is appended to the list."""

_REMEMBERED_LAYOUTS: Final = 256
_UNKNOWN_BYTES: Final = -1


def host_view(parameter: MemrefParameter | PointerParameter, where: str, argument: object) -> ArrayView:
    """An argument as an array of the right type in host memory."""
    try:
        array = view(argument)
    except NotAnArray as error:
        raise LaunchTypeError(f"{where}: {error}; an array for {_wanted(parameter)} is wanted") from None
    except UnusableArray as error:
        raise LaunchError(f"{where}: this {type(argument).__name__} cannot be used as it is: {error}") from None
    if array.device != CPU:
        raise LaunchError(f"{where}: the array lies on {array.device}, this kernel runs on the CPU")
    if array.dtype != numpy_dtype(parameter.dtype):
        raise LaunchTypeError(f"{where}: its dtype is {array.dtype}, {describe(parameter.dtype)} is wanted")
    return array


def _wanted(parameter: MemrefParameter | PointerParameter) -> str:
    return type_text(parameter) if isinstance(parameter, MemrefParameter) else f"ptr<{parameter.dtype}>"


def check_access(parameter: MemrefParameter, where: str, array: ArrayView) -> None:
    """Alignment, and that what is written may be written."""
    if parameter.written and array.readonly:
        raise LaunchError(f"{where}: the array is read-only and the kernel writes to it; pass a writable array")
    if array.address % parameter.alignment and 0 not in array.shape:
        raise LaunchError(
            f"{where}: its address {array.address:#x} is no multiple of {parameter.alignment}, the alignment that "
            f"the kernel was promised"
        )


class MemrefLayouts:
    """Extents and strides of one memref parameter: checked, and reduced to those that the launch passes."""

    def __init__(self, parameter: MemrefParameter, *, reverse: bool) -> None:
        self._parameter = parameter
        self._reverse = reverse
        self._open_extents = [k for k, extent in enumerate(parameter.shape) if extent is None]
        self._open_strides = [k for k, stride in enumerate(parameter.strides) if stride is None]
        self._known: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[int, ...]] = {}

    def sizes(self, where: str, shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...]:
        """The values of the extent and stride slots; `LaunchError` if the layout does not fit."""
        layout = (shape, strides)
        known = self._known.get(layout)
        if known is None:
            known = self._fit(where, shape, strides)
            if len(self._known) >= _REMEMBERED_LAYOUTS:
                self._known.clear()
            self._known[layout] = known
        return known

    def _fit(self, where: str, shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...]:
        if self._parameter.dimensions:
            shape, strides = self._parameter.by_modes(shape), self._parameter.by_modes(strides)
        elif self._reverse:
            shape, strides = shape[::-1], strides[::-1]
        problem = layout_problem(self._parameter, shape, strides)
        if problem is not None:
            raise LaunchError(f"{where}: {problem}")
        actual = bound_strides(self._parameter, shape, strides)
        return (*(shape[k] for k in self._open_extents), *(actual[k] for k in self._open_strides))

    def null_sizes(self) -> tuple[int, ...]:
        """What is passed with a null pointer: no elements."""
        shape = tuple(0 if extent is None else extent for extent in self._parameter.shape)
        actual = bound_strides(self._parameter, shape, (0,) * len(shape))
        return (*(0 for _ in self._open_extents), *(max(actual[k], 1) for k in self._open_strides))


def memref_binder(parameter: MemrefParameter, where: str, *, reverse: bool) -> Binder:
    """Array to pointer, extents and strides. None is a null pointer without elements, where there may be one."""
    layouts = MemrefLayouts(parameter, reverse=reverse)
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[int, ...]] = {}
    dtype = numpy_dtype(parameter.dtype)
    address_of, alignment, written, array_type = data_address(), parameter.alignment, parameter.written, np.ndarray

    def bind_slowly(argument: object, keep: list[object]) -> tuple[SlotValue, ...]:
        if argument is None:
            check_null(parameter, where)
            return (0, *layouts.null_sizes())
        array = host_view(parameter, where, argument)
        keep.append(array.owner)
        sizes = layouts.sizes(where, array.shape, array.strides)
        check_access(parameter, where, array)
        return (array.address, *sizes)

    def bind(argument: object, keep: list[object]) -> tuple[SlotValue, ...]:
        if type(argument) is not array_type:
            return bind_slowly(argument, keep)
        array: AnyArray = argument
        if array.dtype != dtype:
            return bind_slowly(array, keep)
        layout = (array.shape, array.strides)
        sizes = known.get(layout)
        address = address_of(array)
        if sizes is None or address % alignment or (written and not array.flags.writeable):
            values = bind_slowly(array, keep)
            if len(known) >= _REMEMBERED_LAYOUTS:
                known.clear()
            known[layout] = layouts.sizes(where, array.shape, tuple(s // dtype.itemsize for s in array.strides))
            return values
        return (address, *sizes)

    return bind


def check_null(parameter: MemrefParameter | PointerParameter | GroupParameter, where: str) -> None:
    """Whether None may be given. Raises `LaunchError`."""
    if parameter.nullable:
        return
    match parameter:
        case PointerParameter():
            wanted = f"what it points to; pass an array for ptr<{parameter.dtype}>"
        case MemrefParameter():
            wanted = f"the memory without asking whether it is there; pass an array for {type_text(parameter)}"
        case GroupParameter():
            arrays = f"a list of arrays for {type_text(parameter.memref)}"
            wanted = f"the group without asking whether it is there; pass {arrays}"
    raise LaunchError(f"{where}: None is a null pointer, and the kernel accesses {wanted}")


def pointer_binder(parameter: PointerParameter, where: str) -> Binder:
    """Array to the address of its first element, whatever its shape; None is a null pointer."""
    of_array = partial(host_view, parameter, where)

    def bind(argument: object, keep: list[object]) -> tuple[SlotValue, ...]:
        return bind_pointer(parameter, where, of_array, argument, keep)

    return bind


def bind_pointer(
    parameter: PointerParameter,
    where: str,
    of_array: Callable[[object], ArrayView],
    argument: object,
    keep: list[object],
) -> tuple[SlotValue, ...]:
    """An argument of a pointer parameter on any target; `of_array` looks at an array, where the target has its own.

    Where the kernel asks for it, the bytes from the address to the end of the memory follow.
    """

    def slots(address: int, count: int) -> tuple[SlotValue, ...]:
        return (address, count) if parameter.measured else (address,)

    if argument is None:
        check_null(parameter, where)
        return slots(0, 0)
    if isinstance(argument, MemoryAt):
        check_memory(parameter, where, argument)
        return slots(argument.number, argument.nbytes)
    if is_integer(argument):
        raise LaunchTypeError(
            f"{where}: a number is no array; pass tw.address(number, nbytes=..) for memory that is known by its address"
        )
    array = of_array(argument.array if isinstance(argument, FirstElement) else argument)
    if parameter.written and array.readonly:
        raise LaunchError(f"{where}: the array is read-only and the kernel writes to it; pass a writable array")
    problem = None if 0 in array.shape else parameter.problem(array.address)
    if problem is not None:
        raise LaunchError(f"{where}: {problem}")
    if not isinstance(argument, FirstElement) and not is_row_major(array.shape, array.strides):
        raise LaunchError(
            f"{where}: its elements do not lie one behind the other (shape {array.shape}, strides {array.strides} in "
            f"elements), and a pointer tells the kernel nothing of strides; pass a contiguous copy "
            f"(numpy.ascontiguousarray), or tw.address({parameter.name}) if the kernel is given the strides"
        )
    keep.append(array.owner)
    return slots(array.address, _bytes_behind(array))


def _bytes_behind(array: ArrayView) -> int:
    """Bytes from an array's first element to the end of its last one; unknown where some lie in front of the first."""
    if 0 in array.shape:
        return 0
    steps = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True)]
    return _UNKNOWN_BYTES if min(steps, default=0) < 0 else (sum(steps) + 1) * array.dtype.itemsize
