"""Writes a module as a file."""

from __future__ import annotations

from tilewright.diagnostics import CompileError, Report
from tilewright.dialects.cuda_tile.attributes import Visibility
from tilewright.dialects.cuda_tile.core import Entry, Global, TileModule
from tilewright.dialects.cuda_tile.debug import debug_of
from tilewright.dialects.cuda_tile.types import FunctionType, Version
from tilewright.frontends.recognise import BYTECODE_MAGIC
from tilewright.frontends.tile_ir.bytecode.attribute_writer import Inexpressible
from tilewright.frontends.tile_ir.bytecode.body_writer import BodyWriter, Pools
from tilewright.frontends.tile_ir.bytecode.buffer import Buffer
from tilewright.frontends.tile_ir.bytecode.form import (
    ALIGNMENT,
    HINTS_FLAG,
    KERNEL_FLAG,
    MAJOR,
    SectionId,
)
from tilewright.frontends.tile_ir.versions import requirements
from tilewright.ir.core import Operation


def write(module: TileModule, version: Version = Version.V13_1) -> bytes:
    """The file of a verified module. Raises `CompileError` if the version cannot express the module.

    What is newer than the version but says nothing (defaults, results that nobody uses) is left out.
    """
    report = Report()
    for need in requirements(module):
        if need.version > version:
            message = f"{need.what} needs version {need.version}; the file is to have {version}"
            report.error("B10", need.location, message).hint(f"write version {need.version}")
    report.raise_if_errors()
    writer = _Writer(module, version)
    try:
        return writer.file()
    except Inexpressible as error:
        report.error("B12", writer.current.location, str(error))
        raise CompileError(report.diagnostics) from None


class _Writer:
    def __init__(self, module: TileModule, version: Version) -> None:
        self._module = module
        self._version = version
        self._pools = Pools(version)
        self.current: Operation = module

    def file(self) -> bytes:
        """The whole file, with its sections in NVIDIA's order."""
        pools = self._pools
        module = self._module
        out = Buffer()
        out.bytes(BYTECODE_MAGIC)
        out.bytes(bytes([MAJOR, self._version, 0, 0]))
        if module.globals:
            _section(out, SectionId.GLOBAL, self._globals())
        _section(out, SectionId.FUNC, self._functions())
        if len(pools.constants):
            _section(out, SectionId.CONSTANT, pools.constants.payload())
        if len(pools.debug):
            _section(out, SectionId.DEBUG, pools.debug.payload())
        if len(pools.types):
            _section(out, SectionId.TYPE, pools.types.payload())
        if module.producer is not None:
            producer = Buffer()
            producer.varint(pools.strings.index(module.producer))
            _section(out, SectionId.PRODUCER, bytes(producer.data))
        _section(out, SectionId.STRING, pools.strings.payload())
        out.byte(0)
        return bytes(out.data)

    def _globals(self) -> bytes:
        out = Buffer()
        found = self._module.globals
        out.varint(len(found))
        for op in found:
            self.current = op
            self._global(out, op)
        return bytes(out.data)

    def _global(self, out: Buffer, op: Global) -> None:
        pools = self._pools
        for value in (
            pools.strings.index(op.sym_name),
            pools.types.index(op.type),
            pools.constants.index(op.value.data),
            op.alignment,
        ):
            out.varint(value)
        if self._version >= Version.V13_3:
            out.varint(int(op.symbol_visibility is Visibility.PRIVATE))
            out.varint(int(op.is_constant))

    def _functions(self) -> bytes:
        out = Buffer()
        found = self._module.entries
        out.varint(len(found))
        for op in found:
            self._function(out, op)
        out.align(ALIGNMENT[SectionId.FUNC])
        return bytes(out.data)

    def _function(self, out: Buffer, op: Entry) -> None:
        pools = self._pools
        self.current = op
        places = [pools.debug.index(debug_of(op.location))]
        body = BodyWriter(pools)
        try:
            body.write(op.body.entry)
        finally:
            self.current = body.current or op
        hints = op.optimization_hints
        has_hints = hints is not None and bool(hints.entries)
        out.varint(pools.strings.index(op.sym_name))
        out.varint(pools.types.index(FunctionType(tuple(a.type for a in op.body.entry.arguments))))
        out.byte(KERNEL_FLAG | (HINTS_FLAG if has_hints else 0))
        out.varint(pools.debug.row(places + body.places))
        if has_hints:
            self.current = op
            pools.attributes.tagged(out, hints)
        out.varint(len(body.out))
        out.bytes(body.out.data)


def _section(out: Buffer, section: SectionId, payload: bytes) -> None:
    alignment = ALIGNMENT[section]
    out.byte(section | (0x80 if alignment > 1 else 0))
    out.varint(len(payload))
    if alignment > 1:
        out.varint(alignment)
        out.align(alignment)
    out.bytes(payload)
