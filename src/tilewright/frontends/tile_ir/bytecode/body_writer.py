"""Writes the body of a function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from tilewright.dialects.cuda_tile.attributes import CodedEnum, Dense, Hints, Number, Symbol
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.dialects.cuda_tile.debug import debug_of
from tilewright.dialects.cuda_tile.types import TOKEN_TYPE, Version
from tilewright.frontends.tile_ir.bytecode.attribute_writer import AttributeWriter, Inexpressible
from tilewright.frontends.tile_ir.bytecode.buffer import Buffer
from tilewright.frontends.tile_ir.bytecode.debug_writer import DebugPool
from tilewright.frontends.tile_ir.bytecode.layout import Encoding, Field, Layout, Operands, layouts
from tilewright.frontends.tile_ir.bytecode.pools_writer import ConstantPool, StringPool, TypePool
from tilewright.ir.core import Attribute, Block, Region, Value
from tilewright.ir.specs import operand_segments
from tilewright.ir.types import Type


class Pools:
    """What all functions of a file refer to."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self.strings = StringPool()
        self.types = TypePool(version)
        self.constants = ConstantPool()
        self.attributes = AttributeWriter(self.strings, self.types)
        self.debug = DebugPool(self.strings)


class BodyWriter:
    """Writes one function's body; `places` are those of its operations in order."""

    def __init__(self, pools: Pools) -> None:
        self.out = Buffer()
        self.places: list[int] = []
        self._pools = pools
        self._layouts = layouts(pools.version)
        self._numbers: dict[Value, int] = {}
        self._next = 0
        self.current: TileOperation | None = None

    def write(self, block: Block) -> None:
        """Everything in the entry's block."""
        self._number(block.arguments)
        # Regions may be nested deeply: each level is a generator that hands out the blocks to write first.
        levels = [self._operations(block)]
        while levels:
            nested = next(levels[-1], None)
            if nested is None:
                levels.pop()
            else:
                levels.append(self._operations(nested))

    def _operations(self, block: Block) -> Iterator[Block]:
        for op in block:
            assert isinstance(op, TileOperation)
            assert op.spec.opcode is not None
            self.current = op
            layout = self._layouts[op.spec.opcode]
            self.places.append(self._pools.debug.index(debug_of(op.location)))
            types = _result_types(op, layout)
            self._record(op, layout, types)
            if layout.regions:
                self.out.varint(len(layout.regions))
                for index in range(len(layout.regions)):
                    mark = self._next
                    if index < len(op.regions):
                        yield self._begin(op.regions[index])
                    else:
                        self.out.varint(0)
                    self._next = mark
            self._number(op.results)
            self._next += len(types) - len(op.results)

    def _begin(self, region: Region) -> Block:
        block = region.entry
        self.out.varint(1)
        self.out.varint(len(block.arguments))
        for argument in block.arguments:
            self.out.varint(self._pools.types.index(argument.type))
        self._number(block.arguments)
        self.out.varint(sum(1 for _ in block))
        return block

    def _number(self, values: Sequence[Value]) -> None:
        for value in values:
            self._numbers[value] = self._next
            self._next += 1

    def _record(self, op: TileOperation, layout: Layout, types: list[Type]) -> None:
        out = self.out
        out.varint(layout.opcode)
        if layout.counts_results:
            out.varint(len(types))
        for type_ in types:
            out.varint(self._pools.types.index(type_))
        bounds = operand_segments(op)
        if layout.has_flags:
            out.varint(_flags(op, layout, bounds))
        for field in layout.fields:
            value = op.attributes.get(field.name, field.default)
            if field.flag is None or _is_there(value):
                self._field(field, value, op)
        if layout.operands is Operands.COUNTED:
            out.varint(len(op.operands))
        for group, (start, end) in zip(layout.groups, bounds, strict=True):
            if layout.operands is Operands.GROUPED and group.variadic:
                out.varint(end - start)
            for value in op.operands[start:end]:
                out.varint(self._numbers[value])

    def _field(self, field: Field, value: Attribute, op: TileOperation) -> None:
        out = self.out
        match field.encoding:
            case Encoding.ENUM:
                assert isinstance(value, CodedEnum)
                out.varint(value.code)
            case Encoding.INTEGER:
                assert isinstance(value, int)
                if not 0 <= value < 1 << 64:
                    raise Inexpressible(f"{field.name} {value} is no unsigned number of 64 bits")
                out.varint(value)
            case Encoding.BYTE:
                out.byte(int(bool(value)))
            case Encoding.STRING:
                out.varint(self._pools.strings.index(str(value)))
            case Encoding.SYMBOL:
                assert isinstance(value, Symbol)
                out.varint(self._pools.strings.index(value.name))
            case Encoding.CONSTANT:
                assert isinstance(value, Dense)
                out.varint(self._pools.constants.index(value.data))
            case Encoding.LIST32:
                out.integers(cast("tuple[int, ...]", value), 4)
            case Encoding.ARRAY:
                self._pools.attributes.numbers(out, cast("tuple[Number, ...]", value))
            case Encoding.BOOLS:
                flags = cast("tuple[bool, ...]", value) or (False,) * _list_length(op)
                out.varint(len(flags))
                out.bytes(bytes(flags))
            case Encoding.TAGGED:
                self._pools.attributes.tagged(out, value)
            case Encoding.DICTIONARY:
                assert isinstance(value, Hints)
                self._pools.attributes.hints(out, value)


def _result_types(op: TileOperation, layout: Layout) -> list[Type]:
    """Types of the results in the record, which has those that its version knows and no other."""
    types = [r.type for r in op.results]
    if layout.more_results:
        return types
    return types[: layout.results] + [TOKEN_TYPE] * (layout.results - len(types))


def _list_length(op: TileOperation) -> int:
    """How many operands the list among them has; flags stand for one of them each."""
    specs = op.definition.operands.values()
    return next(b - a for s, (a, b) in zip(specs, operand_segments(op), strict=True) if s.variadic)


def _is_there(value: Attribute) -> bool:
    """Whether an attribute that may be missing says anything."""
    return bool(value.entries) if isinstance(value, Hints) else value is not None


def _flags(op: TileOperation, layout: Layout, bounds: list[tuple[int, int]]) -> int:
    flags = 0
    for name, bit in layout.units:
        flags |= bool(op.attributes.get(name, False)) << bit
    for field in layout.fields:
        if field.flag is not None:
            flags |= _is_there(op.attributes.get(field.name)) << field.flag
    for group, (start, end) in zip(layout.groups, bounds, strict=True):
        if group.flag is not None:
            flags |= (end > start) << group.flag
    return flags
