"""What `bench` says of a kernel's work: counted by hand here, left out where the operations do not tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tilewright.cli.main import cli

SAMPLE = Path(__file__).parents[2] / "examples" / "fused_kernel.tl"
GRID = 6

KERNELS = {
    "func @k(%a: f32, %x: memref<f32x?>, %y: memref<f32x?>) { axpby %a, %x, %a, %y }": (100, 4 * 300),
    "func @k(%a: f64, %x: memref<f64x?>, %y: memref<f64x?>) { %z = constant 0.0 : f64 axpby %a, %x, %z, %y }": (
        100,
        8 * 200,
    ),
    "func @k(%a: c32, %x: memref<c32x5x7>, %y: memref<c32x7x3>, %z: memref<c32x5x3>) { gemm %a, %x, %y, %a, %z }": (
        8 * 5 * 3 * 7,
        8 * (35 + 21 + 15 + 15),
    ),
    "func @k(%a: f32, %x: memref<f32x5x7>, %v: memref<f32x5>, %w: memref<f32x7>) { gemv.t %a, %x, %v, %a, %w }": (
        2 * 35,
        4 * (35 + 5 + 7 + 7),
    ),
    "func @k(%a: i32, %x: memref<i32x?>, %y: memref<i32x?>) { axpby %a, %x, %a, %y }": (0, 4 * 300),
}
UNTOLD = [
    "func @k(%x: memref<f32x16>) { parallel { } }",
    "func @k(%a: f32, %x: memref<f32x16>) { %i = constant 0 : index store %a, %x[%i] }",
    "func @k(%n: index, %a: f32, %x: memref<f32x4>, %y: memref<f32x4>) {"
    " %l = constant 0 : index for %i=%l,%n { axpby %a, %x, %a, %y } }",
]
LOOP = """func @k(%a: f32, %x: group<memref<f32x?>x?>, %y: memref<f32x8x?>, %t: memref<f32x8>) {
    %g = group_id.x : index
    %v = load %x[%g] : memref<f32x?>
    %w = subview %v[2:8] : memref<f32x8>
    %l = constant 0 : index
    %u = constant 3 : index
    for %i=%l,%u {
        %c = subview %y[0:8,%i] : memref<f32x8>
        hadamard %a, %w, %t, %a, %c
    }
}"""


def bench(path: Path | str, *options: str, text: str | None = None) -> dict[str, Any]:
    given = ["bench", str(path), "--json", "--repeats=1", "--target=interpreter", *options]
    result = CliRunner().invoke(cli, given, input=text, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_sample_kernel() -> None:
    found = bench(SAMPLE, f"--grid={GRID}")
    assert found["operations"] == GRID * (2 * 16 * 8 * 8 + 2 * 16 * 16 * 8)
    # A and D (read and written) of each work-group; B and C once
    assert found["bytes"] == 4 * (GRID * (16 * 8 + 2 * 16 * 16) + 8 * 8 + 8 * 16)
    assert found["gflop_per_s"] == pytest.approx(found["operations"] / found["median_us"] * 1e-3)
    assert found["gb_per_s"] == pytest.approx(found["bytes"] / found["median_us"] * 1e-3)


@pytest.mark.parametrize("text", KERNELS)
def test_operations_and_bytes(text: str) -> None:
    arrays = ["--arg=x=random(100)", "--arg=y=random(100)"] if "x?" in text else []
    found = bench("-", *arrays, text=text)
    assert (found["operations"], found["bytes"]) == KERNELS[text]


def test_loops_and_views() -> None:
    found = bench("-", f"--grid={GRID}", "--arg=x=random(10)", "--arg=y=random(8,3)", text=LOOP)
    assert found["operations"] == GRID * 3 * 8
    assert found["bytes"] == 4 * 8 * (GRID + 1 + 2 * 3 * GRID)


@pytest.mark.parametrize("text", UNTOLD)
def test_no_figure_rather_than_a_wrong_one(text: str) -> None:
    found = bench("-", text=text)
    assert [found[name] for name in ("operations", "bytes", "gflop_per_s", "gb_per_s")] == [None] * 4
    assert found["median_us"] > 0


def test_tile_ir_has_times_only() -> None:
    text = "cuda_tile.module @m { entry @k() { return } }"
    assert bench("-", text=text)["operations"] is None


def test_rates_are_printed_for_people() -> None:
    shown = CliRunner().invoke(cli, ["bench", str(SAMPLE), "--repeats=1"]).stdout
    assert " GFLOP/s, " in shown
    assert shown.rstrip().endswith(" GB/s")
