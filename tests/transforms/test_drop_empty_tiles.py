"""Tiles of no elements are gone behind the pass, and memory ends up as the program before it leaves it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from targets.nvidia.launching import program_of_module
from targets.nvidia.test_ragged import module_of
from tilewright.compiler import CompileOptions, compile_module
from tilewright.diagnostics import Report
from tilewright.dialects import arith, scf
from tilewright.dialects.builtin import Module
from tilewright.interpreter.engine import interpret
from tilewright.ir.passes import PassContext, PassManager
from tilewright.ir.types import TileType
from tilewright.program import load_artifact
from tilewright.targets import find_target
from tilewright.transforms.drop_empty_tiles import DropEmptyTiles

TEXT = """builtin.module { builtin.kernel {sym_name = "k", subgroup_size = 8, work_group_size = [8, 1]}
    (%A: memref<f32x0x4>, %B: memref<f32x4x3>, %C: memref<f32x4>, %D: memref<i64x?>, %E: memref<f32x4>,
     %n: index, %yes: bool) {
  %z = arith.constant {value = 0} -> index
  %a = tile.load %A, %z, %z -> tile<0x4xf32>
  %one = arith.constant {value = 1.0} -> tile<0x4xf32>
  %t, %k = scf.for %z, %n, %a, %z {operand_segments = [1, 1, 0, 2]} -> tile<0x4xf32>, index
      (%i: index, %x: tile<0x4xf32>, %c: index) {
    %s = arith.add %x, %one -> tile<0x4xf32>
    tile.store %s, %A, %z, %z
    %d = arith.add %c, %n -> index
    scf.yield %s, %d }
  %at = arith.constant {value = 0} -> tile<0xi64>
  %w, %l, %w0 = scf.while %t, %k, %at -> tile<0x4xf32>, index, tile<0xi64>
      (%x: tile<0x4xf32>, %c: index, %g0: tile<0xi64>) {
    team.report %g0 {kind = "print", text = "%d", bits = [0]}
    %m = tile.map %x -> tile<0x4xf32> (%i: i32, %j: i32, %v: f32) { scf.yield %v }
    %d = arith.add %c, %n -> index
    %b = arith.cmp %d, %n {predicate = "lt"} -> bool
    scf.yield %b, %m, %d, %g0 }
  %e, %h = scf.if %yes -> index, tile<0x4xf32> { scf.yield %l, %w } { scf.yield %z, %t }
  %p = tile.permute %h {order = [1, 0]} -> tile<4x0xf32>
  %f = arith.constant {value = 2.0} -> tile<0x3xf32>
  %b = tile.load %B, %z, %z -> tile<4x3xf32>
  %q = tile.mma %p, %f, %b -> tile<4x3xf32>
  %g = tile.cat %p, %q, %p {dim = 1} -> tile<4x3xf32>
  %r = tile.cat %g, %p, %g {dim = 1} -> tile<4x6xf32>
  %u = tile.reduce %r {kind = "add", dim = 1} -> tile<4xf32>
  %o = tile.reduce %h {kind = "max", dim = 0} -> tile<4xf32>
  tile.store %u, %C, %z
  tile.store %o, %E, %z
  tile.store %q, %B, %z, %z
  tile.scatter %at, %at
  %old = tile.atomic_rmw %at, %D, %z {kind = "add"} -> tile<0xi64>
  team.report %old {kind = "print", text = "[%d]", bits = [0]}
  %y = arith.cast %e -> i64
  memref.store %y, %D, %z } }"""


Arguments = list[NDArray[Any] | np.generic]


def arguments() -> Arguments:
    """In the order of the text's parameters."""
    b = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(4, 3))
    c, e = np.full((2, 4), 7, np.float32)
    return [np.zeros((0, 4), np.float32), b, c, np.full(1, 7), e, np.int64(3), np.bool_(True)]


def interpreted(module: Module) -> Arguments:
    """The arguments afterwards."""
    found = arguments()
    interpret(module.kernels[0], found, checked=True)
    return found


def test_nothing_of_no_elements_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    module = module_of(TEXT)
    before = interpreted(module)
    PassManager([DropEmptyTiles()], verify_each=True).run(module, PassContext())
    for had, has in zip(before, interpreted(module), strict=True):
        np.testing.assert_array_equal(had, has)
    assert before[3] == 12
    assert capsys.readouterr().out == "[][[]]" * 2
    found = list(module.walk())
    empty = [v.defining_op for op in found for v in op.results if isinstance(v.type, TileType) and 0 in v.type.shape]
    assert [type(op) for op in empty] == [arith.Constant] * 2
    assert [len(op.results) for op in found if isinstance(op, scf.For | scf.While | scf.If)] == [1, 1, 1]
    assert not [op for op in found if op.name in ("tile.mma", "tile.scatter", "tile.atomic_rmw", "tile.map")]


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("target", ["cpu", "nvidia"])
def test_targets_do_the_same(target: str, level: int, capsys: pytest.CaptureFixture[str]) -> None:
    module, found = module_of(TEXT), arguments()
    if target == "nvidia":
        program = program_of_module(module, level)
    else:
        program = load_artifact(compile_module(module, find_target(target), CompileOptions(level), Report()))
    program.k[1](*found)
    for has, wanted in zip(found, interpreted(module_of(TEXT)), strict=True):
        np.testing.assert_array_equal(has, wanted)
    assert capsys.readouterr().out == "[][[]]" * 2
