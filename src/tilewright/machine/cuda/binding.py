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

from tilewright.diagnostics.caller_error import CallerError


class DriverError(RuntimeError):
    """A call of the CUDA driver failed; `name` is the driver's name of the error, such as CUDA_ERROR_OUT_OF_MEMORY."""

    def __init__(self, call: str, code: int, name: str, text: str) -> None:
        super().__init__(f"{call} failed: {name} ({code}): {text}")
        self.call = call
        self.code = code
        self.name = name


class DriverUnavailable(CallerError, RuntimeError):
    """This machine has no usable CUDA driver."""


_OUT: Final = POINTER(c_void_p)

# Name and argument types. Every function returns a CUresult. The `_v2` names are the ones that `cuda.h` means.
_SIGNATURES: Final[dict[str, tuple[type, ...]]] = {
    "cuInit": (c_uint,),
    "cuDriverGetVersion": (POINTER(c_int),),
    "cuDeviceGetCount": (POINTER(c_int),),
    "cuDeviceGet": (POINTER(c_int), c_int),
    "cuDeviceGetName": (c_char_p, c_int, c_int),
    "cuDeviceGetAttribute": (POINTER(c_int), c_int, c_int),
    "cuDevicePrimaryCtxRetain": (_OUT, c_int),
    "cuDevicePrimaryCtxRelease_v2": (c_int,),
    "cuCtxPushCurrent_v2": (c_void_p,),
    "cuCtxPopCurrent_v2": (_OUT,),
    "cuCtxSynchronize": (),
    "cuModuleLoadDataEx": (_OUT, c_void_p, c_uint, POINTER(c_int), _OUT),
    "cuModuleUnload": (c_void_p,),
    "cuModuleGetFunction": (_OUT, c_void_p, c_char_p),
    "cuFuncGetAttribute": (POINTER(c_int), c_int, c_void_p),
    "cuFuncSetAttribute": (c_void_p, c_int, c_int),
    "cuLaunchKernel": (c_void_p, *[c_uint] * 7, c_void_p, _OUT, _OUT),
    "cuMemAlloc_v2": (POINTER(c_uint64), c_size_t),
    "cuMemFree_v2": (c_uint64,),
    "cuMemcpyHtoD_v2": (c_uint64, c_void_p, c_size_t),
    "cuMemcpyDtoH_v2": (c_void_p, c_uint64, c_size_t),
    "cuMemsetD8Async": (c_uint64, c_uint8, c_size_t, c_void_p),
    "cuPointerGetAttribute": (c_void_p, c_int, c_uint64),
    "cuStreamCreate": (_OUT, c_uint),
    "cuStreamSynchronize": (c_void_p,),
    "cuStreamDestroy_v2": (c_void_p,),
    "cuEventCreate": (_OUT, c_uint),
    "cuEventRecord": (c_void_p, c_void_p),
    "cuEventSynchronize": (c_void_p,),
    "cuEventElapsedTime": (POINTER(c_float), c_void_p, c_void_p),
    "cuEventDestroy_v2": (c_void_p,),
}


class Library:
    """The loaded driver library; `call` runs a function and turns its error code into an exception."""

    def __init__(self, handle: ctypes.CDLL) -> None:
        self._functions = {name: getattr(handle, name) for name in _SIGNATURES}
        for name, function in self._functions.items():
            function.argtypes = _SIGNATURES[name]
            function.restype = c_int
        self._texts = (handle.cuGetErrorName, handle.cuGetErrorString)
        for function in self._texts:
            function.argtypes = (c_int, POINTER(c_char_p))
            function.restype = c_int

    def call(self, name: str, *arguments: object) -> None:
        """Call a driver function of the table; `DriverError` if it does not answer CUDA_SUCCESS."""
        code: int = self._functions[name](*arguments)
        if code:
            raise DriverError(name, code, *self.describe(code))

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
        raise DriverUnavailable(f"no NVIDIA driver on this machine: {name} cannot be loaded ({error})") from error
    except AttributeError as error:
        raise DriverUnavailable(f"the NVIDIA driver is too old: {name} lacks a function ({error})") from error
    try:
        loaded.call("cuInit", 0)
    except DriverError as error:
        raise DriverUnavailable(f"the NVIDIA driver finds no usable device: {error}") from error
    return loaded
