"""Processes that benchmarks ask to do things; what they know of the machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCRIPT = """
import os
from children import serve

def threads():
    return float(os.environ["OMP_NUM_THREADS"])

serve({"add": lambda a, b: a + b, "threads": threads, "leave": lambda: os._exit(3)})
"""


@pytest.fixture
def child(imported: Any) -> Generator[Any]:
    children = imported("children")
    environment = {"PYTHONPATH": os.pathsep.join([str(BENCHMARKS), *sys.path]), **children.limited(3)}
    with children.Child([sys.executable, "-c", SCRIPT], environment) as found:
        yield found


def test_answers_come_in_the_order_of_requests(child: Any) -> None:
    child.ask("add", 1, 2)
    child.ask("add", 3.5, 4)
    assert [child.answer(), child.answer()] == [3.0, 7.5]
    assert child.asked("threads") == 3.0


def test_libraries_choose_for_themselves_but_for_threads(imported: Any) -> None:
    """OpenBLAS takes kernels without AVX-512 where it is told that the machine is a Haswell."""
    given = {"OPENBLAS_CORETYPE": "Haswell", "MKL_DEBUG_CPU_TYPE": "5", "OPENBLAS_NUM_THREADS": "2", "PATH": "/bin"}
    assert imported("children").untuned(given) == {"OPENBLAS_NUM_THREADS": "2", "PATH": "/bin"}


def test_a_child_that_ends_is_an_error_with_its_status(child: Any) -> None:
    with pytest.raises(RuntimeError, match="ended with status 3"):
        child.asked("leave")


def test_the_last_level_cache_counts_once_for_the_cores_that_share_it(
    imported: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Four cores, two to a cache of the last level."""
    children = imported("children")
    for cpu in range(4):
        shared = "0-1" if cpu < 2 else "2-3"
        for index, (level, whose, size) in enumerate([("1", str(cpu), "32K"), ("3", shared, "16384K")]):
            folder = tmp_path / f"cpu{cpu}" / "cache" / f"index{index}"
            folder.mkdir(parents=True)
            for name, value in (("level", level), ("shared_cpu_list", whose), ("size", size)):
                (folder / name).write_text(f"{value}\n")
    cores = {0, 1, 2, 3}

    def affinity(_: int) -> set[int]:
        return cores

    monkeypatch.setattr(os, "sched_getaffinity", affinity)
    assert children.last_level_cache(tmp_path) == 2 * 16384 * 1024
    cores -= {0, 2, 3}
    assert children.last_level_cache(tmp_path) == 16384 * 1024
    with pytest.raises(RuntimeError, match="does not say"):
        children.last_level_cache(tmp_path / "nowhere")
