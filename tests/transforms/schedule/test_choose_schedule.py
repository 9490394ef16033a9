"""choose-schedule: threads by what a thread should hold, as the model of NVIDIA devices has it."""

from __future__ import annotations

import pytest

from tilewright.ir.passes import PassContext, PassManager
from tilewright.targets.nvidia.model import NvidiaSchedulePolicy
from tilewright.transforms.schedule.choose_schedule import ChooseSchedule
from tilewright.transforms.schedule.said import schedule_of
from transforms.support import kernel

SUMS = """%z = arith.constant {{value = 0}} -> index %n = arith.constant {{value = 64}} -> index
%step = arith.constant {{value = 16}} -> index %zero = arith.constant {{value = 0.0}} -> {carried}
%total = scf.for %z, %n, %step, %zero {{operand_segments = [1, 1, 1, 1]}} -> {carried} {{
^bb(%i: index, %c: {carried}):
  %x = tile.load %X, %z, %i -> tile<128x16x{element}> %w = arith.cast %x -> tile<128x16xf32>
  {body}
  scf.yield %s
}}
tile.store {stored}"""
SMALL = ("tile<128xf32>", '%r = tile.reduce %w {kind = "add", dim = 1} -> tile<128xf32> %s = arith.add %c, %r')
WHOLE = ("tile<128x16xf32>", '%r = tile.reduce %w {kind = "add", dim = 1} -> tile<128xf32> %s = arith.add %c, %w')
BEHIND = ("tile<128x16xf32>", "%s = arith.add %c, %w")
ROW = (
    "tile<1xf32>",
    """%v = tile.reshape %w -> tile<2048xf32> %q = tile.reduce %v {kind = "add", dim = 0} -> tile<f32>
    %p = tile.reshape %q -> tile<1xf32> %s = arith.add %c, %p""",
)


@pytest.mark.parametrize(
    ("element", "sums", "threads"),
    [("f32", SMALL, 64), ("f16", SMALL, 64), ("f32", WHOLE, 256), ("f32", BEHIND, 128), ("f32", ROW, 256)],
    ids=["128 bytes", "32 elements", "carried", "carried, then reduced", "one sum"],
)
def test_what_loops_reduce(element: str, sums: tuple[str, str], threads: int) -> None:
    """A thread holds 128 bytes or 32 elements of columns that are loaded in every round, if the loop carries sums.

    It holds 64 of those that are only added up until the end of the loop.
    """
    carried, body = sums
    stored = "%total, %Z, %z, %z" if sums is WHOLE else "%total, %Y, %z"
    if sums is BEHIND:
        stored = "%sum, %Y, %z"
    text = SUMS.format(element=element, carried=carried, body=f"{body} -> {carried}", stored=stored)
    if sums is BEHIND:
        last = '%sum = tile.reduce %total {kind = "add", dim = 1} -> tile<128xf32>'
        text = text.replace("tile.store", f"{last} tile.store")
    if element == "f32":
        text = text.replace("%w = arith.cast %x -> tile<128x16xf32>", "").replace("%w", "%x")
    module = kernel(
        f"%X: memref<{element}x128x64>, %Y: memref<f32x128>, %Z: memref<f32x128x16>",
        text,
        "subgroup_size = 32, work_group_size = [32, 1], spread = true",
    )
    PassManager([ChooseSchedule(NvidiaSchedulePolicy())], verify_each=True).run(module, PassContext())
    assert schedule_of(module.kernels[0]).threads == threads
