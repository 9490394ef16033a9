"""Elementwise arithmetic of every type in SPMD code, with edge values; casts; elementary functions."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from generators.element_types import SCALARS

from .case import Array, Case, Launch, kernel, poisoned, random_array

COUNT = 256
INT_OPS = ("add", "sub", "mul", "div", "rem", "max", "min", "shl", "shr", "and", "or", "xor")
FLOAT_OPS = ("add", "sub", "mul", "div", "rem", "max", "min")
COMPLEX_OPS = ("add", "sub", "mul", "div")
MATH = ("exp", "exp2", "log", "log2", "sin", "cos")


def _each(body: str) -> str:
    return f"""
    team.spmd {{
      %lane = team.subgroup_local_id -> i32
      %sg = team.subgroup_linear_id -> i32
      %sz = arith.constant {{value = 32}} -> i32
      %base = arith.mul %sg, %sz -> i32
      %id32 = arith.add %base, %lane -> i32
      %id = arith.cast %id32 -> index
{body}
    }}"""


def _stores(dtypes: list[str]) -> list[str]:
    return [f"memref.store %o{k}, %O{k}, %id" for k in range(len(dtypes))]


def _case(name: str, inputs: list[str], lines: list[str], outputs: list[str], prepare: Any) -> Case:
    parameters = [f"%I{k}: memref<{d}x{COUNT}>" for k, d in enumerate(inputs)]
    parameters += [f"%O{k}: memref<{d}x{COUNT}>" for k, d in enumerate(outputs)]
    loads = [f"%i{k} = memref.load %I{k}, %id -> {d}" for k, d in enumerate(inputs)]
    body = _each("\n".join([*loads, *lines, *_stores(outputs)]))
    return Case(name, kernel(", ".join(parameters), body, 32, (COUNT, 1)), prepare)


def edges(rng: np.random.Generator, dtype: str, seed: int) -> Array:
    """Random numbers mixed with the values where arithmetic goes wrong."""
    target = SCALARS[dtype]
    numbers = random_array(rng, dtype, COUNT)
    if target.kind == "i":
        info = np.iinfo(target)
        special = np.array([0, 1, -1, info.min, info.max, 2, 7, info.min + 1], target)
    else:
        special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 3.5], np.float64).astype(target)
    # All pairs of special values meet: the first operand repeats them slowly, the second quickly.
    pattern = np.repeat(special, len(special)) if seed == 0 else np.tile(special, len(special))
    numbers[: len(pattern)] = pattern
    return numbers


def _total_division(x: Array, y: Array) -> tuple[Array, Array]:
    """Truncating quotient and remainder: 0 and x for a zero divisor, MIN / -1 = MIN."""
    info = np.iinfo(x.dtype)
    quotient, remainder = np.zeros_like(x), x.copy()
    for k, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        if b != 0:
            q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            quotient[k] = info.min if q > info.max else q
            remainder[k] = a - q * b
    return quotient, remainder


def integer_arithmetic(dtype: str) -> Case:
    lines = [f"%o{k} = arith.{op} %i0, %i1 -> {dtype}" for k, op in enumerate(INT_OPS)]

    def prepare(rng: np.random.Generator) -> Launch:
        x, y = edges(rng, dtype, 0), edges(rng, dtype, 1)
        bits = x.dtype.itemsize * 8
        quotient, remainder = _total_division(x, y)
        amount = y & x.dtype.type(bits - 1)
        with np.errstate(all="ignore"):
            results = [x + y, x - y, x * y, quotient, remainder, np.maximum(x, y), np.minimum(x, y)]
            results += [x << amount, x >> amount, x & y, x | y, x ^ y]
        outputs = [poisoned(dtype, COUNT) for _ in results]
        return Launch([x, y, *outputs], {k + 2: r for k, r in enumerate(results)})

    return _case(f"integers-{dtype}", [dtype] * 2, lines, [dtype] * len(INT_OPS), prepare)


def float_arithmetic(dtype: str) -> Case:
    lines = [f"%o{k} = arith.{op} %i0, %i1 -> {dtype}" for k, op in enumerate(FLOAT_OPS)]

    def prepare(rng: np.random.Generator) -> Launch:
        x, y = edges(rng, dtype, 0), edges(rng, dtype, 1)
        wide = np.float64 if dtype == "f64" else np.float32
        a, b = x.astype(wide), y.astype(wide)
        with np.errstate(all="ignore"):
            results = [a + b, a - b, a * b, a / b, np.fmod(a, b), np.fmax(a, b), np.fmin(a, b)]
            expected = {k + 2: r.astype(x.dtype) for k, r in enumerate(results)}
        return Launch([x, y, *(poisoned(dtype, COUNT) for _ in results)], expected)

    return _case(f"floats-{dtype}", [dtype] * 2, lines, [dtype] * len(FLOAT_OPS), prepare)


def complex_arithmetic(dtype: str) -> Case:
    lines = [f"%o{k} = arith.{op} %i0, %i1 -> {dtype}" for k, op in enumerate(COMPLEX_OPS)]
    lines += [f"%o4 = math.exp %i0 -> {dtype}", f"%o5 = arith.conj %i0 -> {dtype}"]

    def prepare(rng: np.random.Generator) -> Launch:
        x, y = random_array(rng, dtype, COUNT), random_array(rng, dtype, COUNT)
        results = [x + y, x - y, x * y, x / y, np.exp(x), np.conj(x)]
        expected = {k + 2: r for k, r in enumerate(results)}
        tolerance = 4e-16 if dtype == "c64" else 2e-7
        return Launch([x, y, *(poisoned(dtype, COUNT) for _ in results)], expected, tolerance=4 * tolerance)

    return _case(f"complex-{dtype}", [dtype] * 2, lines, [dtype] * 6, prepare)


def conversions(source: str) -> Case:
    targets = ["i8", "i16", "i32", "i64", "bf16", "f16", "f32", "f64"]
    lines = [f"%o{k} = arith.cast %i0 -> {t}" for k, t in enumerate(targets)]

    def prepare(rng: np.random.Generator) -> Launch:
        x = edges(rng, source, 0)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = {k + 1: _converted(x, t) for k, t in enumerate(targets)}
        return Launch([x, *(poisoned(t, COUNT) for t in targets)], expected)

    return _case(f"casts-{source}", [source], lines, targets, prepare)


def _converted(x: Array, target: str) -> Array:
    """Reference cast: exact through float64 or Python integers, so that nothing rounds twice."""
    dtype = SCALARS[target]
    from_integer = x.dtype.kind == "i"
    if dtype.kind == "i":
        if from_integer:
            return x.astype(dtype)
        info, wide = np.iinfo(dtype), x.astype(np.float64)
        clipped = [0 if v != v else int(min(max(v, float(info.min)), float(info.max))) for v in wide.tolist()]
        return np.array([min(max(v, info.min), info.max) for v in clipped], dtype)
    if from_integer and target in ("bf16", "f16"):
        return np.array([_round_once(int(v), target) for v in x.tolist()], dtype)
    if from_integer or target == "f64":
        return x.astype(dtype)
    wide = x.astype(np.float64)
    return _rounded_to_odd(wide).astype(dtype) if target == "bf16" else wide.astype(dtype)


def _rounded_to_odd(wide: Array) -> Array:
    """Float64 values in float32, rounded so that rounding them again to a narrower type is as if once.

    ml_dtypes takes float64 to bfloat16 by way of float32 and so rounds twice. Toward zero, with a last bit that
    is odd where something was lost: Boldo and Melquiond, "When double rounding is odd" (2005).
    """
    single = wide.astype(np.float32)
    bits = single.view(np.uint32)
    bits -= (np.abs(single.astype(np.float64)) > np.abs(wide)).astype(np.uint32)
    bits |= ((single.astype(np.float64) != wide) & ~np.isnan(wide)).astype(np.uint32)
    return single


def _round_once(number: int, target: str) -> float:
    """An integer in a 16-bit float, to nearest even, by integer arithmetic."""
    digits, limit = (8, float("inf")) if target == "bf16" else (11, 65504)
    excess = max(abs(number).bit_length() - digits, 0)
    quotient, rest = divmod(abs(number), 1 << excess)
    half = (1 << excess) >> 1
    quotient += int(rest > half or (rest == half and excess > 0 and quotient & 1 == 1))
    value = float(quotient << excess)
    return np.copysign(value if value <= limit else np.inf, number)


def functions(dtype: str) -> Case:
    lines = [f"%o{k} = math.{op} %i0 -> {dtype}" for k, op in enumerate(MATH)]

    def prepare(rng: np.random.Generator) -> Launch:
        x = np.abs(edges(rng, dtype, 0)) * SCALARS[dtype].type(3)
        x[128:] *= SCALARS[dtype].type(1000.0) if dtype == "f32" else SCALARS[dtype].type(1e8)
        wide = x.astype(np.longdouble)
        with np.errstate(all="ignore"):
            results = [getattr(np, op)(wide).astype(x.dtype) for op in MATH]
        expected = {k + 1: r for k, r in enumerate(results)}
        return Launch([x, *(poisoned(dtype, COUNT) for _ in results)], expected, ulps=4)

    return _case(f"math-{dtype}", [dtype], lines, [dtype] * len(MATH), prepare)


def scalar_cases() -> list[Case]:
    """All cases of this file."""
    return [
        *(integer_arithmetic(d) for d in ("i8", "i16", "i32", "i64")),
        *(float_arithmetic(d) for d in ("bf16", "f16", "f32", "f64")),
        *(complex_arithmetic(d) for d in ("c32", "c64")),
        *(conversions(d) for d in ("i8", "i64", "bf16", "f16", "f32", "f64")),
        *(functions(d) for d in ("f32", "f64")),
    ]
