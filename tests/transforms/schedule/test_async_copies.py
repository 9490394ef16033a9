"""async-copies: what is copied to shared memory beside products needs no thread, where nobody has a look at it."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from targets.nvidia.case import Launch
from targets.nvidia.emulated import emulated
from targets.nvidia.test_ragged import lowered
from tilewright.dialects import gpu_products, lane, lane_products, tile
from tilewright.dialects.builtin import Module

LANES, EACH = 32, 8
SIZE = LANES * EACH
ALL = range(EACH)
LOADS = "".join(f"%x{k} = memref.load %A, %i{k} -> f16\n" for k in ALL)
STORES = "".join(f"memref.store %x{k}, %s, %i{k}\n" for k in ALL)
FURTHER = "".join(f"memref.store %x{k}, %s, %j{k}\n" for k in ALL)
OTHERS = LOADS.replace("%x", "%v").replace("%A", "%B")
PRODUCTS = """%m = tile.load %t, %z, %z -> tile<16x16xf16>
%p = tile.mma %m, %m, %zero -> tile<16x16xf32>
tile.store %p, %D, %z, %z
"""
BARRIER = "team.barrier {fence_global = true, fence_local = true}\n"
BACK = "".join(f"%y{k} = memref.load %s, %r{k} -> f16\nmemref.store %y{k}, %B, %r{k}\n" for k in ALL)


def text(body: str) -> str:
    """Threads of one warp copy eight elements each, and multiply what lies elsewhere in shared memory."""
    near = "".join(
        f"%n{k} = arith.constant {{value = {k}}} -> index %i{k} = arith.add %i0, %n{k} -> index "
        f"%r{k} = arith.add %r0, %n{k} -> index %j{k} = arith.add %j0, %n{k} -> index "
        for k in range(1, EACH)
    )
    promised = ", ".join(["{alignment = 16}"] * 2 + ["{}"])
    types = f"%A: memref<f16x{SIZE}>, %B: memref<f16x{SIZE}>, %D: memref<f32x16x16>"
    return f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 32, work_group_size = [{LANES}, 1],
      parameter_attributes = [{promised}]}} ({types}) {{
      %s = memref.alloca -> memref<f16x{2 * SIZE},local> %t = memref.alloca -> memref<f16x16x16,local>
      team.spmd {{
      %l = team.subgroup_local_id -> i32 %p0 = arith.cast %l -> index %e = arith.constant {{value = {EACH}}} -> index
      %z = arith.constant {{value = 0}} -> index
      %last = arith.constant {{value = {SIZE - EACH}}} -> index %size = arith.constant {{value = {SIZE}}} -> index
      %zero = arith.constant {{value = 0.0}} -> tile<16x16xf32>
      %i0 = arith.mul %p0, %e -> index %r0 = arith.sub %last, %i0 -> index %j0 = arith.add %i0, %size -> index {near}
      {body} }} }} }}"""


def copies(module: Module) -> int:
    """Copies by themselves."""
    return sum(isinstance(op, lane_products.CopyAsync) for op in module.walk())


def test_a_tile_is_copied_beside_products() -> None:
    """It has arrived behind the barrier, where other threads read it."""
    module = lowered(text(LOADS + STORES + PRODUCTS + BARRIER + BACK))
    (copy,) = [op for op in module.walk() if isinstance(op, lane_products.CopyAsync)]
    assert copy.width == EACH
    names = [type(op) for op in module.walk()]
    commit, wait = names.index(gpu_products.CommitCopies), names.index(gpu_products.AwaitCopies)
    assert names.index(lane_products.CopyAsync) < commit < names.index(tile.Mma) < wait
    assert not any(isinstance(op, lane.Store) and op.memref is copy.target for op in module.walk())
    a, b = (np.arange(first, first + SIZE).astype(np.float16) for first in (1, 1000))
    found = emulated(module).run(Launch([a, b, np.zeros((16, 16), np.float32)], {}))
    np.testing.assert_array_equal(found[1], a)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (LOADS + STORES + FURTHER + PRODUCTS + BARRIER + BACK, 0),
        (LOADS + STORES + OTHERS + FURTHER.replace("%x", "%v") + PRODUCTS + BARRIER + BACK, 2),
        (LOADS + STORES + OTHERS + STORES.replace("%x", "%v") + PRODUCTS + BARRIER + BACK, 1),
        (LOADS + STORES + BARRIER + BACK, 0),
        (LOADS + STORES + BARRIER + PRODUCTS + BACK, 0),
        (LOADS + STORES + PRODUCTS + BACK, 0),
        (LOADS + "memref.store %x0, %B, %z\n" + STORES + PRODUCTS + BARRIER + BACK, 0),
        (LOADS + "%w = memref.load %B, %z -> f16\nmemref.store %w, %A, %z\n" + STORES + PRODUCTS + BARRIER + BACK, 0),
        (LOADS + BARRIER + STORES + PRODUCTS + BARRIER + BACK, 0),
        (LOADS.replace("%i", "%r") + STORES + PRODUCTS + BARRIER + BACK, 1),
    ],
    ids=[
        "stored twice",
        "apart",
        "one over the other",
        "no products",
        "products behind the barrier",
        "read by threads",
        "used otherwise",
        "overwritten",
        "loaded before a barrier",
        "from elsewhere",
    ],
)
def test_only_what_nobody_sees_is_copied_so(body: str, count: int) -> None:
    assert copies(lowered(text(body))) == count


COMPUTED = """define void @k(ptr %a, ptr %b, ptr %c, ptr %d, ptr %e, i32 %x, i32 %y, i32 %z) {
  %la = call token @llvm.tensor.load(ptr elementtype(i32) %a, <3 x i64> <i64 3, i64 11, i64 3>,
    <3 x i64> <i64 1, i64 2, i64 0>, <3 x i32> <i32 0, i32 2, i32 0>, <3 x i64> <i64 33, i64 1, i64 3>)
  %va = call <99 x i32> @llvm.tensor.tovector(token %la)
  %lb = call token @llvm.tensor.load(ptr elementtype(i16) %b, <3 x i64> <i64 3, i64 3, i64 8>,
    <3 x i64> <i64 1, i64 0, i64 2>, <3 x i32> <i32 0, i32 0, i32 0>, <3 x i64> <i64 27, i64 1, i64 8>)
  %vb = call <72 x i16> @llvm.tensor.tovector(token %lb)
  %lc = call token @llvm.tensor.load(ptr elementtype(i16) %c, <3 x i64> <i64 3, i64 10, i64 9>,
    <3 x i64> <i64 0, i64 1, i64 2>, <3 x i32> <i32 0, i32 2, i32 0>, <3 x i64> <i64 100, i64 1, i64 13>)
  %vc = call <270 x i16> @llvm.tensor.tovector(token %lc)
  %ta = call token @llvm.tensor.typeinfo(<99 x i32> %va, <3 x i64> <i64 3, i64 11, i64 3>,
    <3 x i32> <i32 1, i32 2, i32 0>, <3 x i32> <i32 0, i32 2, i32 0>)
  %tb = call token @llvm.tensor.typeinfo(<72 x i16> %vb, <3 x i32> <i32 3, i32 3, i32 8>,
    <3 x i64> <i64 1, i64 0, i64 2>, <3 x i32> <i32 0, i32 0, i32 0>)
  %tc = call token @llvm.tensor.typeinfo(<270 x i16> %vc, <3 x i32> <i32 3, i32 10, i32 9>,
    <3 x i64> <i64 0, i64 1, i64 2>, <3 x i64> <i64 0, i64 2, i64 0>)
  %product = call <99 x i32> @llvm.tensor.mma(token %ta, token %tb, token %tc)
  %s0 = insertelement <4 x i32> zeroinitializer, i32 %x, i32 0
  %s1 = insertelement <4 x i32> %s0, i32 50, i32 1
  %s2 = insertelement <4 x i32> %s1, i32 %y, i32 2
  %s3 = insertelement <4 x i32> %s2, i32 %z, i32 3
  %ld = call token @llvm.tensor.load(ptr elementtype(i32) %d, <4 x i32> <i32 4, i32 4, i32 5, i32 10>,
    <4 x i64> <i64 0, i64 1, i64 2, i64 3>, <4 x i32> <i32 1, i32 1, i32 1, i32 1>, <4 x i32> %s3)
  %vd = call <800 x i32> @llvm.tensor.tovector(token %ld)
  %tp = call token @llvm.tensor.typeinfo(<99 x i32> %product, <3 x i64> <i64 3, i64 11, i64 3>,
    <3 x i64> <i64 1, i64 2, i64 0>, <3 x i32> <i32 0, i32 2, i32 0>)
  %td = call token @llvm.tensor.typeinfo(<800 x i32> %vd, <4 x i32> <i32 4, i32 4, i32 5, i32 10>,
    <4 x i64> <i64 0, i64 1, i64 2, i64 3>, <4 x i32> <i32 1, i32 1, i32 1, i32 1>)
  %found = call <5 x i32> @llvm.tensor.contract(token %tp, token %td, <3 x i32> <i32 2, i32 0, i32 1>,
    <3 x i32> <i32 3, i32 0, i32 1>)
  %tf = call token @llvm.tensor.typeinfo(<5 x i32> %found, <1 x i32> <i32 5>, <1 x i64> <i64 0>, <1 x i32> <i32 1>)
  call void @llvm.tensor.store(ptr %e, token %tf, <1 x i64> <i64 1>)
  ret void
}
"""


def test_memory_of_the_work_group_is_not_copied_from_whatever_its_type_says() -> None:
    """A product of TLX lies in reserved memory, of which only the address is known; LLVM refuses such a copy."""
    (kernel,) = tw.compile(COMPUTED, target="nvidia:sm_90a", cache=False)
    assert kernel.schedule.startswith("lanes")
