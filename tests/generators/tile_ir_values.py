"""Values of generated Tile IR kernels: element types, what is known of numbers, random data."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
Argument = Array | np.generic
Shape = tuple[int, ...]

DTYPES: Final[dict[str, np.dtype[np.generic]]] = {
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "tf32": np.dtype(np.float32),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f8E8M0FNU": np.dtype(ml_dtypes.float8_e8m0fnu),
    "f8E5M3FNU": np.dtype(np.int8),
    "f4E2M1FN": np.dtype(ml_dtypes.float4_e2m1fn),
}
BITS: Final = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
INTEGERS: Final = ("i8", "i16", "i32", "i64")
FLOATS: Final = ("f16", "bf16", "f32", "f64")
# Significant bits, least exponent of a normal number, largest number.
DIGITS: Final = {
    "f16": 11,
    "bf16": 8,
    "tf32": 11,
    "f32": 24,
    "f64": 53,
    "f8E4M3FN": 4,
    "f8E5M2": 3,
    "f8E8M0FNU": 1,
    "f8E5M3FNU": 4,
    "f4E2M1FN": 2,
}
LEAST: Final = {"f16": -14, "bf16": -126, "tf32": -126, "f32": -126, "f64": -1022}
LARGEST: Final = {
    "f16": 65504.0,
    "bf16": 3.3895313892515355e38,
    "tf32": 3.4011621342146535e38,
    "f32": 3.4028234663852886e38,
    "f64": 1.7976931348623157e308,
    "f8E4M3FN": 448.0,
    "f8E5M2": 57344.0,
    "f8E8M0FNU": 2.0**127,
    "f8E5M3FNU": 114688.0,
    "f4E2M1FN": 6.0,
}
F4: Final = "f4E2M1FN"
"""Two elements a byte: no scalars, no pointers to single ones, no arithmetic; neither NaN nor infinities."""
CODED: Final = "f8E5M3FNU"
"""NumPy has no such numbers: arrays hold their codes. None is negative, and negative numbers become NaN."""


def is_float(element: str) -> bool:
    """Whether elements are floating point numbers."""
    return element in DIGITS


def limits(element: str) -> tuple[int, int]:
    """The least and the largest signed integer of a type."""
    half = 1 << (BITS[element] - 1)
    return -half, half - 1


@dataclass(frozen=True, slots=True)
class Value:
    """An SSA value of tile type and what is surely true of its elements.

    `low` and `high` bound them: integers read as signed; floats that may be NaN have infinite bounds. `whole` floats
    are integers. `error` is a relative bound on what two correct implementations may differ by, 0 for none; `zeros`
    says that the sign of zeros is not known.
    """

    name: str
    element: str
    shape: Shape
    low: float
    high: float
    whole: bool = False
    error: float = 0.0
    zeros: bool = False

    @property
    def type(self) -> str:
        """Its spelling."""
        return tile(self.element, self.shape)

    @property
    def finite(self) -> bool:
        """No NaN and no infinity."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def exact(self) -> bool:
        """Every implementation has the same bits, NaN aside."""
        return self.error == 0 and not self.zeros

    @property
    def magnitude(self) -> float:
        """No element is larger."""
        return max(abs(self.low), abs(self.high))

    def named(self, name: str) -> Value:
        """The same facts of another value."""
        return replace(self, name=name)

    def shaped(self, shape: Shape) -> Value:
        """The same facts in another shape."""
        return replace(self, shape=shape)


def anything(name: str, element: str, shape: Shape) -> Value:
    """A value of which nothing is known."""
    if element == F4:
        return Value(name, element, shape, -LARGEST[F4], LARGEST[F4])
    if is_float(element):
        return Value(name, element, shape, -math.inf, math.inf)
    low, high = (0, 1) if element == "i1" else limits(element)
    return Value(name, element, shape, low, high)


def tile(element: str, shape: Shape) -> str:
    """The spelling of a tile type; the element may be a pointer."""
    return f"tile<{''.join(f'{n}x' for n in shape)}{element}>"


def count(shape: Shape) -> int:
    """How many elements."""
    return math.prod(shape)


def has_type(element: str, shape: Shape) -> bool:
    """Whether there are such tiles."""
    return element != F4 or count(shape) % 2 == 0


def random_array(rng: np.random.Generator, element: str, size: int, kind: str) -> tuple[Array, float, float]:
    """Elements and the bounds that are known of them: `small` integers, numbers of `unit` size, or `any` at all."""
    dtype = DTYPES[element]
    if element == "i1":
        return rng.integers(0, 2, size).astype(np.bool_), 0, 1
    if not is_float(element):
        low, high = (-5, 9) if kind != "any" else limits(element)
        return rng.integers(low, high, size, np.int64, endpoint=True).astype(dtype), low, high
    if element == "f8E8M0FNU":
        return np.exp2(rng.integers(-3, 4, size)).astype(dtype), 0.125, 8
    if element == CODED:
        return _codes(rng, kind, size)
    if kind == "small" or element == F4:
        return rng.integers(-3, 4, size).astype(dtype), -3, 3
    if kind == "unit":
        sign = rng.choice([-1.0, 1.0], size)
        return (sign * rng.uniform(0.25, 4, size)).astype(dtype), -4, 4
    return _wild(rng, dtype, size), -math.inf, math.inf


def _codes(rng: np.random.Generator, kind: str, size: int) -> tuple[Array, float, float]:
    """From 1/2 to less than 4 have five bits of exponent from 14 to 16, and three of fraction."""
    wild = kind == "any"
    codes = rng.integers(*((0, 256) if wild else (14 << 3, 17 << 3)), size, np.uint8).view(np.int8)
    return codes, *((-math.inf, math.inf) if wild else (0.5, 4.0))


def in_bytes(values: Array) -> Array:
    """Elements of four bits two a byte, the first one in the lower half."""
    bits = np.concatenate([values.view(np.uint8), np.zeros(values.size % 2, np.uint8)])
    return (bits[0::2] | bits[1::2] << np.uint8(4)).view(np.int8)


def _wild(rng: np.random.Generator, dtype: np.dtype[np.generic], size: int) -> Array:
    """Any bits, and special values among them."""
    found = rng.integers(0, 256, size * dtype.itemsize, np.uint8).view(dtype)
    with np.errstate(all="ignore"):
        special = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 3.0, np.inf, -np.inf, np.nan], np.float64).astype(dtype)
        moderate = (rng.standard_normal(size) * 8).astype(dtype)
    pick = rng.integers(0, 3, size)
    return np.where(pick == 0, found, np.where(pick == 1, moderate, special[rng.integers(0, len(special), size)]))
