"""Reads names of values: which are visible where, which are used before they are defined, what is wrong with others."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilewright.diagnostics import Location, Report, Source, SourceRange
from tilewright.diagnostics.nearest import nearest
from tilewright.ir.core import Operation, Value
from tilewright.ir.mlir.attribute_text import AttributeReader
from tilewright.ir.mlir.codes import COUNTS, MISMATCH, VISIBILITY
from tilewright.ir.mlir.cursor import VALUE
from tilewright.ir.mlir.limits import DEFAULT_LIMITS, Limits
from tilewright.ir.mlir.name_text import ResultName
from tilewright.ir.mlir.scopes import Scopes
from tilewright.ir.mlir.spelling import spell
from tilewright.ir.types import Type

_GUESSED: Final = 2000


class _Forward(Value):
    """Stands for a value until its definition is read."""

    __slots__ = ("place",)

    def __init__(self, type_: Type, place: SourceRange) -> None:
        super().__init__(type_)
        self.place = place

    @property
    def location(self) -> Location:
        return self.place


class Use(Struct):
    """A name where a value is used."""

    name: str
    number: int
    place: SourceRange

    @property
    def key(self) -> str:
        """The name of one of several results."""
        return f"{self.name}#{self.number}" if self.number else self.name


class ValueReader(AttributeReader):
    """Reads names of values. A value may be used before its definition, as long as that follows in the same region or
    around it; whether it dominates the use, the verifier says."""

    def __init__(self, source: Source, report: Report, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(source, report, limits)
        self.scopes = Scopes()
        self._awaited: list[dict[str, _Forward]] = [{}]

    # Regions

    def enter_scope(self) -> int:
        """Begin a region; the answer is for `leave_scope`."""
        self._awaited.append({})
        return self.scopes.enter()

    def leave_scope(self, mark: int) -> None:
        """End a region: what it still waits for may be defined around it."""
        self.scopes.leave(mark)
        outer = self._awaited[-2]
        for key, forward in self._awaited.pop().items():
            known = outer.setdefault(key, forward)
            if known is not forward:
                self._settle(forward, known)

    def isolate_scope(self) -> tuple[dict[str, Value], list[dict[str, _Forward]]]:
        """Hide everything around a region; the answer is for `restore_scope`."""
        outer, self._awaited = self._awaited, [{}]
        return self.scopes.isolate(), outer

    def restore_scope(self, outer: tuple[dict[str, Value], list[dict[str, _Forward]]]) -> None:
        """Undo `isolate_scope`."""
        self.report_awaited()
        self._awaited = outer[1]
        self.scopes.restore(outer[0])

    def report_awaited(self) -> None:
        """Report the values that nobody has defined."""
        for key, forward in self._awaited[0].items():
            name = key.partition("#")[0]
            if name not in self.scopes.broken and not self.scopes.lost:
                self._invisible(name, forward.place)
        self._awaited[0].clear()

    # Names

    def use(self) -> Use:
        """The name of a value."""
        found = self.take(VALUE)
        if found is None:
            self.fail("expected a value, such as %a")
        self.check_name(found[1], found.start())
        return Use(found[1], int(found[2] or 0), self.range_of(found.start(), self.end))

    def value(self, use: Use, type_: Type) -> Value | None:
        """The value of a name, which has the type; None if it is broken, which has been reported."""
        key = use.key
        found = self.scopes.visible.get(key)
        if found is None:
            if use.name in self.scopes.broken:
                return None
            if use.name in self.scopes.visible:
                self.error(COUNTS, use.place, f"{use.name[:80]} has fewer results than that")
                return None
            found = self._awaited[-1].get(key)
            if found is None:
                found = self._awaited[-1][key] = _Forward(type_, use.place)
        if found.type is not type_ and found.type != type_:
            self._mismatch(f"{key[:80]} has type {spell(found.type)}", found, type_, use.place)
            return None
        return found

    def _mismatch(self, said: str, value: Value, type_: Type, place: SourceRange) -> None:
        words = "used with that type" if isinstance(value, _Forward) else "defined here"
        finding = self.error(MISMATCH, place, f"{said}, not {spell(type_)}")
        finding.label(value.location, words)

    def define(self, name: str, value: Value, place: SourceRange) -> None:
        """Make a value visible, also where it was used before."""
        before = self.scopes.define(name, value)
        if before is not None:
            self.error(VISIBILITY, place, f"{name[:80]} is defined twice").label(before.location, "defined here")
        forward = self._awaited[-1].pop(name, None)
        if forward is not None:
            self._settle(forward, value)

    def _settle(self, forward: _Forward, value: Value) -> None:
        """Put a value where it was waited for."""
        if forward.type != value.type:
            self._mismatch(f"a value of type {spell(value.type)}", value, forward.type, forward.place)
            return
        for user in list(forward.uses):
            user.replace_operand(forward, value)

    def _invisible(self, name: str, place: SourceRange) -> None:
        finding = self.error(VISIBILITY, place, f"{name[:80]} is not defined here")
        hidden = self.scopes.hidden.get(name)
        minuend, dash, subtrahend = name.partition("-")
        if dash and (minuend in self.scopes.visible or minuend in self.scopes.hidden):
            finding.hint(f"a - without spaces is part of the name: a difference is {minuend} - {subtrahend[:80]}")
        elif hidden is not None:
            finding.label(hidden.location, "visible only in the region that defines it")
        elif len(self.scopes.visible) <= _GUESSED:
            finding.suggest(place, nearest(name, [n for n in self.scopes.visible if "#" not in n], 0.75))
        self.scopes.poison([name])

    def define_results(self, names: list[ResultName], op: Operation) -> None:
        """Give an operation's results their names."""
        named = sum(name.count for name in names)
        if named != len(op.results) or any(name.count < 1 for name in names):
            place = names[0].place.to(names[-1].place)
            said = f"{op.name[:80]} has {len(op.results)} results, but {named} are named"
            empty = any(name.count < 1 for name in names)
            self.error(COUNTS, place, "a name stands for one result or more" if empty else said)
            self.scopes.poison(name.text for name in names)
            return
        results = iter(op.results)
        for name in names:
            plain = plain_name(name.text)
            for number in range(name.count):
                result = next(results)
                result.name = plain
                self.define(f"{name.text}#{number}" if number else name.text, result, name.place)


def plain_name(text: str) -> str | None:
    """The name that a value keeps: none for those that MLIR's printer gives."""
    bare = text.removeprefix("%")
    return None if bare.removeprefix("arg").isdigit() else bare
