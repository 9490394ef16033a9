"""Rules of debug information: the functions that entries, their operations and globals say they come from."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile.debug import (
    CallSite,
    DebugInfo,
    FusedDebug,
    LexicalBlock,
    NamedLocation,
    ScopedLocation,
    Subprogram,
    bottom_up,
    debug_of,
    parts_of,
)
from tilewright.dialects.cuda_tile.rules import error
from tilewright.ir.core import Operation


def entry_scopes(op: Operation, report: Report) -> None:
    """An entry lies in the subprogram that is named after it, and its operations in the same one."""
    functions = _Functions()
    own = list(_places(debug_of(op.location)))
    scopes = [place.scope for place in own if isinstance(place, ScopedLocation) and place.scope is not None]
    found = list({function: None for scope in scopes if (function := functions.of(scope)) is not None})
    if any(isinstance(place, CallSite) for place in own):
        error(op, report, "C23", op.location, "the location of an entry is no call site")
    elif not all(isinstance(scope, Subprogram) for scope in scopes):
        message = "the debug scope of an entry is a subprogram, not a block within one"
        error(op, report, "C23", op.location, message).hint("blocks are scopes of operations")
    elif len(found) > 1:
        error(op, report, "C23", op.location, "the entry has the debug scopes of several functions")
    elif found and found[0].linkage_name != op.attributes.get("sym_name"):
        message = f"the linkage name {found[0].linkage_name!r} of the debug scope is not the entry's symbol"
        error(op, report, "C23", op.location, message)
    problems = _Problems(found[0] if found else None, functions)
    for inner in op.walk():
        info = debug_of(inner.location)
        if inner is not op and info is not None and (problem := problems.of(info)) is not None:
            error(inner, report, "C23", inner.location, problem)


def global_scopes(op: Operation, report: Report) -> None:
    """Globals lie in no function."""
    places = _places(debug_of(op.location))
    if any(isinstance(place, ScopedLocation) and place.scope is not None for place in places):
        error(op, report, "C23", op.location, "globals have no debug scope")


class _Functions:
    """The functions that scopes lie in, found once for each scope."""

    def __init__(self) -> None:
        self._found: dict[DebugInfo, Subprogram | None] = {}

    def of(self, scope: DebugInfo) -> Subprogram | None:
        """The function around a scope; None if there is none."""
        for part in bottom_up(scope, self._found, _outer):
            outer = next(iter(_outer(part)), None)
            inherited = None if outer is None else self._found[outer]
            self._found[part] = part if isinstance(part, Subprogram) else inherited
        return self._found[scope]


class _Problems:
    """What is wrong with the places of an entry's operations, found once for each place."""

    def __init__(self, wanted: Subprogram | None, functions: _Functions) -> None:
        self._wanted = wanted
        self._functions = functions
        self._found: dict[DebugInfo, str | None] = {}

    def of(self, info: DebugInfo) -> str | None:
        """What is wrong with a place; None if nothing is."""
        for place in bottom_up(info, self._found, _inner):
            inner = (self._found[part] for part in _inner(place) if part is not None)
            self._found[place] = self._scope(place) or next(filter(None, inner), None)
        return self._found[info]

    def _scope(self, place: DebugInfo) -> str | None:
        if not isinstance(place, ScopedLocation) or place.scope is None:
            return None
        if self._wanted is None:
            return "the entry has no debug scope"
        found = self._functions.of(place.scope)
        if found is None:
            return "the debug scope lies in no subprogram"
        return None if found is self._wanted else "the debug scope is that of another function"


def _places(info: DebugInfo | None) -> Iterator[DebugInfo]:
    """The places that one consists of, itself too: behind names, in fused ones, and the callers of call sites."""
    known: dict[DebugInfo, None] = {}
    if info is not None:
        for place in bottom_up(info, known, _inner):
            known[place] = None
            yield place


def _inner(info: DebugInfo) -> tuple[DebugInfo | None, ...]:
    """The places that say which function one lies in; what was called lies in another one."""
    match info:
        case CallSite():
            return (info.caller,)
        case NamedLocation() | FusedDebug():
            return parts_of(info)
        case _:
            return ()


def _outer(scope: DebugInfo) -> tuple[DebugInfo | None, ...]:
    return (scope.scope,) if isinstance(scope, LexicalBlock) else ()
