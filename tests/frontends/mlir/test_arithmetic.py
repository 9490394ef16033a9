"""Arithmetic of MLIR that other tests do not name, with edges of its types, against integers of any size and NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import tilewright as tw

Oracle = Callable[[Any, Any], Any]
LEAST, MOST = -(2**31), 2**31 - 1


def natural(x: int) -> int:
    """The same bits without a sign."""
    return x % 2**32


INTEGERS: Final[dict[str, Oracle]] = {
    "arith.ceildivui": lambda x, y: -(-natural(x) // natural(y)),
    "arith.minui": lambda x, y: min(natural(x), natural(y)),
    "arith.shrsi": lambda x, y: x >> (y % 32),
    "math.absi": lambda x, _: abs(x),
}
FLOATS: Final[dict[str, Oracle]] = {
    "arith.maxnumf": np.fmax,
    "arith.minimumf": np.minimum,
    "arith.remf": np.fmod,
}
OF_ONE: Final = ("math.absi", "arith.fptoui")


def program(name: str, taken: str, made: str) -> str:
    """%z[i] := the operation of %x[i], and of %y[i] where it has two operands."""
    of_x, of_z = f"memref<?x{taken}>", f"memref<?x{made}>"
    operands = "%a" if name in OF_ONE else "%a, %b"
    types = made if taken == made else f"{taken} to {made}"
    return f"""func.func @f(%x: {of_x}, %y: {of_x}, %z: {of_z}) {{
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : {of_x}
  affine.for %i = 0 to %n {{
    %a = affine.load %x[%i] : {of_x}
    %b = affine.load %y[%i] : {of_x}
    %r = {name} {operands} : {types}
    affine.store %r, %z[%i] : {of_z}
  }}
  return
}}"""


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name: str, target: str, rng: np.random.Generator) -> None:
    edges = [LEAST, LEAST + 1, -7, -1, 1, 2, 31, MOST]
    x, y = (np.concatenate([np.repeat(edges, 8), rng.integers(LEAST, MOST, 99)]).astype(np.int32) for _ in range(2))
    y = np.concatenate([np.tile(edges, 8), y[64:]]).astype(np.int32)
    if name == "arith.shrsi":
        y %= 32  # further is poison
    y[y == 0] = 3
    z = np.zeros_like(x)
    tw.compile(program(name, "i32", "i32"), target=target).f[1](x, y, z)
    wanted = [INTEGERS[name](int(a), int(b)) for a, b in zip(x, y, strict=True)]
    assert z.tolist() == [(value + 2**31) % 2**32 - 2**31 for value in wanted]


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_floats(name: str, type_: str, target: str, rng: np.random.Generator) -> None:
    dtype = {"f32": np.float32, "f64": np.float64}[type_]
    edges = [-math.inf, -2.5, -0.0, 0.0, 1.0, 3.75, math.inf, math.nan]
    x = np.concatenate([np.repeat(edges, 8), rng.standard_normal(40) * 9]).astype(dtype)
    y = np.concatenate([np.tile(edges, 8), rng.standard_normal(40)]).astype(dtype)
    z = np.zeros_like(x)
    tw.compile(program(name, type_, type_), target=target).f[1](x, y, z)
    with np.errstate(invalid="ignore"):
        wanted = FLOATS[name](x, y)
    np.testing.assert_array_equal(z, wanted)


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_floats_as_numbers_without_a_sign(target: str) -> None:
    """`arith.fptoui`: what lies between is cut off."""
    x = np.array([0.0, -0.5, 0.99, 2.5, 2.0**31, 2.0**32 - 256], np.float32)
    z = np.zeros(len(x), np.int32)
    tw.compile(program("arith.fptoui", "f32", "i32"), target=target).f[1](x, x, z)
    assert z.view(np.uint32).tolist() == [0, 0, 0, 2, 2**31, 2**32 - 256]
