"""Diagnostics about bytecode, told in lines of the Python kernel that it was made from."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from tilewright.diagnostics import CompileError, Diagnostic, Label, Location, Report, Source, SourceRange
from tilewright.diagnostics.binary import Binary
from tilewright.dialects.cuda_tile.core import TileModule
from tilewright.dialects.cuda_tile.debug import CallSite, DebugInfo, ScopedLocation, debug_of
from tilewright.frontends.tile_ir.bytecode import read_file

Places: TypeAlias = Mapping[tuple[int, int], DebugInfo]
"""Debug information of operations, by line and column of the first of their bytes in the dump."""


@contextmanager
def in_python(bytecode: Callable[[], bytes]) -> Generator[None]:
    """Point the diagnostics that are raised inside at lines of Python; `bytecode` gives what they are about."""
    try:
        yield
    except CompileError as error:
        _translate(error, bytecode())
        raise


def _translate(error: CompileError, bytecode: bytes) -> None:
    module = read_file(Binary("<bytes>", bytecode), Report())
    if module is None:
        return
    places, files = _places(module), _Files()
    for diagnostic in error.diagnostics:
        _retell(diagnostic, places, files)


def _places(module: TileModule) -> Places:
    found: dict[tuple[int, int], DebugInfo] = {}
    for op in module.walk():
        where, debug = op.location.primary, debug_of(op.location)
        if where is not None and debug is not None:
            found[where.source.position(where.start)] = debug
    return found


class _Files:
    """Python files as sources, one object each so that ranges of one file are shown together."""

    def __init__(self) -> None:
        self._sources: dict[str, Source | None] = {}

    def source(self, name: str) -> Source | None:
        """A file, or what a notebook's cell said; None if nobody knows."""
        if name not in self._sources:
            text = "".join(linecache.getlines(name))
            self._sources[name] = Source(name, text) if text else None
        return self._sources[name]

    def range(self, place: ScopedLocation) -> SourceRange | None:
        """What stands in a line from the place on."""
        source = self.source(place.file)
        if source is None or not 1 <= place.line <= len(source.line_starts):
            return None
        line = source.line(place.line)
        start = min(place.column, max(len(line) - 1, 0))
        base = source.line_starts[place.line - 1]
        return SourceRange(source, base + start, base + max(len(line.rstrip()), start + 1))


def _retell(diagnostic: Diagnostic, places: Places, files: _Files) -> None:
    labels = [
        Label(_python(label.location, places, files) or label.location, label.message) for label in diagnostic.labels
    ]
    calls = _calls(diagnostic.location, places)
    here = _python(diagnostic.location, places, files)
    if here is not None:
        diagnostic.location = here
    elif calls:
        diagnostic.hint(f"it comes from line {calls[0].line} of {Path(calls[0].file).name}")
    for caller in calls[1:]:
        outer = files.range(caller)
        if outer is not None:
            labels.append(Label(outer, "called here"))
    diagnostic.labels = labels


def _python(location: Location, places: Places, files: _Files) -> SourceRange | None:
    calls = _calls(location, places)
    return files.range(calls[0]) if calls else None


def _calls(location: Location, places: Places) -> list[ScopedLocation]:
    """The place in the function that was written, and those of the calls that led there."""
    where = location.primary
    info = None if where is None else places.get(where.source.position(where.start))
    return [] if info is None else list(_chain(info))


def _chain(info: DebugInfo | None) -> Iterator[ScopedLocation]:
    """The callee's places before the caller's; those of a call site that comes twice are told once."""
    waiting, seen = [info], set[DebugInfo]()
    while waiting:
        place = waiting.pop()
        if isinstance(place, CallSite) and place not in seen:
            seen.add(place)
            waiting += [place.caller, place.callee]
        elif isinstance(place, ScopedLocation):
            yield place
