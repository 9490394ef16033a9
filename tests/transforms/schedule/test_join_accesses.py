"""join-accesses: what a thread copies element by element moves in accesses of several, where nothing forbids it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from targets.nvidia.case import Array, Launch
from targets.nvidia.emulated import emulated
from targets.nvidia.test_ragged import lowered
from tilewright.dialects import lane, memref
from tilewright.dialects.builtin import Module

LANES, EACH = 32, 8
SIZE = LANES * EACH


def text(body: str, alignment: int = 16, order: int = 1) -> str:
    """Threads of one warp; each has eight elements, the first of which is %i0."""
    more = "".join(
        f"%n{k} = arith.constant {{value = {k}}} -> index %i{k} = arith.add %i0, %n{k} -> index "
        for k in range(1, EACH)
    )
    promised = ", ".join([f"{{alignment = {alignment}}}"] * 2)
    type_ = f"memref<f16x{SIZE}>" if order == 1 else f"memref<f16x{SIZE}x1,strided<2,{SIZE}>>"
    return f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 32, work_group_size = [{LANES}, 1],
      parameter_attributes = [{promised}]}} (%A: {type_}, %B: {type_}) {{ team.spmd {{
      %l = team.subgroup_local_id -> i32 %p = arith.cast %l -> index %e = arith.constant {{value = {EACH}}} -> index
      %i0 = arith.mul %p, %e -> index {more}
      {body} }} }} }}"""


def loads(numbers: Sequence[int]) -> str:
    """Elements of A."""
    return "".join(f"%x{k} = memref.load %A, %i{k} -> f16\n" for k in numbers)


def stores(numbers: Sequence[int], values: Sequence[int] | None = None) -> str:
    """What was loaded, to B."""
    return "".join(f"memref.store %x{v}, %B, %i{k}\n" for k, v in zip(numbers, values or numbers, strict=True))


def widths(module: Module, kinds: tuple[type, type]) -> list[int]:
    """Elements of each access, in the order of the text."""
    one, many = kinds
    found = [op for op in module.walk() if isinstance(op, one | many)]
    return [op.width if isinstance(op, lane.Load | lane.Store) else 1 for op in found]


ALL = range(EACH)
LOADS, STORES = (memref.Load, lane.Load), (memref.Store, lane.Store)
BARRIER = "team.barrier {fence_global = true, fence_local = true}\n"
BETWEEN, BEHIND = (f"memref.store %x0, %A, %i{k}\n" for k in (1, 5))


@pytest.mark.parametrize(
    ("body", "alignment", "loaded", "stored"),
    [
        (loads(ALL) + stores(ALL), 16, [8], [8]),
        (loads([*reversed(ALL)]) + stores(ALL), 16, [1] * 8, [1] * 8),
        (loads(ALL) + stores(ALL), 8, [4, 4], [4, 4]),
        (loads(ALL) + stores(ALL), 2, [1] * 8, [1] * 8),
        (loads(range(7)) + stores(range(7)), 16, [4, 2, 1], [4, 2, 1]),
        (loads(range(1, 8)) + stores(range(1, 8)), 16, [1, 2, 4], [1, 2, 4]),
        (loads([0]) + BETWEEN + loads(range(1, 8)) + stores(ALL), 16, [1, 2, 4], [1] * 9),
        (loads(range(2)) + BEHIND + loads(range(2, 4)) + stores(range(4)), 16, [2, 2], [1] * 5),
        (loads(ALL) + stores(ALL, [*reversed(ALL)]), 16, [8], [1] * 8),
        (loads(ALL) + stores([0]) + "memref.store %x7, %B, %i0\n" + stores(range(1, 8)), 16, [8], [1] * 9),
        (loads(ALL) + stores([0]) + BARRIER + stores(range(1, 8)), 16, [8], [1] * 8),
    ],
    ids=[
        "all",
        "backwards",
        "half",
        "nothing known",
        "rest",
        "front",
        "a store",
        "a store behind",
        "turned",
        "again",
        "a barrier",
    ],
)
def test_neighbours_are_one_access(body: str, alignment: int, loaded: list[int], stored: list[int]) -> None:
    module = lowered(text(body, alignment))
    assert (widths(module, LOADS), widths(module, STORES)) == (loaded, stored)
    a, b = (np.arange(first, first + SIZE).astype(np.float16) for first in (1, 1000))
    wanted = _by_hand(body, a, b)
    found = emulated(module).run(Launch([a, b], {}))
    for number, array in enumerate(wanted):
        np.testing.assert_array_equal(found[number], array)


def test_elements_that_lie_apart_are_not_joined() -> None:
    body = (loads(ALL) + stores(ALL)).replace("%i", "%z, %i").replace("%z, %i", "%i")
    body = "%z = arith.constant {value = 0} -> index\n" + "\n".join(
        f"{line.partition(' ->')[0]}, %z{'' if 'store' in line else ' -> f16'}" for line in body.splitlines()
    )
    module = lowered(text(body, order=2))
    assert set(widths(module, LOADS)) == set(widths(module, STORES)) == {1}


def _by_hand(body: str, a: Array, b: Array) -> list[Array]:
    """What is in A and B behind the lines of a body."""
    memory = {"%A": a.reshape(LANES, EACH).copy(), "%B": b.reshape(LANES, EACH).copy()}
    values: dict[str, Array] = {}
    for line in body.splitlines():
        words = line.replace(",", "").split()
        if words[0] == "team.barrier":
            continue
        if words[0] == "memref.store":
            memory[words[2]][:, int(words[3][2:])] = values[words[1]]
        else:
            values[words[0]] = memory[words[3]][:, int(words[4][2:])].copy()
    return [each.reshape(-1) for each in memory.values()]
