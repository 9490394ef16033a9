"""Reads the body of a function: a record for each operation, those of nested regions behind it."""

from __future__ import annotations

from msgspec import Struct

from tilewright.diagnostics import Location
from tilewright.diagnostics.binary import Binary, ByteRange
from tilewright.dialects.cuda_tile.attributes import Symbol
from tilewright.dialects.cuda_tile.base import TileOperation
from tilewright.dialects.cuda_tile.debug import DebugLocation
from tilewright.dialects.cuda_tile.types import ElementType, Tile, Version
from tilewright.frontends.tile_ir.bytecode.attribute_reader import Attributes, boolean, booleans, plain_integers
from tilewright.frontends.tile_ir.bytecode.budget import Budget
from tilewright.frontends.tile_ir.bytecode.cursor import Cursor
from tilewright.frontends.tile_ir.bytecode.debug_reader import Row
from tilewright.frontends.tile_ir.bytecode.layout import Encoding, Field, Layout, Operands, layouts
from tilewright.frontends.tile_ir.bytecode.tables import Constants, Strings
from tilewright.frontends.tile_ir.bytecode.type_reader import Types
from tilewright.ir.core import Attribute, Block, Operation, Region, Value
from tilewright.ir.mlir.limits import Limits
from tilewright.ir.types import Type


class Pools(Struct, frozen=True):
    """What all functions of a file refer to."""

    file: Binary
    version: Version
    limits: Limits
    strings: Strings
    types: Types
    constants: Constants
    attributes: Attributes

    def place(self, start: int, end: int) -> Location:
        """The location of some bytes."""
        return ByteRange(self.file, start, end)


class _Frame(Struct):
    """A block that is being read. `left` is None in a body that fills its slice; `pending` are regions to come."""

    block: Block
    left: int | None
    mark: int
    op: TileOperation | None = None
    pending: tuple[bool, ...] = ()
    ended: bool = False


class Body:
    """Reads one function's body."""

    def __init__(self, pools: Pools, cursor: Cursor, row: Row | None, budget: Budget) -> None:
        self._pools = pools
        self._cursor = cursor
        self._row = row
        self._budget = budget
        self._layouts = layouts(pools.version)
        self._values: list[Value] = []
        self._frames: list[_Frame] = []

    def read(self, block: Block) -> None:
        """Fill the entry's block, whose arguments are there already."""
        c = self._cursor
        self._values.extend(block.arguments)
        self._frames.append(_Frame(block, None, 0))
        while self._frames:
            frame = self._frames[-1]
            if frame.left is None:
                more = c.position < c.end
            else:
                more = frame.left > 0
                frame.left -= 1
            if more:
                self._operation(frame)
            else:
                self._close(frame)

    def _operation(self, frame: _Frame) -> None:
        c = self._cursor
        at = c.position
        if frame.ended:
            c.fail("B9", "an operation behind the one that ends its block", at)
        self._budget.operations(c)
        layout = self._layout()
        op = self._record(layout, at)
        frame.block.append(op)
        frame.ended = layout.terminator
        if layout.regions:
            self._regions(op, layout)
        else:
            self._values.extend(op.results)

    def _regions(self, op: TileOperation, layout: Layout) -> None:
        c = self._cursor
        at = c.position
        count = c.varint("the number of regions")
        if count != len(layout.regions):
            c.fail("B9", f"{layout.mnemonic} has {len(layout.regions)} regions, not {count}", at)
        self._open(op, layout.regions)

    def _open(self, op: TileOperation, pending: tuple[bool, ...]) -> None:
        """Begin the next region of an operation; if there is none, its results become visible."""
        c = self._cursor
        while pending:
            optional, *rest = pending
            pending = tuple(rest)
            at = c.position
            blocks = c.varint("the number of blocks")
            if blocks == 0 and optional:
                continue
            if blocks != 1:
                c.fail("B9", f"a region has one block, not {blocks}", at)
            self._begin(op, pending)
            return
        self._values.extend(op.results)

    def _begin(self, op: TileOperation, pending: tuple[bool, ...]) -> None:
        c = self._cursor
        at = c.position
        if len(self._frames) > self._pools.limits.nesting:
            c.fail("B11", f"regions are nested more than {self._pools.limits.nesting} deep", at)
        mark = len(self._values)
        types = [self._pools.types.value(c) for _ in range(c.count("the number of arguments"))]
        block = Block()
        for type_ in types:
            block.add_argument(type_, location=op.location)
        op.add_region(Region(block))
        self._values.extend(block.arguments)
        self._frames.append(_Frame(block, c.count("the number of operations"), mark, op, pending))

    def _close(self, frame: _Frame) -> None:
        if not frame.ended:
            self._cursor.fail("B9", "the block does not end in a terminator")
        del self._values[frame.mark :]
        self._frames.pop()
        if frame.op is not None:
            self._open(frame.op, frame.pending)

    # Records

    def _layout(self) -> Layout:
        c = self._cursor
        at = c.position
        opcode = c.varint("an opcode")
        found = self._layouts.get(opcode)
        if found is None:
            c.fail("B6", f"there is no operation with the opcode {opcode} (0x{opcode:x})", at)
        if found.cls.spec.since > self._pools.version:
            needs = f"needs version {found.cls.spec.since}; the file has {self._pools.version}"
            c.fail("B10", f"{found.mnemonic} {needs}", at)
        return found

    def _record(self, layout: Layout, start: int) -> TileOperation:
        types = self._result_types(layout)
        flags = self._flags(layout) if layout.has_flags else 0
        attributes: dict[str, Attribute] = {name: True for name, bit in layout.units if flags >> bit & 1}
        for field in layout.fields:
            if field.flag is None or flags >> field.flag & 1:
                value = self._field(field, types)
                # Defaults are left out, so that equal operations have equal attributes.
                if value is not None and (value != field.default or field.required):
                    attributes[field.name] = value
        layout.cls.decode(attributes)
        match layout.operands:
            case Operands.PLAIN:
                operands = [self._value() for _ in layout.groups]
            case Operands.COUNTED:
                operands = self._counted(layout)
            case Operands.GROUPED:
                operands = self._grouped(layout, flags, attributes)
        return _make(layout.cls, operands, types, attributes, self._location(start))

    def _location(self, start: int) -> Location:
        place = self._pools.place(start, self._cursor.position)
        info = None if self._row is None else self._row.take()
        return place if info is None else DebugLocation(place, info)

    def _result_types(self, layout: Layout) -> list[Type]:
        c = self._cursor
        count = layout.results
        if layout.counts_results:
            at = c.position
            count = c.count("the number of results")
            if count != layout.results and not (layout.more_results and count > layout.results):
                c.fail("B9", f"{layout.mnemonic} has {layout.results} results, not {count}", at)
        return [self._pools.types.value(c) for _ in range(count)]

    def _flags(self, layout: Layout) -> int:
        c = self._cursor
        at = c.position
        flags = c.varint("flags")
        if flags >> len(layout.flags):
            known = ", ".join(layout.flags)
            c.fail("B6", f"{layout.mnemonic} has flags for {known} only, not {flags:#b}", at)
        return flags

    def _value(self) -> Value:
        c = self._cursor
        at = c.position
        index = c.varint("the number of a value")
        if index >= len(self._values):
            c.fail("B4", f"value {index} of the {len(self._values)} that are visible here", at)
        return self._values[index]

    def _counted(self, layout: Layout) -> list[Value]:
        c = self._cursor
        at = c.position
        count = c.count("the number of operands")
        flexible = next(g for g in layout.groups if g.variadic or g.optional)
        least = len(layout.groups) - 1
        if count < least or (not flexible.variadic and count > least + 1):
            c.fail("B9", f"{layout.mnemonic} does not have {count} operands", at)
        return [self._value() for _ in range(count)]

    def _grouped(self, layout: Layout, flags: int, attributes: dict[str, Attribute]) -> list[Value]:
        operands: list[Value] = []
        sizes: list[int] = []
        for group in layout.groups:
            if group.dropped:
                size = 0
            elif group.variadic:
                size = self._cursor.count(f"the number of operands of {group.name}")
            else:
                size = 1 if group.flag is None else flags >> group.flag & 1
            operands += [self._value() for _ in range(size)]
            sizes.append(size)
        attributes["operand_segments"] = tuple(sizes)
        return operands

    # Attributes

    def _field(self, field: Field, types: list[Type]) -> Attribute:
        c = self._cursor
        match field.encoding:
            case Encoding.ENUM:
                return self._member(field)
            case Encoding.INTEGER:
                return c.varint(field.name)
            case Encoding.BYTE:
                return boolean(c, field.name)
            case Encoding.STRING:
                return self._pools.strings.read(c)
            case Encoding.SYMBOL:
                return Symbol(self._pools.strings.name(c, "the name of a symbol"))
            case Encoding.CONSTANT:
                return self._constant(types[0])
            case Encoding.LIST32:
                return plain_integers(c, 4, field.name)
            case Encoding.ARRAY:
                return self._pools.attributes.numbers(c)
            case Encoding.BOOLS:
                found = booleans(c, field.name)
                return found if any(found) else ()
            case Encoding.TAGGED:
                return self._pools.attributes.assumption(c)
            case Encoding.DICTIONARY:
                hints = self._pools.attributes.hints(c)
                return hints if hints.entries else None

    def _member(self, field: Field) -> Attribute:
        c = self._cursor
        at = c.position
        code = c.varint(field.name)
        if code >= len(field.members):
            c.fail("B6", f"{field.name}: there is no value {code}; the last one is {len(field.members) - 1}", at)
        found = field.members[code]
        if found.since > self._pools.version:
            needs = f"needs version {found.since}; the file has {self._pools.version}"
            c.fail("B10", f"{field.name} {found.value} {needs}", at)
        return found

    def _constant(self, type_: Type) -> Attribute:
        c = self._cursor
        if not isinstance(type_, Tile) or not isinstance(type_.element, ElementType):
            c.fail("B8", f"a constant is a tile of numbers, not a {type_}")
        return self._pools.constants.read(c, type_, type_.element)


def _make(
    cls: type[TileOperation],
    operands: list[Value],
    types: list[Type],
    attributes: dict[str, Attribute],
    location: Location,
) -> TileOperation:
    """An operation from its parts, as cloning makes one; the verifier looks at the whole later."""
    op = object.__new__(cls)
    Operation.__init__(op, operands, types, attributes, (), (), location)
    return op
