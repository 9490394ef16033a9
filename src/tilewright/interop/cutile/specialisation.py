"""What a kernel is compiled for: facts about its arguments, equal for all arguments that may share one program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from tilewright.interop.cutile.annotations import ArrayNote

ALIGNMENT: Final = 16
"""Bytes of addresses and strides, and elements of extents, whose multiples are told apart."""

_RANKS_LOOKED_AT: Final = 5


class ArrayFacts(Struct, frozen=True):
    """Promises about an array; extents and strides in elements, None where nothing is promised."""

    dtype: str
    wide: bool
    shape_constant: tuple[int | None, ...]
    shape_divisible: tuple[int, ...]
    stride_constant: tuple[int | None, ...]
    stride_divisible: tuple[int, ...]
    base_divisible: int
    overlaps: bool

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape_constant)


class ScalarFacts(Struct, frozen=True):
    """A number that the kernel is given at each launch."""

    dtype: str


class ConstantFacts(Struct, frozen=True):
    """A number that the kernel is compiled for; the spelling tells 1, 1.0 and True apart, and NaN from no other NaN."""

    kind: str
    spelling: str

    @property
    def value(self) -> bool | int | float:
        """The number."""
        if self.kind == "float":
            return float.fromhex(self.spelling)
        return self.spelling == "True" if self.kind == "bool" else int(self.spelling)


class ListFacts(Struct, frozen=True):
    """A list of arrays of one rank and type: what holds for all of them."""

    element: ArrayFacts


class TupleFacts(Struct, frozen=True):
    """A tuple, item by item."""

    items: tuple[Facts, ...]


Facts: TypeAlias = ArrayFacts | ScalarFacts | ConstantFacts | ListFacts | TupleFacts


def constant_facts(value: bool | int | float) -> ConstantFacts:
    """Facts of a number that becomes part of the kernel."""
    if isinstance(value, bool):
        return ConstantFacts("bool", str(value))
    if isinstance(value, int):
        return ConstantFacts("int", str(int(value)))
    return ConstantFacts("float", float(value).hex())


def array_facts(
    dtype: str, item_bytes: int, address: int, shape: Sequence[int], strides: Sequence[int], note: ArrayNote
) -> ArrayFacts:
    """What NVIDIA's launcher would find out about an array.

    Of extents it tells 1 and multiples of 16, of strides 1 and multiples of 16 bytes, in arrays of up to five
    dimensions. Where an annotation names constant strides, no other stride is one.
    """
    looked = len(shape) <= _RANKS_LOOKED_AT
    static_shape = _axes(note.static_shape, len(shape), "static_shape_dims")
    static_strides = _axes(note.static_strides, len(shape), "static_stride_dims")
    shape_constant = tuple(
        n if axis in static_shape or (looked and n == 1 and not static_shape) else None for axis, n in enumerate(shape)
    )
    stride_constant = tuple(
        s if axis in static_strides or (looked and s == 1 and not static_strides) else None
        for axis, s in enumerate(strides)
    )
    step = max(1, ALIGNMENT // item_bytes)
    return ArrayFacts(
        dtype,
        note.wide,
        shape_constant,
        tuple(_divisor(n, c, ALIGNMENT, looked) for n, c in zip(shape, shape_constant, strict=True)),
        stride_constant,
        tuple(_divisor(s, c, step, looked) for s, c in zip(strides, stride_constant, strict=True)),
        1 if address % ALIGNMENT else ALIGNMENT,
        _overlaps(shape, strides),
    )


def _axes(named: tuple[int, ...], rank: int, what: str) -> frozenset[int]:
    axes: set[int] = set()
    for axis in named:
        if not -rank <= axis < rank:
            raise ValueError(f"{what} names axis {axis} of an array of rank {rank}")
        if axis % rank in axes:
            raise ValueError(f"{what} names axis {axis} of an array of rank {rank} twice")
        axes.add(axis % rank)
    return frozenset(axes)


def _divisor(number: int, constant: int | None, step: int, looked: bool) -> int:
    return step if looked and constant is None and number % step == 0 else 1


def _overlaps(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two indices may mean one element: some stride is shorter than what lies within it."""
    inner = 1
    for stride, extent in sorted(zip(strides, shape, strict=True)):
        if stride < inner:
            return True
        inner = stride * extent
    return False


def common(first: ArrayFacts, second: ArrayFacts, note: ArrayNote) -> ArrayFacts:
    """What holds for two arrays of one list; ValueError where what is annotated as a constant differs."""
    _agree("shape", note.static_shape, first.shape_constant, second.shape_constant)
    _agree("stride", note.static_strides, first.stride_constant, second.stride_constant)
    return ArrayFacts(
        first.dtype,
        first.wide,
        _same(first.shape_constant, second.shape_constant),
        _smaller(first.shape_divisible, second.shape_divisible),
        _same(first.stride_constant, second.stride_constant),
        _smaller(first.stride_divisible, second.stride_divisible),
        min(first.base_divisible, second.base_divisible),
        first.overlaps or second.overlaps,
    )


def _agree(what: str, named: tuple[int, ...], first: Sequence[int | None], second: Sequence[int | None]) -> None:
    for axis in (axis % len(first) for axis in named):
        if first[axis] != second[axis]:
            # NVIDIA's launcher says it in these words
            raise ValueError(f"Arrays in list vary in static {what} at axis {axis} ({first[axis]} vs {second[axis]})")


def _same(first: Sequence[int | None], second: Sequence[int | None]) -> tuple[int | None, ...]:
    return tuple(a if a == b else None for a, b in zip(first, second, strict=True))


def _smaller(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    return tuple(min(pair) for pair in zip(first, second, strict=True))
