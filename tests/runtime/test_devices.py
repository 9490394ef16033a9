"""Arrays of other devices, as DLPack hands them out, are refused before anything runs."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import tilewright as tw

AXPBY = """func @axpby(%x: memref<f32x?>, %y: memref<f32x?>) {
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    axpby.n %one, %x, %zero, %y
}"""
KINDS = {2: "cuda:3", 4: "opencl:3", 7: "vulkan:3", 8: "metal:3", 10: "rocm:3", 14: "oneapi:3", 99: "dlpack99:3"}


class _Elsewhere:
    """Exports host memory as if it were another device's; that address may not be read on the host."""

    def __init__(self, kind: int) -> None:
        self._kind = kind
        self._values = np.zeros(8, np.float32)

    def __dlpack__(self, **options: object) -> object:
        capsule: object = self._values.__dlpack__()
        address = ctypes.pythonapi.PyCapsule_GetPointer
        address.argtypes, address.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
        tensor = address(capsule, b"dltensor")
        data, device = ctypes.c_void_p.from_address(tensor), (ctypes.c_int32 * 2).from_address(tensor + 8)
        data.value, device[0], device[1] = 4096, self._kind, 3
        return capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (self._kind, 3)


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
@pytest.mark.parametrize("kind", KINDS)
def test_arrays_of_other_devices_are_refused(kind: int, target: str) -> None:
    kernel = tw.compile(AXPBY, target=target).axpby
    given, result = np.ones(8, np.float32), np.full(8, 7, np.float32)
    with pytest.raises(tw.LaunchError, match=f"argument x: the array lies on {KINDS[kind]}, this kernel runs on"):
        kernel[1](_Elsewhere(kind), result)
    np.testing.assert_array_equal(result, np.full(8, 7, np.float32))
    with pytest.raises(tw.LaunchError, match=f"argument y: the array lies on {KINDS[kind]}, this kernel runs on"):
        kernel[1](given, _Elsewhere(kind))
    kernel[1](given, result)
    np.testing.assert_array_equal(result, given)
