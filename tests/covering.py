"""Which combinations of a test's parameters a run takes.

`@pytest.mark.covering(2)`: so many that any two values which occur together in some combination do so in one that runs,
others each time; `@pytest.mark.covering(1)`: so many that each value occurs. All with `--thorough`. Combinations that
cannot run here cover nothing, and whoever asks for one alone gets it. What a tuple holds are values of their own.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Hashable, Sequence
from heapq import heapify, heappop, heappush
from itertools import combinations
from typing import Final, cast

import pytest

MARK: Final = "covering"


def covering(points: Sequence[Sequence[Hashable]], strength: int, rnd: random.Random) -> set[int]:
    """Numbers of points that have among them what any point has: each choice of `strength` of its parts.

    The next is always one that adds most; `rnd` decides which of those.
    """
    found = [set(combinations(point, min(strength, len(point)))) for point in points]
    missing = set[tuple[Hashable, ...]]().union(*found)
    chosen = set[int]()
    # What a point adds only ever becomes less: one that adds as much as it did when it was put here adds most.
    best = [(-len(parts), rnd.random(), number) for number, parts in enumerate(found)]
    heapify(best)
    while missing:
        added, order, number = heappop(best)
        adds = len(found[number] & missing)
        if adds == -added:
            chosen.add(number)
            missing -= found[number]
        elif adds:
            heappush(best, (-adds, order, number))
    return chosen


def thinned(items: Sequence[pytest.Item], rnd: random.Random) -> tuple[list[pytest.Item], dict[str, tuple[int, int]]]:
    """Tests that are left out, and of each family how many of how many remain."""
    families = defaultdict[str, list[pytest.Function]](list)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker(MARK) and not _skipped(item):
            families[f"{item.nodeid.partition('::')[0]}::{item.originalname}"].append(item)
    left_out, counts = list[pytest.Item](), dict[str, tuple[int, int]]()
    for name, family in families.items():
        mark = family[0].get_closest_marker(MARK)
        assert mark is not None
        chosen = covering([_point(item) for item in family], mark.args[0], rnd)
        left_out += [item for number, item in enumerate(family) if number not in chosen]
        counts[name] = len(chosen), len(family)
    return left_out, counts


def _point(item: pytest.Function) -> list[Hashable]:
    return [part for name, value in item.callspec.params.items() for part in _parts(name, value)]


def _parts(name: str, value: object) -> list[Hashable]:
    if type(value) is tuple:
        inner = enumerate(cast("tuple[object, ...]", value))
        return [part for k, each in inner for part in _parts(f"{name}.{k}", each)]
    return [(name, type(value), value if isinstance(value, Hashable) else id(value))]


def _skipped(item: pytest.Item) -> bool:
    return any(True for _ in item.iter_markers("skip")) or any(mark.args[0] for mark in item.iter_markers("skipif"))
