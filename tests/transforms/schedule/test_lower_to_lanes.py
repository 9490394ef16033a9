"""Lowering to lanes of texts whose layouts somebody has written by hand."""

from __future__ import annotations

import pytest

from tilewright.diagnostics import CompileError, Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Module
from tilewright.ir.parser import parse_ir
from tilewright.ir.passes import PassContext, PassManager
from tilewright.transforms.schedule.lower_to_lanes import LowerToLanes


def lower(layout: str) -> None:
    """A kernel of two warps of 32 lanes that loads a tile in a layout."""
    text = f"""builtin.module {{
builtin.kernel {{sym_name = "k", subgroup_size = 32, work_group_size = [64, 1], schedule = "lanes threads=64"}}
(%A: memref<f32x60>) {{
%z = arith.constant {{value = 0}} -> index
%a = tile.load %A, %z -> tile<60xf32{layout}>
tile.store %a, %A, %z }} }}"""
    report = Report()
    module = parse_ir(Source("k.twir", text), report, operation_classes())
    assert isinstance(module, Module), [str(each) for each in report.diagnostics]
    PassManager([LowerToLanes()]).run(module, PassContext())


@pytest.mark.parametrize("layout", ["lane (32, 0, 1); warp (2, 0, 32)", "reg (64, 0, 1); lane (32); warp (2)"])
def test_threads_that_there_are_hold_tiles(layout: str) -> None:
    lower(f", #layout<{layout}>")


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        ("", "has no layout yet"),
        (", #layout<reg (2, 0, 32); lane (32, 0, 1)>", "32 lanes of 1 warps of 1 blocks"),
        (", #layout<lane (16, 0, 1); warp (4, 0, 16)>", "16 lanes of 4 warps of 1 blocks"),
        (", #layout<lane (30, 0, 1); warp (2, 0, 30)>", "30 lanes of 2 warps of 1 blocks"),
        (", #layout<lane (32, 0, 1); warp (2, 0, 32); block (2)>", "32 lanes of 2 warps of 2 blocks"),
    ],
)
def test_others_are_said(layout: str, said: str) -> None:
    """They lost elements, or ended in an internal error."""
    with pytest.raises(CompileError, match=said) as found:
        lower(layout)
    assert all(each.severity.name == "ERROR" and "k.twir:5:" in str(each) for each in found.value.diagnostics)
