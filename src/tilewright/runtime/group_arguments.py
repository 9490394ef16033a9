"""What a group parameter is given besides a list of arrays: arrays with an offset, or a table of addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from tilewright.runtime.arrays import AnyArray, Device, NotAnArray, UnusableArray, view
from tilewright.runtime.errors import LaunchError, LaunchTypeError
from tilewright.runtime.memref_fit import Sizes


@dataclass(frozen=True, slots=True)
class ArrayGroup:
    """A group's `arrays` with an `offset`, in elements, that the kernel adds to each address; None is a null pointer.

    It is for groups of the type `offset: ?`; a plain list of arrays has the offset 0.
    """

    arrays: Sequence[object]
    offset: int = 0


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class PointerArray:
    """A group whose addresses the caller has at hand, on the host.

    `pointers` is a contiguous one-dimensional array of 64-bit addresses. `extents` and `strides` hold one array of
    64-bit integers for each `?` of the memref's shape and strides, in order, at least as long as the group. `size`
    defaults to the number of pointers, `offset` is in elements, and a kernel that writes is refused if the memory is
    `readonly`. Nothing can be checked of the memory behind the addresses but what the caller
    says of it: its type, `dtype`; extents and strides (in elements) that all arrays have, `layout`, which makes
    `extents` and `strides` unnecessary; whether these are the memref's (`transposed` is False) or its transpose's
    (True); and where it lies, `device`. `owner` is anything that keeps it alive.
    """

    pointers: AnyArray
    dtype: object
    extents: Sequence[AnyArray] = ()
    strides: Sequence[AnyArray] = ()
    size: int | None = None
    offset: int = 0
    readonly: bool = False
    layout: tuple[Sizes, Sizes] | None = None
    transposed: bool | None = None
    device: Device | None = None
    owner: object = None

    @property
    def is_fixed(self) -> bool:
        """Whether nothing in it can change, as in what `of` makes."""
        return isinstance(cast("object", self.pointers.base), bytes) and not len(self.extents) and not len(self.strides)

    @staticmethod
    def of(batch: object, *, transposed: bool | None = None) -> PointerArray:
        """The arrays `batch[0]`, `batch[1]`, .. of one array (NumPy, PyTorch, CuPy, DLPack), which is kept alive.

        `transposed` says whether the kernel is given them with their modes turned around, as row-major arrays must be
        for column-major memrefs. By default they are taken as they fit the memref, as they are or turned around, and
        a launch is refused if both fit and give the kernel different extents.

        Raises `LaunchTypeError` for what is no array of arrays, `LaunchError` for one that cannot be used as it is.
        """
        try:
            array = view(batch)
        except NotAnArray:
            raise LaunchTypeError(_no_batch(batch)) from None
        except UnusableArray as error:
            raise LaunchError(f"PointerArray.of: this {type(batch).__name__} cannot be used: {error}") from error
        if not array.shape:
            raise LaunchTypeError(_no_batch(batch))
        steps = np.arange(array.shape[0], dtype=np.int64) * (array.strides[0] * array.dtype.itemsize)
        addresses = steps.view(np.uint64) + np.uint64(array.address)
        return PointerArray(
            np.frombuffer(addresses.tobytes(), np.uint64),
            array.dtype,
            readonly=array.readonly,
            layout=(array.shape[1:], array.strides[1:]),
            transposed=transposed,
            device=array.device,
            owner=array.owner,
        )


def _no_batch(value: object) -> str:
    return f"PointerArray.of takes an array of arrays (NumPy, PyTorch, CuPy, DLPack), not {type(value).__name__}"
