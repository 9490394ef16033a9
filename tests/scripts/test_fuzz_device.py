"""The fuzzer of GPUs tells what differs, in an answer or between two runs; an emulated device stands for one."""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gpu.device
from targets.nvidia.emulated import Emulated, compiled
from tilewright.machine.cuda import driver

SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz_device.py"


def test_what_differs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("fuzz_device", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script: Any = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "fuzz_device", script)
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec.loader.exec_module(script)
    programs: dict[str, Emulated] = {}
    wrong_runs: set[int] = set()
    runs = 0

    def once(_work: object, name: str, text: str, level: int) -> Emulated:
        return programs.setdefault(name, programs.get(name) or compiled(text, level))

    def run(_context: object, program: Emulated, launch: Any, number: int) -> dict[int, Any]:
        nonlocal runs
        found: dict[int, Any] = {**program.run(launch, number)}
        for array in found.values() if runs in wrong_runs else ():
            np.atleast_1d(array).view(np.uint8)[..., -1] ^= 0x11
        runs += 1
        return found

    monkeypatch.setattr(script, "compiled", once)
    monkeypatch.setattr(driver, "open_device", lambda: None)
    monkeypatch.setattr(gpu.device, "run", run)
    work = script.Work("tile-ir", range(5, 6), None, False, time.time() + 600)
    assert script.run(work) == ("tile-ir", 1, [])
    for wrong, said in (({2, 3}, "tile-ir, seed 5: argument "), ({5}, "other bits in a second run")):
        wrong_runs |= wrong
        language, ran, (fault,) = script.run(work)
        assert (language, ran) == ("tile-ir", 1)
        assert said in fault
    assert script.run(work._replace(compile_only=True)) == ("tile-ir", 1, [])
    assert runs == 6
    assert script.run(work._replace(deadline=0.0)) == ("tile-ir", 0, [])
