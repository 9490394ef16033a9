"""Tile IR: modules, entries, globals, grid coordinates, constants, shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile import rules, rules_shapes, rules_symbols
from tilewright.dialects.cuda_tile.attributes import Dense, Hints, Symbol, Visibility
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.dialects.cuda_tile.types import (
    BOOLEAN,
    I8_TILE,
    I32,
    INTEGER,
    NUMBER,
    NUMBER_I4,
    POINTER,
    SCALAR_I32,
    SCALAR_POINTER,
    TILE,
    Pointer,
    Tile,
    Version,
    scalar,
)
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Operation as CoreOperation
from tilewright.ir.definition import (
    ISOLATED,
    PURE,
    Region,
    Value,
    attribute,
    operand,
    operands,
    optional_attribute,
    region,
    result,
)
from tilewright.ir.types import Type
from tilewright.numerics import addresses
from tilewright.numerics.overloads import where


def _i32(op: CoreOperation) -> Type:
    return scalar(I32)


class TileModule(
    TileOperation,
    name="cuda_tile.module",
    traits=(ISOLATED,),
    assembly="!module",
    newer={"producer": Version.V13_3},
):
    """A compilation unit: globals and entries.

    `version` is that of the bytecode it was read from; rules that later versions relaxed look at it.
    """

    sym_name: str = attribute(str)
    body: Region = region()
    producer: str | None = optional_attribute(str, default=None)
    version: int = optional_attribute(int, default=Version.V13_3.value)

    def verify(self, report: Report) -> None:
        declared = rules_symbols.declarations(self, report, self.body, (Entry, Global))
        for op in self.walk():
            symbol = op.attributes.get("symbol")
            if isinstance(op, GetGlobal) and isinstance(symbol, Symbol) and op.results:
                _refers(op, report, symbol, declared.get(symbol.name))

    @property
    def entries(self) -> list[Entry]:
        """The kernels in order."""
        return [op for op in self.body.entry if isinstance(op, Entry)]

    @property
    def globals(self) -> list[Global]:
        """The globals in order."""
        return [op for op in self.body.entry if isinstance(op, Global)]


class Entry(TileOperation, name="cuda_tile.entry", traits=(ISOLATED,), assembly="!entry"):
    """A kernel: runs once for each tile block of the grid. Its parameters are scalars.

    `arg_attrs` has a dictionary for each, which means nothing.
    """

    sym_name: str = attribute(str)
    body: Region = region()
    optimization_hints: Hints | None = optional_attribute(Hints, default=None)
    arg_attrs: tuple[Attribute, ...] = optional_attribute(tuple, default=())

    def verify(self, report: Report) -> None:
        rules_symbols.entry(self, report, self.body)


class Global(
    TileOperation,
    name="cuda_tile.global",
    assembly="!global",
    generic={"is_constant": "constant"},
    newer={"is_constant": Version.V13_3, "symbol_visibility": Version.V13_3},
):
    """Static global memory, initialised when the module is loaded. `alignment` 0 is the natural one."""

    sym_name: str = attribute(str)
    value: Dense = attribute(Dense)
    type: Type = attribute(Type)
    alignment: int = optional_attribute(int, default=0)
    is_constant: bool = optional_attribute(bool, default=False)
    symbol_visibility: Visibility = optional_attribute(Visibility, default=Visibility.PUBLIC)

    def verify(self, report: Report) -> None:
        in_module = self.parent_op is None or isinstance(self.parent_op, TileModule)
        rules_symbols.global_(self, report, self.value, self.type, self.alignment, in_module)


class GetGlobal(
    TileOperation,
    name="cuda_tile.get_global",
    traits=(PURE,),
    opcode=0x2C,
    assembly="symbol : @out",
    generic={"symbol": "name"},
):
    """Pointer to the first element of a global."""

    symbol: Symbol = attribute(Symbol)
    out: Value = result(SCALAR_POINTER)


def _refers(op: GetGlobal, report: Report, symbol: Symbol, found: CoreOperation | None) -> None:
    declaration = found if isinstance(found, Global) else None
    declared = None if declaration is None else declaration.type
    rules_symbols.reference(op, report, symbol, op.results[0], declaration, declared)


class GetTileBlockId(TileOperation, name="cuda_tile.get_tile_block_id", traits=(PURE,), opcode=0x30, assembly=": @x"):
    """Coordinates of this tile block in the grid."""

    x: Value = result(SCALAR_I32, infer=_i32)
    y: Value = result(SCALAR_I32, infer=_i32)
    z: Value = result(SCALAR_I32, infer=_i32)


class GetNumTileBlocks(
    TileOperation, name="cuda_tile.get_num_tile_blocks", traits=(PURE,), opcode=0x2E, assembly=": @x"
):
    """Extents of the grid."""

    x: Value = result(SCALAR_I32, infer=_i32)
    y: Value = result(SCALAR_I32, infer=_i32)
    z: Value = result(SCALAR_I32, infer=_i32)


class Constant(TileOperation, name="cuda_tile.constant", traits=(PURE,), opcode=0x10, assembly="!constant"):
    """A tile known at compile time."""

    value: Dense = attribute(Dense)
    out: Value = result(NUMBER)

    def verify(self, report: Report) -> None:
        rules_symbols.constant(self, report, self.value, self.out.type, "the result")


def _known(values: Sequence[Value]) -> list[int | None]:
    """Integers that are constants, None for others."""
    makers = (value.defining_op for value in values)
    numbers = (maker.value.number().value if isinstance(maker, Constant) else None for maker in makers)
    return [number if isinstance(number, int) else None for number in numbers]


class Iota(TileOperation, name="cuda_tile.iota", traits=(PURE,), opcode=0x3A, assembly=": @out"):
    """Element i is i, read as unsigned."""

    out: Value = result(INTEGER)

    def verify(self, report: Report) -> None:
        rules_shapes.iota(self, report, self.out)


class Broadcast(
    TileOperation, name="cuda_tile.broadcast", traits=(PURE,), opcode=0x0B, assembly="$source : @source -> @out"
):
    """Stretches dimensions of extent 1."""

    source: Value = operand(TILE)
    out: Value = result(TILE)

    def verify(self, report: Report) -> None:
        rules_shapes.broadcast(self, report, self.source, self.out)


class Reshape(
    TileOperation, name="cuda_tile.reshape", traits=(PURE,), opcode=0x5B, assembly="$source : @source -> @out"
):
    """The same elements in row-major order under another shape."""

    source: Value = operand(TILE)
    out: Value = result(TILE)

    def verify(self, report: Report) -> None:
        rules_shapes.reshape(self, report, self.source, self.out)


class Permute(
    TileOperation,
    name="cuda_tile.permute",
    traits=(PURE,),
    opcode=0x53,
    assembly="$source permutation : @source -> @out",
):
    """Dimension k of the result is dimension `permutation[k]` of the source."""

    source: Value = operand(TILE)
    permutation: tuple[int, ...] = attribute(tuple)
    out: Value = result(TILE)

    def verify(self, report: Report) -> None:
        rules_shapes.permute(self, report, self.source, self.permutation, self.out)


class Cat(
    TileOperation,
    name="cuda_tile.cat",
    traits=(PURE,),
    opcode=0x0C,
    assembly="$lhs , $rhs 'dim' = dim : @lhs , @rhs -> @out",
):
    """Two tiles side by side along a dimension."""

    lhs: Value = operand(TILE)
    rhs: Value = operand(TILE)
    dim: int = attribute(int)
    out: Value = result(TILE)

    def verify(self, report: Report) -> None:
        rules_shapes.cat(self, report, self.lhs, self.rhs, self.dim, self.out)


class Extract(
    TileOperation,
    name="cuda_tile.extract",
    traits=(PURE,),
    opcode=0x26,
    assembly="$source '[' $indices ']' : @source -> @out",
):
    """The slice with the given numbers: slices have the shape of the result and touch each other."""

    source: Value = operand(TILE)
    indices: list[Value] = operands(SCALAR_I32)
    out: Value = result(TILE)

    def verify(self, report: Report) -> None:
        rules_shapes.slices(self, report, self.source, self.out, self.indices, _known(self.indices), "the result")


class Insert(
    TileOperation,
    name="cuda_tile.insert",
    traits=(PURE,),
    opcode=0x76,
    since=Version.V13_4,
    assembly="$source , $destination '[' $indices ']' : @source , @T",
):
    """The destination with one slice replaced; the inverse of `extract`."""

    source: Value = operand(TILE)
    destination: Value = operand(TILE, var="T")
    indices: list[Value] = operands(SCALAR_I32)
    out: Value = result(TILE, var="T")

    def verify(self, report: Report) -> None:
        rules_shapes.slices(
            self, report, self.destination, self.source, self.indices, _known(self.indices), "the source"
        )


class Select(
    TileOperation,
    name="cuda_tile.select",
    traits=(PURE,),
    opcode=0x5F,
    assembly="$condition , $true_value , $false_value : @condition , @T",
):
    """Chooses element by element."""

    condition: Value = operand(BOOLEAN)
    true_value: Value = operand(TILE, var="T")
    false_value: Value = operand(TILE, var="T")
    out: Value = result(TILE, var="T")

    def verify(self, report: Report) -> None:
        rules.same_shape(self, report, self.condition, self.out)
        rules_shapes.selectable(self, report, self.out)

    def evaluate(self, condition: Any, true_value: Any, false_value: Any) -> Any:
        return where(condition, true_value, false_value)


class Offset(
    TileOperation,
    name="cuda_tile.offset",
    traits=(PURE,),
    opcode=0x51,
    assembly="$pointer , $offset : @T , @offset -> @T",
):
    """Advances pointers by signed numbers of elements."""

    pointer: Value = operand(POINTER, var="T")
    offset: Value = operand(INTEGER)
    out: Value = result(var="T")

    def verify(self, report: Report) -> None:
        rules.same_shape(self, report, self.pointer, self.offset)
        rules_shapes.addressable(self, report, self.pointer)

    def evaluate(self, pointer: Any, offset: Any) -> Any:
        return addresses.moved(pointer, offset, self._size)

    def fault(self, pointer: Any, offset: Any) -> str | None:
        return addresses.fault_of_moves(pointer, offset, self._size)

    @property
    def _size(self) -> int:
        """Bytes of an element in memory."""
        pointer = self.pointer.type
        assert isinstance(pointer, Tile)
        assert isinstance(pointer.element, Pointer)
        return pointer.element.pointee.memory_bytes


class Pack(
    TileOperation,
    name="cuda_tile.pack",
    traits=(PURE,),
    opcode=0x6F,
    since=Version.V13_3,
    assembly="$source : @source -> @out",
):
    """The bytes of a tile, little endian, low bits first."""

    source: Value = operand(NUMBER_I4)
    out: Value = result(I8_TILE)

    def verify(self, report: Report) -> None:
        rules_shapes.packed(self, report, self.source, self.out)


class Unpack(
    TileOperation,
    name="cuda_tile.unpack",
    traits=(PURE,),
    opcode=0x70,
    since=Version.V13_3,
    assembly="$source : @source -> @out",
):
    """A tile from its bytes; the inverse of `pack`."""

    source: Value = operand(I8_TILE)
    out: Value = result(NUMBER_I4)

    def verify(self, report: Report) -> None:
        rules_shapes.packed(self, report, self.out, self.source)
