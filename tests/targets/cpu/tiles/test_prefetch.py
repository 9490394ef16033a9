"""What is prefetched: spread over the code, tables of pointers, places of register blocks, never through rbp."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from msgspec.structs import replace

import tilewright as tw
from targets.cpu.entry import Entry
from tilewright.targets.cpu.machine import machine_of

SAMPLE = """func @k(%A: group<memref<f32x16x8>x?>, %B: memref<f32x8x16>, %C: memref<f32x16x16x?>) {
    %one = constant 1.0 : f32
    %g = group_id.x : index
    %a = load %A[%g] : memref<f32x16x8>
    %c = subview %C[0:16,0:16,%g] : memref<f32x16x16>
    gemm %one, %a, %B, %one, %c
}"""


def _prefetches(lines: list[str]) -> list[int]:
    return [number for number, line in enumerate(lines) if "call void @llvm.prefetch" in line]


def test_tiles_of_later_work_groups_are_prefetched_between_the_multiplications() -> None:
    lines = tw.compile(SAMPLE, target="cpu", cache=False).k.llvm.splitlines()
    found = _prefetches(lines)
    # 512 bytes of A, 1024 of C, and the pointers to this and the later A.
    assert len(found) == 8 + 16 + 2
    # Behind each stands the fence that keeps it there.
    apart = [b - a > 2 for a, b in pairwise(found)]
    assert sum(apart) > len(apart) / 2


def test_tables_of_pointers_are_prefetched() -> None:
    text = """builtin.module { builtin.kernel {sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}
      (%A: group<memref<f32x4>x?>, %y: memref<f32x?>) {
      %g = team.group_id {dim = 0} -> index
      %a = memref.group_load %A, %g -> memref<f32x4>
      %v = memref.load %a, %g -> f32
      memref.store %v, %y, %g
    } }"""
    lines = Entry(text).text.splitlines()
    assert len(_prefetches(lines)) == 1
    assert any("i64 512" in line for line in lines)


def test_large_products_prefetch_packed_lines_and_the_target() -> None:
    matrix = "memref<f32x96x96>"
    text = f"""func @k(%A: {matrix}, %B: {matrix}, %C: {matrix}) {{
        %one = constant 1.0 : f32
        gemm %one, %A, %B, %one, %C
    }}"""
    lines = tw.compile(text, target="cpu", cache=False).k.llvm.splitlines()
    # The second operand of the intrinsic says whether the line will be written.
    writes = [lines[number].split(", i32 ")[1] for number in _prefetches(lines)]
    assert {"0", "1"} <= set(writes)


def test_no_data_is_addressed_by_the_frame_pointer() -> None:
    assert '"frame-pointer"="all"' in tw.compile(SAMPLE, target="cpu", cache=False).k.llvm


@pytest.mark.parametrize("size", [8192, 8192 - 128])
def test_sums_ask_ahead_for_memory_that_is_larger_than_the_caches(size: int, rng: np.random.Generator) -> None:
    text = f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}}
      (%x: memref<f32x{size}>, %y: memref<f32x128>) {{
      %zero = arith.constant {{value = 0}} -> index
      %step = arith.constant {{value = 128}} -> index
      %end = arith.constant {{value = {size}}} -> index
      %none = arith.constant {{value = 0.0}} -> tile<128xf32>
      %sum = scf.for %zero, %end, %step, %none {{operand_segments = [1, 1, 1, 1]}} -> tile<128xf32>
        (%i: index, %old: tile<128xf32>) {{
        %u = tile.load %x, %i -> tile<128xf32>
        %new = arith.add %old, %u -> tile<128xf32>
        scf.yield %new
      }}
      tile.store %sum, %y, %zero
    }} }}"""
    entry = Entry(text, replace(machine_of(), last_cache_bytes=4 * 8192))
    assert len(_prefetches(entry.text.splitlines())) == (8 if size == 8192 else 0)
    x, y = rng.standard_normal(size, np.float32), np.zeros(128, np.float32)
    entry({"x": x, "y": y})
    np.testing.assert_allclose(y, x.reshape(-1, 128).sum(0), rtol=1e-5, atol=1e-5)


def test_rows_that_are_combined_at_once_are_prefetched_each(rng: np.random.Generator) -> None:
    text = """builtin.module { builtin.kernel {sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}
      (%x: memref<f32x1024x4>, %y: memref<f32x32x4>) {
      %zero = arith.constant {value = 0} -> index
      %step = arith.constant {value = 32} -> index
      %end = arith.constant {value = 1024} -> index
      %none = arith.constant {value = 0.0} -> tile<32x4xf32>
      %most = scf.for %zero, %end, %step, %none {operand_segments = [1, 1, 1, 1]} -> tile<32x4xf32>
        (%i: index, %old: tile<32x4xf32>) {
        %u = tile.load %x, %i, %zero -> tile<32x4xf32>
        %new = arith.maximum %old, %u -> tile<32x4xf32>
        scf.yield %new
      }
      tile.store %most, %y, %zero, %zero
    } }"""
    entry = Entry(text, replace(machine_of(), last_cache_bytes=4 * 4096))
    assert len(_prefetches(entry.text.splitlines())) == 2 * 4
    x, y = (np.asfortranarray(rng.standard_normal((rows, 4), np.float32)) for rows in (1024, 32))
    entry({"x": x, "y": y})
    np.testing.assert_array_equal(y, np.maximum(x.reshape(32, 32, 4, order="F").max(1), 0))


@pytest.mark.skipif(not machine_of().masks, reason="rows are counted by vectors of 64 bytes")
@pytest.mark.parametrize(("l2_bytes", "count"), [(4 * 16 * 128, 16), (4 * 16 * 128 + 1, 0)])
def test_rows_of_the_tile_that_is_transposed_next_are_prefetched(l2_bytes: int, count: int) -> None:
    text = """builtin.module { builtin.kernel {sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}
      (%p: ptr<f32>, %q: ptr<f32>) {
      %pa = memref.address %p -> i64
      %qa = memref.address %q -> i64
      %x = memref.from_address %pa {operand_segments = [1, 0, 0]} -> memref<f32x128x16>
      %y = memref.from_address %qa {operand_segments = [1, 0, 0]} -> memref<f32x16x128>
      %zero = arith.constant {value = 0} -> index
      %step = arith.constant {value = 16} -> index
      %end = arith.constant {value = 128} -> index
      scf.for %zero, %end, %step {operand_segments = [1, 1, 1, 0]} (%i: index) {
        %u = tile.load %x, %i, %zero -> tile<16x16xf32>
        %v = tile.permute %u {order = [1, 0]} -> tile<16x16xf32>
        tile.store %v, %y, %zero, %i
      }
    } }"""
    entry = Entry(text, replace(machine_of(), l2_bytes=l2_bytes, last_cache_bytes=1 << 40))
    assert len(_prefetches(entry.text.splitlines())) == count
    x, y = np.arange(2048, dtype=np.float32), np.zeros(2048, np.float32)
    entry({"p": x, "q": y})
    np.testing.assert_array_equal(y.reshape(128, 16), x.reshape(16, 128).T)
