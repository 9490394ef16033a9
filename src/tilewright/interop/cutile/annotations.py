"""What a kernel's author wrote beside a parameter."""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import Struct


class ArrayNote(Struct, frozen=True):
    """On an array: 64-bit extents and strides, and axes whose extents or strides become constants."""

    wide: bool = False
    static_shape: tuple[int, ...] = ()
    static_strides: tuple[int, ...] = ()


PLAIN: Final = ArrayNote()


class Leaf(Struct, frozen=True):
    """On a parameter or on one item of a tuple: a constant of the kernel, an `int64` number, or how arrays are seen."""

    constant: bool = False
    wide_scalar: bool = False
    array: ArrayNote = PLAIN
    elements: ArrayNote = PLAIN


class EachItem(Struct, frozen=True):
    """On a tuple of any length: the same for all items."""

    item: Annotation


class Items(Struct, frozen=True):
    """On a tuple: one for each item."""

    items: tuple[Annotation, ...]


Annotation: TypeAlias = Leaf | EachItem | Items


class KernelParameter(Struct, frozen=True):
    """A parameter of a Python kernel."""

    name: str
    annotation: Annotation
