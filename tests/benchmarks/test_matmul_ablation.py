"""Steps of the ablation are one at a time, and the compiler follows what they ask for."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw

GPU = Path(__file__).parents[2] / "benchmarks" / "gpu"
SMALL = 512
TILES = {"threads", "tile", "product"}
"""What other tiles of a block need."""
LARGER, BY_TURNS = "+ 256 x 128 by two groups", "ping-pong of two 128 x 128"


@pytest.fixture(scope="module")
def ablation(imported: Any) -> Any:
    sys.path.append(str(GPU))
    yield imported("matmul_ablation")
    sys.path.remove(str(GPU))


def of_floor(steps: Any) -> list[Any]:
    return [step for step in steps if step.line and not step.staged]


def changed(one: Any, other: Any) -> set[str]:
    first, second = (dict(entry.split("=") for entry in step.line.split()) for step in (one, other))
    assert first.keys() == second.keys()
    return {key for key, value in first.items() if second[key] != value}


def test_what_is_added_is_one_part_at_a_time(ablation: Any) -> None:
    also = {LARGER: TILES, BY_TURNS: TILES | {"pingpong"}}
    found = {later.name: changed(step, later) for step, later in pairwise(of_floor(ablation.ADDED))}
    assert {name: parts for name, parts in found.items() if len(parts) != 1} == also
    assert {"copies", "roles", "persistent", "stores", "cluster", "order", "product"} <= set[str]().union(
        *found.values()
    )


def test_all_but_one_are_all_but_one(ablation: Any) -> None:
    removed = {step.name: changed(ablation.WHOLE, step) for step in of_floor(ablation.REMOVED)}
    alone = set[str]().union(*(parts for parts in removed.values() if len(parts) == 1))
    assert alone == {"product", "roles", "persistent", "stores", "cluster", "order"}
    assert set[str]().union(*removed.values()) == alone | {"copies", *TILES}


@pytest.mark.parametrize("nth", range(6))
@pytest.mark.covering(0)
def test_lines_are_followed(ablation: Any, nth: int) -> None:
    for step in of_floor((*ablation.ADDED, *ablation.REMOVED))[nth::6]:
        program = ablation.program_of(step, SMALL)
        (kernel,) = tw.compile(program.text, target="nvidia:sm_90a", schedule=program.schedule)
        assert ablation.not_followed(step.line, kernel.schedule) == [], step.name


def test_what_is_not_followed_is_named(ablation: Any) -> None:
    assert ablation.not_followed("copies=tensor order=8 roles=yes", "lanes copies=tensor order=1") == ["order=8"]
