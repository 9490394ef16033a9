"""In which order the statements of a nest may run one after another, each over all its iterations."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.transforms.aliasing import views_may_overlap
from tilewright.transforms.loop_nests.dependences import between
from tilewright.transforms.loop_nests.nests import Nest, Reference
from tilewright.transforms.raise_contractions.updates import Statement, Update, loads_of


class Order:
    """Asks the dependences of a nest, each pair of statements once, and what each statement reads."""

    def __init__(self, nest: Nest, found: Sequence[Statement]) -> None:
        self._nest = nest
        self._before: dict[tuple[int, int], bool] = {}
        self._reads: dict[int, list[Reference]] = {}
        self._statements = found

    def may_be_distributed(self) -> bool:
        """Whether no statement needs that one further on in the text ran in an earlier iteration."""
        count = len(self._statements)
        return not any(self._needs(first, late) for late in range(count) for first in range(late + 1, count))

    def are_independent(self, one: int, other: int) -> bool:
        """Whether two statements may run in any order."""
        return not self._needs(one, other) and not self._needs(other, one)

    def _needs(self, first: int, second: int) -> bool:
        """Whether an iteration of the second depends on an earlier one of the first."""
        key = (first, second)
        if key not in self._before:
            self._before[key] = self._depends(first, second)
        return self._before[key]

    def _depends(self, first: int, second: int) -> bool:
        earlier, later = self._statements[first], self._statements[second]
        if _only_add(earlier, later):
            # what one of them is to add to may not change before it does
            return any(
                dependence.carrier is None
                for source in self._reads_of(first)
                for dependence in between(self._nest, source, later.write)
            )
        return any(
            between(self._nest, source, sink)
            for source in (earlier.write, *self._reads_of(first))
            for sink in (later.write, *self._reads_of(second))
            if source.writes or sink.writes
        )

    def _reads_of(self, number: int) -> list[Reference]:
        if number not in self._reads:
            loads = loads_of(self._nest, self._statements[number].store)
            self._reads[number] = [one for one in self._nest.references if one.op in loads]
        return self._reads[number]

    def reads_in_time(self, number: int) -> bool:
        """Whether what a statement reads is still there when it writes: no load stands outside of loops around the
        store and sees what the store overwrites."""
        write = self._statements[number].write
        return not any(
            read.loops != write.loops and between(self._nest, read, write) for read in self._reads_of(number)
        )


def _only_add(one: Statement, other: Statement) -> bool:
    """Whether both only add to elements of one memref, and neither reads it for anything else."""
    updates = [*(one.updates or ()), *(other.updates or ())]
    if (
        one.updates is None
        or other.updates is None
        or not all(update.accumulates and keeps_apart(update) for update in updates)
    ):
        return False
    return one.write.place.base is other.write.place.base


def keeps_apart(update: Update) -> bool:
    """Whether no source surely shares memory with the target."""
    return not any(views_may_overlap(update.target.base, source.base) for source in update.sources)


def writes_once(nest: Nest, statement: Statement) -> bool:
    """Whether no two iterations of a statement surely write the same element."""
    return not between(nest, statement.write, statement.write)
