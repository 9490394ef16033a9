"""Running kernels in NumPy: exact, slow, the meaning of every operation on every floor."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from math import prod
from random import Random
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tilewright.diagnostics.kernel_error import KernelError, fail
from tilewright.dialects import scf
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.gpu_launches import AwaitLaunch, HasMaps
from tilewright.interpreter import (
    addresses,
    clusters,
    collectives,
    combining,
    copies,
    host,
    lanes,
    products,
    publishing,
    roles,
    scalars,
    tensor_copies,
    tensor_stores,
    tensors,
    tile_accesses,
    tiles,
    turns,
    views,
)
from tilewright.interpreter.memory import GroupValue, View, buffer_around, buffer_of
from tilewright.interpreter.shadow import among_work_groups
from tilewright.interpreter.side_by_side import Cluster
from tilewright.interpreter.state import Handler, RuntimeValue, WorkGroup
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.operation_table import OperationTable
from tilewright.ir.types import AddressSpace, GroupType, MemrefType, PointerType, ScalarType
from tilewright.numerics.arrays import dtype_of
from tilewright.plugins import plugins
from tilewright.runtime.errors import LaunchError
from tilewright.runtime.strides import conforming_strides
from tilewright.settings.product_units import Unit
from tilewright.transforms.signature import divisors

Array = NDArray[Any]
FUEL = 50_000_000
PARTS = 3
"""Blocks of a work-group that is divided: neither a divisor of most numbers of tiles nor a multiple."""


@cache
def all_handlers() -> OperationTable[Handler]:
    """Every operation that the interpreter runs."""
    return OperationTable(
        {
            Operation: _without_meaning,
            MovesElements: tiles.moved,
            **{cls: handler for plugin in plugins().values() for cls, handler in plugin.handlers.items()},
            **scalars.handlers(),
            **views.handlers(),
            **collectives.handlers(),
            **tiles.handlers(),
            **tile_accesses.handlers(),
            **addresses.handlers(),
            **combining.handlers(),
            **host.handlers(),
            **tensors.handlers(),
            **lanes.handlers(),
            **copies.handlers(),
            **products.handlers(),
            **tensor_copies.handlers(),
            **tensor_stores.handlers(),
            **turns.handlers(),
            **roles.handlers(),
            **clusters.handlers(),
            **publishing.handlers(),
            AwaitLaunch: _await_launch,
            HasMaps: _has_maps,
        }
    )


def _await_launch(w: WorkGroup, op: Operation) -> None:
    """One launch is over before the next one begins."""


def _has_maps(w: WorkGroup, op: Operation) -> None:
    """As the tests tell."""
    assert isinstance(op, HasMaps)
    w.values[op.out] = w.values[op.tests]


def _without_meaning(w: WorkGroup, op: Operation) -> None:
    fail("T006", op.location, f"{op.name} has no meaning for the interpreter: no interface says it, nor a handler")


class Group:
    """A group argument: arrays (None for null pointers) and an offset in elements that is added to each."""

    def __init__(self, arrays: Sequence[Array | None], offset: int = 0) -> None:
        self.arrays = arrays
        self.offset = offset


Memories = dict[tuple[int, int, int], dict[int, View]]
"""What work-groups are given for several launches, by their positions."""


class Unwritten(Struct, frozen=True):
    """Memory of the device with these extents, packed, of undefined content."""

    shape: tuple[int, ...]


Argument = Array | np.generic | bool | int | float | complex | Group | Unwritten | None


def interpret(
    kernel: Kernel,
    arguments: Sequence[Argument],
    grid: tuple[int, int, int] = (1, 1, 1),
    *,
    checked: bool = False,
    fuel: int = FUEL,
    parts: int = PARTS,
    in_steps: bool = False,
    order: Random | None = None,
    units: frozenset[Unit] = frozenset(),
) -> None:
    """Run a kernel on every work-group of a grid, one after another; arrays that it writes change in place.

    `arguments` has one entry a parameter (None for local memrefs and null pointers). The kernel's subgroup and
    work-group sizes must be known. `checked` also finds races and reads of local memory that nothing wrote. Kernels
    whose work-groups are divided have `parts` blocks of each, those of gathered grids as many in all; `in_steps`,
    launches that may take the place of one do. Blocks of a cluster run side by side, in an `order` if there is one.
    Products on tiles are what the best of `units` computes, where one is for their types.
    Raises `KernelError` with a located diagnostic.
    """
    module = kernel.parent_op
    steps = module.steps_of(kernel) if in_steps and isinstance(module, Module) else []
    memories: Memories = {}
    for step in steps or [kernel]:
        _launch(step, arguments, grid, memories, checked=checked, fuel=fuel, parts=parts, order=order, units=units)


def _launch(
    kernel: Kernel,
    arguments: Sequence[Argument],
    grid: tuple[int, int, int],
    memories: Memories,
    *,
    checked: bool,
    fuel: int,
    parts: int,
    order: Random | None,
    units: frozenset[Unit],
) -> None:
    """Run one launch, in which each work-group has memory that others before it may have given it."""
    assert kernel.subgroup_size is not None
    assert kernel.work_group_size is not None
    subgroup, size = kernel.subgroup_size, kernel.work_group_size
    symbols = host.globals_of(kernel)
    given = dict(zip(kernel.parameters, arguments, strict=True))
    shared: dict[Value, RuntimeValue] = {
        p: runtime_value(kernel, p, a) for p, a in given.items() if not _of_each_group(p)
    }
    across = among_work_groups() if checked else None
    nests: dict[Operation, list[scf.For]] = {}
    along, *across_grid = grid
    together = prod(kernel.cluster or (1, 1))
    count = 1 if kernel.parts is None else -(-parts // together) * together
    waiting: list[WorkGroup] = []
    firsts = range(0, along, kernel.items)[: kernel.most_blocks]
    if kernel.gathered:
        # as blocks of one work-group, which know the grid
        across_grid, firsts, count = [1, 1], range(1), min(prod(grid), parts)
    for z, y, x, part in product(*map(range, reversed(across_grid)), firsts, range(count)):
        w = WorkGroup(kernel, all_handlers(), subgroup, size, (x, y, z), grid, checked, fuel, dict(shared))
        w.part, w.num_parts = part, count
        w.memory = memories.setdefault((x, y, z), {})
        w.symbols, w.across, w.nests, w.units = symbols, across, nests, units
        w.spaces += [space for _, space in symbols.values()]
        for parameter in filter(_of_each_group, kernel.parameters):
            w.values[parameter] = _own_value(w, parameter, given[parameter])
        waiting.append(w)
        if len(waiting) == together:
            _run(waiting, order)
            waiting = []


def _run(blocks: Sequence[WorkGroup], order: Random | None) -> None:
    """Run one block, or those of a cluster."""
    for w in blocks:
        w.order = order
    if len(blocks) == 1:
        blocks[0].run(blocks[0].kernel.body.entry)
    else:
        cluster = Cluster(blocks, order)
        for w in blocks:
            w.cluster = cluster
        cluster.run(lambda w: w.run(w.kernel.body.entry))
    for w in blocks:
        host.tell_claims(w)
        if w.failures:
            raise KernelError(w.failures)


def _of_each_group(parameter: BlockArgument) -> bool:
    """Whether each work-group has a value of its own for a parameter."""
    type_ = parameter.type
    return isinstance(type_, PointerType) or (isinstance(type_, MemrefType) and type_.space is AddressSpace.LOCAL)


def _own_value(w: WorkGroup, parameter: BlockArgument, argument: Argument) -> RuntimeValue:
    if isinstance(parameter.type, PointerType):
        return _pointer(w, parameter, argument)
    assert isinstance(parameter.type, MemrefType)
    return views.local_view(parameter.type, _name(parameter), parameter.location)


def runtime_value(kernel: Kernel, parameter: BlockArgument, argument: Argument) -> RuntimeValue:
    """A number, an array in global memory or a group, as the interpreter handles it."""
    type_, name = parameter.type, _name(parameter)
    if isinstance(type_, ScalarType):
        return np.asarray(argument).astype(dtype_of(type_.format))
    multiples = divisors(kernel.attributes_of(parameter).get("stride_gcd"))
    if isinstance(type_, MemrefType):
        if isinstance(argument, Unwritten):
            return _made(kernel, type_, argument, name)
        return _view(argument, name, type_, multiples)
    assert isinstance(type_, GroupType)
    return _group(argument, name, type_, multiples)


def _name(parameter: BlockArgument) -> str:
    return f"%{parameter.name or parameter.index}"


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
    address, space = addresses.space_of(argument, _name(parameter))
    w.spaces.append(space)
    return np.asarray(address, np.int64)


def _made(kernel: Kernel, type_: MemrefType, argument: Unwritten, name: str) -> View:
    """Memory that the launch makes."""
    try:
        return views.unwritten_view(type_.element, argument.shape, name)
    except (MemoryError, ValueError):
        size = prod(argument.shape) * type_.element.bytes
        raise LaunchError(f"kernel {kernel.sym_name}: there is no room for the {size:,} bytes that it uses") from None


def _view(argument: Argument, name: str, type_: MemrefType, multiples: tuple[int, ...]) -> View:
    """An array with the strides that a compiled kernel would be given."""
    if argument is None:
        return View(None, 0, tuple(s or 0 for s in type_.shape), tuple(s or 0 for s in type_.strides))
    assert isinstance(argument, np.ndarray)
    size = argument.dtype.itemsize
    strides = conforming_strides(type_.strides, multiples, argument.shape, [s // size for s in argument.strides])
    return View(buffer_of(argument, name), 0, argument.shape, strides)
