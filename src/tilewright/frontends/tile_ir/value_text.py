"""Names of values: which are visible where, and what is wrong with the others."""

from __future__ import annotations

from typing import Final

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.diagnostics.nearest import nearest
from tilewright.frontends.tile_ir.debug_text import DebugReader
from tilewright.frontends.tile_ir.draft import Draft, plain_name
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.cursor import VALUE
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.mlir.name_text import ResultName
from tilewright.ir.mlir.scopes import Scopes

VISIBILITY: Final = "C6"
MISMATCH: Final = "C7"
RESULTS: Final = "C9"
_GUESSED: Final = 2000


class ValueReader(DebugReader):
    """Reads uses of values and defines them. A name is visible until the region that defines it ends."""

    def __init__(self, source: Source, report: Report, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(source, report, limits)
        self.scopes = Scopes()

    def define(self, name: str, value: Value, place: SourceRange) -> None:
        """Make a value visible; of two with one name neither is, since nobody knows which one a use means."""
        before = self.scopes.define(name, value)
        if before is not None:
            self.error(VISIBILITY, place, f"{name} is defined twice").label(before.location, "defined here")

    def poison(self, names: list[ResultName]) -> None:
        """Remember names whose operation is broken, so that their uses are not reported."""
        self.scopes.poison(name.text for name in names)

    def at_value(self) -> bool:
        """Whether a value is ahead."""
        return self.text.startswith("%", self.position)

    def value(self) -> tuple[Value | None, SourceRange]:
        """A use of a value, and where it stands; None for one that is not there, which is reported once."""
        found = self.take(VALUE)
        if found is None:
            self.fail("expected a value, such as %a")
        if self.text.startswith("=", self.position):
            self.position = found.start()
            self.fail("expected a value before the next operation")
        place = SourceRange(self.source, found.start(), self.end)
        name, number = found[1], found[2]
        value = self.scopes.visible.get(name)
        if number is not None and value is not None:
            value = (
                self.scopes.visible.get(f"{name}#{int(number)}")
                if int(number) or f"{name}#0" in self.scopes.visible
                else value
            )
        if value is None and name not in self.scopes.broken:
            self._invisible(name, place)
        return value, place

    def _invisible(self, name: str, place: SourceRange) -> None:
        if name in self.scopes.visible:
            self.error(VISIBILITY, place, f"{name} has fewer results than that")
            return
        if self.scopes.lost and name not in self.scopes.hidden:
            self.scopes.lost -= 1
            self.scopes.broken[name] = None
            return
        finding = self.error(VISIBILITY, place, f"{name[:80]} is not defined here")
        hidden = self.scopes.hidden.get(name)
        if hidden is not None:
            finding.label(hidden.location, "visible only in the region that defines it")
        elif len(self.scopes.visible) <= _GUESSED:
            finding.suggest(place, nearest(name, self.scopes.visible, 0.75))
        self.scopes.broken[name] = None

    def define_results(self, draft: Draft, op: Operation) -> None:
        """Give an operation's results their names."""
        named = draft.named
        if not draft.names:
            return
        if named != len(op.results) or any(name.count < 1 for name in draft.names):
            place = draft.names[0].place.to(draft.names[-1].place)
            said = f"{op.name.removeprefix('cuda_tile.')} has {_count(len(op.results))}, but {named} are named"
            self.error(RESULTS, place, said)
            self.poison(draft.names)
            return
        index = 0
        for name in draft.names:
            plain = plain_name(name.text)
            for k in range(name.count):
                result = op.results[index]
                result.name = plain if name.count == 1 or plain is None else f"{plain}_{k}"
                draft.places[("result", index)] = name.place
                if k == 0:
                    self.define(name.text, result, name.place)
                if name.count > 1:
                    self.define(f"{name.text}#{k}", result, name.place)
                index += 1


def _count(number: int) -> str:
    return "no result" if not number else "one result" if number == 1 else f"{number} results"
