"""Rules of tile operations: one program that breaks each."""

from __future__ import annotations

import pytest

from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.ir.parser import parse_ir
from tilewright.ir.verifier import verify

PARAMETERS = "%A: memref<f32x?x?>, %H: memref<c32x?x?>, %i: index, %x: f32, %n: i32"
TILES = """
  %t = tile.splat %x -> tile<4x2xf32> %v = tile.splat %x -> tile<8xf32> %u = tile.splat %n -> tile<2x4xi32>
  %c = arith.constant {value = (0.0, 0.0)} -> tile<4x2xc32> %h = arith.constant {value = 0.0} -> tile<2x2xf16>
"""

BROKEN = [
    ("%r = tile.load %A, %i -> tile<4x2xf32>", "1 indices"),
    ("%r = tile.load %A, %i, %i -> tile<4xf32>", "rank 1"),
    ("%r = tile.load %A, %i, %i -> tile<4x2xi32>", "elements"),
    ("%r = tile.load %A, %i, %i {check = [true]} -> tile<4x2xf32>", "1 flags"),
    ("tile.store %v, %A, %i, %i", "rank 1"),
    ('%r = tile.atomic_rmw %c, %H, %i, %i {kind = "max"} -> tile<4x2xc32>', "not defined"),
    ("tile.prefetch %A, %i, %i {level = 0, shape = [4, 0]}", "positive"),
    ("%r = tile.splat %x -> tile<4xi32>", "differ"),
    ("%r = tile.item %v -> f32", "not one"),
    ("%r = tile.broadcast %t -> tile<8x2xf32>", "stretched"),
    ("%r = tile.reshape %t -> tile<7xf32>", "elements"),
    ("%r = tile.reinterpret %t -> tile<8xi32>", "rows"),
    ("%r = tile.reinterpret %v -> tile<32xi8>", "integers"),
    ("%r = tile.extract %t {offsets = [1, 0]} -> tile<4x2xf32>", "leaves"),
    ("%r = tile.extract %t {offsets = [0]} -> tile<4x2xf32>", "rank"),
    ("%r = tile.cat %t, %t {dim = 0} -> tile<4x4xf32>", "does not fit"),
    ("%r = tile.cat %t, %t {dim = 1} -> tile<4x3xf32>", "add up to 4"),
    ("%r = tile.cat %t, %t {dim = 1} -> tile<4x5xf32>", "add up to 4"),
    ("%r = tile.cat %t {dim = 2} -> tile<4x2xf32>", "no dimension 2"),
    ("%r = tile.iota {dim = 0} -> tile<4xf32>", "integers"),
    ("%r = tile.mma %t, %t, %t -> tile<4x2xf32>", "is not a"),
    ("%r = tile.mma %t, %u, %t -> tile<4x2xf32>", "not exact"),
    ("%r = tile.mma %h, %h, %h -> tile<2x2xf16>", "formed in f32"),
    ('%r = tile.reduce %c {kind = "min", dim = 0} -> tile<2xc32>', "not defined"),
    ('%r = tile.scan %v {kind = "add", dim = 1} -> tile<8xf32>', "no dimension 1"),
    ("%r = tile.map %v -> tile<8xf32> (%j: i32) { scf.yield %x }", "must take (i32, f32)"),
    ("%r = tile.map %v -> tile<8xf32> (%j: i32, %e: f32) { }", "must yield"),
    ("%r = tile.share_extract %v {index = 0} -> f32", "no matrix"),
    ("%r = tile.share_insert %x, %t {index = -1} -> tile<4x2xf32>", "does not exist"),
]


def findings(line: str) -> list[str]:
    text = f'builtin.module {{ builtin.kernel {{sym_name = "f"}} ({PARAMETERS}) {{ {TILES} {line} }} }}'
    report = Report()
    module = parse_ir(Source("test.twir", text), report, operation_classes())
    assert module is not None, [str(d) for d in report.diagnostics]
    verify(module, report)
    return [d.message for d in report.diagnostics]


@pytest.mark.parametrize(("line", "words"), BROKEN, ids=[f"{k}" for k in range(len(BROKEN))])
def test_broken_rules_are_reported(line: str, words: str) -> None:
    messages = findings(line)
    assert any(words in m for m in messages), messages


@pytest.mark.parametrize(
    "line",
    [
        "%r = tile.load %A, %i, %i {check = [true, false]} -> tile<4x2xf32>",
        "%r = tile.permute %t {order = [1, 0]} -> tile<2x4xf32>",
        "%r = tile.cat %t, %t {dim = 1} -> tile<4x4xf32>",
        "%r = tile.map %v -> tile<8xf32> (%j: i32, %e: f32) { scf.yield %e }",
        '%r = tile.reduce %t {kind = "max", dim = 0} -> tile<2xf32>',
    ],
)
def test_right_programs_pass(line: str) -> None:
    assert findings(line) == []
