"""Loops that count several others at once are taken apart, so that products in them are found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from effort import Ran, count
from frontends.mlir.forms import PRINTED, parts_of
from tilewright.compiler import read_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects import scf
from tilewright.interpreter import interpret
from tilewright.transforms.infer_work_group import InferWorkGroup
from tilewright.transforms.raise_contractions import RaiseContractions
from transforms.raise_contractions.test_delinearisation import lowered
from transforms.support import names, run

PRODUCTS = {"matmul", "matmul_dynamic", "matmul_i8", "matmul_f16", "generic_product", "transposed"}
COALESCED = [p for p in PRINTED if parts_of(p)[1] == "coalesced" and parts_of(p)[0] in PRODUCTS]


@pytest.mark.parametrize("path", COALESCED, ids=lambda p: p.stem)
def test_products_of_the_stock_tool(path: Path) -> None:
    """Their results are compared with NumPy's where all forms of the corpus are."""
    module = lowered(path.read_text())
    run(module, RaiseContractions())
    assert names(module)["tl.gemm"] >= 1
    assert names(module)["arith.floor_div"] == 0


def nest(extents: tuple[int, ...], beside: str = "") -> str:
    """Loops over a matrix that count it at once, as quotients of quotients."""
    total = int(np.prod(extents))
    m, n, k = extents
    return f"""
func.func @f(%A: memref<{m}x{k}xi32>, %B: memref<{k}x{n}xi32>, %C: memref<{m}x{n}xi32>, %D: memref<{total}xindex>) {{
  affine.for %i = 0 to {total} {{
    %q = affine.apply affine_map<(d0) -> (d0 mod {k})>(%i)
    %t = affine.apply affine_map<(d0) -> (d0 floordiv {k})>(%i)
    %y = affine.apply affine_map<(d0) -> (d0 mod {n})>(%t)
    %x = affine.apply affine_map<(d0) -> (d0 floordiv {n})>(%t)
    %a = affine.load %A[%x, %q] : memref<{m}x{k}xi32>
    %b = affine.load %B[%q, %y] : memref<{k}x{n}xi32>
    %c = affine.load %C[%x, %y] : memref<{m}x{n}xi32>
    %p = arith.muli %a, %b : i32
    %s = arith.addi %c, %p : i32
    affine.store %s, %C[%x, %y] : memref<{m}x{n}xi32>
    {beside}
  }}
  return
}}
"""


def test_any_extents(rng: np.random.Generator, ran: Ran) -> None:
    total = count("RANDOM_COALESCED_LOOPS", 5, 300)
    for _ in range(total):
        m, n, k = (int(e) for e in rng.integers(2, 9, 3))
        beside = f"affine.store %i, %D[%i] : memref<{m * n * k}xindex>" if rng.integers(2) else ""
        module = lowered(nest((m, n, k), beside))
        run(module, RaiseContractions())
        assert names(module)["tl.gemm"] == 1
        a, b, c = (rng.integers(-9, 9, s).astype(np.int32) for s in ((m, k), (k, n), (m, n)))
        d = np.zeros(m * n * k, np.int64)
        expected = c + a @ b
        interpret(module.kernels[0], [a.T, b.T, c.T, d])
        assert np.array_equal(c, expected)
        assert not beside or np.array_equal(d, np.arange(m * n * k))
    ran(total, "loops that count several others")


def test_what_does_not_divide_stays() -> None:
    text = nest((4, 5, 6)).replace("0 to 120", "0 to 119")
    module = lowered(text)
    run(module, RaiseContractions())
    assert names(module)["tl.gemm"] == 0


@pytest.mark.parametrize("counter", ["i8", "i32"])
def test_loops_that_count_in_other_types(counter: str, rng: np.random.Generator) -> None:
    """The new loops count in the type of the old one."""
    text = f"""func @k(%A: memref<i32x12x8>, %C: memref<i32x12>) {{
  %z = constant 0 : {counter}
  %n = constant 96 : {counter}
  %c = constant 12 : {counter}
  for %i=%z,%n {{
    %x = div %i, %c : {counter}
    %y = rem %i, %c : {counter}
    %xx = cast %x : index
    %yy = cast %y : index
    %a = load %A[%yy, %xx] : i32
    %s = load %C[%yy] : i32
    %t = add %s, %a : i32
    store %t, %C[%yy]
  }}
}}"""
    module = read_module(Source("k.tl", text), Report())
    run(module, InferWorkGroup(), RaiseContractions())
    loops = [op for op in module.walk() if isinstance(op, scf.For)]
    assert names(module)["arith.div"] == names(module)["arith.rem"] == 0
    assert all(str(loop.index.type) == counter for loop in loops)
    a, c = np.asfortranarray(rng.integers(-9, 9, (12, 8)), np.int32), np.zeros(12, np.int32)
    interpret(module.kernels[0], [a, c])
    assert np.array_equal(c, a.sum(axis=1))
