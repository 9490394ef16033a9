"""f32 on lanes: many divided by the same, exactly; exponentials by the device's unit, to the last digits."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest

from tilewright.compiler import CompileOptions, lower_module
from tilewright.diagnostics import Report
from tilewright.machine.cuda.architecture import Architecture
from tilewright.runtime.dtypes import numpy_dtype
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.targets.nvidia.target import NvidiaTarget

from .case import Array, Launch, poisoned
from .emulated import emulated
from .test_ragged import module_of

WIDTH = 1024
"""Of a tile, of which each of 128 threads holds 8."""
ULPS = 4


def quotients_text(element: str = "f32") -> str:
    """z = x / d, in f32 and then rounded to an element type."""
    parameters = f"(%x: memref<f32x{WIDTH}>, %d: f32, %z: memref<{element}x{WIDTH}>)"
    rounded = "" if element == "f32" else f"%r = arith.cast %q -> tile<{WIDTH}x{element}>"
    return f"""builtin.module {{
  builtin.kernel {{sym_name = "divide", spread = true}} {parameters} {{
    %zero = arith.constant {{value = 0}} -> index
    %v = tile.load %x, %zero -> tile<{WIDTH}xf32>
    %s = tile.splat %d -> tile<{WIDTH}xf32>
    %q = arith.div %v, %s -> tile<{WIDTH}xf32>
    {rounded}
    tile.store {"%r" if rounded else "%q"}, %z, %zero
  }}
}}"""


def function_text(name: str, least: float | None = None) -> str:
    """z = f(x), or of the larger one of x and a number."""
    limited = f"""%l = arith.constant {{value = {least}}} -> tile<{WIDTH}xf32>
    %v = arith.maximum %x0, %l -> tile<{WIDTH}xf32>"""
    return f"""builtin.module {{
  builtin.kernel {{sym_name = "apply", spread = true}} (%x: memref<f32x{WIDTH}>, %z: memref<f32x{WIDTH}>) {{
    %zero = arith.constant {{value = 0}} -> index
    {"%v" if least is None else "%x0"} = tile.load %x, %zero -> tile<{WIDTH}xf32>
    {"" if least is None else limited}
    %q = math.{name} %v -> tile<{WIDTH}xf32>
    tile.store %q, %z, %zero
  }}
}}"""


def beside_midpoints(divisor: np.float32) -> list[int]:
    """Dividends of 24 digits whose quotients are as near as can be to the middle between two neighbours.

    With S the digits of the divisor and M an odd number of 25, `2^k X = S M + j` for small odd j.
    """
    digits = int(np.ldexp(np.frexp(divisor)[0], 24))
    digits //= digits & -digits
    found: list[int] = []
    for power, j in product((24, 25), (-5, -3, -1, 1, 3, 5)):
        middle = -j * pow(digits, -1, 1 << power) % (1 << power)
        middle |= 1 << 24
        found.append((digits * middle + j) >> power)
    return [x for x in found if 0 < x < 1 << 24]


def dividends(rng: np.random.Generator, divisor: np.float32) -> Array:
    """By threads: of one size, of all sizes, zeros of both signs, subnormals, what is none, one odd among many, those
    that are hard to divide."""
    x = rng.normal(size=(WIDTH // 8, 8)).astype(np.float32)
    x[16:32] = rng.integers(0, 1 << 32, (16, 8), dtype=np.uint32).view(np.float32)
    x[32:40, ::2] = 0.0
    x[40:48, ::2] = -0.0
    x[48:56] *= np.float32(2.0**-140)
    x[56:64, 3] = [np.inf, -np.inf, np.nan, 2.0**-149, 2.0**-100, 2.0**-101, 3e38, -3e38]
    x[64:72] *= np.exp2(rng.integers(-100, 100, (8, 8))).astype(np.float32)
    x[72:76] = np.resize(beside_midpoints(divisor), (4, 8)) if np.isfinite(divisor) and divisor > 0 else x[72:76]
    return x.reshape(-1)


DIVISORS = (1.0, 3.0, -3.0, 1 / 3, 0.1, 65521.0, 2.0**24, 2.0**25, 2.0**-24, 2.0**-25, 1e-38, 1e-42, 3e38, 0.0, -0.0)
SPECIAL = (np.inf, -np.inf, np.nan)
ALMOST = (0xFFFFFF, 0xFFFFFD, 0xFFFFFB)
"""Divisors of whose reciprocals one step of Newton may leave the last digit wrong."""


@pytest.mark.parametrize("element", ["f32", "f16", "bf16"])
def test_quotients_are_exact(element: str, rng: np.random.Generator) -> None:
    module = module_of(quotients_text(element))
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), Report())
    text, _ = emit_llvm(module, Architecture.SM_80)
    assert text.count("rcp.approx.ftz.f(") == 2, "declared, and used once for all registers"
    assert ("i32 @llvm.umin.i32(i32 %" in text) is (element != "f16"), "tiny ones matter, but not to f16"
    program = emulated(module)
    bits = np.int32 if element == "f32" else np.int16
    for divisor in (*DIVISORS, *ALMOST, *SPECIAL, *np.exp2(rng.uniform(-30, 30, 8))):
        d = np.float32(divisor)
        x = dividends(rng, d)
        with np.errstate(all="ignore"):
            expected = (x / d).astype(numpy_dtype(element))
        found = program.run(Launch([x, d, poisoned(element, WIDTH)], {2: expected}))[2]
        assert isinstance(found, np.ndarray)
        wrong = ~((found.view(bits) == expected.view(bits)) | (np.isnan(found) & np.isnan(expected)))
        assert not wrong.any(), f"{x[wrong][:3]} / {d}: {found[wrong][:3]}, not {expected[wrong][:3]}"


@pytest.mark.parametrize(("divisor", "reciprocals"), [(8.0, 0), (3.0, 2)])
def test_known_powers_of_two_are_left_to_llvm(divisor: float, reciprocals: int) -> None:
    known = f"%s = arith.constant {{value = {divisor}}} -> tile<{WIDTH}xf32>"
    module = module_of(quotients_text().replace(f"%s = tile.splat %d -> tile<{WIDTH}xf32>", known))
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), Report())
    text, _ = emit_llvm(module, Architecture.SM_80)
    assert text.count("rcp.approx.ftz.f(") == reciprocals


@pytest.mark.parametrize("name", ["exp", "exp2"])
def test_exponentials_by_the_unit(name: str, rng: np.random.Generator) -> None:
    module = module_of(function_text(name))
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), Report())
    text, _ = emit_llvm(module, Architecture.SM_80)
    assert len(re.findall(r"call float @llvm.nvvm.ex2.approx.ftz.f", text)) == 8, "one for each register, in place"
    program = emulated(module)
    edges = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        1e30,
        -1e30,
        88.7,
        88.8,
        -87.4,
        -103.9,
        -104.1,
        127.99,
        128,
        -149,
        -151,
    ]
    for limit in (1.0, 110.0, 160.0):
        x = rng.uniform(-limit, limit, WIDTH).astype(np.float32)
        x[: len(edges)] = edges
        with np.errstate(all="ignore"):
            exact = getattr(np, name)(x.astype(np.float64))
            expected = exact.astype(np.float32)
        found = program.run(Launch([x, poisoned("f32", WIDTH)], {1: expected}))[1]
        assert isinstance(found, np.ndarray)
        finite = np.isfinite(expected)
        assert np.array_equal(found[~finite], expected[~finite], equal_nan=True)
        errors = np.abs(found[finite].astype(np.float64) - exact[finite]) / np.spacing(np.abs(expected[finite]))
        assert errors.max() <= ULPS


@pytest.mark.parametrize(("least", "steps"), [(-126.0, 0), (-126.5, 8)])
def test_powers_that_are_no_subnormal_numbers_are_those_of_the_unit(least: float, steps: int) -> None:
    module = module_of(function_text("exp2", least))
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), Report())
    text, _ = emit_llvm(module, Architecture.SM_80)
    assert len(re.findall(r"call float @llvm.nvvm.ex2.approx.ftz.f", text)) == 8
    assert text.count("call float @llvm.nvvm.saturate.f") == steps
    program = emulated(module)
    x = np.linspace(-200, 127, WIDTH, dtype=np.float32)
    expected = np.exp2(np.maximum(x, np.float32(least)).astype(np.float64)).astype(np.float32)
    found = program.run(Launch([x, poisoned("f32", WIDTH)], {1: expected}))[1]
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2.0**-21)


@pytest.mark.parametrize(("asked", "steps", "flushes"), [("%v", 0, 0), ("%p", 8, 8), ("%f", 0, 8)])
def test_what_the_unit_computes_in_one_step_has_no_other_code(asked: str, steps: int, flushes: int) -> None:
    """Flushed powers of what is flushed; what of it is asked for besides is computed, and what that takes."""
    type_, text = f"tile<{WIDTH}xf32>", function_text("exp2")
    power = f"%q = math.exp2 %v -> {type_}"
    assert power in text
    steps_of = [f"%f = arith.flush %v -> {type_}", f"%p = math.exp2 %f -> {type_}", f"%g = arith.flush %p -> {type_}"]
    flushed = "\n".join([*steps_of, f"%q = arith.add %g, {asked} -> {type_}"])
    module = module_of(text.replace(power, flushed))
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), Report())
    llvm, _ = emit_llvm(module, Architecture.SM_80)
    assert llvm.count("@llvm.nvvm.saturate.f(float %") == steps
    assert llvm.count("@llvm.fabs.f32(float %") == flushes
