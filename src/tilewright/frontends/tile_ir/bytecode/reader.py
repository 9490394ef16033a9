"""Reads a file: header, sections, globals, entries."""

from __future__ import annotations

from tilewright.diagnostics import Location, Report
from tilewright.diagnostics.binary import Binary, ByteRange
from tilewright.dialects.cuda_tile.attributes import Hints, Visibility
from tilewright.dialects.cuda_tile.core import Entry, Global, TileModule
from tilewright.dialects.cuda_tile.debug import DebugLocation
from tilewright.dialects.cuda_tile.types import ElementType, Version
from tilewright.frontends.tile_ir.bytecode.attribute_reader import Attributes
from tilewright.frontends.tile_ir.bytecode.body_reader import Body, Pools
from tilewright.frontends.tile_ir.bytecode.budget import Budget
from tilewright.frontends.tile_ir.bytecode.cursor import Cursor, Fault
from tilewright.frontends.tile_ir.bytecode.debug_reader import Debug
from tilewright.frontends.tile_ir.bytecode.form import (
    HINTS_FLAG,
    KERNEL_FLAG,
    MODULE_NAME,
    PRIVATE_FLAG,
    SectionId,
)
from tilewright.frontends.tile_ir.bytecode.tables import (
    Constants,
    Strings,
    read_header,
    read_sections,
    read_table,
)
from tilewright.frontends.tile_ir.bytecode.type_reader import Types
from tilewright.ir.core import Block, Region
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits


def read(data: bytes, report: Report, name: str, limits: Limits = DEFAULT_LIMITS) -> TileModule | None:
    """The module in a file, not verified yet; None if the file is not well formed, which `report` then says."""
    return read_file(Binary(name, data), report, limits)


def read_file(file: Binary, report: Report, limits: Limits = DEFAULT_LIMITS) -> TileModule | None:
    """As `read`; what the module consists of has places in this file."""
    data = file.data
    try:
        if len(data) > limits.source_bytes:
            raise Fault("B11", 0, f"the file has {len(data):,} bytes; the limit is {limits.source_bytes:,}", None)
        return _Reader(file, limits).module()
    except Fault as fault:
        section = "" if fault.section is None else f"section {fault.section}: "
        report.error(fault.code, ByteRange(file, fault.offset, fault.offset + 1), f"{section}{fault.message}")
        return None


class _Reader:
    def __init__(self, file: Binary, limits: Limits) -> None:
        cursor = Cursor(file.data, 0, len(file.data))
        version = read_header(cursor)
        self._sections = read_sections(cursor)
        self._version = version
        section = self._sections.get
        self._budget = Budget(limits)
        strings = Strings(read_table(section(SectionId.STRING), 4, "string"), self._budget)
        types = Types(read_table(section(SectionId.TYPE), 4, "type"), version, limits)
        constants = Constants(read_table(section(SectionId.CONSTANT), 8, "constant"), self._budget)
        attributes = Attributes(strings, types, constants, limits)
        self._pools = Pools(file, version, limits, strings, types, constants, attributes)
        self._debug = Debug(section(SectionId.DEBUG), strings, limits)

    def module(self) -> TileModule:
        """Everything in the file."""
        block = Block()
        for item in self._globals():
            block.append(item)
        for item in self._functions():
            block.append(item)
        place = self._pools.place(0, 12)
        return TileModule(MODULE_NAME, Region(block), self._producer(), int(self._version), location=place)

    def _producer(self) -> str | None:
        payload = self._sections.get(SectionId.PRODUCER)
        if payload is None:
            return None
        if self._version < Version.V13_3:
            payload.fail("B10", f"a producer needs version {Version.V13_3}; the file has {self._version}")
        found = self._pools.strings.read(payload)
        payload.finish("the section")
        return found

    def _globals(self) -> list[Global]:
        payload = self._sections.get(SectionId.GLOBAL)
        if payload is None:
            return []
        found = [self._global(payload) for _ in range(payload.count("the number of globals", 4))]
        payload.finish("the section")
        return found

    def _global(self, c: Cursor) -> Global:
        start = c.position
        self._budget.operations(c)
        name = self._pools.strings.name(c, "the name of a global")
        at = c.position
        type_ = self._pools.types.tile(c)
        if not isinstance(type_.element, ElementType):
            c.fail("B8", f"a global consists of numbers, which those of {type_} are not", at)
        value = self._pools.constants.read(c, type_, type_.element)
        alignment = c.varint("the alignment of a global")
        visibility, constant = Visibility.PUBLIC, False
        if self._version >= Version.V13_3:
            visibility = tuple(Visibility)[self._choice(c, "the visibility of a global")]
            constant = bool(self._choice(c, "whether a global is constant"))
        found = Global(name, value, type_, location=self._pools.place(start, c.position))
        # Defaults are left out, so that equal globals have equal attributes.
        if alignment:
            found.alignment = alignment
        if constant:
            found.is_constant = True
        if visibility is not Visibility.PUBLIC:
            found.symbol_visibility = visibility
        return found

    def _choice(self, c: Cursor, what: str) -> int:
        at = c.position
        found = c.varint(what)
        if found > 1:
            c.fail("B6", f"{what} is 0 or 1, not {found}", at)
        return found

    def _functions(self) -> list[Entry]:
        payload = self._sections[SectionId.FUNC]
        found = [self._function(payload) for _ in range(payload.count("the number of functions", 5))]
        # Writers pad the section to a multiple of its alignment.
        if payload.left >= 8:
            payload.finish("the section")
        return found

    def _function(self, c: Cursor) -> Entry:
        start = c.position
        self._budget.operations(c)
        name = self._pools.strings.name(c, "the name of an entry")
        at = c.position
        signature = self._pools.types.function(c)
        if signature.results:
            c.fail("B9", f"an entry has no results, but the signature is {signature}", at)
        self._budget.operations(c, len(signature.inputs))
        flags = self._function_flags(c)
        row = self._debug.row(c)
        hints = self._hints(c) if flags & HINTS_FLAG else None
        at = c.position
        length = c.varint("the length of a body")
        if length > c.left:
            c.fail("B2", f"a body of {length} bytes does not fit into the {c.left} that are left", at)
        place: Location = self._pools.place(start, c.position)
        info = None if row is None else row.take()
        block = Block()
        for type_ in signature.inputs:
            block.add_argument(type_, location=place)
        body = c.slice(c.position, c.position + length)
        Body(self._pools, body, row, self._budget).read(block)
        if row is not None:
            row.finish()
        c.position = body.end
        where = place if info is None else DebugLocation(place, info)
        return Entry(name, Region(block), hints, location=where)

    def _function_flags(self, c: Cursor) -> int:
        at = c.position
        flags = c.byte("the flags of a function")
        if flags & PRIVATE_FLAG:
            c.fail("B9", "an entry is public", at)
        if not flags & KERNEL_FLAG:
            c.fail("B9", "a function that is no kernel", at)
        if flags & ~(KERNEL_FLAG | HINTS_FLAG):
            c.fail("B6", f"a function has flags 0 to 2 only, not {flags:#b}", at)
        return flags

    def _hints(self, c: Cursor) -> Hints | None:
        at = c.position
        found = self._pools.attributes.tagged(c)
        if not isinstance(found, Hints):
            c.fail("B8", "expected optimization hints", at)
        return found if found.entries else None
