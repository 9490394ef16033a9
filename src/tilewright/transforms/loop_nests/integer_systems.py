"""Whether linear equations and inequalities have a solution in integers: the Omega test (Pugh 1992).

Equations are solved exactly by changes of variables as in Euclid's algorithm. Variables of inequalities are eliminated
as by Fourier and Motzkin; where that forgets that they are integers, the dark shadow and splinters decide. The answer
is exact unless the work exceeds a limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final

from msgspec import Struct, field

_MOST_ROWS: Final = 4096
"""Rows written before a system is given up."""

Row = tuple[int, ...]
"""Coefficients of the variables, then the constant."""


class Feasibility(Enum):
    """Whether a system has solutions."""

    NONE = "none"
    SOME = "some"
    UNKNOWN = "unknown"


class IntegerSystem(Struct, frozen=True):
    """Equations `row . (x, 1) == 0` and inequalities `row . (x, 1) >= 0`, in any number of integer variables.

    Rows are given by variable, whose names are any hashable objects, and grow with the variables.
    """

    _variables: dict[object, int] = field(default_factory=dict[object, int])
    _equations: list[tuple[dict[int, int], int]] = field(default_factory=list[tuple[dict[int, int], int]])
    _inequalities: list[tuple[dict[int, int], int]] = field(default_factory=list[tuple[dict[int, int], int]])

    def is_zero(self, terms: Iterable[tuple[object, int]], constant: int = 0) -> None:
        """Demand `sum coefficient * variable + constant == 0`."""
        self._equations.append((self._numbered(terms), constant))

    def is_not_negative(self, terms: Iterable[tuple[object, int]], constant: int = 0) -> None:
        """Demand `sum coefficient * variable + constant >= 0`."""
        self._inequalities.append((self._numbered(terms), constant))

    def copied(self) -> IntegerSystem:
        """The same demands, to which others may be added."""
        return IntegerSystem(dict(self._variables), list(self._equations), list(self._inequalities))

    def feasibility(self) -> Feasibility:
        """Whether integers fulfil all demands."""
        found = _solvable(self._rows(self._equations), self._rows(self._inequalities), _Work())
        return Feasibility.UNKNOWN if found is None else Feasibility.SOME if found else Feasibility.NONE

    def _numbered(self, terms: Iterable[tuple[object, int]]) -> dict[int, int]:
        row: dict[int, int] = {}
        for variable, coefficient in terms:
            number = self._variables.setdefault(variable, len(self._variables))
            row[number] = row.get(number, 0) + coefficient
        return row

    def _rows(self, demands: Sequence[tuple[dict[int, int], int]]) -> list[Row]:
        numbers = range(len(self._variables))
        return [(*(row.get(k, 0) for k in numbers), constant) for row, constant in demands]


class _Work(Struct):
    rows: int = 0

    def exceeded(self, rows: int) -> bool:
        self.rows += rows
        return self.rows > _MOST_ROWS


def _solvable(equations: list[Row], inequalities: list[Row], work: _Work) -> bool | None:
    """Whether there is a solution; None if that takes too much work."""
    while equations:
        reduced = _without_equation(equations, inequalities)
        if reduced is None:
            return False
        equations, inequalities = reduced
        if work.exceeded(len(equations) + len(inequalities)):
            return None
    tightened = _tightened(_narrowed(inequalities))
    if tightened is None:
        return False
    if not tightened:
        return True
    return _eliminated(_choose(tightened), tightened, work)


def _narrowed(rows: list[Row]) -> list[Row]:
    """The rows without the variables that none of them has."""
    columns = list(zip(*rows, strict=True))
    return list(zip(*(column for column in columns[:-1] if any(column)), columns[-1], strict=True)) if rows else rows


def _without_equation(equations: list[Row], inequalities: list[Row]) -> tuple[list[Row], list[Row]] | None:
    """The rows with the last equation solved for a variable; None if it has no solution in integers."""
    *others, row = equations
    rows = [*others, *inequalities]
    while True:
        used = [k for k, coefficient in enumerate(row[:-1]) if coefficient]
        if not used:
            return (others, inequalities) if row[-1] == 0 else None
        pivot = min(used, key=lambda k: abs(row[k]))
        if row[pivot] in (1, -1):
            rows = [_without(each, pivot, row) for each in rows]
            return rows[: len(others)], rows[len(others) :]
        if len(used) == 1:
            if row[-1] % row[pivot]:
                return None
            value = -row[-1] // row[pivot]
            rows = [_fixed(each, pivot, value) for each in rows]
            return rows[: len(others)], rows[len(others) :]
        factors = [0 if k == pivot else each // row[pivot] for k, each in enumerate(row[:-1])]
        # a new variable in place of the pivot's: x_pivot + sum factor_k x_k
        row = _changed(row, pivot, factors)
        rows = [_changed(each, pivot, factors) for each in rows]


def _without(row: Row, variable: int, equation: Row) -> Row:
    """The row with what an equation says of a variable that it has once in place of that variable."""
    times = row[variable] * equation[variable]
    return tuple(c - times * e for c, e in zip(row, equation, strict=True)) if times else row


def _fixed(row: Row, variable: int, value: int) -> Row:
    return (*row[:variable], 0, *row[variable + 1 : -1], row[-1] + row[variable] * value)


def _changed(row: Row, pivot: int, factors: Sequence[int]) -> Row:
    times = row[pivot]
    if not times:
        return row
    return (*(c - times * f for c, f in zip(row[:-1], factors, strict=True)), row[-1])


def _tightened(inequalities: list[Row]) -> list[Row] | None:
    """The strongest of parallel rows, divided by what divides their coefficients; None if two contradict each other."""
    strongest: dict[Row, int] = {}
    for row in inequalities:
        divisor = math.gcd(*row[:-1])
        if divisor == 0:
            if row[-1] < 0:
                return None
            continue
        direction = tuple(c // divisor for c in row[:-1])
        constant = row[-1] // divisor
        known = strongest.get(direction)
        strongest[direction] = constant if known is None else min(known, constant)
    for direction, constant in strongest.items():
        opposite = strongest.get(tuple(-c for c in direction))
        if opposite is not None and constant + opposite < 0:
            return None
    return [(*direction, constant) for direction, constant in strongest.items()]


def _sides(rows: list[Row], variable: int) -> tuple[list[Row], list[Row], list[Row]]:
    """Rows that bound a variable from below, from above, and those without it."""
    lower = [row for row in rows if row[variable] > 0]
    upper = [row for row in rows if row[variable] < 0]
    return lower, upper, [row for row in rows if not row[variable]]


def _choose(rows: list[Row]) -> int:
    """The variable to eliminate: exactly if one can be, and with few new rows."""

    def cost(variable: int) -> tuple[bool, int]:
        lower, upper, _ = _sides(rows, variable)
        return not _is_exact(lower, upper, variable), len(lower) * len(upper)

    used = [k for k in range(len(rows[0]) - 1) if any(row[k] for row in rows)]
    return min(used, key=cost)


def _is_exact(lower: list[Row], upper: list[Row], variable: int) -> bool:
    return all(row[variable] == 1 for row in lower) or all(row[variable] == -1 for row in upper)


def _eliminated(variable: int, rows: list[Row], work: _Work) -> bool | None:
    lower, upper, others = _sides(rows, variable)
    if work.exceeded(len(lower) * len(upper) + len(others)):
        return None
    if _is_exact(lower, upper, variable):
        return _solvable([], [*others, *_shadow(lower, upper, variable, dark=False)], work)
    dark = _solvable([], [*others, *_shadow(lower, upper, variable, dark=True)], work)
    if dark is not False:
        return dark
    real = _solvable([], [*others, *_shadow(lower, upper, variable, dark=False)], work)
    return real if real is not True else _splinters(lower, upper, variable, rows, work)


def _shadow(lower: list[Row], upper: list[Row], variable: int, *, dark: bool) -> list[Row]:
    """What each lower with each upper bound demands of the other variables.

    The dark one demands so much that there surely is an integer between the two.
    """
    found: list[Row] = []
    for low in lower:
        for high in upper:
            a, b = low[variable], -high[variable]
            *combined, constant = (b * x + a * y for x, y in zip(low, high, strict=True))
            found.append((*combined, constant - (a - 1) * (b - 1) if dark else constant))
    return found


def _splinters(lower: list[Row], upper: list[Row], variable: int, rows: list[Row], work: _Work) -> bool | None:
    """Whether a solution lies close above a lower bound, where the dark shadow does not see it."""
    largest = max(-row[variable] for row in upper)
    unknown = False
    for low in lower:
        a = low[variable]
        for distance in range((largest * a - largest - a) // largest + 1):
            found = _solvable([(*low[:-1], low[-1] - distance)], rows, work)
            if found:
                return True
            unknown = unknown or found is None
    return None if unknown else False
