"""Files put together byte by byte, and what reading them reports."""

from __future__ import annotations

import re

from tilewright.diagnostics import Diagnostic, Report
from tilewright.diagnostics.render import render_text
from tilewright.frontends.recognise import BYTECODE_MAGIC
from tilewright.frontends.tile_ir.bytecode import read
from tilewright.frontends.tile_ir.bytecode.buffer import Buffer, table
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.verifier import verify

PLACE = re.compile(r"byte (\d+) \(0x([0-9a-f]+)\): ")


def check(data: bytes, limits: Limits = DEFAULT_LIMITS) -> list[Diagnostic]:
    """Read and verify; the diagnostics, each of which must be well formed."""
    report = Report()
    module = read(data, report, "hostile.tilebc", limits)
    if module is None:
        assert len(report.diagnostics) == 1
        found = report.diagnostics[0]
        place = PLACE.search(str(found))
        assert place is not None, str(found)
        assert int(place[1]) == int(place[2], 16) <= len(data)
        assert found.code.startswith("B")
    else:
        verify(module, report)
    assert bool(render_text(report.diagnostics)) == bool(report.diagnostics)
    return report.diagnostics


def code(data: bytes, limits: Limits = DEFAULT_LIMITS) -> str:
    """The code of the only diagnostic."""
    (found,) = check(data, limits)
    return found.code


def section(out: Buffer, number: int, alignment: int, payload: bytes) -> None:
    """A section behind its head."""
    out.byte(number | (0x80 if alignment > 1 else 0))
    out.varint(len(payload))
    if alignment > 1:
        out.varint(alignment)
        out.align(alignment)
    out.bytes(payload)


def varints(*values: int) -> bytes:
    """Numbers one after another."""
    out = Buffer()
    for value in values:
        out.varint(value)
    return bytes(out.data)


I32, TILE, ENTRY = b"\x03", varints(13, 0, 0), varints(16, 0, 0)
RETURN = varints(0x5C, 0, 0)


def file(
    body: bytes = RETURN,
    types: list[bytes] | None = None,
    strings: list[bytes] | None = None,
    function: bytes | None = None,
    minor: int = 3,
    extra: tuple[tuple[int, int, bytes], ...] = (),
) -> bytes:
    """A file with one function."""
    out = Buffer()
    out.bytes(BYTECODE_MAGIC + bytes([13, minor, 0, 0]))
    head = varints(1, 0, 2) + b"\x02" + varints(0) if function is None else function
    section(out, 2, 8, head + varints(len(body)) + body)
    for number, alignment, payload in extra:
        section(out, number, alignment, payload)
    section(out, 5, 4, table([I32, TILE, ENTRY] if types is None else types, 4))
    section(out, 1, 4, table([b"k"] if strings is None else strings, 4))
    out.byte(0)
    return bytes(out.data)


def debug_file(rows: bytes, attributes: list[bytes]) -> bytes:
    """A file whose function has places."""
    return file(function=varints(1, 0, 2) + b"\x02\x01", extra=((3, 8, rows + table(attributes, 4)),))


def row(*indices: int) -> bytes:
    """The places of one function: its own, then those of its operations."""
    out = Buffer()
    out.varint(1)
    out.align(4)
    out.fixed(0, 4)
    out.varint(len(indices))
    out.align(8)
    for index in indices:
        out.fixed(index, 8)
    return bytes(out.data)
