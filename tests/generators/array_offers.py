"""Objects that an array can be offered as to a launch: by every protocol, and by some that lie."""

from __future__ import annotations

import array
import ctypes
import importlib
import importlib.util
import random
from collections.abc import Callable
from typing import Any, Final, cast
from unittest.mock import MagicMock

import numpy as np
from numpy.typing import NDArray

import tilewright as tw

Array = NDArray[Any]

HAS_TORCH: Final = importlib.util.find_spec("torch") is not None


class Interface:
    """Offers an array by `__array_interface__`, with lies."""

    def __init__(self, given: Array, **lies: object) -> None:
        self.given = given
        self.__array_interface__ = dict(given.__array_interface__) | lies


class Old:
    """Offers an array by DLPack alone, and knows no options as exporters from before version 1.0."""

    def __init__(self, given: Array) -> None:
        self.given = given

    def __dlpack__(self) -> object:
        return self.given.__dlpack__()

    def __dlpack_device__(self) -> object:
        return self.given.__dlpack_device__()


class Dlpack(Old):
    """Offers an array by DLPack alone."""

    def __dlpack__(self, **options: Any) -> object:
        return self.given.__dlpack__(**options)


class Fleeting(Dlpack):
    """Offers a copy that goes with the capsule, as exporters from before DLPack 1.0 can."""

    def __dlpack__(self, **options: Any) -> object:
        return self.given.copy(order="K").__dlpack__()


class Unbound:
    """Its methods are those of a C class, bound to nothing."""

    def __init__(self) -> None:
        self.__dlpack__ = np.ndarray.__dlpack__
        self.__dlpack_device__ = np.ndarray.__dlpack_device__


_LIES: Final[tuple[dict[str, object], ...]] = (
    {"data": (0, False)},
    {"data": (3, True)},
    {"data": None},
    {"data": (True, False)},
    {"shape": (-1,)},
    {"shape": (1 << 62, 2)},
    {"shape": (1 << 70,)},
    {"shape": (0, 1 << 62, 1 << 62)},
    {"shape": [3]},
    {"shape": (2.0,)},
    {"strides": (1 << 62,)},
    {"strides": (4, 4, 4, 4)},
    {"strides": 7},
    {"typestr": "<f3"},
    {"typestr": "|V0"},
    {"typestr": None},
    {"typestr": "|O8"},
    {"mask": np.ones(3)},
    {"version": 99},
)


def _read_only(rnd: random.Random, given: Array) -> object:
    found = given.view()
    found.flags.writeable = False
    return found


def _misaligned(rnd: random.Random, given: Array) -> object:
    raw = np.zeros(given.nbytes + 1, np.uint8)[1:]
    return raw.view(given.dtype).reshape(given.shape, order="F")


def _buffer(rnd: random.Random, given: Array) -> object:
    try:
        found = memoryview(cast("Any", given))
    except (ValueError, BufferError):
        return given
    return found.toreadonly() if rnd.random() < 0.2 else found


def _released(rnd: random.Random, given: Array) -> object:
    found = memoryview(bytearray(8))
    found.release()
    return found


def _ctypes(rnd: random.Random, given: Array) -> object:
    kind: Any = rnd.choice((ctypes.c_float, ctypes.c_double, ctypes.c_int8, ctypes.c_void_p, ctypes.c_char))
    for extent in reversed(given.shape):
        kind = kind * extent
    return kind()


def _bytes(rnd: random.Random, given: Array) -> object:
    data = given.tobytes()
    return rnd.choice((data, bytearray(data), memoryview(data), array.array("f", [0] * given.size)))


def _subclass(rnd: random.Random, given: Array) -> object:
    liar = type("Liar", (np.ndarray,), {"shape": (1 << 40,), "strides": (4,), "dtype": np.dtype("f4")})
    kind: type[Array] = rnd.choice((np.ma.MaskedArray, np.recarray, liar, type("Mine", (np.ndarray,), {})))
    return given.view(kind)


def _torch(rnd: random.Random, given: Array) -> object:
    if not HAS_TORCH:
        return given
    torch: Any = importlib.import_module("torch")
    try:
        found = torch.from_numpy(given)
    except (TypeError, ValueError):
        return given
    if rnd.random() < 0.1 and found.is_floating_point():
        found.requires_grad_()
    return found


OFFERS: Final[tuple[Callable[[random.Random, Array], object], ...]] = (
    lambda rnd, given: Interface(given),
    lambda rnd, given: Interface(given, **rnd.choice(_LIES)),
    lambda rnd, given: Dlpack(given),
    lambda rnd, given: Fleeting(given),
    lambda rnd, given: Old(given),
    lambda rnd, given: Unbound(),
    lambda rnd, given: rnd.choice((np.ndarray, memoryview, Dlpack, Interface)),
    lambda rnd, given: tw.address(given),
    lambda rnd, given: given.tolist(),
    lambda rnd, given: np.broadcast_to(given, (2, *given.shape)),
    lambda rnd, given: given[()] if given.ndim == 0 else given[..., :1],
    lambda rnd, given: MagicMock(spec=np.ndarray, dtype=given.dtype, shape=given.shape),
    _read_only,
    _misaligned,
    _buffer,
    _released,
    _ctypes,
    _bytes,
    _subclass,
    _torch,
)
"""From an array to something that offers its memory, or says so."""
