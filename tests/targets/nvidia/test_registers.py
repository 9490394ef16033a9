"""Coordinates of what lanes hold of a tile of a subgroup."""

from __future__ import annotations

from itertools import product

import pytest

from tilewright.compile_options import CompileOptions
from tilewright.compiler import lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.targets.nvidia.registers import has_no_carry, position_of
from tilewright.targets.nvidia.target import NvidiaTarget

EXTENTS = (1, 2, 3, 4, 6, 8, 12, 32, 48, 64)


@pytest.mark.parametrize("size", [1, 8, 16, 32])
def test_coordinates_add_up_where_there_is_no_carry(size: int) -> None:
    found = 0
    for shape in product(EXTENTS, EXTENTS, (1, 5)):
        if not has_no_carry(size, shape):
            continue
        found += 1
        # all but the last, which goes on past the end
        for number, first in product(range(size), range(0, 4 * 64, size)):
            inner = shape[:-1]
            parts = position_of(number, inner), position_of(first, inner)
            assert position_of(number + first, inner) == tuple(a + b for a, b in zip(*parts, strict=True)), (
                shape,
                number,
            )
    assert found >= len(EXTENTS)


@pytest.mark.parametrize(
    ("size", "shape", "holds"),
    [(32, (64, 9), True), (32, (8, 4), True), (32, (8, 8, 3), True), (32, (20, 9), False), (8, (4, 3, 2), False)],
)
def test_where_there_is_a_carry(size: int, shape: tuple[int, ...], holds: bool) -> None:
    assert has_no_carry(size, shape) == holds


def test_lanes_of_large_tiles_divide_nothing() -> None:
    """Two divisions for each of a thousand registers would take LLVM a minute and more."""
    text = """func @k(%A: memref<f32x?x?>, %B: memref<f32x?x?>) attributes{subgroup_size=8,work_group_size=[16,1]} {
        %z = constant 0 : index
        %m = size %A[0] : index
        %n = size %A[1] : index
        foreach_tile (%i,%j)=(%z,%z),(%m,%n) as (%p,%q)<=(64,128) {
            %x = cooperative_matrix_load.both_checked %A[%i,%j] : coopmatrix<f32x64x128,matrix_acc>
            cooperative_matrix_store.both_checked %x, %B[%i,%j]
        }
    }"""
    module = read_module(Source("k", text), Report())
    lower_module(module, NvidiaTarget(Architecture.SM_90A), CompileOptions(), Report())
    llvm, _ = emit_llvm(module, Architecture.SM_90A)
    assert llvm.count("load float") >= 64 * 128 // 8
    assert llvm.count(" urem ") + llvm.count(" udiv ") < 32
