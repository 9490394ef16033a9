"""The foreign functions of the CUDA driver library: one typed table, loaded on first use.

Importing this module needs no driver. `library()` loads `libcuda` once a process; where there is none it raises
`DriverUnavailable`, whose message says what was looked for.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint8, c_uint64, c_void_p
from functools import cache
from typing import Final

from tilewright.machine.cuda.errors import DriverError, DriverUnavailable, error_of

__all__ = ["SIGNATURES", "DriverError", "DriverUnavailable", "Library", "library"]

OLDEST_DRIVER: Final = (11, 8)
"""The CUDA version whose driver first has all functions of the table."""

_OUT: Final = POINTER(c_void_p)

# Name and argument types. Every function returns a CUresult. The `_v2` names are the ones that `cuda.h` means.
SIGNATURES: Final[dict[str, tuple[type, ...]]] = {
    "cuInit": (c_uint,),
    "cuDriverGetVersion": (POINTER(c_int),),
    "cuDeviceGetCount": (POINTER(c_int),),
    "cuDeviceGet": (POINTER(c_int), c_int),
    "cuDeviceGetName": (c_char_p, c_int, c_int),
    "cuDeviceGetAttribute": (POINTER(c_int), c_int, c_int),
    "cuDevicePrimaryCtxRetain": (_OUT, c_int),
    "cuDevicePrimaryCtxRelease_v2": (c_int,),
    "cuCtxGetCurrent": (_OUT,),
    "cuCtxPushCurrent_v2": (c_void_p,),
    "cuCtxPopCurrent_v2": (_OUT,),
    "cuCtxSynchronize": (),
    "cuModuleLoadDataEx": (_OUT, c_void_p, c_uint, POINTER(c_int), _OUT),
    "cuModuleUnload": (c_void_p,),
    "cuModuleGetFunction": (_OUT, c_void_p, c_char_p),
    "cuFuncGetAttribute": (POINTER(c_int), c_int, c_void_p),
    "cuFuncSetAttribute": (c_void_p, c_int, c_int),
    "cuLaunchKernelEx": (c_void_p, c_void_p, _OUT, _OUT),
    "cuOccupancyMaxActiveBlocksPerMultiprocessor": (POINTER(c_int), c_void_p, c_int, c_size_t),
    "cuMemAlloc_v2": (POINTER(c_uint64), c_size_t),
    "cuMemAllocAsync": (POINTER(c_uint64), c_size_t, c_void_p),
    "cuMemFree_v2": (c_uint64,),
    "cuMemFreeAsync": (c_uint64, c_void_p),
    "cuMemGetInfo_v2": (POINTER(c_size_t), POINTER(c_size_t)),
    "cuMemcpyHtoD_v2": (c_uint64, c_void_p, c_size_t),
    "cuMemcpyHtoDAsync_v2": (c_uint64, c_void_p, c_size_t, c_void_p),
    "cuMemcpyDtoH_v2": (c_void_p, c_uint64, c_size_t),
    "cuMemcpyDtoHAsync_v2": (c_void_p, c_uint64, c_size_t, c_void_p),
    "cuMemsetD8Async": (c_uint64, c_uint8, c_size_t, c_void_p),
    "cuPointerGetAttribute": (c_void_p, c_int, c_uint64),
    "cuStreamCreate": (_OUT, c_uint),
    "cuStreamGetId": (c_void_p, POINTER(c_uint64)),
    "cuStreamIsCapturing": (c_void_p, POINTER(c_int)),
    "cuStreamSynchronize": (c_void_p,),
    "cuStreamDestroy_v2": (c_void_p,),
    "cuEventCreate": (_OUT, c_uint),
    "cuEventRecord": (c_void_p, c_void_p),
    "cuEventSynchronize": (c_void_p,),
    "cuEventElapsedTime": (POINTER(c_float), c_void_p, c_void_p),
    "cuEventDestroy_v2": (c_void_p,),
    "cuThreadExchangeStreamCaptureMode": (POINTER(c_int),),
    "cuTensorMapEncodeTiled": (
        *(c_void_p, c_int, c_uint, c_void_p, POINTER(c_uint64), POINTER(c_uint64), POINTER(c_uint), POINTER(c_uint)),
        *(c_int, c_int, c_int, c_int),
    ),
}

LATER: Final = frozenset({"cuStreamGetId", "cuTensorMapEncodeTiled"})
"""Functions that came in CUDA 12.0, and that few kernels need."""


class Library:
    """The loaded driver library; `call` runs a function and turns its error code into an exception."""

    def __init__(self, handle: ctypes.CDLL) -> None:
        there = (name for name in SIGNATURES if name not in LATER or hasattr(handle, name))
        self._functions = {name: getattr(handle, name) for name in there}
        for name, function in self._functions.items():
            function.argtypes = SIGNATURES[name]
            function.restype = c_int
        self._texts = (handle.cuGetErrorName, handle.cuGetErrorString)
        for function in self._texts:
            function.argtypes = (c_int, POINTER(c_char_p))
            function.restype = c_int

    def call(self, name: str, *arguments: object) -> None:
        """Call a driver function of the table; `DriverError` if it does not answer CUDA_SUCCESS.

        Raises `DriverUnavailable` for one of `LATER` that this driver does not have.
        """
        if name not in self._functions:
            raise DriverUnavailable(f"the NVIDIA driver is too old: it lacks {name}, which came with CUDA 12.0")
        code: int = self._functions[name](*arguments)
        if code:
            raise error_of(name, code, *self.describe(code))

    def address(self, name: str) -> int:
        """Where a function of the table lies, for machine code that calls it; 0 for one of `LATER` that is missing."""
        found = self._functions.get(name)
        return (ctypes.cast(found, c_void_p).value or 0) if found is not None else 0

    def describe(self, code: int) -> tuple[str, str]:
        """The driver's name and sentence for an error code."""
        words: list[str] = []
        for function in self._texts:
            text = c_char_p()
            found = function(code, ctypes.byref(text)) == 0 and text.value is not None
            words.append(text.value.decode(errors="replace") if found and text.value else "unknown error")
        return words[0], words[1]


@cache
def library() -> Library:
    """Load and initialise the driver; `DriverUnavailable` says what is missing."""
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        loaded = Library(ctypes.CDLL(name))
    except OSError as error:
        raise DriverUnavailable(
            f"no NVIDIA driver on this machine: {name} cannot be loaded ({error}). Kernels run on a machine with an "
            f"NVIDIA GPU and its driver, or here for the targets cpu and interpreter"
        ) from error
    except AttributeError as error:
        oldest = ".".join(map(str, OLDEST_DRIVER))
        raise DriverUnavailable(
            f"the NVIDIA driver is too old: {name} lacks a function ({error}); a driver for CUDA {oldest} or later is "
            f"needed"
        ) from error
    try:
        loaded.call("cuInit", 0)
    except DriverError as error:
        raise DriverUnavailable(
            f"the NVIDIA driver finds no usable device: {error}. `nvidia-smi` says what the driver sees, and "
            f"CUDA_VISIBLE_DEVICES hides devices"
        ) from error
    return loaded
