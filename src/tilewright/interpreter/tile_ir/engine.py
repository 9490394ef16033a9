"""Running kernels of Tile IR: every tile block of a grid, one after another, on arrays in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects.cuda_tile.attributes import MemoryOrdering
from tilewright.dialects.cuda_tile.core import Entry, Global, TileModule
from tilewright.dialects.cuda_tile.types import F4E2M1FN, F8E5M3FNU, TF32, ElementType, Pointer, Tile
from tilewright.interpreter.tile_ir import (
    access,
    control,
    elementwise,
    matrix,
    printing,
    reductions,
    shapes,
    views,
)
from tilewright.interpreter.tile_ir.block import Entries, Launch, TileBlock
from tilewright.interpreter.tile_ir.memory import PAGE, AddressTable, Memory, map_arrays
from tilewright.interpreter.tile_ir.order import GridOrder
from tilewright.interpreter.tile_ir.values import ADDRESS, RuntimeValue, dtype_of, elements_of, to_bits
from tilewright.ir.core import BlockArgument
from tilewright.numerics.arrays import elements
from tilewright.numerics.integers import wrapped

Array = NDArray[Any]
Argument = Array | AddressTable | np.generic | bool | int | float | None
"""A number, an array or a table for the address of its first element, or None for a null pointer."""

FUEL: Final = 50_000_000


@cache
def all_handlers() -> Entries:
    """Every operation that the interpreter runs."""
    found: dict[Any, Any] = {}
    for part in (elementwise, shapes, control, reductions, access, views, matrix, printing):
        found.update(part.handlers())
    return MappingProxyType(found)


class GlobalMemory:
    """The globals of a module, which live as long as the module is loaded: what launches write stays."""

    def __init__(self, module: TileModule) -> None:
        self.arrays: Mapping[str, Array] = MappingProxyType({g.sym_name: _initial(g) for g in module.globals})


def _initial(op: Global) -> Array:
    """The bytes of a global."""
    values = elements_of(op.value, (op.value.count,))
    element = op.value.element
    if element is F4E2M1FN:
        bits = to_bits(values, element).astype(np.uint8)
        bits = np.concatenate([bits, np.zeros(len(bits) % 2, np.uint8)])
        found = bits[0::2] | bits[1::2] << np.uint8(4)
    else:
        found = values.view(np.uint8).copy()
    found.flags.writeable = not op.is_constant
    return found


def _write(text: str) -> None:
    print(text, end="")


def run_entry(
    entry: Entry,
    arguments: Sequence[Argument],
    grid: tuple[int, int, int] = (1, 1, 1),
    *,
    checked: bool = False,
    output: Callable[[str], object] = _write,
    global_memory: GlobalMemory | None = None,
    fuel: int = FUEL,
) -> None:
    """Run a verified kernel on every tile block of a grid; arrays that it writes change in place.

    `checked` makes an error of all that the specification leaves undefined: broken promises, accesses of one tile
    block that no token path orders, races between tile blocks (in kernels without acquire and release). `output`
    receives what the kernel prints. Globals start afresh unless `global_memory` keeps them. Raises `KernelError` with
    located diagnostics; those of `assert` at the end of the tile block.
    """
    memory = Memory()
    values = _arguments(entry, arguments, memory)
    order = GridOrder(enabled=checked and not _synchronises(entry))
    symbols = _globals(entry, memory, global_memory)
    launch = Launch(grid, checked, fuel, memory, all_handlers(), output, symbols, order)
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                block = TileBlock(launch, (x, y, z), dict(values))
                block.run(entry.body.entry.first)
                memory.forget(block.buffers)
                if block.failures:
                    raise KernelError(block.failures)


def _synchronises(entry: Entry) -> bool:
    """Whether tile blocks may wait for each other."""
    weaker = (None, MemoryOrdering.WEAK, MemoryOrdering.RELAXED)
    return any(op.attributes.get("memory_ordering_semantics") not in weaker for op in entry.walk())


def _globals(entry: Entry, memory: Memory, kept: GlobalMemory | None) -> Mapping[str, int]:
    module = entry.parent_op
    if not isinstance(module, TileModule):
        return {}
    found = GlobalMemory(module) if kept is None else kept
    symbols: dict[str, int] = {}
    for op in module.globals:
        data = found.arrays[op.sym_name]
        buffer = memory.add(f"@{op.sym_name}", data, 0, op.is_constant, max(op.alignment, PAGE))
        symbols[op.sym_name] = buffer.base
    return symbols


def _arguments(entry: Entry, arguments: Sequence[Argument], memory: Memory) -> dict[Any, RuntimeValue]:
    parameters = entry.body.entry.arguments
    if len(arguments) != len(parameters):
        raise TypeError(f"@{entry.sym_name} takes {len(parameters)} arguments, {len(arguments)} were given")
    found: dict[Any, RuntimeValue] = {}
    arrays: list[tuple[BlockArgument, Array]] = []
    tables: list[tuple[BlockArgument, AddressTable]] = []
    for parameter, argument in zip(parameters, arguments, strict=True):
        assert isinstance(parameter.type, Tile)
        if not isinstance(parameter.type.element, Pointer):
            found[parameter] = _scalar(parameter, parameter.type.element, argument)
        elif isinstance(argument, np.ndarray) and argument.ndim + argument.size > 0:
            arrays.append((parameter, argument))
        elif isinstance(argument, AddressTable):
            tables.append((parameter, argument))
        else:
            found[parameter] = np.asarray(0 if argument is None else int(cast("int", argument)), ADDRESS)
    listed = [(f"{_name(p)}[{k}]", a) for p, table in tables for k, a in enumerate(table.arrays.values())]
    addresses = iter(map_arrays(memory, [*((_name(p), a) for p, a in arrays), *listed]))
    for parameter, _ in arrays:
        found[parameter] = np.asarray(next(addresses), ADDRESS)
    for parameter, table in tables:
        words = table.words.copy()
        words[list(table.arrays)] = [next(addresses) for _ in table.arrays]
        found[parameter] = np.asarray(memory.add(_name(parameter), words.view(np.uint8), readonly=True).base, ADDRESS)
    return found


def _name(parameter: BlockArgument) -> str:
    return f"%{parameter.name or parameter.index}"


def _scalar(parameter: BlockArgument, element: ElementType, argument: Argument) -> Array:
    """A number as an element; integers wrap, floats are rounded. f8E5M3FNU is given as its bits."""
    if argument is None:
        raise TypeError(f"{_name(parameter)} is a {element}, not a pointer")
    if element is F8E5M3FNU:
        return np.asarray(int(cast("int", argument)) & 0xFF, dtype_of(element))
    if not element.is_float:
        return np.asarray(wrapped(element.integral, int(cast("int", argument)))).astype(dtype_of(element))
    given = np.asarray(argument)
    if given.dtype == dtype_of(element) and element is not TF32:
        return given.reshape(())
    return np.asarray(elements(element.floating, given.astype(np.float64).reshape(())))
