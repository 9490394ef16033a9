"""A plug-in of pytest that writes what each test did, to the file that TURNS_OUT names: one line when it begins, one
when it ends with whether it failed and its CPU seconds. A test without a second line took the process with it."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

from budget import seconds_so_far

_FILE: Final = Path(os.environ["TURNS_OUT"])
_FAILED = pytest.StashKey[bool]()


def _write(*what: object) -> None:
    with _FILE.open("a") as file:
        file.write(json.dumps(what) + "\n")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    _write(item.nodeid)
    before = seconds_so_far()
    item.stash[_FAILED] = False
    try:
        return (yield)
    finally:
        _write(item.nodeid, item.stash[_FAILED], round(seconds_so_far() - before, 4))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[_FAILED] |= report.failed
    return report
