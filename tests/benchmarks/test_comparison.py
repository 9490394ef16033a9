"""One case of a benchmark: who is compared with whom, within rounds."""

from __future__ import annotations

from typing import Any

import pytest

# the machine is half as fast in the last round; a part of the work takes least
ROUNDS = {"tilewright": [1.0, 1.0, 2.0], "slow": [3.0, 3.0, 6.0], "fast": [2.0, 1.0, 3.0], "part": [0.5, 0.5, 1.0]}


@pytest.fixture(scope="module")
def comparison(imported: Any) -> Any:
    return imported("comparison")


@pytest.fixture(scope="module")
def case(imported: Any, comparison: Any) -> Any:
    timings = imported("timing").Timings(ROUNDS)
    return comparison.Comparison.of("c", timings, ["slow", "fast"], threads=2, error=1e-7, allowed=1e-6)


def test_the_peer_is_the_fastest_that_does_the_same_work(case: Any) -> None:
    assert case.peer == "fast"
    assert (case.ratio.lowest, case.ratio.median, case.ratio.highest) == (1.0, 1.5, 2.0)


def test_ratios_are_taken_within_rounds(case: Any) -> None:
    assert (case.ratios["slow"].lowest, case.ratios["slow"].highest) == (3.0, 3.0)
    assert case.share(["part"]).median == 0.5
    assert case.share(["part", "slow"]).median == 3.0


def test_all_others_are_peers_if_none_is_named(imported: Any, comparison: Any) -> None:
    timings = imported("timing").Timings(ROUNDS)
    assert comparison.Comparison.of("c", timings).peer == "part"
    assert comparison.Comparison.of("c", timings, ours="fast").ratios["tilewright"].median == pytest.approx(2 / 3)


@pytest.mark.parametrize(("error", "wrong"), [(1e-7, False), (1e-5, True), (float("nan"), True)])
def test_results_that_are_off_or_no_numbers_are_wrong(
    imported: Any, comparison: Any, error: float, wrong: bool
) -> None:
    timings = imported("timing").Timings(ROUNDS)
    case = comparison.Comparison.of("c", timings, error=error, allowed=1e-6)
    assert case.wrong == wrong
    assert ("WRONG" in comparison.line(case)) == wrong


def test_a_row_says_who_it_is_about(case: Any, comparison: Any) -> None:
    row = comparison.line(case, "us")
    assert row.startswith("c, 2T ")
    assert "x1.50 [1.25, 1.75] fast" in row
    assert "slow 3000000.00" in row


def test_cases_are_summed_up_over_the_fastest_peer_or_one_of_them(case: Any, comparison: Any) -> None:
    assert comparison.overall([case]).geometric_mean == pytest.approx(1.5)
    assert comparison.overall([case], "slow").lowest_case == "c, 2T"
    assert comparison.overall([case], "slow").geometric_mean == pytest.approx(3.0)
