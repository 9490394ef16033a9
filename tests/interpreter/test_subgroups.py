"""What work-items of a subgroup do together, against NumPy on one row for each subgroup."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.interpreter import interpret
from transforms.support import kernel

SUBGROUP, ROWS, COLUMNS = 4, 8, 3
ITEMS = ROWS * COLUMNS
TEAM = f"subgroup_size = {SUBGROUP}, work_group_size = [{ROWS}, {COLUMNS}]"
NUMBER = f"""%l = team.subgroup_local_id -> i32 %s = team.subgroup_linear_id -> i32
    %w = arith.constant {{value = {SUBGROUP}}} -> i32 %b = arith.mul %s, %w -> i32 %n = arith.add %b, %l -> i32
    %i = arith.cast %n -> index"""


def run(body: str, values: np.ndarray) -> np.ndarray:
    """What each work-item stores as `%r`, of its own element `%v`."""
    text = f"team.spmd {{ {NUMBER} %v = memref.load %x, %i -> i32 {body} memref.store %r, %y, %i }}"
    out = np.zeros(ITEMS, np.int32)
    module = kernel(f"%x: memref<i32x{ITEMS}>, %y: memref<i32x{ITEMS}>", text, TEAM)
    interpret(module.kernels[0], [values, out])
    return out


@pytest.fixture
def values(rng: np.random.Generator) -> np.ndarray:
    return rng.integers(-100, 100, ITEMS, np.int32)


FUNCTIONS = {"add": (np.add, 0), "max": (np.maximum, -(2**31)), "min": (np.minimum, 2**31 - 1)}


@pytest.mark.parametrize("kind", list(FUNCTIONS))
def test_scans_and_reductions(kind: str, values: np.ndarray) -> None:
    function, identity = FUNCTIONS[kind]
    rows = values.reshape(-1, SUBGROUP)
    inclusive = function.accumulate(rows, axis=1)
    exclusive = np.concatenate([np.full((len(rows), 1), identity), inclusive[:, :-1]], axis=1)
    whole = np.repeat(function.reduce(rows, axis=1), SUBGROUP)
    for text, wanted in ((True, inclusive), (False, exclusive)):
        body = f'%r = team.scan %v {{kind = "{kind}", inclusive = {str(text).lower()}}} -> i32'
        np.testing.assert_array_equal(run(body, values), wanted.ravel())
    np.testing.assert_array_equal(run(f'%r = team.reduce %v {{kind = "{kind}"}} -> i32', values), whole)


@pytest.mark.parametrize("lane", range(SUBGROUP))
def test_broadcasts(lane: int, values: np.ndarray) -> None:
    body = f"%k = arith.constant {{value = {lane}}} -> i32 %r = team.broadcast %v, %k -> i32"
    wanted = np.repeat(values.reshape(-1, SUBGROUP)[:, lane], SUBGROUP)
    np.testing.assert_array_equal(run(body, values), wanted)


def test_numbers_of_subgroups(values: np.ndarray) -> None:
    """The first dimension runs fastest; a row of the work-group holds `ROWS // SUBGROUP` subgroups."""
    number, across = np.arange(ITEMS) // SUBGROUP, ROWS // SUBGROUP
    for body, wanted in (
        ("%r = team.subgroup_id {dim = 0} -> i32", number % across),
        ("%r = team.subgroup_id {dim = 1} -> i32", number // across),
        ("%r = team.subgroup_linear_id -> i32", number),
        ("%r = team.subgroup_local_id -> i32", np.arange(ITEMS) % SUBGROUP),
        ("%r = team.num_subgroups {dim = 0} -> i32", np.full(ITEMS, across)),
        ("%r = team.num_subgroups {dim = 1} -> i32", np.full(ITEMS, COLUMNS)),
    ):
        np.testing.assert_array_equal(run(body, values), wanted)
