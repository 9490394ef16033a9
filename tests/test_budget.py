"""What a run says of its seconds."""

from __future__ import annotations

import subprocess
import time

import pytest

from budget import BUDGETS, folder_of, seconds_so_far, table
from warm.python import command


@pytest.mark.parametrize(
    ("nodeid", "folder"),
    [
        ("tests/test_once.py::test_it[a/b/c]", ""),
        ("test_some.py::test_it", ""),
        ("tests/ir/test_types.py::test_it", "ir"),
        ("tests/ir/mlir/test_types.py::test_it", "ir"),
        ("tests/targets/cpu/tiles/test_tiles.py::TestTiles::test_it", "targets/cpu"),
        ("tests/targets/test_orders.py::test_it", "targets"),
    ],
)
def test_who_is_charged(nodeid: str, folder: str) -> None:
    assert folder_of(nodeid) == folder


def test_the_table() -> None:
    may = BUDGETS["ir"]
    spent = [("tests/ir/test_a.py::test_a", may), ("tests/kept/test_b.py::test_b", 0.25), ("tests/ir/b.py::b", 0.5)]
    first, second, tests, others = table(spent, 100)
    assert first == f"{may + 0.5:6.1f} of {may:5.1f} s  ir  ABOVE"
    assert second == "   0.2 of   0.5 s  kept"
    assert tests.startswith(f"{may + 0.75:6.1f} of ")
    assert others.startswith(f"{100 - may - 0.75:6.1f} s  collecting")


def test_seconds_are_those_of_processors() -> None:
    before = seconds_so_far()
    time.sleep(0.2)
    assert seconds_so_far() - before < 0.15
    end = time.process_time() + 0.05
    while time.process_time() < end:
        pass
    assert seconds_so_far() - before >= 0.045


def test_programs_of_warm_processes_are_charged() -> None:
    """To whoever waits for them; ticks of the system's clock are hundredths of a second."""
    run = [*command(), "-c", "import time\nwhile time.process_time() < 0.1: pass"]
    subprocess.run([*command(), "-c", ""], check=True)
    before = seconds_so_far()
    subprocess.run(run, check=True)
    assert seconds_so_far() - before >= 0.08
