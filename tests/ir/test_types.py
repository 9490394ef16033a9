"""Promotion, layout and spelling of types."""

from __future__ import annotations

import itertools

import pytest

from tilewright.ir.type_parser import TypeSyntaxError, parse_type
from tilewright.ir.types import (
    BF16,
    C32,
    F16,
    F32,
    I8,
    SCALARS,
    AddressSpace,
    CoopMatrixType,
    GroupType,
    MatrixUse,
    TileType,
    Type,
    memref,
    packed_strides,
    promotable,
    promote,
)

# The table "Written out" of the language reference 1.4.
PROMOTES = {
    "i8": "i8 i16 i32 i64 index bf16 f16 f32 f64 c32 c64",
    "i16": "i16 i32 i64 index f32 f64 c32 c64",
    "i32": "i32 i64 index f64 c64",
    "i64": "i64",
    "index": "index",
    "bf16": "bf16 f32 f64 c32 c64",
    "f16": "f16 f32 f64 c32 c64",
    "f32": "f32 f64 c32 c64",
    "f64": "f64 c64",
    "c32": "c32 c64",
    "c64": "c64",
    "bool": "bool",
}


@pytest.mark.parametrize(("a", "b"), list(itertools.product(SCALARS, SCALARS)))
def test_promotion_table(a: str, b: str) -> None:
    assert promotable(SCALARS[a], SCALARS[b]) == (b in PROMOTES[a].split())


def test_promote_takes_the_larger() -> None:
    assert promote(F32, C32) is C32
    assert promote(C32, F32) is C32
    assert promote(BF16, F16) is None
    assert promote(I8, I8) is I8


def test_sums_are_computed_in_accumulators() -> None:
    """acc(T) of the language reference 1.7."""
    wider = {"i8": "i32", "i16": "i32", "bf16": "f32", "f16": "f32"}
    assert {name: type_.accumulator.name for name, type_ in SCALARS.items()} == {n: wider.get(n, n) for n in SCALARS}


def test_packed_strides_stop_at_the_first_dynamic_extent() -> None:
    assert packed_strides((5, 6, 7)) == (1, 5, 30)
    assert packed_strides((5, None, 6)) == (1, 5, None)
    assert packed_strides(()) == ()


def test_span_counts_reachable_elements() -> None:
    assert memref(F32, (4, 8)).span == 32
    assert memref(F32, (4, 8), (1, 10)).span == 74
    assert memref(F32, (4, 0)).span == 0
    assert memref(F32, ()).span == 1
    assert memref(F32, (None,)).span is None


TYPES: list[Type] = [
    *SCALARS.values(),
    memref(F32),
    memref(F32, (16, None, 8)),
    memref(I8, (3, 4), (1, None), AddressSpace.LOCAL),
    memref(C32, (None, None), (None, None)),
    GroupType(memref(F32, (16, 8)), None),
    GroupType(memref(F32, (16, 8), (1, 20)), 7, None),
    GroupType(memref(F32, (16,)), None, 42),
    GroupType(memref(F32, (16,)), 3, -42),
    CoopMatrixType(F16, 8, 16, MatrixUse.B),
    TileType((), F32),
    TileType((16, 8), BF16),
]


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_types_read_back_what_they_print(type_: Type) -> None:
    assert parse_type(str(type_)) == type_


@pytest.mark.parametrize(
    "text", ["", "f31", "memref<f32", "memref<q4>", "tile<x4xf32>", "memref<f32x4,strided<1,2>>", "coopmatrix<f32x2>"]
)
def test_nonsense_is_no_type(text: str) -> None:
    with pytest.raises(TypeSyntaxError):
        parse_type(text)
