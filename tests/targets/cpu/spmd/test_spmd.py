"""SPMD regions on the CPU: lanes as vectors, masks, divergence, subgroup operations, atomics."""

from __future__ import annotations

import numpy as np
import pytest

from generators.element_types import DTYPES
from targets.cpu.entry import Entry

ITEM = """
      %lane = team.subgroup_local_id -> i32
      %sub = team.subgroup_linear_id -> i32
      %lane_i = arith.cast %lane -> index
      %sub_i = arith.cast %sub -> index
      %width = arith.constant {value = SIZE} -> index
      %start = arith.mul %sub_i, %width -> index
      %i = arith.add %start, %lane_i -> index
"""


def kernel(parameters: str, body: str, size: int = 16, items: tuple[int, int] = (16, 1), local_bytes: int = 0) -> Entry:
    """A kernel whose SPMD body knows its work-item number as %i."""
    head = f'sym_name = "k", subgroup_size = {size}, work_group_size = [{items[0]}, {items[1]}]'
    text = f"""builtin.module {{ builtin.kernel {{{head}, local_bytes = {local_bytes}}} ({parameters}) {{
    team.spmd {{ {ITEM.replace("SIZE", str(size))} {body} }} }} }}"""
    return Entry(text)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("size", "items"), [(1, (1, 1)), (4, (8, 2)), (16, (16, 1)), (32, (64, 1))])
def test_each_work_item_writes_its_element(dtype: str, size: int, items: tuple[int, int]) -> None:
    run = kernel(
        f"%x: memref<{dtype}x?>, %y: memref<{dtype}x?>",
        f"%v = memref.load %x, %i -> {dtype} %w = arith.add %v, %v -> {dtype} memref.store %w, %y, %i",
        size,
        items,
    )
    assert not any(access in run.text for access in ("masked.gather", "masked.scatter")), "neighbours are a row"
    count = items[0] * items[1]
    x = np.arange(count).astype(DTYPES[dtype])
    y = np.full(count, -1).astype(DTYPES[dtype])
    run({"x": x, "y": y})
    np.testing.assert_array_equal(y, np.add(x, x))


def test_strided_access_gathers_and_scatters() -> None:
    run = kernel(
        "%x: memref<f32x?,strided<?>>, %y: memref<f32x?,strided<?>>",
        "%v = memref.load %x, %i -> f32 memref.store %v, %y, %i",
    )
    x = np.random.default_rng(1).standard_normal(48).astype(np.float32)[::3]
    whole = np.full(32, np.nan, np.float32)
    run({"x": x, "y": whole[::2]})
    np.testing.assert_array_equal(whole[::2], x)
    assert np.isnan(whole[1::2]).all()


@pytest.mark.parametrize("count", [0, 1, 7, 15, 16])
def test_inactive_work_items_touch_nothing(count: int) -> None:
    run = kernel(
        "%x: memref<f64x?>, %y: memref<f64x?>, %n: index",
        """%in = arith.cmp %i, %n {predicate = "lt"} -> bool
        scf.if %in { %v = memref.load %x, %i -> f64 %w = arith.neg %v -> f64 memref.store %w, %y, %i }""",
    )
    x, y = np.random.default_rng(2).standard_normal(16), np.full(16, 9.0)
    run({"x": x, "y": y, "n": np.int64(count)})
    np.testing.assert_array_equal(y[:count], -x[:count])
    assert (y[count:] == 9.0).all()


def test_divergent_branches_merge_by_work_item() -> None:
    run = kernel(
        "%y: memref<i32x?>",
        """%two = arith.constant {value = 2} -> i32
        %zero = arith.constant {value = 0} -> i32
        %rest = arith.rem %lane, %two -> i32
        %even = arith.cmp %rest, %zero {predicate = "eq"} -> bool
        %v = scf.if %even -> i32 {
          %a = arith.mul %lane, %lane -> i32
          scf.yield %a
        } {
          %b = arith.neg %lane -> i32
          scf.yield %b
        }
        memref.store %v, %y, %i""",
    )
    y = np.zeros(16, np.int32)
    run({"y": y})
    lane = np.arange(16)
    np.testing.assert_array_equal(y, np.where(lane % 2 == 0, lane * lane, -lane))


@pytest.mark.parametrize("dtype", ["i8", "i32", "index"])
def test_loops_run_as_often_as_each_work_item_wants(dtype: str) -> None:
    run = kernel(
        "%y: memref<i64x?>",
        f"""%zero = arith.constant {{value = 0}} -> {dtype}
        %three = arith.constant {{value = 3}} -> {dtype}
        %bound = arith.cast %lane -> {dtype}
        %init = arith.constant {{value = 100}} -> i64
        %out = scf.for %zero, %bound, %three, %init {{operand_segments = [1, 1, 1, 1]}} -> i64
        (%k: {dtype}, %acc: i64) {{
          %one = arith.constant {{value = 1}} -> i64
          %next = arith.add %acc, %one -> i64
          scf.yield %next
        }}
        memref.store %out, %y, %i""",
    )
    y = np.zeros(16, np.int64)
    run({"y": y})
    np.testing.assert_array_equal(y, 100 + -(-np.arange(16) // 3))


@pytest.mark.covering(2)
@pytest.mark.parametrize("dtype", ["i8", "i64", "f16", "bf16", "f32", "c32"])
@pytest.mark.parametrize("size", [1, 8, 16, 32])
@pytest.mark.parametrize("kind", ["add", "max", "min"])
def test_reductions_and_scans(dtype: str, size: int, kind: str) -> None:
    kind = "add" if dtype == "c32" else kind
    run = kernel(
        f"%x: memref<{dtype}x?>, %r: memref<{dtype}x?>, %inc: memref<{dtype}x?>",
        f"""%v = memref.load %x, %i -> {dtype}
        %a = team.reduce %v {{kind = "{kind}"}} -> {dtype} memref.store %a, %r, %i
        %b = team.scan %v {{kind = "{kind}", inclusive = true}} -> {dtype} memref.store %b, %inc, %i""",
        size,
        (2 * size, 1),
    )
    x = np.random.default_rng(3).integers(-3, 4, 2 * size).astype(DTYPES[dtype])
    total, prefix = np.zeros_like(x), np.zeros_like(x)
    run({"x": x, "r": total, "inc": prefix})
    wide = x.astype(np.complex128 if dtype == "c32" else np.float64).reshape(2, size)
    ufunc = {"add": np.add, "max": np.maximum, "min": np.minimum}[kind]
    np.testing.assert_array_equal(
        total.astype(wide.dtype), np.repeat(ufunc.reduce(wide, axis=1), size).astype(wide.dtype)
    )
    np.testing.assert_array_equal(prefix.astype(wide.dtype), ufunc.accumulate(wide, axis=1).ravel())


def test_exclusive_scan_starts_with_the_identity() -> None:
    run = kernel(
        "%y: memref<i32x?>, %z: memref<f32x?>, %x: memref<f32x?>",
        """%a = team.scan %lane {kind = "add", inclusive = false} -> i32 memref.store %a, %y, %i
        %v = memref.load %x, %i -> f32
        %b = team.scan %v {kind = "max", inclusive = false} -> f32 memref.store %b, %z, %i""",
    )
    y, z, x = np.zeros(16, np.int32), np.zeros(16, np.float32), np.arange(16, dtype=np.float32)
    run({"y": y, "z": z, "x": x})
    np.testing.assert_array_equal(y, np.cumsum(np.arange(16)) - np.arange(16))
    np.testing.assert_array_equal(z, np.concatenate([[-np.inf], x[:-1]]))


def test_broadcast_takes_one_work_items_value() -> None:
    run = kernel(
        "%y: memref<i32x?>",
        """%five = arith.constant {value = 5} -> i32
        %sq = arith.mul %lane, %lane -> i32
        %v = team.broadcast %sq, %five -> i32 memref.store %v, %y, %i""",
    )
    y = np.zeros(16, np.int32)
    run({"y": y})
    assert (y == 25).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["add", "max"])
def test_atomics_of_all_work_items_on_one_element(dtype: str, kind: str) -> None:
    kind = "add" if dtype[0] == "c" else kind
    run = kernel(
        f"%x: memref<{dtype}x?>, %t: memref<{dtype}>, %old: memref<{dtype}x?>",
        f"""%v = memref.load %x, %i -> {dtype}
        %o = memref.atomic_rmw %v, %t {{kind = "{kind}", scope = "device", semantics = "acquire_release"}} -> {dtype}
        memref.store %o, %old, %i""",
    )
    x = np.random.default_rng(4).integers(-3, 4, 16).astype(DTYPES[dtype])
    total, old = np.ones((), DTYPES[dtype]), np.zeros_like(x)
    run({"x": x, "t": total, "old": old})
    wide = x.astype(np.complex128)
    states = np.concatenate([[1], (np.add if kind == "add" else np.maximum).accumulate([1, *wide])[1:]])
    np.testing.assert_array_equal(old.astype(np.complex128), states[:-1])
    assert total.astype(np.complex128) == states[-1]


def _counting_groups() -> Entry:
    text = """builtin.module { builtin.kernel {sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}
      (%y: memref<i64x?x?x?>) {
      %x = team.group_id {dim = 0} -> index
      %b = team.group_id {dim = 1} -> index
      %c = team.group_id {dim = 2} -> index
      %n = team.num_groups {dim = 1} -> index
      %s = arith.mul %c, %n -> index
      %t = arith.add %s, %b -> index
      %v = arith.cast %t -> index
      %one = arith.constant {value = 1} -> i64
      %old = memref.atomic_rmw %one, %y, %x, %b, %c {kind = "add"} -> i64
    } }"""
    return Entry(text)


def test_group_numbers_count_x_fastest() -> None:
    run, y = _counting_groups(), np.zeros((5, 3, 2), np.int64, order="F")
    run({"y": y}, y.shape)
    assert (y == 1).all()


@pytest.mark.parametrize("grid", [(5, 3, 2), (1, 4, 3), (4, 1, 2), (6, 2, 1)])
def test_any_run_of_group_numbers(grid: tuple[int, int, int]) -> None:
    run, total = _counting_groups(), int(np.prod(grid))
    for start in range(total + 1):
        for stop in range(start, total + 1):
            y = np.zeros(grid, np.int64, order="F")
            run({"y": y}, grid, range(start, stop))
            expected = np.zeros(total, np.int64)
            expected[start:stop] = 1
            np.testing.assert_array_equal(y.ravel(order="F"), expected)
