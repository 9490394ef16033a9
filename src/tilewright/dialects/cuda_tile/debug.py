"""Debug information: where an operation comes from in the program that somebody wrote."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import Final, TypeVar, cast

from msgspec import Struct

from tilewright.diagnostics import Location, SourceRange


class DebugInfo(Struct, frozen=True, eq=False):
    """Base of all debug attributes. Where one is missing, None stands for unknown.

    Those of one module are made by one `DebugPool`: equal ones are one object, so that graphs with much sharing are
    compared, hashed and printed in linear time.
    """


class DebugFile(DebugInfo, frozen=True, eq=False):
    """A source file."""

    name: str
    directory: str


class CompileUnit(DebugInfo, frozen=True, eq=False):
    """What was compiled together."""

    file: DebugInfo | None


class LexicalBlock(DebugInfo, frozen=True, eq=False):
    """A scope within a function."""

    scope: DebugInfo | None
    file: DebugInfo | None
    line: int
    column: int


class Subprogram(DebugInfo, frozen=True, eq=False):
    """A function; `linkage_name` is the symbol of the entry."""

    file: DebugInfo | None
    line: int
    name: str
    linkage_name: str
    compile_unit: DebugInfo | None
    scope_line: int


class FileLocation(DebugInfo, frozen=True, eq=False):
    """A place in a file, without a scope. Bytecode cannot hold it.

    `end` of a range is its last column, behind the last line if that is another one.
    """

    file: str
    line: int
    column: int
    end: tuple[int, ...] = ()


class ScopedLocation(DebugInfo, frozen=True, eq=False):
    """A place in a file within a scope."""

    scope: DebugInfo | None
    file: str
    line: int
    column: int


class CallSite(DebugInfo, frozen=True, eq=False):
    """A place that was inlined where it was called."""

    callee: DebugInfo | None
    caller: DebugInfo | None


class NamedLocation(DebugInfo, frozen=True, eq=False):
    """A name, and what it stands for. Text only."""

    name: str
    child: DebugInfo | None


class FusedDebug(DebugInfo, frozen=True, eq=False):
    """Several places at once, and what is said of them, as it is spelled. Text only."""

    parts: tuple[DebugInfo | None, ...]
    metadata: str = ""


SCOPES: Final = (Subprogram, LexicalBlock)
"""What a place lies in."""
LOCATIONS: Final = (FileLocation, ScopedLocation, CallSite, NamedLocation, FusedDebug)
"""What is a place, and not something that places consist of."""

DebugField = DebugInfo | str | int | tuple[DebugInfo | int | None, ...] | None
InfoT = TypeVar("InfoT", bound=DebugInfo)


class DebugPool:
    """Makes debug attributes, equal ones once."""

    def __init__(self) -> None:
        self._made: dict[tuple[type[DebugInfo], tuple[DebugField, ...]], DebugInfo] = {}
        self._depths: dict[DebugInfo, int] = {}

    def make(self, cls: Callable[..., InfoT], *fields: DebugField) -> InfoT:
        """An attribute of class `cls`, whose parts were made here."""
        assert isinstance(cls, type)
        key = (cast("type[DebugInfo]", cls), fields)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = cls(*fields)
            self._depths[found] = 1 + max(map(self.depth, parts_of(found)), default=0)
        return cast("InfoT", found)

    def depth(self, info: DebugInfo | None) -> int:
        """How deep an attribute is nested; 1 if it has no parts."""
        return 0 if info is None else self._depths[info]


def parts_of(info: DebugInfo) -> tuple[DebugInfo | None, ...]:
    """The attributes that one consists of, in the order of its fields."""
    match info:
        case CompileUnit(file):
            return (file,)
        case LexicalBlock(scope, file):
            return (scope, file)
        case Subprogram():
            return (info.file, info.compile_unit)
        case ScopedLocation(scope):
            return (scope,)
        case CallSite(callee, caller):
            return (callee, caller)
        case NamedLocation():
            return (info.child,)
        case FusedDebug(parts):
            return parts
        case _:
            return ()


def bottom_up(
    info: DebugInfo,
    known: Container[DebugInfo],
    parts: Callable[[DebugInfo], tuple[DebugInfo | None, ...]] = parts_of,
) -> Iterator[DebugInfo]:
    """What `info` consists of, and at last itself: parts first, each once. What the caller adds to `known` is left out.

    Graphs are as deep as the readers' limit allows, so nobody walks them on Python's stack.
    """
    stack = [info]
    while stack:
        top = stack[-1]
        missing = [part for part in parts(top) if part is not None and part not in known]
        if missing:
            stack.extend(reversed(missing))
            continue
        stack.pop()
        if top not in known:
            yield top


class DebugLocation(Location):
    """Where an operation stands in what was read, together with where it says that it comes from."""

    __slots__ = ("debug", "place")

    def __init__(self, place: Location, debug: DebugInfo) -> None:
        self.place = place
        self.debug = debug

    def ranges(self) -> tuple[SourceRange, ...]:
        return self.place.ranges()

    def __str__(self) -> str:
        return str(self.place)


def debug_of(location: Location) -> DebugInfo | None:
    """The debug information in a location; None if unknown."""
    return location.debug if isinstance(location, DebugLocation) else None
