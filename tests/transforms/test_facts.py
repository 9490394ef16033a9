"""Divisibility and alignment from declarations, constants, loops and views."""

from __future__ import annotations

import pytest

from tilewright.dialects import memref
from tilewright.transforms.facts import alignment, divisor
from transforms.support import kernel

HEAD = """
  %c8 = arith.constant {value = 8} -> index %c12 = arith.constant {value = 12} -> index
  %n = memref.size %A {mode = 0} -> index  %s = memref.stride %A {mode = 1} -> index
"""
DECLARED = "parameter_attributes = [{alignment = 64, shape_gcd = [24], stride_gcd = [1, 16]}, {alignment = 32}]"
PARAMETERS = "%A: memref<f32x?x?>, %G: group<memref<f64x4x4>x?, offset: 2>, %i: index"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("%x = arith.add %n, %c8 -> index", 8),
        ("%x = arith.mul %n, %c12 -> index", 288),
        ("%x = arith.sub %s, %c12 -> index", 4),
        ("%x = arith.mul %i, %c8 -> index", 8),
        ("%x = arith.min %n, %s -> index", 8),
        ("%x = arith.div %n, %c8 -> index", 1),
    ],
)
def test_divisors(expression: str, expected: int) -> None:
    module = kernel(PARAMETERS, f"{HEAD} {expression}", DECLARED)
    last = module.kernels[0].body.entry.last
    assert last is not None
    assert divisor(last.result) == expected


def test_loop_variables_follow_bounds_and_step() -> None:
    module = kernel(
        PARAMETERS,
        f"{HEAD} scf.for %c8, %n, %c12 {{operand_segments = [1, 1, 1, 0]}} (%j: index) {{ }}",
        DECLARED,
    )
    loop = module.kernels[0].body.entry.last
    assert loop is not None
    assert divisor(loop.regions[0].entry.arguments[0]) == 4


@pytest.mark.parametrize(
    ("view", "indices", "expected"),
    [
        ("%v = memref.permute %A {order = [1, 0]} -> memref<f32x?x?,strided<?,1>>", [], 64),
        ("%v = memref.permute %A {order = [1, 0]} -> memref<f32x?x?,strided<?,1>>", ["%i", "%c8"], 32),
        (
            "%v = memref.subview %A, %i {static_offsets = [4, none], static_sizes = [8, 0],"
            " operand_segments = [1, 1, 0]} -> memref<f32x8>",
            [],
            16,
        ),
        ("%v = memref.group_load %G, %i -> memref<f64x4x4>", [], 16),
        ("%v = memref.alloca -> memref<f32x4,local>", [], 128),
        ("%v = memref.alloca {alignment = 16} -> memref<f32x4,local>", ["%c8"], 16),
    ],
)
def test_alignment(view: str, indices: list[str], expected: int) -> None:
    load = f"%x = memref.load %v{''.join(', ' + i for i in indices)} -> f32" if indices else ""
    module = kernel(PARAMETERS, f"{HEAD} {view} {load}", DECLARED)
    ops = list(module.kernels[0].body.entry)
    last = ops[-1]
    if isinstance(last, memref.Load):
        assert alignment(last.memref, last.indices) == expected
    else:
        assert alignment(last.result) == expected
