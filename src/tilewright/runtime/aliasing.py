"""The check behind `noalias`: arguments may overlap as they like unless a parameter was declared not to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from msgspec import Struct

from tilewright.artifacts.artifact import GroupParameter, MemrefParameter, Parameter
from tilewright.runtime.arrays import ArrayView, view
from tilewright.runtime.errors import LaunchError
from tilewright.runtime.groups import ArrayGroup, PointerArray


class _Range(Struct, frozen=True):
    """Bytes `[begin, end)` that a parameter may touch."""

    name: str
    begin: int
    end: int
    written: bool
    noalias: bool


class AliasCheck(Struct, frozen=True):
    """Refuses launches where memory of a `noalias` parameter is written by one argument and touched by another."""

    kernel: str
    parameters: tuple[Parameter, ...]

    @staticmethod
    def of(kernel: str, parameters: Sequence[Parameter]) -> AliasCheck | None:
        """The check for a signature, or None if nothing was promised."""
        promised = any(memref.noalias for memref in map(_memref, parameters) if memref is not None)
        return AliasCheck(kernel, tuple(parameters)) if promised else None

    def check(self, arguments: Sequence[object]) -> None:
        """Compare the ranges of all arguments, in the order of their addresses."""
        ranges: list[_Range] = []
        for parameter, argument in zip(self.parameters, arguments, strict=True):
            memref = _memref(parameter)
            if memref is not None:
                ranges += [_range(memref, parameter.name, array) for array in _arrays(argument) if 0 not in array.shape]
        ranges.sort(key=lambda part: part.begin)
        for k, left in enumerate(ranges):
            for right in ranges[k + 1 :]:
                if right.begin >= left.end:
                    break
                self._compare(left, right)

    def _compare(self, left: _Range, right: _Range) -> None:
        promised = left.noalias or right.noalias
        if promised and (left.written or right.written) and left.name != right.name:
            first, second = (left, right) if left.noalias else (right, left)
            raise LaunchError(
                f"kernel {self.kernel}, argument {first.name}: it overlaps argument {second.name}, and the kernel "
                f"relies on memory of its own (noalias); pass such memory"
            )


def _memref(parameter: Parameter) -> MemrefParameter | None:
    if isinstance(parameter, GroupParameter):
        return parameter.memref
    return parameter if isinstance(parameter, MemrefParameter) else None


def _arrays(argument: object) -> list[ArrayView]:
    if argument is None or isinstance(argument, PointerArray):
        # what lies behind bare addresses is known to the caller alone
        return []
    if isinstance(argument, ArrayGroup):
        return [view(array) for array in argument.arrays if array is not None]
    if isinstance(argument, list | tuple):
        return [view(array) for array in cast("Sequence[object]", argument) if array is not None]
    return [view(argument)]


def _range(memref: MemrefParameter, name: str, array: ArrayView) -> _Range:
    steps = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True)]
    size = array.dtype.itemsize
    begin = array.address + sum(step for step in steps if step < 0) * size
    end = array.address + (sum(step for step in steps if step > 0) + 1) * size
    return _Range(name, begin, end, memref.written, memref.noalias)
