"""`flip` of the dialect that is named on the command line: read, printed, interpreted, compiled; against NumPy."""

from __future__ import annotations

import sys

import numpy as np
from ir_kernels import Array, kernel, parsed, results

from tilewright.compiler import CompileOptions, compile_module
from tilewright.diagnostics import Report
from tilewright.targets import find_target

DTYPES = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "i64": np.int64, "c32": np.complex64}


def array(dtype: str, *shape: int) -> Array:
    """Different numbers in column-major order."""
    return np.asfortranarray(np.arange(1, 1 + int(np.prod(shape))).reshape(shape).astype(DTYPES[dtype]))


def whole(dtype: str, shape: tuple[int, ...], body: str, out: tuple[int, ...]) -> str:
    """A kernel that makes tile `%r` of the whole array `%t`."""
    tiles = ["x".join(map(str, [*extents, dtype])) for extents in (shape, out)]
    memrefs = [f"memref<{dtype}x{'x'.join(map(str, extents))}>" for extents in (shape, out)]
    load = f"%t = tile.load %A{', %z' * len(shape)} -> tile<{tiles[0]}>\n"
    store = f"\ntile.store %r, %B{', %z' * len(out)}"
    body = body.replace("IN", f"tile<{tiles[0]}>").replace("OUT", f"tile<{tiles[1]}>")
    return kernel(f"%A: {memrefs[0]}, %B: {memrefs[1]}", load + body + store)


def check(dtype: str, shape: tuple[int, ...], body: str, wanted: Array) -> None:
    for found in results(whole(dtype, shape, body, wanted.shape), array(dtype, *shape), wanted.shape):
        assert np.array_equal(found, wanted), (dtype, shape, body, found, wanted)


def flips() -> None:
    shapes = [(1,), (16,), (37,), (5, 8), (33, 17), (3, 4, 5)]
    for shape in shapes:
        for dim in range(len(shape)):
            body = f"%r = DIALECT.flip %t {{dim = {dim}}} -> OUT"
            check("f32", shape, body, np.flip(array("f32", *shape), dim))
    for dtype in DTYPES:
        for dim in (0, 1):
            body = f"%r = DIALECT.flip %t {{dim = {dim}}} -> OUT"
            check(dtype, (13, 6), body, np.flip(array(dtype, 13, 6), dim))


def formulas_of_flips() -> None:
    a = array("f32", 13, 6)
    both = "%x = DIALECT.flip %t {dim = 0} -> IN %r = DIALECT.flip %x {dim = 1} -> OUT"
    check("f32", (13, 6), both, a[::-1, ::-1])
    turned = "%x = tile.permute %t {order = [1, 0]} -> OUT %r = DIALECT.flip %x {dim = 0} -> OUT"
    check("f32", (13, 6), turned, a.T[::-1])
    summed = "%x = DIALECT.flip %t {dim = 0} -> IN %r = arith.add %x, %t -> OUT"
    check("f32", (13, 6), summed, a[::-1] + a)
    product = (
        "%x = DIALECT.flip %t {dim = 1} -> IN %c = arith.constant {value = 0.0} -> IN"
        " %p = tile.mma %x, %t, %c -> IN %r = DIALECT.flip %p {dim = 0} -> OUT"
    )
    square = array("f32", 9, 9)
    check("f32", (9, 9), product, (square[:, ::-1] @ square)[::-1])
    reduced = '%x = DIALECT.flip %t {dim = 0} -> IN %r = tile.reduce %x {kind = "add", dim = 1} -> OUT'
    check("f32", (13, 6), reduced, a[::-1].sum(axis=1))
    box = "%x = tile.extract %t {offsets = [2, 1]} -> OUT %r = DIALECT.flip %x {dim = 0} -> OUT"
    check("f32", (13, 6), box, a[2:11, 1:5][::-1])
    stretched = "%x = tile.broadcast %t -> OUT %r = DIALECT.flip %x {dim = 0} -> OUT"
    check("f32", (13, 1), stretched, np.broadcast_to(array("f32", 13, 1), (13, 6))[::-1])
    side = "%x = DIALECT.flip %t {dim = 0} -> IN %r = tile.cat %x, %t {dim = 0} -> OUT"
    check("f32", (13, 6), side, np.concatenate([a[::-1], a]))


def bounds() -> None:
    """Checked loads read zeros outside, which flip with the rest; a flip of what is overwritten is read before."""
    text = kernel(
        "%A: memref<f32x?x?>, %B: memref<f32x16x8>",
        "%t = tile.load %A, %z, %z {check = [true, true]} -> tile<16x8xf32>"
        " %r = DIALECT.flip %t {dim = 0} -> tile<16x8xf32> tile.store %r, %B, %z, %z",
    )
    a = array("f32", 11, 5)
    padded = np.zeros((16, 8), np.float32)
    padded[:11, :5] = a
    for found in results(text, a, (16, 8)):
        assert np.array_equal(found, padded[::-1])
    text = kernel(
        "%A: memref<f32x40x3>, %B: memref<f32x40x3>",
        "%t = tile.load %A, %z, %z -> tile<40x3xf32> tile.store %t, %B, %z, %z"
        " %u = tile.load %B, %z, %z -> tile<40x3xf32>"
        " %r = DIALECT.flip %u {dim = 0} -> tile<40x3xf32> tile.store %r, %B, %z, %z",
    )
    a = array("f32", 40, 3)
    for found in results(text, a, (40, 3)):
        assert np.array_equal(found, a[::-1])


def subgroups() -> None:
    """Each subgroup flips its own tile."""
    body = (
        "team.spmd { %t = tile.load %A, %z, %z -> tile<8x4xi64> %r = DIALECT.flip %t {dim = 1} -> tile<8x4xi64>"
        " tile.store %r, %B, %z, %z }"
    )
    a = array("i64", 8, 4)
    for found in results(kernel("%A: memref<i64x8x4>, %B: memref<i64x8x4>", body), a, (8, 4)):
        assert np.array_equal(found, a[:, ::-1])


def rules() -> None:
    report = Report()
    parsed(
        kernel(
            "%A: memref<f32x4>", "%t = tile.load %A, %z -> tile<4xf32> %r = DIALECT.flip %t {dim = 1} -> tile<4xf32>"
        ),
        report,
    )
    assert "no dimension 1" in report.diagnostics[0].message


def nvidia() -> None:
    for region in ("%s", "team.spmd { %s }"):
        body = region % (
            "%t = tile.load %A, %z, %z -> tile<8x4xf32> %r = DIALECT.flip %t {dim = 1} -> tile<8x4xf32>"
            " tile.store %r, %B, %z, %z"
        )
        module = parsed(kernel("%A: memref<f32x8x4>, %B: memref<f32x8x4>", body), Report())
        code = compile_module(module, find_target("nvidia:sm_80"), CompileOptions(), Report())
        assert b".entry" in code.payload


PARTS = (flips, formulas_of_flips, bounds, subgroups, rules, nvidia)

if __name__ == "__main__":
    for part in PARTS:
        if part.__name__ in (sys.argv[2:] or [part.__name__]):
            part()
