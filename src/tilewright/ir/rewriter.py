"""Rewriting by patterns that are indexed by the operation they match.

    @pattern(Add)
    def fold_zero(op: Add, rewriter: Rewriter) -> bool: ...

A pattern returns whether it changed anything; it creates operations through the rewriter, which gives them the location
of the matched one and puts what changed back on the worklist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct

from tilewright.diagnostics import UNKNOWN
from tilewright.ir.core import Operation, Value

OperationT = TypeVar("OperationT", bound=Operation)


class Pattern(Struct, Generic[OperationT], frozen=True):
    """A rewrite, and the operation classes or families that it applies to; None for all operations."""

    classes: tuple[type[Operation], ...] | None
    rewrite: Callable[[OperationT, Rewriter], bool]
    name: str


def pattern(*classes: type[OperationT]) -> Callable[[Callable[[OperationT, Rewriter], bool]], Pattern[OperationT]]:
    """Make a function a pattern for operations of these classes and families (none given: every operation)."""

    def wrap(function: Callable[[OperationT, Rewriter], bool]) -> Pattern[OperationT]:
        return Pattern(classes or None, function, getattr(function, "__name__", "pattern"))

    return wrap


class PatternSet:
    """Patterns by operation class; built once, used many times."""

    def __init__(self, patterns: Iterable[Pattern[Any]]) -> None:
        self._patterns = tuple(patterns)
        self._general = [item for item in self._patterns if item.classes is None]
        self._by_class: dict[type[Operation], list[Pattern[Any]]] = {}

    def of(self, op: Operation) -> Sequence[Pattern[Any]]:
        """Patterns to try on `op`, specific ones first."""
        cls = type(op)
        found = self._by_class.get(cls)
        if found is None:
            specific = [item for item in self._patterns if item.classes and issubclass(cls, item.classes)]
            found = self._by_class[cls] = specific + self._general
        return found


class Rewriter:
    """Changes the IR around the matched operation and keeps the worklist."""

    def __init__(self) -> None:
        self._work: list[Operation] = []
        self._queued: set[Operation] = set()
        self._erased: set[Operation] = set()
        self.current: Operation | None = None

    def insert(self, op: OperationT, before: Operation | None = None) -> OperationT:
        """Insert in front of `before` (default: the matched operation) with the matched operation's location."""
        anchor = before if before is not None else self.current
        assert anchor is not None
        assert anchor.block is not None
        if op.location is UNKNOWN:
            op.location = anchor.location
        anchor.block.insert(op, anchor)
        self.enqueue(op)
        return op

    def replace(self, op: Operation, values: Sequence[Value]) -> None:
        """Use `values` in place of the results of `op` and erase it."""
        for old, new in zip(op.results, values, strict=True):
            for user in old.uses:
                self.enqueue(user)
            old.replace_all_uses_with(new)
        self.erase(op)

    def erase(self, op: Operation) -> None:
        """Erase an unused operation; those that defined its operands are visited again."""
        for operand in op.operands:
            if operand.defining_op is not None:
                self.enqueue(operand.defining_op)
        for inner in op.walk():
            self._erased.add(inner)
        op.erase()

    def changed(self, op: Operation) -> None:
        """Say that `op` was changed in place: it and its users are visited again."""
        self.enqueue(op)
        for result in op.results:
            for user in result.uses:
                self.enqueue(user)

    def enqueue(self, op: Operation) -> None:
        """Visit `op` (again)."""
        if op not in self._queued:
            self._queued.add(op)
            self._work.append(op)

    def pop(self) -> Operation | None:
        """The next live operation to visit."""
        while self._work:
            op = self._work.pop()
            self._queued.discard(op)
            if op not in self._erased:
                return op
        return None


def is_dead(op: Operation) -> bool:
    """Whether `op` can go: nothing uses it and it has no effects."""
    for result in op.results:
        if result.uses:
            return False
    if op.definition.terminator:
        return False
    effects = op.effects()
    return effects is not None and not effects and op.block is not None


def apply_patterns(root: Operation, patterns: PatternSet, limit: int = 1_000_000) -> bool:
    """Apply patterns inside `root` until nothing changes; dead pure operations are erased on the way.

    Linear in the number of changes; `limit` bounds them against patterns that undo each other. Returns whether anything
    changed.
    """
    rewriter = Rewriter()
    for op in reversed(list(root.walk())):
        if op is not root:
            rewriter.enqueue(op)
    any_change = False
    while limit > 0 and (op := rewriter.pop()) is not None:
        if is_dead(op):
            rewriter.erase(op)
            any_change = True
            continue
        for item in patterns.of(op):
            rewriter.current = op
            if item.rewrite(op, rewriter):
                any_change = True
                limit -= 1
                break
    return any_change
