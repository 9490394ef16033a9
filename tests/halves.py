"""Processes of one run compile the tests' modules together: every other one begins at the end.

Each collects all tests, and where nothing has run before, it has all their modules to compile; what another has
compiled it only reads.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

_TESTS = Path(__file__).parent
_BACKWARDS = pytest.StashKey[list[Path]]()
"""Files and folders in the order in which tests run, where they are collected from the last to the first."""


def collect_from_an_end(config: pytest.Config) -> None:
    """Choose where this process begins, if all tests are asked for."""
    found = cast("dict[str, str]", getattr(config, "workerinput", {}))
    alone = [Path(argument).absolute() for argument in config.args] != [_TESTS]
    if alone or int(found.get("workerid", "gw0").removeprefix("gw")) % 2 == 0:
        return
    parts = [part for part in sorted(_TESTS.iterdir()) if part.is_dir() or part.match("test_*.py")]
    config.stash[_BACKWARDS] = [part for part in parts if not part.name.startswith(("_", "."))]
    config.args[:] = map(str, reversed(config.stash[_BACKWARDS]))


def in_order(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Bring tests to the order that all processes have to agree on."""
    order = {part: number for number, part in enumerate(config.stash.get(_BACKWARDS, list[Path]()))}
    if order:
        items.sort(key=lambda item: order[_TESTS / item.path.relative_to(_TESTS).parts[0]])
