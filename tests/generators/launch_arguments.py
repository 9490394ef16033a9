"""Random arguments of launches, most of which fit the parameter and many of which are hostile.

All memory that they refer to is there: what no check can tell (an address that is made up) is not among them.
"""

from __future__ import annotations

import decimal
import fractions
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast
from unittest.mock import MagicMock

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from generators.array_offers import OFFERS, Dlpack, Fleeting, Interface
from tilewright.artifacts.parameters import (
    GroupParameter,
    MemrefParameter,
    Parameter,
    PointerParameter,
    ScalarParameter,
)
from tilewright.runtime.dtypes import numpy_dtype

Array = NDArray[Any]

_AROUND: Final = 3
_HOSTILE: Final = 0.1
_FIT: Final = 0.85


@dataclass(frozen=True, slots=True)
class Made:
    """An argument, and the memory that it lies in with what is around it."""

    argument: object
    memory: list[Array] = field(default_factory=list[Array])


def argument(rnd: random.Random, parameter: Parameter) -> Made:
    """Something for a parameter; the same for the same state of `rnd`, but for addresses."""
    if rnd.random() < _HOSTILE:
        return rnd.choice(_ANYTHING)(rnd)
    match parameter:
        case ScalarParameter():
            return Made(_scalar(rnd, parameter.dtype))
        case MemrefParameter():
            return _array(rnd, numpy_dtype(parameter.dtype), _shape(rnd, parameter))
        case PointerParameter():
            return _pointer(rnd, numpy_dtype(parameter.dtype))
        case GroupParameter():
            return _group(rnd, parameter)


# Scalars

_INTEGERS: Final = (0, 1, -1, 2, 3, 127, 128, -129, 255, 32767, 1 << 31, (1 << 63) - 1, -(1 << 63), 1 << 63, 10**5000)
_REALS: Final = (0.0, -0.0, 0.5, 1e-50, 1e5, 3.5e38, 1e300, float("inf"), float("-inf"), float("nan"))
_NUMBER_TYPES: Final[Sequence[str]] = ("?", "b", "h", "i", "q", "B", "Q", "e", "f", "d", "g", "F", "D")
_OTHER_TYPES: Final[Sequence[str]] = (">f4", ">i8", "S3", "U2", "M8[s]", "O", "V4", "f4,i4")


def _type_of(rnd: random.Random, names: Sequence[str] = _NUMBER_TYPES) -> np.dtype[Any]:
    """One of the types; a type checker takes seconds for a call of NumPy with a choice as its argument."""
    name = rnd.choice(names)
    return np.dtype(name)


def _scalar(rnd: random.Random, dtype: str) -> object:
    if rnd.random() < _FIT:
        match dtype[0]:
            case "b" if dtype == "bool":
                return rnd.random() < 0.5
            case "i":
                return rnd.choice([int, np.int8, np.int64])(rnd.randrange(-3, 5))
            case _:
                return rnd.choice([float, int, np.float32, np.float16, np.float64])(rnd.randrange(-2, 3))
    others: list[Callable[[], object]] = [
        lambda: rnd.choice(_INTEGERS),
        lambda: rnd.choice(_REALS),
        lambda: complex(rnd.choice(_REALS), rnd.choice(_REALS)),
        lambda: rnd.choice((True, False)),
        lambda: _type_of(rnd).type(rnd.randrange(2)),
        lambda: np.array(rnd.randrange(3), _type_of(rnd)),
        lambda: np.ones(rnd.randrange(3), _type_of(rnd)),
        lambda: rnd.choice((fractions.Fraction(3, 2), decimal.Decimal("1.5"), decimal.Decimal("1e999"))),
        lambda: rnd.choice((np.timedelta64(3), np.datetime64("2026-01-01"), np.longdouble("1e4000"))),
        lambda: rnd.choice(("1", b"1", "", None, [1], (1,), np.str_("1"), np.void(b"1"))),
    ]
    return rnd.choice(others)()


# Memory


def _extent(rnd: random.Random) -> int:
    return rnd.choice((0, 1, 1, 2, 3, 4, 4, 5))


def _shape(rnd: random.Random, parameter: MemrefParameter) -> tuple[int, ...]:
    shape = tuple(_extent(rnd) if extent is None else extent for extent in parameter.shape)
    if rnd.random() < _FIT:
        return shape
    return rnd.choice((shape[::-1], shape[:-1], (*shape, 1), (*shape[:-1], _extent(rnd)) if shape else (2,), (0,), ()))


def _numbers(rnd: random.Random, dtype: np.dtype[Any], count: int) -> Array:
    """Small whole numbers: sums and products of them are exact in every type."""
    values = np.array([rnd.randrange(-2, 3) for _ in range(count)], np.int8)
    return values.astype(dtype)


def _laid_out(rnd: random.Random, dtype: np.dtype[Any], shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Memory and an array in its midst, in one of many layouts."""
    steps = tuple(rnd.choice((1, 1, 1, 2)) if rnd.random() < 0.5 else 1 for _ in shape)
    room = tuple(extent * step + _AROUND for extent, step in zip(shape, steps, strict=True))
    order: Any = rnd.choice("FFFC")
    memory = _numbers(rnd, dtype, int(np.prod(room, dtype=int))).reshape(room, order=order)
    inside = memory[(*(slice(0, extent * step, step) for extent, step in zip(shape, steps, strict=True)), ...)]
    match rnd.randrange(8):
        case 0:
            return memory, np.flip(inside, rnd.randrange(inside.ndim)) if inside.ndim else inside
        case 1 | 2:
            packed = _numbers(rnd, dtype, int(np.prod(shape, dtype=int)) + 2 * _AROUND)
            return packed, packed[_AROUND : len(packed) - _AROUND].reshape(shape, order=order)
        case 3:
            return memory, inside.T
        case _:
            return memory, inside


def _array(rnd: random.Random, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Made:
    if rnd.random() > 0.9:
        dtype = _type_of(rnd, [*_NUMBER_TYPES, *_OTHER_TYPES])
    if dtype.kind in "SUMOV" and dtype.type is not numpy_dtype("bf16").type:
        return Made(np.zeros(shape, dtype))
    memory, found = _laid_out(rnd, dtype, shape)
    if rnd.random() < 0.5:
        return Made(found, [memory])
    return Made(rnd.choice(OFFERS)(rnd, found), [memory])


def _pointer(rnd: random.Random, dtype: np.dtype[Any]) -> Made:
    """Room for eight elements, packed or not, or its address."""
    if rnd.random() < _FIT:
        memory = _numbers(rnd, dtype, 8 + 2 * _AROUND)
        inside = memory[_AROUND : _AROUND + 8]
        start = int(inside.ctypes.data)
        return Made(
            rnd.choice(
                [
                    lambda: inside,
                    lambda: inside.reshape(2, 4),
                    lambda: tw.address(inside[::-1]),
                    lambda: tw.address(start, nbytes=inside.nbytes),
                    lambda: tw.address(start, nbytes=inside.nbytes, readonly=True),
                    lambda: start,
                    lambda: rnd.choice(OFFERS)(rnd, inside),
                ]
            )(),
            [memory],
        )
    return _array(rnd, dtype, tuple(_extent(rnd) for _ in range(rnd.randrange(4))))


# Groups


def _group(rnd: random.Random, parameter: GroupParameter) -> Made:
    dtype, memref = numpy_dtype(parameter.memref.dtype), parameter.memref
    count = rnd.randrange(4) if parameter.size is None or rnd.random() > _FIT else parameter.size
    if rnd.random() < 0.4:
        return _batch(rnd, dtype, (count, *_shape(rnd, memref)))
    made = [_array(rnd, dtype, _shape(rnd, memref)) for _ in range(count)]
    memory = [part for entry in made for part in entry.memory]
    arrays = [None if rnd.random() < 0.05 else entry.argument for entry in made]
    if arrays and rnd.random() < 0.05:
        arrays[rnd.randrange(len(arrays))] = rnd.choice(_ANYTHING)(rnd).argument
    offset: Any = rnd.choice((0, 0, 1, -1, 2, 1 << 70, "1", None, True, np.int8(1)))
    return Made(
        rnd.choice(
            [
                lambda: arrays,
                lambda: tuple(arrays),
                lambda: tw.ArrayGroup(arrays, offset),
                lambda: tw.ArrayGroup(cast("Any", iter(arrays))),
                lambda: tw.ArrayGroup(arrays),
            ]
        )(),
        memory,
    )


def _batch(rnd: random.Random, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Made:
    memory = _numbers(rnd, dtype, int(np.prod(shape, dtype=int)) + 2 * _AROUND)
    batch = memory[_AROUND : len(memory) - _AROUND].reshape(shape)
    if batch.ndim == 3 and rnd.random() < 0.5:
        batch = batch.transpose(0, 2, 1)
    if rnd.random() < 0.6:
        offered: object = batch if rnd.random() < 0.5 else rnd.choice((Dlpack, Interface, Fleeting))(batch)
        return Made(_batch_group(offered, rnd.choice((None, None, True, False))), [memory])
    pointers = np.array([batch[k : k + 1].ctypes.data for k in range(len(batch))], np.uint64)
    sizes = [np.full(shape[0], rnd.choice(shape[1:] or (1,)), np.int64) for _ in range(rnd.randrange(4))]
    split = rnd.randrange(len(sizes) + 1)
    layout = (batch.shape[1:], tuple(s // max(dtype.itemsize, 1) for s in batch.strides[1:]))
    size: Any = rnd.choice((None, None, None, 1, shape[0], shape[0] + 1, -1, "2", 1 << 70))
    offset: Any = rnd.choice((0, 0, 0, None, "x"))
    group = tw.PointerArray(
        rnd.choice((pointers, pointers.astype(np.int64), pointers[::-1], pointers.astype(np.float64))),
        rnd.choice((dtype, dtype, np.float64, "nothing", None)),
        # what the caller says of sizes is believed: lies only about groups without arrays
        sizes[:split] if shape[0] == 0 else (),
        sizes[split:] if shape[0] == 0 else (),
        size,
        offset,
        rnd.random() < 0.1,
        layout,
    )
    return Made(group, [memory])


def _batch_group(batch: object, transposed: bool | None) -> object:
    try:
        return tw.PointerArray.of(batch, transposed=transposed)
    except tw.LaunchError:
        return batch


# Anything


def _nothing(_rnd: random.Random) -> Made:
    return Made(None)


_ANYTHING: Final[tuple[Callable[[random.Random], Made], ...]] = (
    _nothing,
    _nothing,
    _nothing,
    lambda rnd: Made(rnd.choice(_INTEGERS)),
    lambda rnd: Made(rnd.choice(_REALS)),
    lambda rnd: Made(
        rnd.choice((True, False, 1j, "text", b"bytes", "", {}, {1: 2}, set[int](), object(), int, np.ndarray))
    ),
    lambda rnd: Made(rnd.choice((len, lambda: 0, Ellipsis, NotImplemented, range(3), iter([]), slice(1)))),
    lambda rnd: Made([None] * rnd.randrange(4)),
    lambda rnd: Made(MagicMock()),
    lambda rnd: Made(tw.ArrayGroup(rnd.choice((cast("Any", 7), cast("Any", None), "ab", (), [[]])))),
    lambda rnd: Made(_scalar(rnd, rnd.choice(("i8", "f32", "bool", "c64")))),
    lambda rnd: _array(rnd, _type_of(rnd), tuple(_extent(rnd) for _ in range(rnd.randrange(4)))),
    lambda rnd: _batch(rnd, np.dtype(np.float32), tuple(_extent(rnd) for _ in range(1 + rnd.randrange(4)))),
    lambda rnd: Made(tw.address(np.arange(8, dtype=_type_of(rnd, "fdbq"))[:: rnd.choice((1, -1, 2))])),
)
