"""Data of the cases: random operands, poisoned memory for results, literals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from differential.tile_ir_cases.case import BITS, INTEGERS, Shaped, in_memory

Array = NDArray[Any]


_DTYPES: Final[dict[str, Any]] = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f16": np.float16,
    "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64, "tf32": np.float32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f8E5M3FNU": np.int8,
}  # fmt: skip


def blank(type_: Shaped) -> Array:
    """Poisoned memory for a result."""
    flat = in_memory(type_)
    dtype = np.dtype(_DTYPES[flat.element])
    poison = np.uint8(1 if flat.element == "i1" else 0xA5)
    return np.full(flat.shape[0] * dtype.itemsize, poison, np.uint8).view(dtype)


_SPECIAL: Final = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-3, 65504.0, -448.0)
_RANGES: Final = {
    "range": (-100, 100),
    "byte": (0, 100),
    "positive": (0.01, 50),
}
_ODD: Final = (np.inf, -np.inf, np.nan, 1e-40, -1e-45, 3.4e38)


def operand(type_: Shaped, domain: str, index: int, rng: np.random.Generator) -> Array:
    """Random elements, with those among them that are special.

    Domains: `shift` (the second operand is less than the width), `divisor` (the second one is neither 0 nor -1),
    `finite`, `positive`, `range` (floats between -100 and 100), `whole` (small whole numbers), `byte` (0 to 200).
    """
    flat = in_memory(type_)
    count, element = flat.shape[0], flat.element
    if element == "i1" and index == 1 and domain in ("shift", "divisor"):
        return np.full(count, domain == "divisor")
    if element == "i1":
        return rng.integers(0, 2, count).astype(np.bool_)
    dtype = np.dtype(_DTYPES[element])
    if element in INTEGERS:
        return _integers(dtype, count, domain, index, BITS[type_.element], rng)
    with np.errstate(all="ignore"):
        if domain == "whole":
            return rng.integers(-4, 5, count).astype(np.float32).astype(dtype)
        if domain in _RANGES:
            low, high = _RANGES[domain]
            return rng.uniform(low, high, count).astype(dtype)
        if domain == "scaled" and element == "f8E8M0FNU":
            return rng.integers(115, 140, count).astype(np.uint8).view(dtype)
        if domain == "scaled":
            return rng.integers(0, 5, count).astype(np.float32).astype(dtype)
        if dtype.itemsize == 1:
            return rng.integers(0, 256, count).astype(np.uint8).view(dtype)
        values = rng.standard_normal(count) * 10.0 ** rng.integers(-4, 5, count)
        special = (_SPECIAL if domain == "finite" else (*_SPECIAL, *_ODD))[: count // 2]
        values[: len(special)] = special
        rng.shuffle(values)
        return values.astype(dtype)


def _integers(dtype: np.dtype[Any], count: int, domain: str, index: int, bits: int, rng: np.random.Generator) -> Array:
    if domain == "shift" and index == 1:
        return rng.integers(0, bits, count).astype(dtype)
    if domain in ("whole", "byte"):
        return rng.integers(0, 100, count).astype(dtype)
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    found = rng.integers(low, high, count, dtype, endpoint=True)
    small = rng.integers(-5, 6, count).astype(dtype)
    found = np.where(rng.random(count) < 0.3, small, found)
    special = (low, high, 0, -1)[: count // 2]
    found[: len(special)] = special
    rng.shuffle(found)
    if domain == "divisor" and index == 1:
        found = np.where((found == 0) | (found == -1), np.asarray(3, dtype), found)
    return found


def literals(element: str, count: int) -> Iterator[str]:
    for k in range(count):
        if element == "i1":
            yield "true" if k * k % 3 == 1 else "false"
        elif element in INTEGERS:
            yield str(k * 37 % 251 - 100)
        elif element in ("f8E8M0FNU", "f8E5M3FNU"):
            yield str(2.0 ** (k % 9 - 4))
        else:
            yield str((1.0, 1.5, -2.0, 0.5, 6.0, -0.0, 3.0)[k * k % 7])
