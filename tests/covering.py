"""Which combinations of a test's parameters a run takes.

`@pytest.mark.covering(2)`: so many that any two values which occur together in some combination do so in one that runs,
others each time; `@pytest.mark.covering(1)`: so many that each value occurs; `@pytest.mark.covering(0)`: any third of
them, for slow tests each of which notices most of what the others do. All with `--thorough`. Combinations that cannot
run here cover nothing, and those that are asked for by name, or because they failed last time (`--lf`, `--ff`, `--sw`),
run in any case. What a tuple holds are values of their own.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from heapq import heapify, heappop, heappush
from itertools import combinations
from typing import Final, Protocol, cast

import pytest

MARK: Final = "covering"


class _Cache(Protocol):
    """What pytest keeps from run to run."""

    def get(self, key: str, default: dict[str, bool]) -> dict[str, bool]: ...


def covering(points: Sequence[Sequence[Hashable]], strength: int, rnd: random.Random) -> set[int]:
    """Numbers of points that have among them what any point has: each choice of `strength` of its parts.

    The next is always one that adds most; `rnd` decides which of those. A strength of 0 leaves it a third.
    """
    if strength == 0:
        return set(rnd.sample(range(len(points)), -(-len(points) // 3)))
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


def thinned(
    items: Sequence[pytest.Item], rnd: random.Random, wanted: Callable[[pytest.Item], bool]
) -> tuple[list[pytest.Item], dict[str, tuple[int, int]]]:
    """Tests that are left out, none of them wanted, and of each family how many of how many remain."""
    families = defaultdict[str, list[pytest.Function]](list)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker(MARK) and not skipped(item):
            families[family_of(item)].append(item)
    left_out, counts = list[pytest.Item](), dict[str, tuple[int, int]]()
    for name, family in families.items():
        mark = family[0].get_closest_marker(MARK)
        assert mark is not None
        chosen = covering([_point(item) for item in family], mark.args[0], rnd)
        gone = [item for number, item in enumerate(family) if number not in chosen and not wanted(item)]
        left_out += gone
        counts[name] = len(family) - len(gone), len(family)
    return left_out, counts


def family_of(item: pytest.Function) -> str:
    """The test of which it is a case."""
    return f"{item.nodeid.partition('::')[0]}::{item.originalname}"


def asked_for(config: pytest.Config, *, without_parameters: bool = False) -> Callable[[pytest.Item], bool]:
    """Which tests a run is there for: those that its arguments name with their parameters, or that failed last time.

    Those that they name without parameters too, where that is said.
    """
    parts = [argument.partition("::") for argument in config.args if "[" in argument or without_parameters]
    named = {((config.invocation_params.dir / file).resolve(), test) for file, _, test in parts if test}
    failed = set[str]()
    if any(config.getoption(name, False) for name in ("lf", "failedfirst", "stepwise")):
        failed = set(cast("_Cache", config.cache).get("cache/lastfailed", dict[str, bool]()))

    def wanted(item: pytest.Item) -> bool:
        test = item.nodeid.partition("::")[2]
        names = (test, test.partition("[")[0])
        return item.nodeid in failed or any((item.path.resolve(), name) in named for name in names)

    return wanted


def _point(item: pytest.Function) -> list[Hashable]:
    return [part for name, value in item.callspec.params.items() for part in _parts(name, value)]


def _parts(name: str, value: object) -> list[Hashable]:
    if type(value) is tuple:
        inner = enumerate(cast("tuple[object, ...]", value))
        return [part for k, each in inner for part in _parts(f"{name}.{k}", each)]
    return [(name, type(value), value if isinstance(value, Hashable) else id(value))]


def skipped(item: pytest.Item) -> bool:
    """Whether its marks say that it does not run here."""
    return any(True for _ in item.iter_markers("skip")) or any(mark.args[0] for mark in item.iter_markers("skipif"))
