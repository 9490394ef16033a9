"""The GPU of this machine for benchmarks: torch on it, times of work there, and where its figures are kept."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

# scripts of this folder are run by their path, and share the modules of that above but for those of their own names
HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent))

if TYPE_CHECKING:
    from timing import Timer

HOST_CYCLES = 1_000_000
"""Half a millisecond and more: several times what the host takes for a launch through Python."""


def torch_on_device() -> Any:
    """torch, which sees a device; ends the program where there is none."""
    if find_spec("torch") is None:
        raise SystemExit("this benchmark compares with torch, which is not installed")
    torch = import_module("torch")
    if not torch.cuda.is_available():
        raise SystemExit("this benchmark runs on an NVIDIA GPU, and torch sees none")
    return torch


def name_of_device(torch: Any) -> str:
    """The device's name and torch's version."""
    return f"{torch.cuda.get_device_name()}, torch {torch.__version__}"


def on_device(torch: Any, run: Callable[[], object]) -> Timer:
    """Runs something and says how many seconds the device was at it.

    The device waits in front of it for as long as the host may take for the launch, which would be measured else
    (`launch.py` measures that).
    """
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def timed() -> float:
        torch.cuda._sleep(HOST_CYCLES)
        begin.record()
        run()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) * 1e-3

    return timed


def enqueued(torch: Any, run: Callable[[], object], calls: int) -> Timer:
    """Runs something so often that the queue does not fill, and says how many seconds of the host a call takes."""
    from time import perf_counter

    def timed() -> float:
        torch.cuda.synchronize()
        begin = perf_counter()
        for _ in range(calls):
            run()
        took = perf_counter() - begin
        torch.cuda.synchronize()
        return took / calls

    return timed
