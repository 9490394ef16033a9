"""Which expensive tests a run takes: some of them take turns.

`turns.toml` names tests that take more than a tenth of a second and notice no mistake of `scripts/mutants` that other
tests would not notice too, or take very long for what only they notice (`scripts/turns.py` finds them). A usual run
takes one of so many of them, others each time, and one of so many cases of those with as many cases. Of others, each
of whose cases notices most of what the others do, a run takes a share of the cases. All run with `--thorough`, and so
does a test that is asked for by its name, or because it failed last time.
"""

from __future__ import annotations

import math
import random
import tomllib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True, slots=True)
class Turns:
    """Tests that take turns, one of `every`, with the CPU seconds of all their cases; shares of the cases of others."""

    every: int
    seconds: Mapping[str, float]
    shares: Mapping[str, float]


def read_turns(file: Path) -> Turns:
    """What `turns.toml` says; where it is missing no test takes turns."""
    if not file.exists():
        return Turns(1, {}, {})
    found: dict[str, Any] = tomllib.loads(file.read_text())
    return Turns(found["every"], found["seconds"], found["shares"])


def without_parameters(nodeid: str) -> str:
    """A test without its parameters."""
    return nodeid.partition("[")[0]


def resting(
    items: Sequence[pytest.Item], turns: Turns, rnd: random.Random, wanted: Callable[[pytest.Item], bool]
) -> list[pytest.Item]:
    """Tests that this run does not take, none of them wanted."""
    families = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if not wanted(item):
            families[without_parameters(item.nodeid)].append(item)
    left_out = list[pytest.Item]()
    few = list[tuple[float, pytest.Item]]()
    for name, family in families.items():
        if name in turns.seconds and len(family) < turns.every:
            few += [(turns.seconds[name] / len(family), item) for item in family]
        else:
            share = 1 / turns.every if name in turns.seconds else turns.shares.get(name, 1)
            left_out += rnd.sample(family, len(family) - math.ceil(len(family) * share))
    # Of those that take about as long each time as many run: so runs take about as long as each other.
    few.sort(key=lambda entry: entry[0])
    for start in range(0, len(few), turns.every):
        group = [item for _, item in few[start : start + turns.every]]
        left_out += rnd.sample(group, len(group) - 1)
    return left_out
