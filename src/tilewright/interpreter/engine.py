"""Running kernels in NumPy: exact, slow, the meaning of every operation on every floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.dialects.builtin import Kernel
from tilewright.dialects.semantics import dtype_of
from tilewright.interpreter import addresses, collectives, combining, host, scalars, tiles, views
from tilewright.interpreter.errors import KernelError
from tilewright.interpreter.memory import GroupValue, View, buffer_around, buffer_of
from tilewright.interpreter.state import Handler, RuntimeValue, WorkGroup
from tilewright.ir.core import BlockArgument, Operation
from tilewright.ir.types import AddressSpace, GroupType, MemrefType, PointerType, ScalarType
from tilewright.runtime.strides import conforming_strides
from tilewright.targets.signature import divisors

Array = NDArray[Any]
FUEL = 50_000_000


@cache
def all_handlers() -> Mapping[type[Operation], Handler]:
    """Every operation that the interpreter runs."""
    return {
        **scalars.handlers(),
        **views.handlers(),
        **collectives.handlers(),
        **tiles.handlers(),
        **addresses.handlers(),
        **combining.handlers(),
        **host.handlers(),
    }


class Group:
    """A group argument: arrays (None for null pointers) and an offset in elements that is added to each."""

    def __init__(self, arrays: Sequence[Array | None], offset: int = 0) -> None:
        self.arrays = arrays
        self.offset = offset


Argument = Array | np.generic | bool | int | float | complex | Group | None


def interpret(
    kernel: Kernel,
    arguments: Sequence[Argument],
    grid: tuple[int, int, int] = (1, 1, 1),
    *,
    checked: bool = False,
    fuel: int = FUEL,
) -> None:
    """Run a kernel on every work-group of a grid, one after another; arrays that it writes change in place.

    `arguments` has one entry a parameter (None for local memrefs and null pointers). The kernel's subgroup and
    work-group sizes must be known. `checked` also finds races and reads of local memory that nothing wrote. Raises
    `KernelError` with a located diagnostic.
    """
    assert kernel.subgroup_size is not None
    assert kernel.work_group_size is not None
    symbols = host.globals_of(kernel)
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                w = WorkGroup(
                    kernel,
                    all_handlers(),
                    kernel.subgroup_size,
                    kernel.work_group_size,
                    (x, y, z),
                    grid,
                    checked,
                    fuel,
                )
                w.symbols = symbols
                w.spaces += [space for _, space in symbols.values()]
                for parameter, argument in zip(kernel.parameters, arguments, strict=True):
                    if isinstance(parameter.type, PointerType):
                        w.values[parameter] = _pointer(w, parameter, argument)
                    else:
                        w.values[parameter] = runtime_value(kernel, parameter, argument)
                w.run(kernel.body.entry)
                if w.failures:
                    raise KernelError(w.failures)


def runtime_value(kernel: Kernel, parameter: BlockArgument, argument: Argument) -> RuntimeValue:
    """An argument as the interpreter handles it."""
    type_, name = parameter.type, f"%{parameter.name or parameter.index}"
    if isinstance(type_, ScalarType):
        return np.asarray(argument).astype(dtype_of(type_))
    multiples = divisors(kernel.attributes_of(parameter).get("stride_gcd"))
    if isinstance(type_, MemrefType):
        if type_.space is AddressSpace.LOCAL:
            return views.local_view(type_, name)
        return _view(argument, name, type_, multiples)
    assert isinstance(type_, GroupType)
    return _group(argument, name, type_, multiples)


def _group(argument: Argument, name: str, type_: GroupType, multiples: tuple[int, ...]) -> GroupValue:
    """As many elements as the type says, each displaced by its offset or the argument's."""
    group = argument if isinstance(argument, Group) else Group([None] * (type_.size or 0))
    offset = group.offset if type_.offset is None else type_.offset
    views = [
        _displaced(_view(array, f"{name}[{i}]", type_.memref, multiples), array, offset)
        for i, array in enumerate(group.arrays[: type_.size])
    ]
    return GroupValue(name, tuple(views), not isinstance(argument, Group))


def _displaced(view: View, array: Array | None, offset: int) -> View:
    """A view further on in the memory around an array; a null one stays null."""
    if view.buffer is None or array is None or not offset:
        return view
    buffer, first = buffer_around(array, view.buffer.name)
    return replace(view, buffer=buffer, offset=first + offset)


def _pointer(w: WorkGroup, parameter: BlockArgument, argument: Argument) -> Array:
    """The address of an array, whose memory may be accessed by address from now on."""
    if not isinstance(argument, np.ndarray):
        assert argument is None or isinstance(argument, int)
        return np.asarray(argument or 0, np.int64)
    address, space = addresses.space_of(argument, f"%{parameter.name or parameter.index}")
    w.spaces.append(space)
    return np.asarray(address, np.int64)


def _view(argument: Argument, name: str, type_: MemrefType, multiples: tuple[int, ...]) -> View:
    """An array with the strides that a compiled kernel would be given."""
    if argument is None:
        return View(None, 0, tuple(s or 0 for s in type_.shape), tuple(s or 0 for s in type_.strides))
    assert isinstance(argument, np.ndarray)
    size = argument.dtype.itemsize
    strides = conforming_strides(type_.strides, multiples, argument.shape, [s // size for s in argument.strides])
    return View(buffer_of(argument, name), 0, argument.shape, strides)
