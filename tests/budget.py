"""How many CPU seconds the tests of each folder may take, and how many they took.

A usual run on several processes prints both at its end. Nothing fails: but whoever sees that a folder takes more
than it may sees who has added to it, and CONTRIBUTING.md says what helps.
"""

from __future__ import annotations

import resource
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from warm.python import seconds_of_servers

SPENT: Final = "spent"
"""The property of a report that says how many seconds its test took."""

BUDGETS: Final[Mapping[str, float]] = {
    "targets/nvidia": 90,
    "differential": 52,
    "transforms": 42,
    "targets/cpu": 38,
    "operators": 20,
    "runtime": 16,
    "frontends/mlir": 10,
    "scripts": 9,
    "cli": 8,
    "docs": 6,
    "frontends/tile_ir": 5,
    "interpreter": 5,
    "targets/llvm": 5,
    "frontends/tlx": 4,
    "plugins": 6,
    "": 6,
    "dialects": 3,
    "ir": 3,
    "api": 3,
    "interop": 3,
    "frontends/old_tensor_language": 2,
    "numerics": 2,
    "benchmarks": 2,
    "remembered": 2,
    "frontends/tensor_language": 2,
    "fuzz": 2,
    "gpu": 2,
    "machine": 1,
    "verifier": 1,
    "acceptance": 5,
    "artifacts": 2,
    "tuning": 2,
    "warm": 1,
}
"""CPU seconds by folder under tests; those that are missing here may take half a second."""
_SMALL: Final = 0.5
_DEEP: Final = ("frontends", "targets")
"""Folders whose folders have budgets of their own."""


def seconds_so_far() -> float:
    """CPU seconds of this process, of its children that have ended, and of what its warm servers have run."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in found) + seconds_of_servers()


def folder_of(nodeid: str) -> str:
    """The folder under tests that a test is charged to."""
    *folders, _ = nodeid.partition("::")[0].split("/")
    return "/".join(folders[1 : 3 if folders[1:2] and folders[1] in _DEEP else 2])


def table(spent: Iterable[tuple[str, float]], whole: float) -> Iterator[str]:
    """A line for each folder, of tests and their seconds; what else the run took of so many, and all."""
    found = defaultdict[str, float](float)
    for nodeid, seconds in spent:
        found[folder_of(nodeid)] += seconds
    for folder, seconds in sorted(found.items(), key=lambda entry: -entry[1]):
        may = BUDGETS.get(folder, _SMALL)
        yield f"{seconds:6.1f} of {may:5.1f} s  {folder or 'tests'}{'  ABOVE' if seconds > may else ''}"
    tests = sum(found.values())
    yield f"{tests:6.1f} of {sum(BUDGETS.values()):5.1f} s  all tests"
    yield f"{whole - tests:6.1f} s  collecting, and what ends with the run"
