"""Kernels of one work-item get a block of threads, which wait for each other where they must; reports are refused."""

from __future__ import annotations

import pytest

from tilewright.compile_options import CompileOptions
from tilewright.compiler import lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects import lane, scf, team
from tilewright.dialects.builtin import Kernel
from tilewright.ir.passes import PassContext
from tilewright.ir.types import F16
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.spread import SpreadWorkGroup
from tilewright.targets.nvidia.target import NvidiaTarget
from tilewright.transforms import emit
from tilewright.transforms.lower_tile_ir import LowerTileIR

from .case import Case, Launch, kernel
from .test_tlx import product

SWAPS = """cuda_tile.module @m {
entry @k(%x: tile<ptr<i32>>) {
  %i = iota : tile<64xi32>
  %last = constant <i32: 63> : tile<64xi32>
  %back = subi %last, %i : tile<64xi32>
  %x1 = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
  %xs = broadcast %x1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %p = offset %xs, %back : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %q = offset %xs, %i : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %zero = constant <i32: 0> : tile<i32>
  %t = make_token : token
  %n, %end = loop iter_values(%k = %zero, %t0 = %t) : tile<i32>, token -> tile<i32>, token {
    %v, %t1 = load_ptr_tko weak %p token = %t0 : tile<64xptr<i32>> -> tile<64xi32>, token
    %t2 = store_ptr_tko weak %q, %v token = %t1 : tile<64xptr<i32>>, tile<64xi32> -> token
    %one = constant <i32: 1> : tile<i32>
    %next = addi %k, %one : tile<i32>
    %five = constant <i32: 5> : tile<i32>
    %done = cmpi equal %next, %five, signed : tile<i32> -> tile<i1>
    if %done {
      break %next, %t2 : tile<i32>, token
    }
    continue %next, %t2 : tile<i32>, token
  }
  return
}
}
"""


def scheduled(text: str, schedule: str = "") -> Kernel:
    """The only kernel, as the device will run it."""
    module = read_module(Source("k.tileir", text), Report())
    target = NvidiaTarget(Architecture.SM_80).scheduled(schedule)
    lower_module(module, target, CompileOptions(verify_each=True), Report())
    return module.kernels[0]


def test_threads_wait_on_both_sides_of_a_loop_without_a_count() -> None:
    found = scheduled(SWAPS, "groups=1")
    assert (found.subgroup_size, found.work_group_size) == (32, (32, 1))
    (loop,) = [op for op in found.walk() if isinstance(op, scf.While)]
    wanted = ("team.barrier", "tile.gather", "tile.scatter", "lane.store")
    names = [op.name for op in loop.walk() if op.name in wanted]
    # Between reading and writing, and on the way back.
    assert names[:3] == ["team.barrier", "tile.gather", "team.barrier"], names
    assert names[-1] in ("tile.scatter", "lane.store"), names


def test_kernels_that_ask_who_they_are_stay() -> None:
    text = kernel("%x: i32", "    team.spmd {\n    }", 1, (1, 1))
    module = Case("alone", text, lambda _: Launch([], {})).module()
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(0), Report())
    (found,) = module.kernels
    assert found.work_group_size == (1, 1)
    assert any(isinstance(op, team.Spmd) for op in found.walk())


def test_collectives_are_shared() -> None:
    """All threads of a block work on a product of TLX."""
    module = read_module(Source("k.ll", product(65)), Report())
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), Report())
    (found,) = module.kernels
    assert "product=" in (found.schedule or "")
    assert (found.subgroup_size, found.work_group_size) == (32, (128, 1))


def test_kernels_that_report_are_shared() -> None:
    text = """cuda_tile.module @m { entry @k(%a: tile<i1>) {
  assert %a, "no" : tile<i1>
  return
} }"""
    module = read_module(Source("k.tileir", text), Report())
    lower_module(module, NvidiaTarget(), CompileOptions(), Report())
    (found,) = module.kernels
    assert (found.spread, found.subgroup_size) == (True, 32)


def test_sums_of_vectors_are_loaded_by_whole_accesses() -> None:
    """The tile of which threads add up theirs has a dimension more than the one that is loaded."""
    text = """func @total(%A: memref<f16x1048576>, %y: memref<f16>) {
        %one = constant 1.0 : f16
        %zero = constant 0.0 : f16
        sum %one, %A, %zero, %y
    }"""
    module = read_module(Source("k.tl", text), Report())
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(verify_each=True), Report())
    loads = [op for op in module.walk() if isinstance(op, lane.Load) and emit.memref_type(op.memref).element is F16]
    assert {op.width for op in loads} == {8, 1}, "where the vector begins at a multiple of 16 bytes, and else"


@pytest.mark.parametrize(
    ("rows", "inner", "added", "threads"),
    [(256, "none", "acc", 256), (128, "none", "acc", 128), (256, "acc", "s", 128)],
    ids=["two tiles of sums", "two small ones", "the same sums twice"],
)
def test_loops_have_threads_for_sums_that_are_there_together(rows: int, inner: str, added: str, threads: int) -> None:
    """One product adds to `inner`, and another one to what is `added` to and carried: 128 registers of 128 threads
    are sums of 256 rows."""
    sums, factor = f"tile<{rows}x64xf32>", f"tile<{rows}x64xf16>"
    text = f"""cuda_tile.module @m {{
entry @k() {{
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %a = constant <f16: 1.0> : {factor}
  %b = constant <f16: 1.0> : tile<64x64xf16>
  %none = constant <f32: 0.0> : {sums}
  %r = for %i in (%zero to %one, step %one) : tile<i32> iter_values(%acc = %none) -> ({sums}) {{
    %s = mmaf %a, %b, %{inner} : {factor}, tile<64x64xf16>, {sums}
    %p = ftof %s : {sums} -> {factor}
    %next = mmaf %{"p" if added == "acc" else "a"}, %b, %{added} : {factor}, tile<64x64xf16>, {sums}
    continue %next : {sums}
  }}
  return
}}
}}
"""
    module = read_module(Source("k.tileir", text), Report())
    for each in (LowerTileIR(), SpreadWorkGroup()):
        each.run(module, PassContext())
    assert module.kernels[0].work_group_size == (threads, 1)
