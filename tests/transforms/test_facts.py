"""Divisibility and alignment from declarations, constants, loops and views."""

from __future__ import annotations

import pytest

from tilewright.dialects import memref
from tilewright.transforms.facts import alignment, divisor, never_negative
from transforms.support import kernel

HEAD = """
  %c8 = arith.constant {value = 8} -> index %c12 = arith.constant {value = 12} -> index
  %n = memref.size %A {mode = 0} -> index  %s = memref.stride %A {mode = 1} -> index
"""
DECLARED = "parameter_attributes = [{alignment = 64, shape_gcd = [24], stride_gcd = [1, 16]}, {alignment = 32}]"
PARAMETERS = "%A: memref<f32x?x?>, %G: group<memref<f64x4x4>x?, offset: 2>, %i: index"
POINTERS = "%p: ptr<f32>, %q: ptr<f64>, %i: index, %k: i32"
PROMISED = "parameter_attributes = [{alignment = 64}, {}, {}, {}]"
ADDRESSES = """
  %a = memref.address %p -> i64  %b = memref.address %q -> i64
  %c1024 = arith.constant {value = 1024} -> i32  %c3 = arith.constant {value = 3} -> i64
  %c12 = arith.constant {value = 12} -> i64  %kk = arith.mul %k, %c1024 -> i32  %wide = arith.cast %kk -> i64
"""


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


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("%x = arith.add %a, %wide -> i64", 64),
        ("%x = arith.add %b, %wide -> i64", 8),
        ("%x = arith.mul %wide, %c12 -> i64", 4096),
        ("%x = arith.add %a, %c12 -> i64", 4),
        ("%x = arith.shl %a, %c3 -> i64", 512),
        ("%x = arith.and %b, %c12 -> i64", 8),
        ("%x = arith.cast %kk -> index", 1024),
        ("%x = arith.ucast %kk -> index", 1024),
        # the upper bits are lost, and with them what the number is
        ("%x = arith.cast %wide -> i32", 1),
        ("%x = arith.mul %c3, %c3 -> i64", 1),
    ],
)
def test_divisors_of_numbers_that_wrap_are_powers_of_two(expression: str, expected: int) -> None:
    module = kernel(POINTERS, f"{ADDRESSES} {expression}", PROMISED)
    last = module.kernels[0].body.entry.last
    assert last is not None
    assert divisor(last.result) == expected


@pytest.mark.parametrize(("address", "index", "expected"), [("%a", "%i", 4), ("%a", "%c16", 64), ("%far", "%c16", 32)])
def test_alignment_of_addresses(address: str, index: str, expected: int) -> None:
    text = f"""{ADDRESSES} %c16 = arith.constant {{value = 16}} -> index  %c96 = arith.constant {{value = 96}} -> i64
    %far = arith.add %a, %c96 -> i64
    %v = memref.from_address {address} {{operand_segments = [1, 0, 0]}} -> memref<f32x1000>
    %x = memref.load %v, {index} -> f32"""
    last = list(kernel(POINTERS, text, PROMISED).kernels[0].body.entry)[-1]
    assert isinstance(last, memref.Load)
    assert alignment(last.memref, last.indices) == expected


def test_alignment_of_rows_that_are_so_far_apart() -> None:
    text = f"""{ADDRESSES} %c16 = arith.constant {{value = 16}} -> index  %c0 = arith.constant {{value = 0}} -> index
    %apart = arith.mul %i, %c16 -> index
    %v = memref.from_address %a, %apart {{operand_segments = [1, 0, 1]}} -> memref<f32x8x8,strided<1,?>>
    %x = memref.load %v, %c0, %i -> f32"""
    last = list(kernel(POINTERS, text, PROMISED).kernels[0].body.entry)[-1]
    assert isinstance(last, memref.Load)
    assert alignment(last.memref, last.indices) == 64


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("%x = memref.size %A {mode = 0} -> index", True),
        ("%x = arith.constant {value = 0} -> index", True),
        ("%x = arith.constant {value = -1} -> index", False),
        ("%x = arith.add %n, %c8 -> index", True),
        ("%x = arith.add %n, %i -> index", False),
        ("%x = arith.mul %i, %i -> index", False),
        ("%x = arith.max %i, %c8 -> index", True),
        ("%x = arith.min %i, %c8 -> index", False),
        ("%x = arith.sub %n, %c8 -> index", False),
        ("%r = arith.rem %n, %c8 -> index %x = arith.sub %n, %r -> index", True),
        ("%r = arith.rem %s, %c8 -> index %x = arith.sub %n, %r -> index", False),
        ("%r = arith.rem %i, %c8 -> index %x = arith.sub %i, %r -> index", False),
        ("%m = arith.max %s, %i -> index %x = arith.sub %m, %i -> index", True),
        ("%m = arith.max %s, %i -> index %x = arith.sub %m, %n -> index", False),
        ("%x = arith.div %n, %i -> index", False),
        ("%a = arith.cast %n -> i64 %x = arith.add %a, %a -> i64", False),
        ("%a = arith.cast %i -> i32 %x = arith.ucast %a -> index", True),
        ("%a = arith.cast %i -> i64 %x = arith.ucast %a -> index", False),
    ],
)
def test_what_is_never_negative(expression: str, expected: bool) -> None:
    last = kernel(PARAMETERS, f"{HEAD} {expression}").kernels[0].body.entry.last
    assert last is not None
    assert never_negative(last.result) is expected


@pytest.mark.parametrize(("lower", "expected"), [("%c8", True), ("%i", False)])
def test_loop_variables_are_never_negative_from_such_on(lower: str, expected: bool) -> None:
    loops = "{operand_segments = [1, 1, 0, 1]} -> index (%j: index, %a: index) { scf.yield %i }"
    loop = kernel(PARAMETERS, f"{HEAD} %o = scf.for {lower}, %n, %n {loops}").kernels[0].body.entry.last
    assert loop is not None
    index, carried = loop.regions[0].entry.arguments
    assert never_negative(index) is expected
    assert not never_negative(carried)


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
