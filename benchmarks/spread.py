"""Medians with quartiles of repeats; geometric means, lowest and highest cases of one figure over many cases."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from msgspec import Struct


class Spread(Struct, frozen=True):
    """Repeats of one figure: the median, the quartiles around it, the extremes."""

    median: float
    lower: float
    upper: float
    lowest: float
    highest: float
    repeats: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Of one repeat at least; ValueError without any."""
        if not values:
            raise ValueError("a spread of no repeats; at least one is needed")
        found = sorted(values)
        lower, median, upper = statistics.quantiles(found, n=4, method="inclusive") if len(found) > 1 else found * 3
        return cls(median, lower, upper, found[0], found[-1], len(found))

    def scaled(self, factor: float) -> Spread:
        """The same in another unit; the factor is positive."""
        return Spread(
            median=self.median * factor,
            lower=self.lower * factor,
            upper=self.upper * factor,
            lowest=self.lowest * factor,
            highest=self.highest * factor,
            repeats=self.repeats,
        )

    def __str__(self) -> str:
        return f"{self.median:.2f} [{self.lower:.2f}, {self.upper:.2f}]"


class Overall(Struct, frozen=True):
    """One ratio of many cases: the geometric mean of the medians, the cases at both ends, how many are below 1."""

    geometric_mean: float
    lowest: Spread
    lowest_case: str
    highest: Spread
    highest_case: str
    below_one: int
    cases: int

    @classmethod
    def of(cls, ratios: Mapping[str, Spread]) -> Overall:
        """Of one case at least, by name; ValueError without any."""
        if not ratios:
            raise ValueError("a summary of no cases; at least one is needed")
        ranked = sorted(ratios, key=lambda name: ratios[name].median)
        medians = [spread.median for spread in ratios.values()]
        return cls(
            geometric_mean=statistics.geometric_mean(medians),
            lowest=ratios[ranked[0]],
            lowest_case=ranked[0],
            highest=ratios[ranked[-1]],
            highest_case=ranked[-1],
            below_one=sum(median < 1 for median in medians),
            cases=len(medians),
        )

    def __str__(self) -> str:
        return (
            f"geometric mean {self.geometric_mean:.2f}, lowest {self.lowest} ({self.lowest_case}), "
            f"highest {self.highest} ({self.highest_case}), {self.below_one} of {self.cases} below 1"
        )
