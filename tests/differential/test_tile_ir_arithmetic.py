"""Tile IR on the CPU: arithmetic against NumPy."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from generators.fused import fused, hard_sums

from .tile_ir_kernels import (
    POINTERS,
    POSITIONS,
    Array,
    Launch,
    load,
    params,
    pointers,
    run,
    run_all,
    store,
    text_of,
    through,
)

INTEGER_OPS: dict[str, Callable[[Array, Array], Array]] = {
    "shri {} unsigned": lambda a, b: a >> (b & 7),
    "maxi {} unsigned": np.maximum,
    "mini {} unsigned": np.minimum,
    "divi {} unsigned": lambda a, b: a // b,
    "divi {} unsigned rounding<positive_inf>": lambda a, b: a // b + (a % b != 0),
    "remi {} unsigned": lambda a, b: a % b,
    "mulhii {}": lambda a, b: (
        (
            a.astype(object) * b.astype(object) >> (8 * a.dtype.itemsize)  # type: ignore[operator]
        ).astype(a.dtype)
    ),
}


def binary(form: str, element: str, x: Array, y: Array) -> Launch:
    """An operation on the elements of two arrays; the output is poisoned."""
    body = (
        POSITIONS + "".join(pointers(a, element) for a in ("x", "y", "out")) + load("x", element) + load("y", element)
    )
    body += f"%r = {form.format('%xv, %yv')} : tile<64x{element}>\n" + store("out", "r", element)
    out = np.full(len(x), -86, x.dtype)
    return Launch(body, params(element, element, element), (-(-len(x) // 64),), (len(x), x, y, out))


def unsigned_operands(bits: int, shifts: bool, rng: np.random.Generator) -> tuple[Array, Array]:
    n, dtype = 128, np.dtype(f"u{bits // 8}")
    x = rng.integers(0, 1 << bits, n, dtype=dtype) if bits < 64 else rng.integers(0, 1 << 63, n, dtype=dtype) * 2 + 1
    y = rng.integers(1, 1 << bits, n, dtype=dtype) if bits < 64 else rng.integers(1, 1 << 63, n, dtype=dtype)
    y[::3] = np.maximum(y[::3] >> np.array(bits // 2, dtype), np.array(1, dtype))
    y[::5] = rng.integers(1, 8, len(y[::5]))
    return x, y & np.array(7, dtype) if shifts else y


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_unsigned_arithmetic(bits: int, rng: np.random.Generator) -> None:
    signed = np.dtype(f"i{bits // 8}")
    operands = [unsigned_operands(bits, "shri" in form, rng) for form in INTEGER_OPS]
    launches = [
        binary(form, f"i{bits}", x.view(signed), y.view(signed))
        for form, (x, y) in zip(INTEGER_OPS, operands, strict=True)
    ]
    run_all(launches)
    for (form, meaning), (x, y), launch in zip(INTEGER_OPS.items(), operands, launches, strict=True):
        np.testing.assert_array_equal(launch.output.view(x.dtype), meaning(x, y), form)


ROUNDED: dict[str, Callable[[Array], Array]] = {
    "divi {} signed rounding<negative_inf>": np.floor,
    "divi {} signed rounding<positive_inf>": np.ceil,
    "divi {} signed": np.trunc,
}


def test_signed_division(rng: np.random.Generator) -> None:
    x, y = rng.integers(-1000, 1000, 64, np.int32), rng.integers(1, 30, 64, np.int32)
    y[::2] *= -1
    launches = [binary(form, "i32", x, y) for form in ROUNDED]
    run_all(launches)
    for (form, meaning), launch in zip(ROUNDED.items(), launches, strict=True):
        np.testing.assert_array_equal(launch.output, meaning(x / y).astype(np.int32), form)


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
def test_fma_rounds_once(element: str, rng: np.random.Generator) -> None:
    """On the CPU and in the interpreter."""
    dtype = np.dtype(ml_dtypes.bfloat16 if element == "bf16" else f"f{int(element[1:]) // 8}")
    rows = hard_sums(element, rng, 500)
    x, y, z = (v.astype(dtype) for v in rows)
    body = POSITIONS + "".join(pointers(a, element) for a in ("x", "y", "z", "out"))
    body += "".join(load(a, element) for a in "xyz")
    body += f"%r = fma %xv, %yv, %zv : tile<64x{element}>\n" + store("out", "r", element)
    wanted = np.array([fused(element, *row) for row in zip(*(v.tolist() for v in rows), strict=True)])
    text, grid = text_of(body, params(*[element] * 4)), -(-len(x) // 64)
    programs = [tw.compile(text, level=level, cache=False) for level in (0, 2)]
    for one in (*programs, tw.compile(text, target="interpreter")):
        found = np.full(len(x), 7, dtype)
        one.k[grid](len(x), x, y, z, found)
        np.testing.assert_array_equal(found.astype(np.float64), wanted)


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "sqrt": np.sqrt,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    "ceil": np.ceil,
    "floor": np.floor,
    "log2": np.log2,
    "exp": np.exp,
}


def test_functions(rng: np.random.Generator) -> None:
    """All in one kernel: their sum."""
    x, out = (4 * rng.random(64)).astype(np.float32), np.full(64, np.nan, np.float32)
    body = "".join(f"%r{k} = {name} %a : tile<64xf32>\n" for k, name in enumerate(FUNCTIONS))
    body += "%t0 = addf %r0, %r1 : tile<64xf32>\n"
    body += "".join(f"%t{k} = addf %t{k - 1}, %r{k + 1} : tile<64xf32>\n" for k in range(1, len(FUNCTIONS) - 1))
    body += f"%r = addf %t{len(FUNCTIONS) - 2}, %a rounding<zero> : tile<64xf32>\n"
    run(through(body, (64,), (64,)), POINTERS, 1, x, out)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(out, sum(f(wide) for f in FUNCTIONS.values()) + wide, rtol=2e-6)
