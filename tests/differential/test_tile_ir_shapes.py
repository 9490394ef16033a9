"""Tile IR on the CPU: shapes, reductions and scans."""

# ruff: noqa: E501 - lines of kernels stay in one piece

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from .tile_ir_kernels import POINTERS, Array, Launch, program, run, run_all, through

Meaning = Callable[[Array], Array]
COMBINE = "(%e: tile<f32>, %f: tile<f32>) {{ %g = {} %e, %f : tile<f32>\n yield %g : tile<f32> }}\n"


SHAPES: list[tuple[str, tuple[int, ...], tuple[int, ...], Meaning]] = [
    ("%r = reshape %a : tile<4x8xf32> -> tile<2x16xf32>\n", (4, 8), (2, 16), lambda a: a.reshape(2, 16)),
    ("%r = reshape %a : tile<4x2x4xf32> -> tile<32xf32>\n", (4, 2, 4), (32,), lambda a: a.reshape(32)),
    ("%r = permute %a [2, 0, 1] : tile<2x4x8xf32> -> tile<8x2x4xf32>\n", (2, 4, 8), (8, 2, 4), lambda a: a.transpose(2, 0, 1)),
    ("%r = permute %a [1, 0] : tile<16x4xf32> -> tile<4x16xf32>\n", (16, 4), (4, 16), lambda a: a.T),
    ("%r = cat %a, %a dim = 0 : tile<2x8xf32>, tile<2x8xf32> -> tile<4x8xf32>\n", (2, 8), (4, 8), lambda a: np.concatenate([a, a])),
    ("%r = cat %a, %a dim = 1 : tile<2x8xf32>, tile<2x8xf32> -> tile<2x16xf32>\n", (2, 8), (2, 16), lambda a: np.concatenate([a, a], 1)),
    ("%one = constant <i32: 1> : tile<i32>\n%r = extract %a[%one, %z] : tile<4x8xf32> -> tile<2x4xf32>\n", (4, 8), (2, 4), lambda a: a[2:4, :4]),
    ("%bx, %by, %bz = get_num_tile_blocks : tile<i32>\n%r = extract %a[%z, %bx] : tile<4x8xf32> -> tile<4x4xf32>\n", (4, 8), (4, 4), lambda a: a[:, 4:]),
    ("%b = reshape %a : tile<8xf32> -> tile<8x1xf32>\n%r = broadcast %b : tile<8x1xf32> -> tile<8x4xf32>\n", (8,), (8, 4), lambda a: np.repeat(a[:, None], 4, 1)),
    ("%r = reduce %a dim=1 identities=[0.0 : f32] : tile<4x32xf32> -> tile<4xf32> " + COMBINE.format("addf"), (4, 32), (4,), lambda a: a.sum(1)),
    ("%r = reduce %a dim=0 identities=[0xFF800000 : f32] : tile<4x32xf32> -> tile<32xf32> " + COMBINE.format("maxf"), (4, 32), (32,), lambda a: a.max(0)),
    ("%r = scan %a dim=1 reverse=false identities=[0.0 : f32] : tile<4x32xf32> -> tile<4x32xf32> " + COMBINE.format("addf"), (4, 32), (4, 32), lambda a: a.cumsum(1)),
]  # fmt: skip


def test_shapes(rng: np.random.Generator) -> None:
    inputs = [rng.random(source, np.float32) for _, source, _, _ in SHAPES]
    launches = [
        Launch(through(body, source, target), POINTERS, (1,), (x, np.full(target, np.nan, np.float32)))
        for (body, source, target, _), x in zip(SHAPES, inputs, strict=True)
    ]
    run_all(launches)
    for (body, _, _, meaning), x, launch in zip(SHAPES, inputs, launches, strict=True):
        np.testing.assert_allclose(launch.output, meaning(x), rtol=1e-5, err_msg=body)


def test_softmax_of_rows(rng: np.random.Generator) -> None:
    x, out = rng.standard_normal((4, 256), np.float32), np.full((4, 256), np.nan, np.float32)
    wide = "tile<4x256xf32>"
    body = "%m = reduce %a dim=1 identities=[0xFF800000 : f32] : tile<4x256xf32> -> tile<4xf32> " + COMBINE.format(
        "maxf"
    )
    body += f"%m1 = reshape %m : tile<4xf32> -> tile<4x1xf32>\n%mb = broadcast %m1 : tile<4x1xf32> -> {wide}\n"
    body += f"%d = subf %a, %mb : {wide}\n%e = exp %d : {wide}\n"
    body += "%q = reduce %e dim=1 identities=[0.0 : f32] : tile<4x256xf32> -> tile<4xf32> " + COMBINE.format(
        "addf"
    ).replace("%e", "%h")
    body += f"%q1 = reshape %q : tile<4xf32> -> tile<4x1xf32>\n%qb = broadcast %q1 : tile<4x1xf32> -> {wide}\n"
    body += f"%r = divf %e, %qb : {wide}\n"
    run(through(body, (4, 256), (4, 256)), POINTERS, 1, x, out)
    wanted = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(out, wanted / wanted.sum(1, keepdims=True), rtol=1e-5)


ARGMAX = """
%i = iota : tile<32xi32>
%i1 = reshape %i : tile<32xi32> -> tile<1x32xi32>
%ib = broadcast %i1 : tile<1x32xi32> -> tile<4x32xi32>
%best, %at = reduce %a, %ib dim=1 identities=[0xFF800000 : f32, 0 : i32] : tile<4x32xf32>, tile<4x32xi32> -> tile<4xf32>, tile<4xi32> (%e: tile<f32>, %f: tile<f32>, %p: tile<i32>, %q: tile<i32>) {
  %more = cmpf greater_than ordered %e, %f : tile<f32> -> tile<i1>
  %u = select %more, %e, %f : tile<i1>, tile<f32>
  %y = select %more, %p, %q : tile<i1>, tile<i32>
  yield %u, %y : tile<f32>, tile<i32>
}
%r = itof %at signed : tile<4xi32> -> tile<4xf32>
"""


def test_reduction_of_two_tiles_by_a_region(rng: np.random.Generator) -> None:
    x, out = rng.random((4, 32), np.float32), np.full(4, np.nan, np.float32)
    run(through(ARGMAX, (4, 32), (4,)), POINTERS, 1, x, out)
    np.testing.assert_array_equal(out, x.argmax(1))


def test_reverse_scan_by_a_region(rng: np.random.Generator) -> None:
    x, out = rng.random((4, 32), np.float32), np.full((4, 32), np.nan, np.float32)
    body = "%r = scan %a dim=1 reverse=true identities=[1.0 : f32] : tile<4x32xf32> -> tile<4x32xf32> "
    body += COMBINE.format("mulf")
    run(through(body, (4, 32), (4, 32)), POINTERS, 1, x, out)
    np.testing.assert_allclose(out, x[:, ::-1].cumprod(1)[:, ::-1], rtol=1e-5)


def _scan_across(width: int, combine: str) -> str:
    body = f"%r = scan %a dim=0 reverse=false identities=[0.0 : f32] : tile<4x{width}xf32> -> tile<4x{width}xf32> "
    return through(body + COMBINE.format(combine), (4, width), (4, width))


def test_scans_across_long_rows(rng: np.random.Generator) -> None:
    x, sums, most = rng.random((4, 512), np.float32), np.zeros((4, 512), np.float32), np.zeros((4, 512), np.float32)
    run_all([Launch(_scan_across(512, c), POINTERS, (1,), (x, out)) for c, out in (("addf", sums), ("maxf", most))])
    np.testing.assert_allclose(sums, x.cumsum(0), rtol=1e-5)
    np.testing.assert_array_equal(most, np.maximum.accumulate(x))


@pytest.mark.parametrize("combine", ["addf", "maxf"])
def test_the_code_of_a_scan_is_not_longer_for_longer_rows(combine: str) -> None:
    short, long = (program(_scan_across(width, combine), POINTERS)["k"].llvm for width in (512, 2048))
    assert short.count("\n") == long.count("\n")
