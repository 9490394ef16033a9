"""Work-items on paths of their own: branches and loops under masks, what the absent ones must not touch or change."""

from __future__ import annotations

import numpy as np
import pytest

from generators.element_types import DTYPES
from targets.cpu.collective import available_levels
from targets.cpu.entry import Entry
from targets.cpu.fences import Fence
from tilewright.machine.processor import FeatureSet
from tilewright.targets.cpu.machine import machine_of

LANES = 16
ABSENT = 1 << 40
"""An index that no array has: who loads or stores there ends the process."""
levels = pytest.mark.parametrize("level", available_levels(), ids=lambda f: f.value)


def kernel(
    parameters: str,
    body: str,
    level: FeatureSet = FeatureSet.HOST,
    lanes: int = LANES,
    items: tuple[int, int] = (LANES, 1),
) -> Entry:
    """A kernel of SPMD code that knows its lane as %lane and %i, and constants of both types: %z %one, %zi %onei."""
    head = f'sym_name = "k", subgroup_size = {lanes}, work_group_size = [{items[0]}, {items[1]}]'
    text = f"""builtin.module {{ builtin.kernel {{{head}}} ({parameters}) {{
    team.spmd {{
      %lane = team.subgroup_local_id -> i32
      %i = arith.cast %lane -> index
      %z = arith.constant {{value = 0}} -> i32
      %one = arith.constant {{value = 1}} -> i32
      %zi = arith.constant {{value = 0}} -> index
      %onei = arith.constant {{value = 1}} -> index
      {body} }} }} }}"""
    return Entry(text, machine_of(level))


LOOP = """%from = memref.load %lower, %i -> i64
      %to = memref.load %upper, %i -> i64
      %by = memref.load %steps, %i -> i64
      %limit = arith.cast %n -> i32
      %in = arith.cmp %lane, %limit {predicate = "lt"} -> bool
      scf.if %in {
        %sum = scf.for %from, %to, %by, %from {operand_segments = [1, 1, 1, 1]} -> i64 (%k: i64, %acc: i64) {
          %more = arith.add %acc, %k -> i64
          %two = arith.constant {value = 2} -> i64
          %half = arith.rem %k, %two -> i64
          %nil = arith.constant {value = 0} -> i64
          %even = arith.cmp %half, %nil {predicate = "eq"} -> bool
          %next = scf.if %even -> i64 {
            %old = memref.load %trips, %i -> i64
            %o = arith.constant {value = 1} -> i64
            %new = arith.add %old, %o -> i64
            memref.store %new, %trips, %i
            scf.yield %more
          } {
            %less = arith.sub %acc, %k -> i64
            scf.yield %less
          }
          scf.yield %next
        }
        memref.store %sum, %out, %i
      }"""


def walked(lower: int, upper: int, step: int) -> tuple[int, int]:
    """The sum and the number of even indices of the loop above."""
    total, even = lower, 0
    for k in range(lower, upper, step) if step > 0 else ():
        total, even = (total + k, even + 1) if k % 2 == 0 else (total - k, even)
    return total, even


@levels
@pytest.mark.parametrize("count", [0, 1, 5, 15, 16])
def test_loops_of_own_lengths_under_a_mask(level: FeatureSet, count: int, rng: np.random.Generator) -> None:
    parameters = "%lower: memref<i64x?>, %upper: memref<i64x?>, %steps: memref<i64x?>"
    run = kernel(f"{parameters}, %out: memref<i64x?>, %trips: memref<i64x?>, %n: index", LOOP, level)
    lower = rng.integers(-5, 5, LANES)
    upper = np.array([*rng.integers(-6, 12, LANES - 4), *lower[-4:]])
    steps = rng.integers(-1, 4, LANES)
    out, trips = np.full(LANES, -99), np.full(LANES, 7)
    run({"lower": lower, "upper": upper, "steps": steps, "out": out, "trips": trips, "n": np.int64(count)})
    expected = [walked(int(a), int(b), int(s)) for a, b, s in zip(lower, upper, steps, strict=True)]
    assert out.tolist() == [total if lane < count else -99 for lane, (total, _) in enumerate(expected)]
    assert trips.tolist() == [7 + even if lane < count else 7 for lane, (_, even) in enumerate(expected)]


@pytest.mark.parametrize("step", [-1, 0, 1, 2, 3])
def test_loops_of_one_length_with_a_step(step: int) -> None:
    """All bounds are known to the launch only; the upper bound is among them, one off and far away."""
    run = kernel(
        "%a: index, %b: index, %s: index, %out: memref<i64x?>",
        """%nil = arith.constant {value = 0} -> i64
        %sum = scf.for %a, %b, %s, %nil {operand_segments = [1, 1, 1, 1]} -> i64 (%k: index, %acc: i64) {
          %wide = arith.cast %k -> i64
          %hundred = arith.constant {value = 100} -> i64
          %times = arith.mul %acc, %hundred -> i64
          %next = arith.add %times, %wide -> i64
          scf.yield %next
        }
        memref.store %sum, %out, %i""",
    )
    for lower, upper in ((3, 3), (3, 4), (3, 5), (3, 6), (3, 7), (4, 3)):
        expected = 0
        for k in range(lower, upper, step) if step > 0 else ():
            expected = expected * 100 + k
        out = np.full(LANES, -1)
        run({"a": np.int64(lower), "b": np.int64(upper), "s": np.int64(step), "out": out})
        assert (out == expected).all(), (lower, upper)


@levels
def test_branches_in_branches(level: FeatureSet) -> None:
    """Each of four paths adds a digit of its own; both sides of the inner branches run under the outer masks."""
    inner = """%low{0} = arith.cmp %lane, %{0} {{predicate = "lt"}} -> bool
        scf.if %low{0} {{
          %a{0} = memref.load %out, %i -> i32
          %b{0} = arith.add %a{0}, %d{0} -> i32
          memref.store %b{0}, %out, %i
        }} {{
          %e{0} = memref.load %out, %i -> i32
          %f{0} = arith.sub %e{0}, %d{0} -> i32
          memref.store %f{0}, %out, %i
        }}"""
    run = kernel(
        "%out: memref<i32x?>",
        """%three = arith.constant {value = 3} -> i32
        %nine = arith.constant {value = 9} -> i32
        %dthree = arith.constant {value = 30} -> i32
        %dnine = arith.constant {value = 90} -> i32
        %two = arith.constant {value = 2} -> i32
        %rest = arith.rem %lane, %two -> i32
        %even = arith.cmp %rest, %z {predicate = "eq"} -> bool
        scf.if %even { """
        + inner.format("three")
        + "} {"
        + inner.format("nine")
        + "}",
        level,
    )
    out = np.arange(LANES, dtype=np.int32)
    run({"out": out})
    lane = np.arange(LANES)
    even = np.where(lane < 3, 30, -30)
    odd = np.where(lane < 9, 90, -90)
    assert out.tolist() == (lane + np.where(lane % 2 == 0, even, odd)).tolist()


def test_a_sum_that_starts_alike() -> None:
    """All go round equally often with the same start; what they add is their own."""
    run = kernel(
        "%out: memref<i32x?>, %n: i32",
        """%sum = scf.for %z, %n, %one {operand_segments = [1, 1, 0, 1]} -> i32 (%k: i32, %acc: i32) {
          %next = arith.add %acc, %lane -> i32
          scf.yield %next
        }
        memref.store %sum, %out, %i""",
    )
    out = np.zeros(LANES, np.int32)
    run({"out": out, "n": np.int32(3)})
    assert out.tolist() == [1 + 3 * lane for lane in range(LANES)]


@levels
@pytest.mark.parametrize("dtype", ["i8", "f64", "c32"])
def test_nothing_lies_where_work_items_are_absent(level: FeatureSet, dtype: str) -> None:
    run = kernel(
        f"%x: memref<{dtype}x?>, %y: memref<{dtype}x?>, %n: i32",
        f"""%in = arith.cmp %lane, %n {{predicate = "lt"}} -> bool
        scf.if %in {{
          %v = memref.load %x, %i -> {dtype}
          memref.store %v, %y, %i
        }}""",
        level,
    )
    fences = [Fence(), Fence()]
    for count in (1, 5, 16):
        x, y = (fence.array((count,), DTYPES[dtype], at_end=True) for fence in fences)
        x[...] = np.arange(1, count + 1).astype(x.dtype)
        run({"x": x, "y": y, "n": np.int32(count)})
        assert np.array_equal(x, y)
    for fence in fences:
        fence.open()


def test_constants_of_divergent_branches() -> None:
    """Each side gives the same to all: what differs is who took it."""
    run = kernel(
        "%out: memref<i32x?>, %n: i32",
        """%five = arith.constant {value = 5} -> i32
        %in = arith.cmp %lane, %n {predicate = "lt"} -> bool
        %low = arith.cmp %lane, %one {predicate = "le"} -> bool
        %v = scf.if %in -> i32 {
          %w = scf.if %low -> i32 { scf.yield %five } { scf.yield %z }
          scf.yield %w
        } { scf.yield %one }
        memref.store %v, %out, %i""",
    )
    out = np.full(LANES, -1, np.int32)
    run({"out": out, "n": np.int32(6)})
    assert out.tolist() == [5] * 2 + [0] * 4 + [1] * 10


@pytest.mark.parametrize("dtype", ["f32", "c64"])
def test_uniform_accesses_of_nobody(dtype: str) -> None:
    """Under a mask that no work-item holds, an address need not be valid, though all compute the same one."""
    run = kernel(
        f"%x: memref<{dtype}x?>, %far: index, %n: i32, %out: memref<{dtype}x?>",
        f"""%own = memref.load %x, %zi -> {dtype}
        %in = arith.cmp %lane, %n {{predicate = "lt"}} -> bool
        scf.if %in {{
          %v = memref.load %x, %far -> {dtype}
          memref.store %v, %out, %i
          memref.store %own, %x, %far
        }}""",
    )
    x, out = np.arange(1, 4).astype(DTYPES[dtype]), np.zeros(LANES, DTYPES[dtype])
    run({"x": x, "far": np.int64(ABSENT), "n": np.int32(0), "out": out})
    assert not out.any()
    run({"x": x, "far": np.int64(2), "n": np.int32(3), "out": out})
    assert out.tolist() == [3] * 3 + [0] * 13
    assert x.tolist() == [1, 2, 1]


@levels
@pytest.mark.parametrize("dtype", ["i8", "f32", "c32"])
@pytest.mark.parametrize("count", [0, 3, 16])
def test_neighbours_of_absent_work_items(level: FeatureSet, dtype: str, count: int) -> None:
    """Elements beside each other, backwards, and apart; what lies at absent work-items stays."""
    run = kernel(
        f"%x: memref<{dtype}x?>, %y: memref<{dtype}x?>, %b: memref<{dtype}x?>, %s: memref<{dtype}x?>, %n: i32",
        f"""%in = arith.cmp %lane, %n {{predicate = "lt"}} -> bool
        %last = arith.constant {{value = {LANES - 1}}} -> index
        %back = arith.sub %last, %i -> index
        %twice = arith.add %i, %i -> index
        scf.if %in {{
          %v = memref.load %x, %i -> {dtype}
          memref.store %v, %y, %i
          memref.store %v, %b, %back
          %w = memref.load %x, %back -> {dtype}
          memref.store %w, %s, %twice
        }}""",
        level,
    )
    x = np.arange(1, LANES + 1).astype(DTYPES[dtype])
    y, b, s = (np.zeros(size, x.dtype) for size in (LANES, LANES, 2 * LANES))
    run({"x": x, "y": y, "b": b, "s": s, "n": np.int32(count)})
    assert y.tolist() == [*x[:count], *[0] * (LANES - count)]
    assert b[::-1].tolist() == y.tolist()
    assert s[::2].tolist() == [*x[::-1][:count], *[0] * (LANES - count)]
    assert not s[1::2].any()


@pytest.mark.parametrize(("kind", "least"), [("add", 0), ("max", -128), ("min", 127)])
def test_absent_work_items_count_as_the_identity(kind: str, least: int) -> None:
    run = kernel(
        "%x: memref<i8x?>, %all: memref<i8x?>, %up: memref<i8x?>, %below: memref<i8x?>, %n: i32",
        f"""%v = memref.load %x, %i -> i8
        %in = arith.cmp %lane, %n {{predicate = "ge"}} -> bool
        scf.if %in {{
          %r = team.reduce %v {{kind = "{kind}"}} -> i8
          memref.store %r, %all, %i
          %s = team.scan %v {{kind = "{kind}", inclusive = true}} -> i8
          memref.store %s, %up, %i
          %e = team.scan %v {{kind = "{kind}", inclusive = false}} -> i8
          memref.store %e, %below, %i
        }}""",
    )
    ufunc = {"add": np.add, "max": np.maximum, "min": np.minimum}[kind]
    for count, numbers in (
        (0, range(-128, 128, 17)),
        (5, range(-8, 8)),
        (11, range(100, 116)),
        (15, range(-128, -112)),
    ):
        x = np.array(numbers, np.int8)
        found = [np.full(LANES, 55, np.int8) for _ in range(3)]
        run({"x": x, "all": found[0], "up": found[1], "below": found[2], "n": np.int32(count)})
        prefix = ufunc.accumulate(x[count:], dtype=np.int8)
        expected = [[55] * count + p for p in ([prefix[-1]] * (LANES - count), [*prefix], [least, *prefix[:-1]])]
        assert [f.tolist() for f in found] == [np.array(e, np.int64).astype(np.int8).tolist() for e in expected]


def test_the_first_that_is_there_names_the_lane() -> None:
    """Who broadcasts is the same for all that are there; what the absent ones say does not matter."""
    run = kernel(
        "%x: memref<f32x?>, %who: memref<i32x?>, %out: memref<f32x?>, %n: i32",
        """%v = memref.load %x, %i -> f32
        %w = memref.load %who, %i -> i32
        %in = arith.cmp %lane, %n {predicate = "ge"} -> bool
        scf.if %in {
          %b = team.broadcast %v, %w -> f32
          memref.store %b, %out, %i
        }""",
    )
    x, out = np.arange(LANES, dtype=np.float32), np.zeros(LANES, np.float32)
    run({"x": x, "who": np.array([3] * 6 + [9] * 10, np.int32), "out": out, "n": np.int32(6)})
    assert out.tolist() == [0] * 6 + [9] * 10


@pytest.mark.parametrize("dtype", ["i32", "f32", "c64", "f16"])
def test_atomics_of_those_that_are_there(dtype: str) -> None:
    run = kernel(
        f"%x: memref<{dtype}x?>, %t: memref<{dtype}x?>, %old: memref<{dtype}x?>, %n: i32",
        f"""%v = memref.load %x, %i -> {dtype}
        %in = arith.cmp %lane, %n {{predicate = "ge"}} -> bool
        scf.if %in {{
          %o = memref.atomic_rmw %v, %t, %zi {{kind = "add"}} -> {dtype}
          memref.store %o, %old, %i
          memref.atomic_store %v, %t, %i
        }}""",
    )
    x = np.arange(1, LANES + 1).astype(DTYPES[dtype])
    if dtype == "c64":
        x = x * (1 + 10j)
    t, old = np.zeros(LANES, x.dtype), np.zeros(LANES, x.dtype)
    run({"x": x, "t": t, "old": old, "n": np.int32(10)})
    prefix = np.cumsum(x[10:].astype(np.complex128))
    assert old.astype(np.complex128).tolist() == [0] * 11 + prefix[:-1].tolist()
    assert t.astype(np.complex128).tolist() == [prefix[-1]] + [0] * 9 + x[10:].astype(np.complex128).tolist()


@pytest.mark.parametrize("kind", ["max", "min"])
@pytest.mark.parametrize("dtype", ["i8", "i64", "f32", "bf16"])
def test_atomic_extrema(kind: str, dtype: str) -> None:
    run = kernel(
        f"%x: memref<{dtype}x?>, %t: memref<{dtype}x?>",
        f"""%v = memref.load %x, %i -> {dtype}
        %o = memref.atomic_rmw %v, %t, %zi {{kind = "{kind}"}} -> {dtype}""",
    )
    x = np.array([3, -7, 5, -100, 90, 0, 1, 2, 3, 4, -5, 6, 7, 8, 9, 10]).astype(DTYPES[dtype])
    t = np.ones(1, x.dtype)
    run({"x": x, "t": t})
    assert float(t[0]) == (90 if kind == "max" else -100)


def test_numbers_of_subgroups() -> None:
    """A work-group of three by two subgroups: each writes its own numbers where its linear number is."""
    run = kernel(
        "%out: memref<i32x6x5>",
        """%sg = team.subgroup_linear_id -> i32
        %row = arith.cast %sg -> index
        %x = team.subgroup_id {dim = 0} -> i32
        %y = team.subgroup_id {dim = 1} -> i32
        %w = team.num_subgroups {dim = 0} -> i32
        %h = team.num_subgroups {dim = 1} -> i32
        %size = team.subgroup_size -> i32
        %two = arith.constant {value = 2} -> index
        %three = arith.constant {value = 3} -> index
        %four = arith.constant {value = 4} -> index
        memref.store %x, %out, %row, %zi
        memref.store %y, %out, %row, %onei
        memref.store %w, %out, %row, %two
        memref.store %h, %out, %row, %three
        memref.store %size, %out, %row, %four""",
        lanes=4,
        items=(12, 2),
    )
    out = np.full((6, 5), -1, np.int32, order="F")
    run({"out": out})
    assert out.tolist() == [[k % 3, k // 3, 3, 2, 4] for k in range(6)]
