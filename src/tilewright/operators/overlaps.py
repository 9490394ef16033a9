"""Whether two arrays have elements in common, wherever they lie."""

from __future__ import annotations

from typing import Literal, cast

import numpy as np

from tilewright.runtime.arrays import AnyArray, ArrayView, typed_view

_MOST_WORK = 10_000
"""What is not known after so many steps counts as an overlap."""


class _Place:
    """Extents and strides at an address, as NumPy asks for them. Nothing is read there, so a device may have it."""

    def __init__(self, seen: ArrayView) -> None:
        size = seen.dtype.itemsize
        self.__array_interface__ = {
            "version": 3,
            "shape": seen.shape,
            "typestr": f"|V{size}",
            "strides": tuple(stride * size for stride in seen.strides),
            "data": (seen.address, True),
        }


def overlap(one: object, other: object, *, unless_same: bool = False) -> bool:
    """Whether arrays share an element; with `unless_same` those that begin at one address do not count."""
    first, second = typed_view(one), typed_view(other)
    if 0 in first.shape or 0 in second.shape or (unless_same and first.address == second.address):
        return False
    places: list[AnyArray] = [np.asarray(_Place(seen)) for seen in (first, second)]
    try:
        # the stubs know of two amounts of work alone
        return np.shares_memory(*places, max_work=cast("Literal[-1]", _MOST_WORK))
    except np.exceptions.TooHardError:
        return True
