"""What the CUDA driver refuses, as exceptions: each says what happened and what to do."""

from __future__ import annotations

from typing import Final

from tilewright.diagnostics.caller_error import CallerError

OUT_OF_MEMORY: Final = 2
UNSUPPORTED_PTX: Final = 222
LAUNCH_OUT_OF_RESOURCES: Final = 701

_BROKEN: Final = frozenset({700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721})
"""Errors behind which the driver refuses all further work of the process: faults of kernels, contexts that are gone."""


class DriverError(RuntimeError):
    """A call of the CUDA driver failed; `name` is the driver's name of the error, such as CUDA_ERROR_INVALID_VALUE."""

    def __init__(self, call: str, code: int, name: str, text: str, advice: str = "") -> None:
        super().__init__(f"{call} failed: {name} ({code}): {text}{advice and f'; {advice}'}")
        self.call = call
        self.code = code
        self.name = name
        self.text = text


class DriverUnavailable(CallerError, RuntimeError):
    """This machine has no usable CUDA driver."""


class DeviceFailed(CallerError, DriverError):
    """A kernel that ran before, of whatever library, has faulted; the driver takes no more work from this process."""


class OutOfDeviceMemory(CallerError, DriverError, MemoryError):
    """The device has no room left."""


def error_of(call: str, code: int, name: str, text: str) -> DriverError:
    """The exception for an error code of the driver."""
    if code in _BROKEN:
        advice = (
            "a kernel that was launched before, maybe by another library, has faulted, and every later call in this "
            "process fails like this one. Start the process again; `compute-sanitizer python ..` tells which kernel "
            "did it, and where"
        )
        return DeviceFailed(call, code, name, text, advice)
    if code == OUT_OF_MEMORY:
        advice = "free arrays (torch keeps memory until torch.cuda.empty_cache()), or launch on fewer at a time"
        return OutOfDeviceMemory(call, code, name, text, advice)
    return DriverError(call, code, name, text)
