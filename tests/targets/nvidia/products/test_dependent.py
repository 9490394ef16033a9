"""Kernels that wait for the launch in front of theirs: behind the barriers of rings, in front of what they copy."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tilewright as tw
from targets.nvidia.products.cases import TEXTS
from targets.nvidia.products.test_asked_maps import entries_of
from targets.nvidia.products.test_persistent import emulate, given_for
from targets.nvidia.products.test_products import emitted
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes, scf, team
from tilewright.dialects.builtin import Module
from tilewright.dialects.gpu_launches import AwaitLaunch
from tilewright.ir.core import Region
from tilewright.ir.parser import parse_ir
from tilewright.ir.passes import PassContext
from tilewright.ir.types import AddressSpace, MemrefType
from tilewright.transforms.schedule.await_launches import AwaitLaunches

TEXT = TEXTS.whole_product(("?", "?", "?"), "f16", "f32", (False, False))
SCHEDULES = ["", "tile=64x64x64 copies=threads", "tile=64x64x64 persistent=no", "tile=64x64x64 stream=yes"]


def waits(region: Region, waited: bool) -> bool:
    """Whether all ways through a region have waited, each once, and before it touches what other launches see."""
    for op in region.entry:
        if isinstance(op, AwaitLaunch):
            assert not waited, "it has waited"
            waited = True
        elif isinstance(op, scf.If):
            ends = [waits(branch, waited) for branch in op.regions]
            waited = waited or (len(ends) > 1 and all(ends))
        elif isinstance(op, team.Spmd):
            waited = waits(op.body, waited)
        elif op.regions:
            assert all(waits(inner, waited) == waited for inner in op.regions), "a loop may have no iteration"
        elif not waited:
            effects = op.effects()
            assert effects is not None, op.name
            types = [value.type for value in op.operands if effects and isinstance(value.type, MemrefType)]
            types += [effect.value.type for effect in effects if effect.value is not None]
            assert all(isinstance(each, MemrefType) and each.space is AddressSpace.LOCAL for each in types), op.name
    return waited


@pytest.mark.covering(0)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_way_waits(schedule: str) -> None:
    artifact = tw.compile(TEXT, target="nvidia:sm_90a", schedule=f"{schedule} dependent=yes", cache=False).artifact
    module = parse_ir(Source("lanes", artifact.texts["lanes"]), Report(), operation_classes())
    assert isinstance(module, Module)
    for kernel in module.kernels:
        assert waits(kernel.body, False)


TABLE = """func @product(%A: memref<f16x512x512>, %B: memref<f16x512x512>, %T: group<memref<f32x512x512>x?>) {
    %which = group_id.x : index
    %C = load %T[%which] : memref<f32x512x512>
    %one = constant 1.0 : f16
    %zero = constant 0.0 : f32
    gemm.n.n %one, %A, %B, %zero, %C
}
"""
SPILLED = """cuda_tile.module @m { entry @f(%x: tile<ptr<f64>>) {
%i = iota : tile<131072xi32>
%f = itof %i signed : tile<131072xi32> -> tile<131072xf64>
%s = scan %f dim=0 reverse=false identities=[0.0 : f64] : tile<131072xf64> -> tile<131072xf64>
(%a: tile<f64>, %b: tile<f64>) {
  %c = addf %a, %b : tile<f64>
  yield %c : tile<f64>
}
%v = make_tensor_view %x, shape = [131072], strides = [1] : tensor_view<131072xf64, strides=[1]>
%p = make_partition_view %v : partition_view<tile=(131072), tensor_view<131072xf64, strides=[1]>>
%z = constant <i32: 0> : tile<i32>
%d = store_view_tko weak %s, %p[%z] : tile<131072xf64>, partition_view<tile=(131072), tensor_view<131072xf64,
 strides=[1]>>, tile<i32> -> token
return
} }
"""


@pytest.mark.parametrize(("text", "schedule"), [(TABLE, None), (SPILLED, "dependent=yes")])
def test_tables_and_tiles_in_memory_are_behind_the_wait(text: str, schedule: str | None) -> None:
    """Launches in front write the pointers of a table, and use the same memory for their tiles."""
    ptx = tw.compile(text, target="nvidia:sm_90a", schedule=schedule, cache=False).text("ptx")
    before, wait, _ = ptx.partition("griddepcontrol.wait")
    assert wait
    assert not re.search(r"(?:ld|st)\.global", before)


def test_large_products_depend_by_default() -> None:
    for schedule, depends in (("", True), ("dependent=no", False), ("copies=threads", False)):
        info = tw.compile(TEXT, target="nvidia:sm_90a", schedule=f"tile=64x64x64 {schedule}")["product"].info
        assert info.launch is not None
        assert info.launch.dependent is depends


def test_barriers_are_made_before(rng: np.random.Generator) -> None:
    """And maps are fetched, but no factor; what is computed is the same."""
    llvm, kernel = emitted(TEXT, schedule="tile=64x64x64 copies=tensor dependent=yes")
    # that of launches with all maps
    *_, entry = entries_of(llvm).values()
    calls = [line for line in entry.splitlines() if " call " in line]
    assert kernel.launch is not None
    assert sum("prefetch.tensormap" in line for line in calls) == len(kernel.launch.maps) > 1
    names = (
        "prefetch.tensormap",
        "mbarrier.init",
        "griddepcontrol.wait",
        "mbarrier.arrive.expect",
        "cp.async.bulk.tensor",
    )
    places = [next(number for number, line in enumerate(calls) if name in line) for name in names]
    assert places == sorted(places)
    emulate(llvm, kernel, given_for(72, 64, 40, rng))


def test_ways_around_what_touches_memory_wait_too() -> None:
    """A launch that has nothing to do is not over before the one in front of it either."""
    text = """builtin.module {
  builtin.kernel {sym_name = "f", schedule = "lanes dependent=yes"} (%x: memref<f32x4>, %some: bool) {
    scf.if %some {
      team.barrier {fence_local = true}
      %zero = arith.constant {value = 0.0} -> f32
      %first = arith.constant {value = 0} -> index
      memref.store %zero, %x, %first
    }
  }
}
"""
    report = Report()
    module = parse_ir(Source("text", text), report, operation_classes())
    assert isinstance(module, Module), report.diagnostics
    AwaitLaunches().run(module, PassContext(report))
    assert waits(module.kernels[0].body, False)
    assert len([op for op in module.walk() if isinstance(op, AwaitLaunch)]) == 2
