"""The benchmarks' statistics: quartiles of repeats, the cases at both ends."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np
import pytest


@pytest.fixture(scope="module")
def spread(imported: Any) -> Any:
    return imported("spread")


def test_quartiles_are_those_of_numpy(spread: Any, rng: np.random.Generator) -> None:
    for count in (1, 2, 3, 4, 9, 20):
        values = rng.lognormal(size=count).tolist()
        found = spread.Spread.of(values)
        wanted = np.quantile(values, (0.25, 0.5, 0.75))
        np.testing.assert_allclose((found.lower, found.median, found.upper), wanted, rtol=1e-12)
        assert (found.lowest, found.highest, found.repeats) == (min(values), max(values), count)


def test_units_change_all_figures_but_the_number_of_repeats(spread: Any) -> None:
    found = spread.Spread.of([1.0, 2.0, 3.0, 4.0, 5.0]).scaled(1e3)
    assert found == spread.Spread(median=3e3, lower=2e3, upper=4e3, lowest=1e3, highest=5e3, repeats=5)


def test_a_table_shows_the_median_and_both_quartiles(spread: Any) -> None:
    assert str(spread.Spread.of([1.0, 2.0, 3.0, 4.0, 5.0])) == "3.00 [2.00, 4.00]"


def test_cases_are_summed_up_by_their_medians(spread: Any) -> None:
    # the means of the repeats would name other cases
    repeats = {"a": [0.8, 0.9, 9.0], "b": [0.1, 1.0, 1.1], "c": [1.5, 2.0, 2.1]}
    ratios = {name: spread.Spread.of(values) for name, values in repeats.items()}
    found = spread.Overall.of(ratios)
    assert found.geometric_mean == pytest.approx(statistics.geometric_mean([0.9, 1.0, 2.0]))
    assert (found.lowest_case, found.lowest) == ("a", ratios["a"])
    assert (found.highest_case, found.highest) == ("c", ratios["c"])
    # one that is as fast is not slower
    assert (found.below_one, found.cases) == (1, 3)
    assert "lowest 0.90 [0.85, 4.95] (a)" in str(found)
    assert "1 of 3 below 1" in str(found)


def test_nothing_measured_is_no_figure(spread: Any) -> None:
    with pytest.raises(ValueError, match="no repeats"):
        spread.Spread.of([])
    with pytest.raises(ValueError, match="no cases"):
        spread.Overall.of({})
