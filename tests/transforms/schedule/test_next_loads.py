"""next-loads: which loops load an iteration ahead, and that they read nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.interpreter import interpret
from tilewright.targets.nvidia.model import NvidiaSchedulePolicy
from tilewright.transforms.schedule.choose_schedule import ChooseSchedule
from tilewright.transforms.schedule.next_loads import NextLoads
from transforms.support import filecheck, kernel, run

ATTRIBUTES = "subgroup_size = 32, work_group_size = [32, 1]"
BLOCK = "subgroup_size = 32, work_group_size = [128, 1]"
SIZE = 64


def looped(bounds: str, body: str, index: str, size: int = SIZE) -> str:
    """y = what the body yields of a carried tile %s, from zeros on; %at is the variable as an index."""
    cast = "" if index == "index" else "%at = arith.cast %i -> index"
    return f"""%z = arith.constant {{value = 0}} -> index %one = arith.constant {{value = 1}} -> {index}
    %lo = arith.constant {{value = 0}} -> {index} %two = arith.constant {{value = 2}} -> {index}
    %hi = arith.constant {{value = 9}} -> {index}
    %zeros = arith.constant {{value = 0.0}} -> tile<{size}x1xf32>
    %t = scf.for {bounds}, %zeros {{operand_segments = [1, 1, 1, 1]}} -> tile<{size}x1xf32>
      (%{"at" if index == "index" else "i"}: {index}, %s: tile<{size}x1xf32>) {{ {cast} {body} }}
    tile.store %t, %Y, %z, %z"""


ADD = f"%x = tile.load %X, %z, %at -> tile<{SIZE}x1xf32> %r = arith.add %s, %x -> tile<{SIZE}x1xf32> scf.yield %r"


def text(body: str, bounds: str, count: int, index: str = "index", size: int = SIZE) -> tuple[str, np.ndarray]:
    """The kernel behind the pass, and what it makes of columns 0 .. 8 with `count` given."""
    type_ = "i64" if index == "index" else "i32"
    parameters = f"%X: memref<f32x{size}x9>, %Y: memref<f32x{size}x1>, %n: {type_}"
    head = "%m = arith.cast %n -> index " if index == "index" else "%m = arith.add %n, %n -> i32 "
    module = kernel(parameters, head + looped(bounds, body, index, size), ATTRIBUTES)
    x = np.asfortranarray(np.random.default_rng(1).integers(-8, 9, (size, 9)), np.float32)
    found = run(module, ChooseSchedule(), NextLoads())
    y = np.full((size, 1), np.nan, np.float32, order="F")
    interpret(module.kernels[0], [x, y, count], checked=True)
    return found, np.stack([y[:, 0], *x.T])


@pytest.mark.parametrize("count", [0, 1, 2, 9])
@pytest.mark.parametrize(("step", "stride"), [("%one", 1), ("%two", 2)])
def test_columns_as_many_as_there_are(count: int, step: str, stride: int) -> None:
    found, (y, *columns) = text(ADD, f"%lo, %m, {step}", count)
    expected = 'scf.if\ntile.load\nscf.for\narith.cmp {{.*}} {predicate = "lt"}\narith.select\ntile.load\narith.add %'
    filecheck(found, expected)
    np.testing.assert_array_equal(y, sum(columns[:count:stride], np.zeros(SIZE, np.float32)))


@pytest.mark.parametrize("count", [0, 1, 4])
def test_variables_of_32_bits(count: int) -> None:
    found, (y, *columns) = text(ADD, "%lo, %m, %one", count, "i32")
    assert found.count("tile.load") == 2
    np.testing.assert_array_equal(y, sum(columns[: 2 * count], np.zeros(SIZE, np.float32)))


def test_known_bounds_need_no_test_in_front() -> None:
    found, (y, *columns) = text(ADD, "%lo, %hi, %two", 0)
    filecheck(found, "! scf.if\ntile.load\nscf.for\ntile.load\nscf.yield")
    np.testing.assert_array_equal(y, columns[0] + columns[2] + columns[4] + columns[6] + columns[8])


@pytest.mark.parametrize(
    "body",
    [
        ADD.replace("scf.yield", "tile.store %r, %Y, %z, %z scf.yield"),
        ADD.replace("scf.yield", "team.barrier {fence_global = true} scf.yield"),
        f'%p = tile.reduce %s {{kind = "add", dim = 0}} -> tile<f32> %q = tile.item %p -> f32 '
        f"%k = arith.cast %q -> index %a = arith.sub %k, %k -> index {ADD.replace('%at', '%a')}",
    ],
    ids=["writes", "waits", "addresses of what is carried"],
)
def test_loops_that_do_more_stay(body: str) -> None:
    found, _ = text(body, "%lo, %m, %one", 3)
    assert found.count("tile.load") == 1


def test_loops_that_yield_nothing_yield_what_they_load() -> None:
    """Nobody asked for what they compute, and at level 0 it is computed all the same."""
    loop = """%z = arith.constant {value = 0} -> index %one = arith.constant {value = 1} -> index
    %hi = arith.constant {value = 9} -> index
    scf.for %z, %hi, %one {operand_segments = [1, 1, 1, 0]} (%at: index) {
      %x = tile.load %X, %z, %at -> tile<64x1xf32> %y = arith.add %x, %x -> tile<64x1xf32> }"""
    found = run(kernel("%X: memref<f32x64x9>", loop, ATTRIBUTES), ChooseSchedule(), NextLoads())
    filecheck(found, "tile.load\nscf.for\n%x_0 = tile.load\narith.add %2, %2\nscf.yield %x_0")


@pytest.mark.parametrize(("size", "loads"), [(1024, 2), (2048, 1)])
def test_loops_that_load_much_stay(size: int, loads: int) -> None:
    found, _ = text(ADD.replace(str(SIZE), str(size)), "%lo, %m, %one", 3, size=size)
    assert found.count("tile.load") == loads


def test_few_iterations_are_not_worth_another_load() -> None:
    found, _ = text(ADD, "%lo, %two, %one", 0)
    assert found.count("tile.load") == 1


@pytest.mark.parametrize(("columns", "is_ahead"), [(1, True), (132, True), (400, False)])
def test_few_work_groups_load_much_ahead(columns: int, is_ahead: bool) -> None:
    """8 KB of a block, where a multiprocessor has one of them; each of the blocks adds up a column of nine tiles."""
    body = ADD.replace(f"<{SIZE}x", "<2048x")
    one = looped("%lo, %hi, %one", body, "index", 2048).replace("%Y, %z, %z", "%Y, %z, %g")
    group = "%g = team.group_id {dim = 0} -> index"
    module = kernel(f"%X: memref<f32x2048x9>, %Y: memref<f32x2048x{columns}>", f"{group} {one}", BLOCK)
    found = run(module, ChooseSchedule(), NextLoads(NvidiaSchedulePolicy()))
    assert found.count("tile.load") == 1 + is_ahead
