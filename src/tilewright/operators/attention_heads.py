"""Arrays of heads: batch, heads, length and width by strides; all heads of an array as rows of one matrix."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from tilewright.operators.asked import as_number
from tilewright.operators.errors import OperatorError, OperatorTypeError
from tilewright.operators.layouts import Extents, Layout

ELEMENTS: Final = ("f16", "bf16")
ELEMENT_BYTES: Final = 2
ORDERS: Final = {"bhld": (0, 1, 2, 3), "blhd": (0, 2, 1, 3)}
"""Where batch, heads, length and width stand among the extents of an array."""
_MODES: Final = ("batch", "heads", "length", "width")
_MOST_WIDTH: Final = 256
_LEAST_SCALE, _MOST_SCALE = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)
_MOST_STRIDE: Final = 1 << 31


class Head(Struct, frozen=True):
    """An array of heads: extents and strides of batch, heads, length and width."""

    shape: tuple[int, int, int, int]
    strides: tuple[int, int, int, int]

    @property
    def span(self) -> int:
        """Elements of memory from the first to the last."""
        return 0 if 0 in self.shape else 1 + sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True))


class Flat(Struct, frozen=True):
    """All heads of an array as one matrix with its rows: extents, and how far batches and heads are apart in it."""

    rows: int
    columns: int
    batch: tuple[int, int]
    head: tuple[int, int]

    @property
    def integers(self) -> tuple[int, ...]:
        """As a program takes them."""
        return (self.rows, self.columns, self.batch[0], self.head[0], self.batch[1], self.head[1])


def head_of(name: str, found: Layout, order: Sequence[int]) -> Head:
    """An array by batch, heads, length and width. Raises `OperatorError`."""
    if found.dtype not in ELEMENTS:
        raise OperatorTypeError(f"{name} is of {found.dtype}; attention is there of {' and '.join(ELEMENTS)}")
    if len(found.shape) != len(_MODES):
        raise OperatorError(f"{name} has extents {found.shape}; it has {', '.join(_MODES)}")
    batch, heads, length, width = (found.shape[k] for k in order)
    shape = (batch, heads, length, width)
    # where there is one element along a mode, its stride says nothing; where there is none, no stride does
    given = packed(found.shape) if 0 in found.shape else found.strides
    strides = [given[k] if found.shape[k] > 1 else 0 for k in order]
    if not 0 < width <= _MOST_WIDTH:
        raise OperatorError(f"{name} has a width of {width}; heads have 1 to {_MOST_WIDTH}")
    if width > 1 and strides[3] != 1:
        raise OperatorError(f"{name} has strides {found.strides}; rows are neighbours in memory: copy it")
    if any(not 0 <= stride < _MOST_STRIDE for stride in strides) or max(shape) >= _MOST_STRIDE:
        raise OperatorError(f"{name} has extents {found.shape} and strides {found.strides}; all are from 0 to 2^31 - 1")
    if length > 1 and strides[2] < width:
        raise OperatorError(f"{name} has strides {found.strides}: its rows overlap; copy it")
    if name == "out" and any(s == 0 and n > 1 for n, s in zip(shape, strides, strict=True)):
        raise OperatorError(f"out has strides {found.strides}: its elements overlap")
    return Head(shape, (strides[0], strides[1], strides[2] if length > 1 else width, 1))


def packed(shape: Extents) -> Extents:
    """The strides of a new array."""
    return tuple(math.prod(max(extent, 1) for extent in shape[k + 1 :]) for k in range(len(shape)))


def flat_of(of: Head) -> Flat | None:
    """All heads of an array in one matrix with its rows; None where a head begins at no multiple of a width."""
    (batch, heads, length, width), (sb, sh, row, _) = of.shape, of.strides
    apart: list[tuple[int, int]] = []
    rows, columns = length, width
    for count, stride in ((batch, sb), (heads, sh)):
        down, along = divmod(stride, row)
        if along % width:
            return None
        rows, columns = rows + (count - 1) * down, columns + (count - 1) * along
        apart.append((down, along // width))
    fits = columns <= row and rows < _MOST_STRIDE
    return Flat(rows, columns, apart[0], apart[1]) if fits else None


def order_of(layout: str) -> tuple[int, ...]:
    """Where modes stand. Raises `OperatorError` for a layout that there is not."""
    if layout not in ORDERS:
        raise OperatorError(f"layout is {layout!r}; there are {' and '.join(ORDERS)}")
    return ORDERS[layout]


def check_fit(layouts: Mapping[str, Layout], heads: Mapping[str, Head]) -> None:
    """That arrays fit each other. Raises `OperatorError`."""
    first = layouts["q"]
    q, k, v = heads["q"].shape, heads["k"].shape, heads["v"].shape
    for name, found in layouts.items():
        if found.dtype != first.dtype:
            raise OperatorTypeError(f"q is of {first.dtype}, {name} of {found.dtype}; arrays are of one type")
    if k != v:
        raise OperatorError(f"k has extents {layouts['k'].shape}, v {layouts['v'].shape}; they have the same")
    if (q[0], q[3]) != (k[0], k[3]):
        raise OperatorError(f"q has extents {first.shape}, k {layouts['k'].shape}; batch and width are the same")
    if k[1] == 0 or q[1] % k[1]:
        raise OperatorError(f"{q[1]} heads of q are no multiple of the {k[1]} of k")
    for name in ("out", "g"):
        if name in layouts and layouts[name].shape != first.shape:
            raise OperatorError(f"{name} has extents {layouts[name].shape}, the result {first.shape}")


def target_of(layouts: Mapping[str, Layout], asked: str | None) -> str:
    """Where it runs. Raises `OperatorError` for arrays on several devices."""
    first = layouts["q"].device
    for name, found in layouts.items():
        if found.device != first:
            raise OperatorError(f"q lies on {first}, {name} on {found.device}; all arrays are on one device")
    if asked is not None:
        return asked
    kind = first.partition(":")[0]
    if kind not in ("cpu", "cuda"):
        raise OperatorError(f"q lies on {first}; attention runs on the CPU and on NVIDIA devices")
    return "cpu" if kind == "cpu" else "nvidia"


def as_flag(name: str, value: object) -> bool:
    """Raises `OperatorTypeError` for what is neither yes nor no."""
    if type(value) not in (bool, int, np.bool_):
        raise OperatorTypeError(f"{name} is {value!r}; it is True or False")
    return bool(value)


def factor_of(scale: object, width: int) -> float:
    """What scores are multiplied by. Raises `OperatorError` for what is no positive number of f32."""
    factor = 1 / math.sqrt(width) if scale is None else as_number("scale", scale)
    if not _LEAST_SCALE <= factor <= _MOST_SCALE:
        raise OperatorError(f"scale is {scale}; it is a positive number of f32")
    return factor
