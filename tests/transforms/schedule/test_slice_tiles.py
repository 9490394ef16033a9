"""slice-tiles: what it refuses, in the words of the target. What it makes runs in `tests/targets/nvidia`."""

from __future__ import annotations

import pytest

from tilewright.diagnostics import CompileError
from tilewright.targets.nvidia.model import NvidiaSchedulePolicy
from tilewright.transforms.generic_policies import GenericSchedulePolicy
from tilewright.transforms.policy import SchedulePolicy
from tilewright.transforms.schedule.choose_schedule import ChooseSchedule
from tilewright.transforms.schedule.slicing.slice_tiles import SliceTiles
from transforms.support import kernel, run


@pytest.mark.parametrize(
    ("policy", "target"),
    [(GenericSchedulePolicy(target="the toy machine"), "the toy machine"), (NvidiaSchedulePolicy(), "NVIDIA devices")],
)
def test_refusals_name_the_target(policy: SchedulePolicy, target: str) -> None:
    module = kernel("%a: f32, %A: memref<f32x4x4>", "tl.gemm %a, %A, %A, %a, %A")
    with pytest.raises(CompileError, match=rf"tl\.gemm has no lowering for {target}"):
        run(module, ChooseSchedule(policy), SliceTiles(policy))
