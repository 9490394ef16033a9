"""Named products of linalg against `numpy.einsum`, and the bodies that follow from their types."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import pytest

import tilewright as tw
from frontends.mlir.reading import reprinted

PRODUCTS: Final = {
    "matmul": "mk,kn->mn",
    "matmul_transpose_a": "km,kn->mn",
    "matmul_transpose_b": "mk,nk->mn",
    "batch_matmul": "bmk,bkn->bmn",
    "batch_matmul_transpose_a": "bkm,bkn->bmn",
    "batch_matmul_transpose_b": "bmk,bnk->bmn",
    "batch_reduce_matmul": "bmk,bkn->mn",
    "matvec": "mk,k->m",
    "vecmat": "k,kn->n",
    "batch_matvec": "bmk,bk->bm",
    "batch_vecmat": "bk,bkn->bn",
    "dot": "k,k->",
}
EXTENTS: Final = {"b": 2, "m": 3, "n": 5, "k": 4}
BODIES: Final = [
    ("f32", "f32", "f32", "mulf addf"),
    ("f16", "f16", "f32", "extf extf mulf addf"),
    ("f64", "f32", "f32", "truncf mulf addf"),
    ("f32", "f32", "f16", "truncf truncf mulf addf"),
    ("i8", "i8", "i32", "extsi extsi muli addi"),
    ("i64", "i32", "i32", "trunci muli addi"),
    ("f32", "i32", "i32", "fptosi muli addi"),
    ("i32", "f32", "f32", "sitofp mulf addf"),
    ("index", "i64", "i64", "index_cast muli addi"),
    ("i1", "i1", "i1", "andi ori"),
]
UNSIGNED: Final = {"extsi": "extui", "fptosi": "fptoui", "sitofp": "uitofp", "index_cast": "index_castui"}


def memref(letters: str, element: str) -> str:
    return f"memref<{''.join(f'{EXTENTS[c]}x' for c in letters)}{element}>"


def program(name: str, elements: tuple[str, str, str], attributes: str = "") -> str:
    types = [memref(c, e) for c, e in zip(re.split(",|->", PRODUCTS[name]), elements, strict=True)]
    parameters = ", ".join(f"%{x}: {t}" for x, t in zip("abc", types, strict=True))
    operands = f"ins(%a, %b : {types[0]}, {types[1]}) outs(%c : {types[2]})"
    return f"func.func @f({parameters}) {{\n  linalg.{name} {attributes} {operands}\n  return\n}}\n"


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name: str, target: str, rng: np.random.Generator) -> None:
    shapes = [tuple(EXTENTS[c] for c in letters) for letters in re.split(",|->", PRODUCTS[name])]
    a, b, c = (rng.integers(-9, 9, shape, np.int32) for shape in shapes)
    expected = c + np.einsum(PRODUCTS[name], a, b)
    found = np.array(c)
    tw.compile(program(name, ("i32", "i32", "i32")), target=target).f[1](a, b, found)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("a", "b", "c", "body"), BODIES)
def test_factors_are_converted_to_the_type_of_the_result(a: str, b: str, c: str, body: str) -> None:
    def operations(attributes: str) -> list[str]:
        return re.findall(r'"arith\.(\w+)"', reprinted(program("matmul", (a, b, c), attributes)))

    assert operations("") == body.split()
    unsigned = [UNSIGNED.get(word, word) for word in body.split()]
    assert operations("{cast = #linalg.type_fn<cast_unsigned>}") == unsigned


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_both_bounds_of_a_parallel_loop_take_operands_of_their_own(target: str) -> None:
    text = """func.func @f(%y: memref<20xi32>, %from: index, %to: index, %n: i32) {
  affine.parallel (%i) = (%from + 1) to (%to - 2) {
    affine.store %n, %y[%i] : memref<20xi32>
  }
  return
}
"""
    y = np.zeros(20, np.int32)
    tw.compile(text, target=target).f[1](y, 4, 17, np.int32(3))
    assert y.tolist() == [3 if 5 <= k < 15 else 0 for k in range(20)]


@pytest.mark.parametrize("name", ["matmul", "matmul_transpose_a", "matmul_transpose_b"])
def test_products_of_a_matrix_with_itself(name: str, rng: np.random.Generator) -> None:
    """Both factors are one value; which of them comes first is told by their places."""
    type_ = "memref<5x5xf32>"
    text = f"""func.func @f(%A: {type_}, %C: {type_}) {{
      linalg.{name} ins(%A, %A : {type_}, {type_}) outs(%C : {type_})
      return
    }}"""
    a = rng.integers(-3, 4, (5, 5)).astype(np.float32)
    left, right = (a.T if name.endswith(end) else a for end in ("_a", "_b"))
    for target in ("interpreter", "cpu"):
        c = np.zeros((5, 5), np.float32)
        tw.compile(text, target=target, cache=False).f[1](a, c)
        np.testing.assert_array_equal(c, np.einsum("ij,jk->ik", left, right), err_msg=target)
