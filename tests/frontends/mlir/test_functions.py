"""Functions of math that are formed of others, against Python's."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import tilewright as tw

FUNCTIONS: dict[str, tuple[Callable[[float], float], float]] = {
    "erf": (math.erf, 2),
    "log10": (math.log10, 4),
    "log1p": (math.log1p, 4),
    "expm1": (math.expm1, 4),
    "trunc": (lambda x: float(np.trunc(x)), 0),
    "round": (lambda x: float(math.copysign(math.floor(abs(x) + 0.5), x)) if abs(x) < 1e15 else x, 0),
    "roundeven": (lambda x: float(np.rint(x)), 0),
}
"""With units in the last place that f64 may be off."""
SPECIAL = {
    "erf": [(math.inf, 1.0), (-math.inf, -1.0), (math.nan, math.nan), (-0.0, -0.0), (7.0, 1.0)],
    "log10": [(0.0, -math.inf), (-1.0, math.nan), (math.inf, math.inf), (math.nan, math.nan)],
    "log1p": [(-1.0, -math.inf), (math.inf, math.inf), (-0.0, -0.0), (1e-300, 1e-300), (math.nan, math.nan)],
    "expm1": [(-math.inf, -1.0), (math.inf, math.inf), (-0.0, -0.0), (1e-300, 1e-300), (800.0, math.inf)],
    "trunc": [(-0.0, -0.0), (-0.5, -0.0), (math.inf, math.inf), (-1e300, -1e300), (math.nan, math.nan)],
    "round": [(-0.0, -0.0), (-0.4, -0.0), (0.49999999999999994, 0.0), (2.5, 3.0), (-2.5, -3.0), (math.inf, math.inf)],
    "roundeven": [(-0.0, -0.0), (-0.5, -0.0), (2.5, 2.0), (3.5, 4.0), (2.0**52 + 1, 2.0**52 + 1), (math.nan, math.nan)],
}


def computed(name: str, x: np.ndarray[tuple[int], np.dtype[np.float64]], element: str, target: str) -> list[float]:
    text = f"""func.func @f(%A: memref<?x{element}>, %B: memref<?x{element}>) {{
      linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
          ins(%A : memref<?x{element}>) outs(%B : memref<?x{element}>) {{
        ^bb0(%a: {element}, %b: {element}):
          %y = math.{name} %a : {element}
          linalg.yield %y : {element}
      }}
      return
    }}"""
    given = x.astype({"f32": np.float32, "f64": np.float64}[element])
    found = np.zeros_like(given)
    tw.compile(text, target=target, cache=False).f[1](given, found)
    return [float(value) for value in found]


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_those_of_python(name: str, target: str, rng: np.random.Generator) -> None:
    function, allowed = FUNCTIONS[name]
    x = np.concatenate([rng.uniform(-7, 7, 200), rng.uniform(-1, 1, 100) * 10.0 ** rng.integers(-12, 0, 100)])
    if name.startswith("log"):
        x = np.abs(x)
    for value, found in zip(x.tolist(), computed(name, x, "f64", target), strict=True):
        wanted = function(value)
        assert abs(found - wanted) <= allowed * math.ulp(wanted), (value, found, wanted)
    for value, found in zip(x.astype(np.float32).tolist(), computed(name, x, "f32", target), strict=True):
        assert abs(found - function(value)) <= 1.5 * float(np.spacing(np.float32(abs(function(value))))), (value, found)


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
@pytest.mark.parametrize("name", SPECIAL)
def test_special_numbers(name: str, target: str) -> None:
    pairs = SPECIAL[name]
    x = np.array([x for x, _ in pairs])
    found = computed(name, x, "f64", target)
    if name in ("erf", "log1p", "expm1"):
        # formed otherwise in f32, where 1e-300 is zero
        pairs = [*pairs, *((x, float(np.float32(wanted))) for x, wanted in pairs)]
        found += computed(name, x, "f32", target)
    for (x, wanted), value in zip(pairs, found, strict=True):
        assert math.isnan(value) if math.isnan(wanted) else value == wanted, (x, value)
        assert math.isnan(wanted) or math.copysign(1, value) == math.copysign(1, wanted), (x, value)
