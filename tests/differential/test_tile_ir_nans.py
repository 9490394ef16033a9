"""NaN in reductions and scans of Tile IR: the same in the interpreters and on the CPU, as the specification says."""

# ruff: noqa: E501 - lines of kernels stay in one piece

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from tilewright.compiler import read_module
from tilewright.diagnostics import Report, Source
from tilewright.interpreter.engine import interpret

from .tile_ir_kernels import Array, text_of

DTYPES: dict[str, Any] = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
INFINITY = {"f16": "0xfc00", "bf16": "0xff80", "f32": "0xff800000", "f64": "0xfff0000000000000"}
MEANING: dict[str, Callable[[Array, Array], Array]] = {
    "maxf": np.fmax,
    "minf": lambda a, b: -np.fmax(-a, -b),
    "maxf propagate_nan": np.maximum,
}


def access(element: str, name: str, parameter: str, shape: str, strides: str, packed: str) -> str:
    view = f"tensor_view<{shape}x{element}, strides=[{strides}]>"
    return (
        f"%{name} = make_tensor_view %{parameter}, shape = [{shape.replace('x', ', ')}], strides = [{strides}] : {view}\n"
        f"%{name}w = make_partition_view %{name} : partition_view<tile=({packed}), {view}>\n"
    )


def kernel(element: str, op: str, dim: int) -> str:
    """The extremum of a 16 x 64 tile along a dimension, and both scans; those of another body once more."""
    t, r = f"tile<16x64x{element}>", f"tile<{(64, 16)[dim]}x{element}>"
    e, v = f"tile<{element}>", f"partition_view<tile=(16x64), tensor_view<16x64x{element}, strides=[64,1]>>"
    n = (64, 16)[dim]
    w = f"partition_view<tile=({n}), tensor_view<{n}x{element}, strides=[1]>>"
    word, _, flag = op.partition(" ")
    identity = (
        f"identities=[{INFINITY[element].replace('f', '7', 1) if word == 'minf' else INFINITY[element]} : {element}]"
    )
    body = access(element, "from", "X", "16x64", "64,1", "16x64") + access(element, "to", "R", str(n), "1", str(n))
    body += access(element, "up", "S", "16x64", "64,1", "16x64") + access(
        element, "down", "D", "16x64", "64,1", "16x64"
    )
    body += f"%z = constant <i32: 0> : tile<i32>\n%x, %xt = load_view_tko weak %fromw[%z, %z] : {v}, tile<i32> -> {t}, token\n"
    region = f"(%e: {e}, %a: {e}) {{\n%m = {word} %e, %a {flag} : {e}\nyield %m : {e}\n}}\n"
    body += f"%r = reduce %x dim={dim} {identity} : {t} -> {r} {region}"
    body += f"%s = scan %x dim={dim} reverse=false {identity} : {t} -> {t} {region}"
    body += f"%d = scan %x dim={dim} reverse=true {identity} : {t} -> {t} {region}"
    body += f"%t0 = store_view_tko weak %r, %tow[%z] : {r}, {w}, tile<i32> -> token\n"
    body += f"%t1 = store_view_tko weak %s, %upw[%z, %z] : {t}, {v}, tile<i32> -> token\n"
    body += f"%t2 = store_view_tko weak %d, %downw[%z, %z] : {t}, {v}, tile<i32> -> token\n"
    return text_of(body, ", ".join(f"%{p}: tile<ptr<{element}>>" for p in "XRSD"))


@pytest.mark.covering(1)
@pytest.mark.parametrize("op", MEANING)
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("element", DTYPES)
def test_extrema_of_nan(element: str, op: str, dim: int, rng: np.random.Generator) -> None:
    """A reduction of NaN alone is NaN; a scan begins with the identity, so that it is that until there is a number."""
    dtype = np.dtype(DTYPES[element])
    x = rng.standard_normal((16, 64)).astype(dtype)
    x[rng.random(x.shape) < 0.5] = np.nan
    (x if dim == 1 else x.T)[3], (x if dim == 1 else x.T)[7, :5] = np.nan, np.nan
    wide, start = x.astype(np.float64), np.float64(np.inf if op == "minf" else -np.inf)
    f = np.frompyfunc(MEANING[op], 2, 1)
    rows = np.moveaxis(wide, dim, 0)

    def scanned(lines: Array) -> Array:
        return np.moveaxis(f.accumulate(np.stack([np.full_like(lines[0], start), *lines]), dtype=object)[1:], 0, dim)

    meant = [f.reduce(rows, dtype=object), scanned(rows), np.flip(scanned(rows[::-1]), dim)]
    text = kernel(element, op, dim)
    results = [[np.full(np.shape(m), 7, dtype) for m in meant] for _ in range(4)]
    for level, found in zip((0, 2), results, strict=False):
        tw.compile(text, level=level, cache=False).k[1](x, *found)
    tw.compile(text, target="interpreter").k[1](x, *results[2])
    interpret(next(iter(read_module(Source("test", text), Report()).kernels)), [x, *results[3]], (1, 1, 1))
    for found in results:
        for have, want in zip(found, meant, strict=True):
            np.testing.assert_array_equal(have.astype(np.float64), want.astype(np.float64))
