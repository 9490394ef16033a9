"""Conjunctions of comparisons under construction; what is known already is not computed."""

from __future__ import annotations

from tilewright.dialects import arith, arith_integers
from tilewright.dialects.arith import Predicate
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.transforms import emit
from tilewright.transforms.emit import Length


class Conjunction:
    """All that was demanded holds; `value` is None where that is certain."""

    def __init__(self, build: Builder) -> None:
        self.build = build
        self.value: Value | None = None

    def demand(self, condition: Value | None) -> None:
        """This too; None is true."""
        if condition is not None:
            self.value = condition if self.value is None else emit.both(self.build, self.value, condition)

    def at_most(self, x: Length, y: Length) -> None:
        """`x <= y`, signed."""
        self._compare(Predicate.LE, x, y, known=isinstance(x, int) and isinstance(y, int) and x <= y)

    def less(self, x: Length, y: Length) -> None:
        """`x < y`, signed."""
        self._compare(Predicate.LT, x, y, known=isinstance(x, int) and isinstance(y, int) and x < y)

    def equal(self, x: Length, y: Length) -> None:
        """`x == y`."""
        self._compare(Predicate.EQ, x, y, known=x is y or (isinstance(x, int) and x == y))

    def _compare(self, predicate: Predicate, x: Length, y: Length, *, known: bool) -> None:
        if not known:
            lhs, rhs = emit.as_value(self.build, x), emit.as_value(self.build, y)
            self.demand(self.build(arith.Cmp(predicate, lhs, rhs)).out)

    def at_most_unsigned(self, x: Length, y: Length) -> None:
        """`x <= y`, where negative numbers are large."""
        if isinstance(x, int) and isinstance(y, int) and 0 <= x <= y:
            return
        lhs, rhs = emit.as_value(self.build, x), emit.as_value(self.build, y)
        self.demand(self.build(arith_integers.UCmp(Predicate.LE, lhs, rhs)).out)

    def unless(self, premise: Conjunction) -> None:
        """Nothing is demanded where the premise does not hold."""
        if self.value is not None and premise.value is not None:
            absent = self.build(arith.Not(premise.value)).out
            self.value = self.build(arith.Or(absent, self.value)).out
