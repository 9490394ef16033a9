"""Arguments in the memory of a device: where they lie, whether they fit, and what slots they fill."""

from __future__ import annotations

from functools import partial
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Struct

from tilewright.artifacts.artifact import (
    GroupParameter,
    KernelInfo,
    MemrefParameter,
    Parameter,
    PointerParameter,
    ScalarParameter,
)
from tilewright.machine.cuda.driver import Context, pointer_device
from tilewright.runtime.addresses import MemoryAt
from tilewright.runtime.argument_checks import argument_binder
from tilewright.runtime.arrays import ArrayView, Device, NotAnArray, UnusableArray, data_address, typed_view
from tilewright.runtime.binders import Binder, MemrefLayouts, bind_pointer, check_access, check_null
from tilewright.runtime.dtypes import describe, numpy_dtype
from tilewright.runtime.errors import LaunchError, LaunchTypeError
from tilewright.runtime.groups import PointerArray, Table, open_numbers, table_of
from tilewright.runtime.memref_fit import type_text
from tilewright.runtime.nvidia.tables import AddressWords, HostTable
from tilewright.runtime.scalars import SlotValue


class Bound(Struct, frozen=True):
    """A group that was accepted before, and the values of its slots."""

    table: HostTable
    values: tuple[SlotValue, ...]


def device_binder(context: Context, info: KernelInfo, parameter: Parameter) -> Binder:
    """Checks an argument in a device's memory and turns it into slot values; those of tables follow later."""
    where = f"kernel {info.name}, argument {parameter.name}"
    match parameter:
        case ScalarParameter():
            return argument_binder(info, parameter)
        case MemrefParameter():
            return partial(_bind_memref, _MemrefBinding.of(parameter, where, context))
        case PointerParameter():
            return partial(_bind_pointer, parameter, where, context)
        case GroupParameter():
            binding = _MemrefBinding.of(parameter.memref, where, context)
            return partial(_bind_group, parameter, binding, WeakKeyDictionary())


def _bind_pointer(
    parameter: PointerParameter, where: str, context: Context, argument: object, keep: list[object]
) -> tuple[SlotValue, ...]:
    """Array on the device to the address of its first element; None is a null pointer."""
    if isinstance(argument, AddressWords):
        return _bind_words(parameter, where, context, argument, keep)
    if isinstance(argument, MemoryAt):
        _check_place(context, where, argument.number)
    of_array = partial(_device_array, parameter.dtype, f"ptr<{parameter.dtype}>", context, where)
    return bind_pointer(parameter, where, of_array, argument, keep)


def _bind_words(
    parameter: PointerParameter, where: str, context: Context, argument: AddressWords, keep: list[object]
) -> tuple[SlotValue, ...]:
    """The address in host memory of words that are copied for the launch."""
    for number, address in enumerate(argument.addresses):
        _check_place(context, f"{where}[{number}]", address)
    words = np.ascontiguousarray(argument.words)
    keep.append(HostTable(parameter.name, (words,), argument.owner))
    address = data_address()(words)
    return (address, words.nbytes) if parameter.measured else (address,)


def _device_array(dtype: str, wanted: str, context: Context, where: str, argument: object) -> ArrayView:
    """An argument as an array of the right type on the right device."""
    try:
        array = typed_view(argument)
    except NotAnArray as error:
        raise LaunchTypeError(f"{where}: {error}; an array for {wanted} is wanted") from None
    except UnusableArray as error:
        raise LaunchError(f"{where}: this {type(argument).__name__} cannot be used as it is: {error}") from None
    _check_device(context, where, array)
    if array.dtype != numpy_dtype(dtype):
        raise LaunchTypeError(f"{where}: its dtype is {array.dtype}, {describe(dtype)} is wanted")
    return array


def _check_device(context: Context, where: str, array: ArrayView) -> None:
    _check_kind(context, where, array.device)
    if 0 not in array.shape:
        _check_place(context, where, array.address)


def _check_kind(context: Context, where: str, device: Device) -> None:
    if device.kind != "cuda":
        raise LaunchError(
            f"{where}: the array lies on {device}, this kernel runs on cuda:{context.description.ordinal}; copy it "
            f"there first"
        )


def _check_place(context: Context, where: str, address: int) -> None:
    """`__cuda_array_interface__` and bare addresses do not tell which device it is; the driver knows every address."""
    ordinal, found = context.description.ordinal, pointer_device(address)
    if found is None or found != ordinal:
        place = Device("cuda", found) if found is not None else "no CUDA device"
        raise LaunchError(
            f"{where}: the array lies on {place}, this launch runs on cuda:{ordinal} with its first array; copy it "
            f"there first"
        )


class _MemrefBinding(Struct, frozen=True):
    """A memref parameter, the device it must lie on, its extents and strides, and its type in words."""

    parameter: MemrefParameter
    where: str
    context: Context
    layouts: MemrefLayouts
    wanted: str

    @staticmethod
    def of(parameter: MemrefParameter, where: str, context: Context) -> _MemrefBinding:
        """What binds the arguments of a parameter."""
        return _MemrefBinding(parameter, where, context, MemrefLayouts(parameter, reverse=False), type_text(parameter))

    def typed_view(self, where: str, argument: object) -> ArrayView:
        """An argument as an array of the right type on the right device."""
        return _device_array(self.parameter.dtype, self.wanted, self.context, where, argument)

    def view(self, where: str, argument: object) -> ArrayView:
        """As `typed_view`, of memory that the kernel may access as it does."""
        array = self.typed_view(where, argument)
        check_access(self.parameter, where, array)
        return array


def _bind_memref(binding: _MemrefBinding, argument: object, keep: list[object]) -> tuple[SlotValue, ...]:
    """Array to pointer, extents and strides. None is a null pointer without elements, where there may be one."""
    if argument is None:
        check_null(binding.parameter, binding.where)
        return (0, *binding.layouts.null_sizes())
    array = binding.view(binding.where, argument)
    keep.append(array.owner)
    return (array.address, *binding.layouts.sizes(binding.where, array.shape, array.strides))


def _bind_group(
    parameter: GroupParameter,
    binding: _MemrefBinding,
    accepted: WeakKeyDictionary[PointerArray, Bound],
    argument: object,
    keep: list[object],
) -> tuple[SlotValue, ...]:
    """List of arrays, `ArrayGroup` or `PointerArray` to table, size arrays, size and offset.

    The addresses are those of host memory; what is kept says how that is to come to the device.
    """
    if isinstance(argument, PointerArray) and (known := accepted.get(argument)) is not None:
        keep.append(known.table)
        return known.values
    context, where = binding.context, binding.where
    table = table_of(parameter, binding.layouts, where, binding.typed_view, argument)
    if isinstance(argument, PointerArray):
        _check_device_of_table(context, where, argument, table)
    lasting = isinstance(argument, PointerArray) and argument.is_fixed
    columns = [np.ascontiguousarray(column[: table.size]) for column in (table.pointers, *table.sizes)]
    address_of = data_address()
    values = (*map(address_of, columns), *open_numbers(parameter, table))
    if argument is None:
        values = (0, *values[1:])
    hosted = HostTable(parameter.name, tuple(columns), table.owners, is_lasting=lasting)
    bound = Bound(hosted, values)
    if isinstance(argument, PointerArray) and lasting:
        # another thread may have been first: graphs may refer to the copy of its table
        bound = accepted.setdefault(argument, bound)
    keep.append(bound.table)
    return bound.values


def _check_device_of_table(context: Context, where: str, group: PointerArray, table: Table) -> None:
    """The first address stands for all: asking the driver takes as long as a launch."""
    if group.device is not None:
        _check_kind(context, where, group.device)
    addresses = np.flatnonzero(table.pointers[: table.size])
    if len(addresses):
        _check_place(context, f"{where}[{int(addresses[0])}]", int(table.pointers[addresses[0]]))
