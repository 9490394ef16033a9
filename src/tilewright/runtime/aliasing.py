"""Whether arguments overlap: the check behind `noalias`, and what chooses between two forms of a kernel (`apart`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from msgspec import Struct

from tilewright.artifacts.artifact import GroupParameter, MemrefParameter, Parameter, ScalarParameter
from tilewright.runtime.addresses import FirstElement, MemoryAt
from tilewright.runtime.arrays import ArrayView, NotAnArray, UnusableArray, reach, view
from tilewright.runtime.errors import LaunchError
from tilewright.runtime.groups import ArrayGroup, PointerArray


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
        """Compare the ranges of all arguments. Raises `LaunchError`."""
        ranges: list[_Range] = []
        for parameter, argument in zip(self.parameters, arguments, strict=True):
            memref = _memref(parameter)
            if memref is not None:
                ranges += _ranges(parameter.name, memref.written, memref.noalias, _arrays(argument))
        for left, right in _overlaps(ranges):
            if left.noalias or right.noalias:
                first, second = (left, right) if left.noalias else (right, left)
                raise LaunchError(
                    f"kernel {self.kernel}, argument {first.name}: it overlaps argument {second.name}, and the kernel "
                    f"relies on memory of its own (noalias); pass such memory"
                )


def lie_apart(parameters: Sequence[Parameter], arguments: Sequence[object]) -> bool:
    """Whether no array that is written shares a byte with another argument; False if a launch cannot tell.

    An array is what lies between its first byte and its last: columns of one row-major matrix overlap.
    """
    ranges: list[_Range] = []
    for parameter, argument in zip(parameters, arguments, strict=True):
        if isinstance(parameter, GroupParameter):
            return False
        if isinstance(parameter, ScalarParameter) or argument is None:
            continue
        if isinstance(argument, MemoryAt):
            end = argument.number + argument.nbytes
            ranges.append(_Range(parameter.name, argument.number, end, parameter.written, True))
            continue
        try:
            array = view(argument.array if isinstance(argument, FirstElement) else argument)
        except (NotAnArray, UnusableArray):
            # whoever binds it says what is wrong
            return False
        ranges += _ranges(parameter.name, parameter.written, True, [array])
    return next(_overlaps(ranges), None) is None


class _Range(Struct, frozen=True):
    """Bytes `[begin, end)` that a parameter may touch."""

    name: str
    begin: int
    end: int
    written: bool
    noalias: bool


def _overlaps(ranges: Sequence[_Range]) -> Iterator[tuple[_Range, _Range]]:
    """Pairs of ranges of two parameters that share a byte, of which one is written, in the order of addresses."""
    ordered = sorted(ranges, key=lambda part: part.begin)
    for k, left in enumerate(ordered):
        for right in ordered[k + 1 :]:
            if right.begin >= left.end:
                break
            if (left.written or right.written) and left.name != right.name:
                yield left, right


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


def _ranges(name: str, written: bool, noalias: bool, arrays: Iterable[ArrayView]) -> list[_Range]:
    """The ranges of the arrays of a parameter; an empty one has none."""
    return [_Range(name, *reach(array), written, noalias) for array in arrays if 0 not in array.shape]
