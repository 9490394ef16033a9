"""Streams as users have them: numbers, objects of several libraries, and the current one of the arrays' framework."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Protocol, cast, runtime_checkable

from tilewright.runtime.addresses import FirstElement, MemoryAt
from tilewright.runtime.errors import LaunchTypeError
from tilewright.runtime.groups import ArrayGroup, PointerArray
from tilewright.runtime.nvidia.tables import AddressWords


@runtime_checkable
class _StreamProtocol(Protocol):
    def __cuda_stream__(self) -> tuple[int, int]: ...


@runtime_checkable
class _TorchStream(Protocol):
    @property
    def cuda_stream(self) -> int: ...


@runtime_checkable
class _CupyStream(Protocol):
    @property
    def ptr(self) -> int: ...


class _TorchCuda(Protocol):
    def current_stream(self, device: int) -> _TorchStream: ...


class _CupyCuda(Protocol):
    def get_current_stream(self, device: int) -> _CupyStream: ...


class _Framework(Protocol):
    @property
    def cuda(self) -> object: ...


def stream_handle(stream: object) -> int:
    """The driver's number for a stream. Raises `LaunchTypeError` for what is none."""
    match stream:
        case bool():
            raise LaunchTypeError("a stream is a number or a stream object, not a bool")
        case int():
            return stream
        case type():
            # its methods are bound to nothing, which `runtime.dlpack` says more of
            raise LaunchTypeError(f"the class {stream.__name__} is no CUDA stream, but an object of it may be")
        case _StreamProtocol():
            return stream.__cuda_stream__()[1]
        case _TorchStream():
            return stream.cuda_stream
        case _CupyStream():
            return stream.ptr
        case _:
            raise LaunchTypeError(f"{type(stream).__name__} is no CUDA stream")


def current_stream(arguments: Sequence[object], ordinal: int) -> int:
    """The current stream, on a device, of the framework that made the first array; the default stream if none did."""
    match framework_of(arguments):
        case "torch":
            return cast("_TorchCuda", _cuda_of("torch")).current_stream(ordinal).cuda_stream
        case "cupy":
            return cast("_CupyCuda", _cuda_of("cupy")).get_current_stream(ordinal).ptr
        case _:
            return 0


def framework_of(arguments: Sequence[object]) -> str | None:
    """`torch` or `cupy`, whichever made the first array; frameworks are not imported for this."""
    for item in arrays_of(arguments):
        # of derived classes too: their work is in the same streams
        packages = {class_.__module__.partition(".")[0] for class_ in type(item).__mro__}
        for name in ("torch", "cupy"):
            if name in packages and name in sys.modules:
                return name
    return None


def _cuda_of(name: str) -> object:
    return cast("_Framework", sys.modules[name]).cuda


def arrays_of(arguments: Sequence[object]) -> Iterator[object]:
    """The arguments, and those in groups; what keeps the memory of a table of addresses alive."""
    for argument in arguments:
        if isinstance(argument, ArrayGroup):
            yield from argument.arrays
        elif isinstance(argument, list | tuple):
            yield from cast("Sequence[object]", argument)
        elif isinstance(argument, PointerArray | MemoryAt | AddressWords):
            owner = argument.owner
            yield from cast("tuple[object, ...]", owner) if isinstance(owner, tuple) else (owner,)
        elif isinstance(argument, FirstElement):
            yield argument.array
        else:
            yield argument
