"""Arguments of a kernel that may be launched on them again and again: private copies, and what they began with."""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from tilewright.artifacts.parameters import GroupParameter, KernelInfo, MemrefParameter, Parameter, PointerParameter
from tilewright.runtime.arrays import CPU, AnyDtype, ArrayView, NotAnArray, UnusableArray, reach, typed_view, view
from tilewright.runtime.errors import LaunchTypeError
from tilewright.runtime.group_arguments import ArrayGroup, PointerArray
from tilewright.runtime.nvidia.copies import overlapping

Bytes = NDArray[np.uint8]
Array = NDArray[Any]

_PAGE: Final = 4096
"""Bytes of memory of which all can be read if one can."""
_ALIGNMENT: Final = 256
"""What addresses of the copies have in common with those of the originals: their rests by this."""


class _Block(Struct, frozen=True, eq=False):
    """Memory `[low, high)` that arrays share, and its copy; `first` is what a kernel that writes there begins with."""

    low: int
    high: int
    copy: Bytes
    dtype: AnyDtype
    first: Bytes | None


class Arguments:
    """Copies in host memory of what a caller gave; the caller's own arrays are only read, wherever they lie.

    `given` is what to launch the kernel with; of several GPUs it is for that of the number `ordinal`, on which the
    first array lies.

    Copies of what lies where the kernel runs have its alignment; arrays of the host that are for a device come to lie
    as arrays of devices do. Raises `LaunchTypeError` for what cannot be copied.
    """

    def __init__(self, info: KernelInfo, given: Sequence[object]) -> None:
        passed = info.passed
        if len(given) != len(passed):
            raise LaunchTypeError(f"kernel {info.name} takes {len(passed)} arguments, {len(given)} are given")
        written = [
            each
            for parameter, argument in zip(passed, given, strict=True)
            if _is_written(parameter)
            for each in _views(parameter, argument)
        ]
        pairs = zip(passed, given, strict=True)
        views = [each for parameter, argument in pairs for each in _views(parameter, argument)]
        ranges = [reach(each) for each in written]
        self._is_for_device = info.launch is not None
        self._blocks = [_copied(part, ranges, is_for_device=self._is_for_device) for part in overlapping(views)]
        self.given = [self._private(p, argument) for p, argument in zip(passed, given, strict=True)]
        self.told = ", ".join(_told(p, a) for p, a in zip(passed, self.given, strict=True))
        self.bytes = sum(block.high - block.low for block in self._blocks)
        self.ordinal = _ordinal(views)

    def restore(self) -> None:
        """Let all arrays be as they were given."""
        for block in self._blocks:
            if block.first is not None:
                block.copy[...] = block.first

    def left(self) -> list[Array]:
        """A copy of all memory that the kernel may write, as it is now."""
        return [
            (block.copy.view(block.dtype) if block.copy.size % block.dtype.itemsize == 0 else block.copy).copy()
            for block in self._blocks
            if block.first is not None
        ]

    def _private(self, parameter: Parameter, argument: object) -> object:
        if isinstance(argument, PointerArray):
            owner = typed_view(argument.owner)
            block = self._block(owner)
            moved = argument.pointers.astype(np.int64) + (_address(block.copy) - block.low)
            pointers = np.frombuffer(moved.astype(np.uint64).tobytes(), np.uint64)
            readonly = block.first is None
            return dataclasses.replace(argument, pointers=pointers, owner=block.copy, readonly=readonly, device=CPU)
        if isinstance(argument, ArrayGroup):
            return ArrayGroup([self._one(array) for array in argument.arrays], argument.offset)
        if isinstance(parameter, GroupParameter):
            arrays = [self._one(array) for array in cast("Sequence[object]", argument)]
            return self._addresses(arrays) or arrays if self._is_for_device else arrays
        return self._one(argument) if isinstance(parameter, MemrefParameter | PointerParameter) else argument

    def _addresses(self, arrays: Sequence[Array | None]) -> PointerArray | None:
        """Arrays that lie alike in one piece of memory as addresses, which a launch need not look at one by one."""
        views = [view(array) for array in arrays if array is not None]
        if len(views) != len(arrays) or len({(v.dtype, v.shape, v.strides) for v in views}) != 1 or 0 in views[0].shape:
            return None
        blocks = {id(self._copy(each)): self._copy(each) for each in views}
        if len(blocks) != 1:
            return None
        (block,) = blocks.values()
        pointers = np.frombuffer(np.array([each.address for each in views], np.uint64).tobytes(), np.uint64)
        first, readonly = views[0], block.first is None
        layout = (first.shape, first.strides)
        return PointerArray(
            pointers, first.dtype, readonly=readonly, layout=layout, transposed=False, device=CPU, owner=block.copy
        )

    def _copy(self, array: ArrayView) -> _Block:
        """The block in whose copy a private array lies."""
        begins = [(_address(block.copy), block) for block in self._blocks]
        return next(block for begin, block in begins if begin <= array.address < begin + block.copy.size)

    def _one(self, argument: object) -> Array | None:
        if argument is None:
            return None
        array = typed_view(argument)
        if 0 in array.shape:
            return np.empty(array.shape, array.dtype)
        block = self._block(array)
        strides = [stride * array.dtype.itemsize for stride in array.strides]
        made = np.ndarray(array.shape, array.dtype, block.copy.data, array.address - block.low, strides)
        made.flags.writeable = block.first is not None
        return made

    def _block(self, array: ArrayView) -> _Block:
        begin, end = reach(array)
        return next(block for block in self._blocks if block.low <= begin and end <= block.high)


def _told(parameter: Parameter, argument: object) -> str:
    """The parameter with the extents of its argument."""
    match argument:
        case np.ndarray():
            said = "x".join(map(str, cast("Array", argument).shape))
        case PointerArray():
            said = f"{len(argument.pointers)} arrays"
        case ArrayGroup():
            said = f"{len(argument.arrays)} arrays"
        case list():
            said = f"{len(cast('list[object]', argument))} arrays"
        case _:
            said = str(argument)
    return f"{parameter.name}={said}"


def _ordinal(arrays: Sequence[ArrayView]) -> int:
    """The number of the device on which the first array is that lies on any: CuPy's do not tell themselves."""
    first = next((each for each in arrays if each.device.kind == "cuda"), None)
    if first is None:
        return 0
    from tilewright.machine.cuda.driver import pointer_device

    return pointer_device(first.address) or 0


def _is_written(parameter: Parameter) -> bool:
    match parameter:
        case MemrefParameter() | PointerParameter():
            return parameter.written
        case GroupParameter():
            return parameter.memref.written
        case _:
            return False


def _views(parameter: Parameter, argument: object) -> list[ArrayView]:
    """The arrays with elements among an argument."""
    match parameter, argument:
        case GroupParameter(), PointerArray():
            arrays = [_owner(argument)]
        case GroupParameter(), ArrayGroup():
            arrays = list(argument.arrays)
        case GroupParameter(), _:
            arrays = list(cast("Sequence[object]", argument))
        case ((MemrefParameter() | PointerParameter()), _):
            arrays = [argument]
        case _:
            arrays = []
    found: list[ArrayView] = []
    for array in arrays:
        try:
            found += [] if array is None else [typed_view(array)]
        except (NotAnArray, UnusableArray) as error:
            said = f"kernel is tuned on copies of arrays; {parameter.name} is a {type(array).__name__}: {error}"
            raise LaunchTypeError(said) from None
    found = [each for each in found if 0 not in each.shape]
    return _together(found) if isinstance(parameter, GroupParameter) else found


def _together(arrays: list[ArrayView]) -> list[ArrayView]:
    """One view of all memory of a group whose arrays lie side by side, so that they do in the copy."""
    ranges = sorted(map(reach, arrays))
    if len({array.dtype for array in arrays}) != 1 or any(
        begin - end >= _PAGE for (_, end), (begin, _) in pairwise(ranges)
    ):
        return arrays
    low, high = ranges[0][0], max(end for _, end in ranges)
    size = (high - low) // arrays[0].dtype.itemsize
    return [replace(arrays[0], address=low, shape=(size,), strides=(1,))]


def _owner(group: PointerArray) -> object:
    if group.owner is None:
        raise LaunchTypeError("a group of addresses without the array that they point into cannot be copied")
    return group.owner


def _copied(arrays: Sequence[ArrayView], written: Sequence[tuple[int, int]], *, is_for_device: bool) -> _Block:
    ranges = [reach(array) for array in arrays]
    low, high = min(begin for begin, _ in ranges), max(end for _, end in ranges)
    raw = np.empty(high - low + _ALIGNMENT, np.uint8)
    rest = 0 if is_for_device and arrays[0].device == CPU else low % _ALIGNMENT
    start = (rest - _address(raw)) % _ALIGNMENT
    copy = raw[start : start + high - low]
    copy[...] = _content(arrays[0], low, high)
    is_written = any(begin < high and low < end for begin, end in written)
    copy.flags.writeable = is_written
    dtypes = {array.dtype for array in arrays}
    dtype = dtypes.pop() if len(dtypes) == 1 else np.dtype(np.uint8)
    return _Block(low, high, copy, dtype, copy.copy() if is_written else None)


def _content(array: ArrayView, low: int, high: int) -> Bytes:
    if array.device.kind == "cpu":
        return np.ctypeslib.as_array((ctypes.c_uint8 * (high - low)).from_address(low))
    from tilewright.machine.cuda.driver import open_device

    context = open_device(array.device.ordinal)
    context.synchronize()
    found = np.empty(high - low, np.uint8)
    context.call("cuMemcpyDtoH_v2", ctypes.c_void_p(_address(found)), low, high - low)
    return found


def _address(array: Bytes) -> int:
    return array.ctypes.data
