"""One function for each parameter of a kernel, made once: it checks an argument and gives the values of its slots.

The layouts that an argument came with before are remembered, so that a loop over arrays of one shape pays for two
look-ups.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from tilewright.runtime.arrays import CPU, AnyArray, ArrayView, NotAnArray, UnusableArray, data_address, view
from tilewright.runtime.dtypes import describe, numpy_dtype
from tilewright.runtime.errors import LaunchError, LaunchTypeError
from tilewright.runtime.memref_fit import bound_strides, layout_problem, type_text
from tilewright.runtime.scalars import SlotValue
from tilewright.targets.artifact import MemrefParameter, PointerParameter

Binder: TypeAlias = Callable[[object, list[object]], tuple[SlotValue, ...]]
"""From an argument to slot values; what must outlive the launch is appended to the list."""

_REMEMBERED_LAYOUTS: Final = 256


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
        if self._reverse:
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
    """Array to pointer, extents and strides. None is a null pointer without elements."""
    layouts = MemrefLayouts(parameter, reverse=reverse)
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[int, ...]] = {}
    dtype = numpy_dtype(parameter.dtype)
    address_of, alignment, written, array_type = data_address(), parameter.alignment, parameter.written, np.ndarray

    def bind_slowly(argument: object) -> tuple[SlotValue, ...]:
        if argument is None:
            return (0, *layouts.null_sizes())
        array = host_view(parameter, where, argument)
        sizes = layouts.sizes(where, array.shape, array.strides)
        check_access(parameter, where, array)
        return (array.address, *sizes)

    def bind(argument: object, keep: list[object]) -> tuple[SlotValue, ...]:
        if type(argument) is not array_type:
            return bind_slowly(argument)
        array: AnyArray = argument
        if array.dtype != dtype:
            return bind_slowly(array)
        layout = (array.shape, array.strides)
        sizes = known.get(layout)
        address = address_of(array)
        if sizes is None or address % alignment or (written and not array.flags.writeable):
            values = bind_slowly(array)
            if len(known) >= _REMEMBERED_LAYOUTS:
                known.clear()
            known[layout] = layouts.sizes(where, array.shape, tuple(s // dtype.itemsize for s in array.strides))
            return values
        return (address, *sizes)

    return bind


def checked_address(where: str, number: int) -> int:
    """An address given as a number; `LaunchError` if it is none."""
    if not 0 <= number < 1 << 64:
        raise LaunchError(f"{where}: an address has 64 bits and no sign, an array or None is wanted otherwise")
    return number


def pointer_binder(parameter: PointerParameter, where: str) -> Binder:
    """Array to the address of its first element, whatever its shape; an integer is an address, None a null pointer."""

    def bind(argument: object, keep: list[object]) -> tuple[SlotValue, ...]:
        if argument is None:
            return (0,)
        if type(argument) is int:
            return (checked_address(where, argument),)
        array = host_view(parameter, where, argument)
        if parameter.written and array.readonly:
            raise LaunchError(f"{where}: the array is read-only and the kernel writes to it; pass a writable array")
        return (array.address,)

    return bind
