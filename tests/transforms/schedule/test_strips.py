"""Stores whose tiles are computed from loaded ones beside sums: a part at a time where registers lack room."""

from __future__ import annotations

import numpy as np
import pytest

from targets.nvidia.case import Launch
from targets.nvidia.emulated import emulated
from targets.nvidia.test_ragged import lowered
from tilewright.dialects import lane
from tilewright.interpreter.engine import interpret

N = 128


def text(loaded: str, stored: str, attributes: str = "", between: str = "") -> str:
    """`stored` of N x N becomes A B plus twice `loaded`; the two are views of C and D."""
    at = "{operand_segments = [1, 2, 0], static_offsets = [none, none], static_sizes = [128, 128]}"
    view = f"memref<f32x{N}x{N},strided<1,?>>"
    head = f'sym_name = "k", subgroup_size = 32, work_group_size = [128, 1]{attributes}'
    return f"""builtin.module {{ builtin.kernel {{{head}}}
    (%A: memref<f32x{N}x16>, %B: memref<f32x16x{N}>, %C: memref<f32x?x?>, %D: memref<f32x?x?>) {{
      %z = arith.constant {{value = 0}} -> index
      %o = arith.constant {{value = 1}} -> index
      %a = tile.load %A, %z, %z -> tile<{N}x16xf32>
      %b = tile.load %B, %z, %z -> tile<16x{N}xf32>
      %n = arith.constant {{value = 0.0}} -> tile<{N}x{N}xf32>
      %s = tile.mma %a, %b, %n -> tile<{N}x{N}xf32>
      %v = memref.subview %C, %z, %z {at} -> {view}
      %w = memref.subview %D, %z, %z {at} -> {view}
      %c = tile.load {loaded} -> tile<{N}x{N}xf32>
      {between}
      %t = arith.add %c, %c -> tile<{N}x{N}xf32>
      %d = arith.add %s, %t -> tile<{N}x{N}xf32>
      tile.store %d, {stored} }} }}"""


APART = ", parameter_attributes = [{}, {}, {noalias = true}, {noalias = true}]"
CASES = {
    "in place": (text("%v, %z, %z", "%v, %z, %z"), True),
    "other memory": (text("%v, %z, %z", "%w, %z, %z", APART), True),
    "maybe the same memory": (text("%v, %z, %z", "%w, %z, %z"), False),
    "a row further on": (text("%C, %z, %z", "%C, %o, %z"), False),
    "written between": (text("%v, %z, %z", "%v, %z, %z", between="tile.store %s, %v, %z, %z"), False),
    "stored as it is too": (text("%v, %z, %z", "%v, %z, %z tile.store %c, %w, %z, %z", APART), False),
}


@pytest.mark.covering(0)
@pytest.mark.parametrize("case", CASES)
def test_parts_where_nothing_else_is_meant(case: str, rng: np.random.Generator) -> None:
    source, in_parts = CASES[case]
    module = lowered(source)
    stores = [op for op in module.kernels[0].walk() if isinstance(op, lane.Store)]
    largest = max(lane.fragment_of(op.value).size for op in stores)
    assert largest == 16 if in_parts else largest == 128, "registers that are stored at a time"
    a, b, c, d = (np.array(rng.integers(-4, 5, s), np.float32, order="F") for s in ((N, 16), (16, N), (N, N), (N, N)))
    if "%o, %z }" in source:
        c = np.zeros((N + 1, N), np.float32, order="F")
        c[...] = rng.integers(-4, 5, c.shape)
    wanted = [c.copy(), d.copy()]
    target = wanted[1] if "%d, %w" in source else wanted[0][1:] if "%C, %o" in source else wanted[0]
    target[...] = a @ b + 2 * c[:N]
    if "%c, %w" in source:
        wanted[1][...] = c
    given = [a, b, c, d]
    found = emulated(module).run(Launch([array.copy(order="F") for array in given], {}))
    arrays = [array.copy(order="F") for array in given]
    interpret(module.kernels[0], list(arrays), checked=True)
    for have in (found, arrays):
        for k in range(2):
            np.testing.assert_array_equal(np.asarray(have[2 + k]), wanted[k])


def test_all_parts_of_extents_that_are_no_powers_of_two(rng: np.random.Generator) -> None:
    """Twenty registers of 2 x 5 x 2 are stored ten at a time: no part is larger than the digit that it is of."""
    names = ("C", "D", "E", "F", "G")
    head = 'sym_name = "k", subgroup_size = 32, work_group_size = [128, 1]'
    parameters = ", ".join(f"%{name}: memref<i64x38x64>" for name in names)
    loads = "\n".join(f"%l{k} = tile.load %{name}, %z, %z -> tile<38x64xi64>" for k, name in enumerate(names))
    sums = "\n".join(f"%s{k + 1} = arith.add %s{k}, %l{k} -> tile<38x64xi64>" for k in range(len(names)))
    module = lowered(f"""builtin.module {{ builtin.kernel {{{head}}}
    (%A: memref<i64x38x8>, %B: memref<i64x8x64>, {parameters}) {{
      %z = arith.constant {{value = 0}} -> index
      %a = tile.load %A, %z, %z -> tile<38x8xi64>
      %b = tile.load %B, %z, %z -> tile<8x64xi64>
      {loads}
      %n = arith.constant {{value = 0}} -> tile<38x64xi64>
      %s0 = tile.mma %a, %b, %n -> tile<38x64xi64>
      {sums}
      tile.store %s{len(names)}, %C, %z, %z }} }}""")
    a, b, *others = (np.asfortranarray(rng.integers(-4, 5, s)) for s in ((38, 8), (8, 64), *[(38, 64)] * len(names)))
    wanted = a @ b + sum(others)
    found = emulated(module).run(Launch([a, b, *others], {}))[2]
    np.testing.assert_array_equal(np.asarray(found), wanted)


def test_many_tiles_of_one_register_each() -> None:
    """More than a thread has room for, of which no part is less than all."""
    count, size = 170, 64
    head = (
        'sym_name = "k", subgroup_size = 32, work_group_size = [64, 1], parameter_attributes = [{noalias = true}, {}]'
    )
    tile = f"tile<{size}xi32>"
    loads = [
        f"%i{k} = arith.constant {{value = {k}}} -> index %x{k} = tile.load %C, %i{k} -> {tile}" for k in range(count)
    ]
    sums = [f"%s{k} = arith.add %{'s' if k > 1 else 'x'}{k - 1}, %x{k} -> {tile}" for k in range(1, count)]
    body = "\n".join([*loads, *sums, f"tile.store %s{count - 1}, %B, %i0"])
    arrays = f"%B: memref<i32x{size}>, %C: memref<i32x{size + count}>"
    module = lowered(f"builtin.module {{ builtin.kernel {{{head}}} ({arrays}) {{ {body} }} }}")
    b, c = np.zeros(size, np.int32), np.arange(size + count, dtype=np.int32)
    interpret(module.kernels[0], [b, c], checked=True)
    np.testing.assert_array_equal(b, np.convolve(c, np.ones(count, np.int32), "valid")[:size])
