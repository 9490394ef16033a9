"""Every protocol leads to the same view, and none of them copies."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tilewright.runtime.arrays import CPU, Device, NotAnArray, UnusableArray, device_of, view
from tilewright.runtime.dtypes import numpy_dtype


class Exported:
    """An array that offers nothing but DLPack."""

    def __init__(self, array: object) -> None:
        self._array = array

    def __dlpack__(self, **options: object) -> object:
        return self._array.__dlpack__(**options)  # type: ignore[attr-defined]

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


@pytest.mark.parametrize("dtype", ["i8", "i16", "i32", "i64", "f16", "f32", "f64", "c32", "c64"])
def test_dlpack_says_what_numpy_says(dtype: str) -> None:
    array = np.zeros((4, 6), numpy_dtype(dtype))[1:, ::2].T
    expected, found = view(array), view(Exported(array))
    for name in ("address", "dtype", "shape", "strides", "readonly", "device"):
        assert getattr(found, name) == getattr(expected, name), name
    assert expected.strides == (2, 6)


def test_read_only_survives_dlpack() -> None:
    array = np.zeros(3)
    array.flags.writeable = False
    assert view(array).readonly
    try:
        array.__dlpack__(max_version=(1, 1))
    except (TypeError, BufferError):
        pytest.skip("this NumPy cannot export read-only arrays")
    assert view(Exported(array)).readonly


def test_bf16_from_ml_dtypes_and_torch() -> None:
    torch = pytest.importorskip("torch")
    array = np.zeros(5, ml_dtypes.bfloat16)
    tensor = torch.zeros(2, 5, dtype=torch.bfloat16)
    assert view(array).dtype == view(tensor).dtype == numpy_dtype("bf16")
    assert view(tensor).address == tensor.data_ptr()
    assert view(tensor).strides == (5, 1)
    with pytest.raises(UnusableArray, match="grad"):
        view(torch.zeros(3, requires_grad=True))


def test_every_type_of_torch_that_numpy_or_ml_dtypes_have() -> None:
    torch = pytest.importorskip("torch")
    names = ["bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))]
    names += ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
    names += ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"]
    for name in names:
        tensor = torch.zeros(32, dtype=torch.uint8).view(getattr(torch, name))
        assert (view(tensor).dtype.name, view(tensor).address) == (name, tensor.data_ptr())
    negated = torch.zeros(3, dtype=torch.complex64).conj().imag
    with pytest.raises(UnusableArray, match=r"still to be negated; pass tensor.resolve_neg\(\), a copy"):
        view(negated)
    assert view(negated.resolve_neg()).shape == (3,)
    with pytest.raises(UnusableArray, match="type 17 of 4x2 is not supported"):
        view(torch.zeros(32, dtype=torch.uint8).view(torch.float4_e2m1fn_x2))


def test_buffers() -> None:
    data = bytearray(16)
    assert view(data).shape == (16,)
    assert not view(data).readonly
    assert view(bytes(8)).readonly
    assert view(memoryview(data).cast("d")).dtype == np.float64


def test_devices_are_told() -> None:
    class OnGpu:
        @property
        def __cuda_array_interface__(self) -> dict[str, object]:
            return {"shape": (2, 3), "typestr": "<f4", "data": (4096, True), "strides": None, "version": 3}

    found = view(OnGpu())
    assert (found.address, found.shape, found.strides, found.readonly) == (4096, (2, 3), (3, 1), True)
    assert found.device == Device("cuda") == device_of(OnGpu())
    assert device_of(np.zeros(3)) == CPU


@pytest.mark.parametrize("value", [None, 3, "text", [1, 2], object()])
def test_what_is_no_array(value: object) -> None:
    with pytest.raises(NotAnArray, match="is no array"):
        view(value)


def test_strides_that_split_elements() -> None:
    record = np.zeros(4, [("a", "i1"), ("b", "f4")])
    with pytest.raises(UnusableArray, match="no multiples"):
        view(record["b"])
