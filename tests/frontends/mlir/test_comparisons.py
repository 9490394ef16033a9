"""Every relation of `arith.cmpf` and `arith.cmpi`, with NaN and numbers of either sign, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.dialects.mlir.arith import FLOAT_PREDICATES, INTEGER_PREDICATES

RELATIONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
}


def _program(operation: str, predicates: tuple[str, ...], type_: str, count: int) -> str:
    lines: list[str] = []
    for row, predicate in enumerate(predicates):
        lines += [
            f"    %p{row} = arith.{operation} {predicate}, %x, %y : {type_}",
            f"    %q{row} = arith.extui %p{row} : i1 to i8",
            f"    affine.store %q{row}, %Z[{row}, %i] : memref<{len(predicates)}x{count}xi8>",
        ]
    vector = f"memref<{count}x{type_}>"
    return "\n".join(
        [
            f"func.func @f(%X: {vector}, %Y: {vector}, %Z: memref<{len(predicates)}x{count}xi8>) {{",
            f"  affine.for %i = 0 to {count} {{",
            f"    %x = affine.load %X[%i] : {vector}",
            f"    %y = affine.load %Y[%i] : {vector}",
            *lines,
            "  }",
            "  return",
            "}",
        ]
    )


def _float_relation(predicate: str, x: Any, y: Any) -> Any:
    unordered = np.isnan(x) | np.isnan(y)
    match predicate:
        case "true" | "false":
            return np.full(x.shape, predicate == "true")
        case "ord":
            return ~unordered
        case "uno":
            return unordered
        case _:
            found = RELATIONS[predicate[1:]](x, y)
            return found | unordered if predicate[0] == "u" else found & ~unordered


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_floats(target: str) -> None:
    numbers = np.array([np.nan, -1.0, -0.0, 0.0, 2.5, np.inf], np.float32)
    x, y = (grid.ravel() for grid in np.meshgrid(numbers, numbers))
    z = np.zeros((len(FLOAT_PREDICATES), len(x)), np.int8)
    tw.compile(_program("cmpf", FLOAT_PREDICATES, "f32", len(x)), target=target).f[1](x, y, z)
    assert np.array_equal(z, [_float_relation(p, x, y) for p in FLOAT_PREDICATES])


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_integers(target: str) -> None:
    numbers = np.array([-(2**31), -7, -1, 0, 1, 2**31 - 1], np.int32)
    x, y = (grid.ravel() for grid in np.meshgrid(numbers, numbers))
    z = np.zeros((len(INTEGER_PREDICATES), len(x)), np.int8)
    tw.compile(_program("cmpi", INTEGER_PREDICATES, "i32", len(x)), target=target).f[1](x, y, z)
    expected = [
        RELATIONS[p[-2:]](*((x.view(np.uint32), y.view(np.uint32)) if p[0] == "u" else (x, y)))
        for p in INTEGER_PREDICATES
    ]
    assert np.array_equal(z, expected)
