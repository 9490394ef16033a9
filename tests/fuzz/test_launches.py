"""Launches with valid and hostile arguments end alike on every target and never crash (scripts/fuzz_launches.py)."""

from __future__ import annotations

import pytest

from differential import launches
from differential.launches import Outcome


def test_random_launches(seed: int) -> None:
    tally = launches.launches(seed * 1000, 600)
    assert not tally.faults, "\n".join(tally.faults)
    assert sum(tally.counts.values()) == 600
    assert tally.counts[Outcome.RAN] > 60
    assert tally.counts[Outcome.REFUSED] > 60


@pytest.mark.parametrize(
    ("lines", "ended", "faults"),
    [
        (["launch 5", "ran", "launch 6", "refused"], "", []),
        (["launch 5", "ran", "launch 6"], "SIGSEGV", ["seed 6: the process ended by SIGSEGV"]),
        (["launch 5", "fault ValueError: a\\nb"], "", ["seed 5: ValueError: a\nb"]),
        ([], "exit status 1", ["the process ended before any launch: exit status 1"]),
    ],
)
def test_what_children_say(lines: list[str], ended: str, faults: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash is the fault of the launch that had begun."""

    def run_child(_first: int, _count: int) -> tuple[list[str], str]:
        return lines, ended

    monkeypatch.setattr(launches, "run_child", run_child)
    tally = launches.launches(5, 2 if len(lines) > 2 else 1)
    assert tally.faults == faults
