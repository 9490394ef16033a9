"""Reads names of values where they are defined, lists, dictionaries: what all texts in MLIR's manner share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

from tilewright.diagnostics import SourceRange
from tilewright.ir.mlir.cursor import VALUE, Cursor

T = TypeVar("T")


class ResultName(Struct):
    """A name in front of `=`; `count` results share it."""

    text: str
    count: int
    place: SourceRange


class NameReader(Cursor):
    """Reads names that are defined, and what has commas between its parts."""

    def new_name(self, what: str = "a value") -> str:
        """The name of a value that is defined here."""
        found = self.take(VALUE)
        if found is None or found[2] is not None:
            self.fail(f"expected the name of {what}, such as %a")
        self.check_name(found[1], found.start())
        return found[1]

    def check_name(self, name: str, start: int) -> None:
        """Refuse a name that is too long."""
        if len(name) > self.limits.name:
            self.fail(f"names have at most {self.limits.name} characters", self.codes.limit, self.range_from(start))

    def result_names(self, found: list[ResultName]) -> None:
        """`%a, %b:2 =` in front of an operation, to a list that has them even if reading fails."""
        while True:
            start = self.position
            text = self.new_name("a result")
            place = self.range_from(start)
            found.append(ResultName(text, self.integer("a number of results") if self.accept(":") else 1, place))
            if not self.accept(","):
                break
        self.expect("=")

    def listed(self, read: Callable[[], T], close: str) -> list[T]:
        """Any number of parts with commas between them, and what closes the list."""
        found: list[T] = []
        while not self.at(close):
            found.append(read())
            if not self.accept(","):
                break
        self.expect(close)
        return found

    def key(self) -> str:
        """A name of a dictionary entry."""
        start = self.position
        if not self.at('"'):
            return self.word("a name")
        name = self.string("a name")
        if not name:
            self.fail("names are not empty", self.codes.syntax, self.range_from(start))
        return name

    def entries(self, read: Callable[[], T], absent: T) -> dict[str, T]:
        """`{name = value, ..}`, sorted; a name alone has the value `absent`."""
        found: dict[str, T] = {}

        def entry() -> None:
            start = self.position
            name = self.key()
            if name in found:
                self.error(self.codes.syntax, self.range_from(start), f"{name[:80]!r} is given twice")
            found[name] = read() if self.accept("=") else absent

        self.expect("{")
        self.listed(entry, "}")
        return dict(sorted(found.items()))

    def nested_list(self, read_element: Callable[[], None], deepest: int, unequal: str) -> tuple[int, ...]:
        """`[[x, ..], ..]`, nested at most `deepest`: its shape. `unequal` is the code where it is no rectangle.

        All elements stand equally deep; `read_element` reads one of them.
        """
        extents: list[int | None] = []
        counts: list[int] = []
        while True:
            if self.accept("["):
                counts.append(0)
                if len(counts) > deepest:
                    self.fail(f"lists are nested more than {deepest} deep", self.codes.limit)
                if len(extents) < len(counts):
                    extents.append(None)
                if not self.at("]"):
                    continue
            elif len(counts) != len(extents):
                self.fail("all elements stand equally deep in the lists")
            else:
                read_element()
                counts[-1] += 1
            while counts and not self.accept(","):
                if not self.accept("]"):
                    self.fail("expected ',' or ']'")
                self._close_list(counts, extents, unequal)
            if not counts:
                return tuple(e or 0 for e in extents)

    def _close_list(self, counts: list[int], extents: list[int | None], unequal: str) -> None:
        """End of a list: all lists of one depth are equally long."""
        depth = len(counts) - 1
        count = counts.pop()
        if extents[depth] not in (None, count):
            place = self.range_of(self.end - 1, self.end)
            self.fail(f"this list has {count} entries, others {extents[depth]}", unequal, place)
        extents[depth] = count
        if counts:
            counts[-1] += 1
