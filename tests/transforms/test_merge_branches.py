"""Branches on one condition, with values, other conditions and effects in between."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.transforms.merge_branches import MergeBranches
from transforms.support import filecheck, kernel, names, run

_PARAMETERS = "%c: bool, %d: bool, %A: memref<f32x8>, %B: memref<f32x8>, %z: index"
_TILE = "tile<8xf32>"
_FIRST = f"""%x = scf.if %c -> {_TILE} {{ %v = tile.load %A, %z -> {_TILE} scf.yield %v }}
             {{ %w = tile.load %B, %z -> {_TILE} scf.yield %w }}"""
_SECOND = "scf.if %c { tile.store %y, %B, %z scf.yield } { tile.store %y, %A, %z scf.yield }"


def test_values_in_between_stand_in_both_arms() -> None:
    module = kernel(_PARAMETERS, f"{_FIRST} %y = arith.neg %x -> {_TILE} {_SECOND}")
    filecheck(
        run(module, MergeBranches()),
        "scf.if\ntile.load %A\narith.neg\ntile.store\ntile.load %B\narith.neg\ntile.store\n!scf.if",
    )


def test_what_is_used_later_is_yielded() -> None:
    body = f"{_FIRST} %y = arith.neg %x -> {_TILE} {_SECOND} tile.store %y, %A, %z"
    module = kernel(_PARAMETERS, body)
    text = run(module, MergeBranches())
    assert names(module)["scf.if"] == 1
    filecheck(text, f"%y = scf.if %c -> {_TILE}\nscf.yield %\nscf.yield %\ntile.store %y, %A")


def test_missing_arms_and_three_branches() -> None:
    plain = f"scf.if %c {{ %v = tile.load %A, %z -> {_TILE} tile.store %v, %B, %z }}"
    module = kernel(_PARAMETERS, f"{plain} {_FIRST} %y = arith.neg %x -> {_TILE} {_SECOND}")
    filecheck(
        run(module, MergeBranches()), "scf.if\ntile.store\ntile.load %A\ntile.store\n} {\n!tile.store\ntile.load %B"
    )


@pytest.mark.parametrize(
    "between",
    ["tile.store %x, %A, %z", "scf.if %d { tile.store %x, %A, %z }", f"%o = tile.load %B, %z -> {_TILE}"],
)
def test_effects_in_between_keep_branches_apart(between: str) -> None:
    module = kernel(_PARAMETERS, f"{_FIRST} {between} %y = arith.neg %x -> {_TILE} {_SECOND}")
    before = names(module)
    run(module, MergeBranches())
    assert names(module) == before


def _pointers(name: str) -> str:
    """`name + a`: where the elements lie."""
    return f"""
  %{name}1 = reshape %{name} : tile<ptr<f32>> -> tile<1xptr<f32>>
  %{name}s = broadcast %{name}1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %{name}a = offset %{name}s, %at : tile<64xptr<f32>>, tile<64xi8> -> tile<64xptr<f32>>"""


_ADD = f"""
entry @add(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %z: tile<ptr<f32>>, %base: tile<i8>, %n: tile<i8>) {{
  %i = iota : tile<64xi8>
  %base1 = reshape %base : tile<i8> -> tile<1xi8>
  %bases = broadcast %base1 : tile<1xi8> -> tile<64xi8>
  %at = addi %i, %bases : tile<64xi8>
  %n1 = reshape %n : tile<i8> -> tile<1xi8>
  %ends = broadcast %n1 : tile<1xi8> -> tile<64xi8>
  %mask = cmpi less_than %at, %ends, signed : tile<64xi8> -> tile<64xi1>
  {"".join(map(_pointers, "xyz"))}
  %u, %t0 = load_ptr_tko weak %xa, %mask : tile<64xptr<f32>>, tile<64xi1> -> tile<64xf32>, token
  %v, %t1 = load_ptr_tko weak %ya, %mask : tile<64xptr<f32>>, tile<64xi1> -> tile<64xf32>, token
  %s = addf %u, %v : tile<64xf32>
  %t2 = store_ptr_tko weak %za, %s, %mask : tile<64xptr<f32>>, tile<64xf32>, tile<64xi1> -> token
  return
}}
"""


def test_positions_that_wrap(rng: np.random.Generator) -> None:
    """Positions in i8 wrap at 128: the arm that gathers, and the one that reads in place, where they do not."""
    program = tw.compile(_ADD)
    assert program.add.ir("tile").count("scf.if") == 1
    memory = rng.standard_normal((2, 256), np.float32)
    for base, end in ((0, 100), (64, 127), (64, 70), (65, 127), (100, 120), (-128, 127), (-20, 30)):
        found = np.full(256, np.nan, np.float32)
        program.add[1](*(array[128:] for array in (*memory, found)), base, end)
        at = (np.arange(64) + base + 128) % 256
        at = at[at - 128 < end]
        expected = np.full(256, np.nan, np.float32)
        expected[at] = memory[0, at] + memory[1, at]
        np.testing.assert_array_equal(found, expected, err_msg=f"base {base}, end {end}")
