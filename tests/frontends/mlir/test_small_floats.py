"""Floats of 8 bits in MLIR: loaded, stored, compared and converted; nothing is computed in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw

Array = NDArray[Any]
DTYPES: dict[str, Any] = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f16": np.float16,
    "f64": np.float64,
    "i32": np.int32,
    "i8": np.int8,
}


def of_elements(body: str, source: str, target: str) -> str:
    """%r of %a and %b, element by element."""
    rows, kept = f"memref<?x{source}>", f"memref<?x{target}>"
    maps = ", ".join(["affine_map<(i) -> (i)>"] * 3)
    return f"""func.func @k(%x: {rows}, %y: {rows}, %o: {kept}) {{
  linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins(%x, %y : {rows}, {rows}) outs(%o : {kept}) {{
    ^bb0(%a: {source}, %b: {source}, %c: {target}):
      {body}
      linalg.yield %r : {target}
  }}
  return
}}"""


@pytest.mark.parametrize("small", ["f8E4M3FN", "f8E5M2"])
@pytest.mark.parametrize("where", ["cpu", "interpreter"])
def test_conversions(small: str, where: str, rng: np.random.Generator) -> None:
    x, y = (rng.choice([-448.0, -1.5, -0.0, 0.0625, 1.0, 2.5, 96.0, np.nan], 40) for _ in range(2))
    cases: list[tuple[str, str, str, Callable[[Array, Array], Array]]] = [
        (f"%r = arith.extf %a : {small} to f16", small, "f16", lambda a, _: a.astype(np.float16)),
        (f"%r = arith.truncf %a : f64 to {small}", "f64", small, lambda a, _: a.astype(DTYPES[small])),
        (f"%r = arith.bitcast %a : {small} to i8", small, "i8", lambda a, _: a.view(np.int8)),
        (
            f"%less = arith.cmpf olt, %a, %b : {small}\n%r = arith.select %less, %a, %b : {small}",
            small,
            small,
            lambda a, b: np.where(a.astype(np.float32) < b.astype(np.float32), a, b),
        ),
    ]
    for body, source, target, wanted in cases:
        a, b = x.astype(DTYPES[source]), y.astype(DTYPES[source])
        found = np.zeros(40, DTYPES[target])
        tw.compile(of_elements(body, source, target), target=where).k[1](a, b, found)
        np.testing.assert_array_equal(found.astype(np.float64), wanted(a, b).astype(np.float64))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("%r = arith.addf %a, %b : f8E5M2", "arith.addf of f8E5M2 is not supported: extend its operands"),
        ("%r = math.exp %a : f8E5M2", "math.exp of f8E5M2 is not supported"),
        ("%r = math.fma %a, %b, %a : f8E5M2", "math.fma of f8E5M2 is not supported"),
    ],
)
def test_nothing_is_computed_in_them(body: str, said: str) -> None:
    with pytest.raises(tw.CompileError, match=said):
        tw.compile(of_elements(body, "f8E5M2", "f8E5M2"))


def test_products(rng: np.random.Generator) -> None:
    """Into f32; a result of 8 bits would be summed in them."""
    small, wide = "memref<9x9xf8E4M3FN>", "memref<9x9xf32>"
    text = f"""func.func @k(%a: {small}, %b: {small}, %c: OUT) {{
      linalg.matmul ins(%a, %b : {small}, {small}) outs(%c : OUT)
      return
    }}"""
    a, b = (rng.integers(-4, 5, (9, 9)).astype(ml_dtypes.float8_e4m3fn) for _ in range(2))
    c = np.ones((9, 9), np.float32)
    tw.compile(text.replace("OUT", wide)).k[1](a, b, c)
    np.testing.assert_array_equal(c, 1 + a.astype(np.float32) @ b.astype(np.float32))
    with pytest.raises(tw.CompileError, match=r"arith\.mulf of f8E4M3FN is not supported"):
        tw.compile(text.replace("OUT", small))
