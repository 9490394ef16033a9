"""Explicit arguments for pointers: memory known by its address, and arrays whose strides the kernel is told.

A kernel that is given a pointer sees an address and nothing else. So a launch takes arrays whose elements lie one
behind the other, as kernels expect them; whoever passes anything else says so with `tw.address`.
"""

from __future__ import annotations

from typing import Final, SupportsIndex, TypeAlias, cast, overload

from msgspec import Struct

from tilewright.artifacts.parameters import DTYPE_BYTES, PointerParameter
from tilewright.runtime.arrays import LEAST_ADDRESS
from tilewright.runtime.dtypes import describe
from tilewright.runtime.errors import LaunchError, LaunchTypeError
from tilewright.runtime.scalars import is_integer

_END: Final = 1 << 64


class MemoryAt(Struct, frozen=True, eq=False):
    """`nbytes` bytes from an address on, which the caller keeps alive while launches use them.

    `owner` is the array that they are of, or several objects, if there is one: launches go to its framework's stream.
    """

    number: int
    nbytes: int
    readonly: bool = False
    owner: object = None


class FirstElement(Struct, frozen=True, eq=False):
    """The address of the first element of an array of any strides."""

    array: object


Address: TypeAlias = MemoryAt | FirstElement


@overload
def address(memory: SupportsIndex, *, nbytes: SupportsIndex, readonly: bool = False) -> MemoryAt: ...
@overload
def address(memory: object) -> FirstElement: ...
def address(memory: object, *, nbytes: SupportsIndex | None = None, readonly: bool = False) -> Address:
    """An argument for a pointer parameter (those of CUDA Tile IR) that is not an array packed row by row.

    `address(array)` passes the address of the first element of any array, whatever its strides are, for kernels that
    are given the strides as well. `address(number, nbytes=..)` passes memory that the caller knows by its address (of
    the device that the kernel runs on): `nbytes` bytes from there on, which the kernel may write unless `readonly`. The
    caller keeps that memory alive; nothing of it can be checked but that it is not null, ends inside the address space,
    is aligned for the parameter's elements and holds at least one of them.

    Raises `LaunchTypeError` for a number without `nbytes` or an array with, `LaunchError` for memory that cannot be.
    """
    if not is_integer(memory):
        if nbytes is not None or readonly:
            raise LaunchTypeError(f"tw.address: nbytes and readonly are for numbers, not for {type(memory).__name__}")
        return FirstElement(memory)
    if not (is_integer(nbytes) and nbytes is not None):
        raise LaunchTypeError(
            f"tw.address takes an array, or an integer with nbytes, the number of bytes there; "
            f"{type(memory).__name__} was given with nbytes of {type(nbytes).__name__}"
        )
    number, size = int(cast("int", memory)), int(nbytes)
    if not LEAST_ADDRESS <= number < _END:
        raise LaunchError(f"tw.address: {number:#x} is null, or no address of 64 bits")
    if not 0 < size <= _END - number:
        raise LaunchError(f"tw.address: {size:#x} bytes at {number:#x} are none, or end outside of the address space")
    return MemoryAt(number, size, readonly)


def check_memory(parameter: PointerParameter, where: str, memory: MemoryAt) -> None:
    """Whether the parameter's elements can lie there, and may be written if they are. Raises `LaunchError`."""
    size, problem = DTYPE_BYTES[parameter.dtype], parameter.problem(memory.number)
    if problem is not None:
        raise LaunchError(f"{where}: {problem}")
    if memory.nbytes < size:
        raise LaunchError(
            f"{where}: its {memory.nbytes} bytes are less than one element of {describe(parameter.dtype)}"
        )
    if parameter.written and memory.readonly:
        raise LaunchError(f"{where}: the memory is read-only and the kernel writes to it")
