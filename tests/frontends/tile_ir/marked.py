"""Tile IR texts with one marked place: `«..»` stands around the text that a diagnostic must point at."""

from __future__ import annotations

from frontends.tile_ir.samples import module
from tilewright.diagnostics import Diagnostic, Report, Source
from tilewright.dialects.cuda_tile.core import TileModule
from tilewright.frontends.tile_ir import parse
from tilewright.ir.verifier import verify


def findings(text: str) -> list[Diagnostic]:
    """Everything that reading and, if that went well, verifying a text reports."""
    report = Report()
    found = parse(Source("test.tileir", text), report)
    if found is not None and not report.errors:
        verify(found, report)
    return report.diagnostics


def parsed(text: str) -> TileModule:
    """A valid module."""
    report = Report()
    found = parse(Source("test.tileir", text), report)
    assert found is not None, [str(d) for d in report.diagnostics]
    verify(found, report)
    assert not report.diagnostics, [str(d) for d in report.diagnostics]
    return found


def program(body: str) -> str:
    """A body of an entry as a module; what begins like a file is one."""
    return body if body.lstrip().startswith(("cuda_tile.module", "entry", "global", "#", "!")) else module("\n" + body)


def check(code: str, marked: str, says: str) -> None:
    """Exactly one diagnostic: the code, exactly the marked range, and a message that contains `says`."""
    text = program(marked)
    before, _, rest = text.partition("«")
    inside, closing, after = rest.partition("»")
    assert closing, "no marked place"
    found = findings(before + inside + after)
    assert len(found) == 1, [str(d) for d in found]
    [d] = found
    place = d.location.primary
    assert place is not None, str(d)
    assert (d.code, place.source.text[place.start : place.end], place.start) == (code, inside, len(before)), str(d)
    assert says in d.message, d.message
