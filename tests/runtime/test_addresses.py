"""What a pointer parameter takes: arrays packed row by row, or what `tw.address` says explicitly."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.program import Kernel
from tilewright.runtime.arrays import AnyArray

POINTER = "tile<ptr<f32>>"
COPY = f"""cuda_tile.module @m {{ entry @copy(%p: {POINTER}, %q: {POINTER}) {{
  %x, %t = load_ptr_tko weak %p : {POINTER} -> tile<f32>, token
  %u = store_ptr_tko weak %q, %x : {POINTER}, tile<f32> -> token
}} }}"""
STRIDED = f"""cuda_tile.module @m {{ entry @strided(%p: {POINTER}, %s: tile<i32>, %q: {POINTER}) {{
  %n = iota : tile<4xi32>
  %0 = reshape %s : tile<i32> -> tile<1xi32>
  %1 = broadcast %0 : tile<1xi32> -> tile<4xi32>
  %2 = muli %n, %1 : tile<4xi32>
  %3 = reshape %p : {POINTER} -> tile<1xptr<f32>>
  %4 = broadcast %3 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %5 = offset %4, %2 : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %6, %t = load_ptr_tko weak %5 : tile<4xptr<f32>> -> tile<4xf32>, token
  %7 = reshape %q : {POINTER} -> tile<1xptr<f32>>
  %8 = broadcast %7 : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %9 = offset %8, %n : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %u = store_ptr_tko weak %9, %6 : tile<4xptr<f32>>, tile<4xf32> -> token
}} }}"""
NULL = f"""cuda_tile.module @m {{ entry @null(%p: {POINTER}, %q: tile<ptr<i64>>) {{
  %a = ptr_to_int %p : {POINTER} -> tile<i64>
  %zero = constant <i64: 0> : tile<i64>
  %there = cmpi not_equal %a, %zero, unsigned : tile<i64> -> tile<i1>
  if %there {{
    %x, %t = load_ptr_tko weak %p : {POINTER} -> tile<f32>, token
    yield
  }}
  %b = exti %there unsigned : tile<i1> -> tile<i64>
  %u = store_ptr_tko weak %q, %b : tile<ptr<i64>>, tile<i64> -> token
}} }}"""
TARGETS = ["cpu", "interpreter"]


def kernel(text: str, target: str) -> Kernel:
    return next(iter(tw.compile(text, target=target, cache=False)))


def whole() -> AnyArray:
    return np.arange(1, 25, dtype=np.float32).reshape(4, 6)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "array", [whole().T, whole()[:, ::2], whole()[::-1], whole()[:, 1:4], np.broadcast_to(whole()[0], (3, 6))]
)
def test_arrays_with_strides_are_refused(array: AnyArray, target: str) -> None:
    out = np.full(1, 7, np.float32)
    with pytest.raises(tw.LaunchError, match=r"argument p: its elements do not lie one behind .* tw\.address\(p\)"):
        kernel(COPY, target)[1](array, out)
    assert out[0] == 7
    with pytest.raises(tw.LaunchError, match="argument q"):
        kernel(COPY, target)[1](out, array.copy()[::-1])
    kernel(COPY, target)[1](tw.address(array), out)
    assert out[0] == array.flat[0]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "array",
    [whole(), whole()[1:3], whole()[2], whole()[:, 3:4][2:3], np.float32(5).reshape(1), np.asfortranarray(whole()[:1])],
)
def test_packed_arrays(array: AnyArray, target: str) -> None:
    out = np.zeros(1, np.float32)
    kernel(COPY, target)[1](array, out)
    assert out[0] == array.flat[0]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("step", [6, -6, 2, -2, 1, 0])
def test_the_kernel_goes_where_its_strides_say(step: int, target: str) -> None:
    data, out = np.arange(24, dtype=np.float32), np.zeros(4, np.float32)
    array = np.lib.stride_tricks.as_strided(data[23 if step < 0 else 0 :], (4,), (4 * step,))
    kernel(STRIDED, target)[1](tw.address(array), step, out)
    assert np.array_equal(out, array)


@pytest.mark.parametrize("target", TARGETS)
def test_numbers_are_addresses_only_if_the_caller_says_so(target: str) -> None:
    data, out = whole(), np.zeros(1, np.float32)
    start = data.ctypes.data
    for number in (start, np.int64(start), 0, -1, 1 << 64, 10**5000):
        with pytest.raises(
            tw.LaunchError, match=r"argument p: a number is no array; pass tw\.address\(number, nbytes=.."
        ):
            kernel(COPY, target)[1](number, out)
    for found, value in ((tw.address(start, nbytes=4), 1), (tw.address(np.uint64(start + 8), nbytes=np.int64(88)), 3)):
        kernel(COPY, target)[1](found, out)
        assert out[0] == value
    for found, message in (
        (tw.address(start + 2, nbytes=4), "no multiple of 4"),
        (tw.address(start, nbytes=3), "less than one element of f32"),
    ):
        with pytest.raises(tw.LaunchError, match=f"argument p: .*{message}"):
            kernel(COPY, target)[1](found, out)
    with pytest.raises(tw.LaunchError, match="argument q: the memory is read-only"):
        kernel(COPY, target)[1](data, tw.address(start, nbytes=4, readonly=True))
    kernel(COPY, target)[1](tw.address(start, nbytes=4, readonly=True), out)
    assert out[0] == 1


@pytest.mark.parametrize(
    ("given", "nbytes", "message"),
    [
        (0, 4, "null"),
        (8, 4, "null"),
        (-4096, 4, "no address"),
        (1 << 64, 4, "no address"),
        (1 << 20, 0, "are none"),
        (1 << 20, -4, "are none"),
        ((1 << 64) - 8, 16, "outside of the address space"),
        (1 << 20, 1 << 70, "outside of the address space"),
        (1 << 20, None, "an integer with nbytes"),
        (1 << 20, 4.0, "an integer with nbytes"),
        (1 << 20, True, "an integer with nbytes"),
        (np.zeros(3), 4, "nbytes and readonly are for numbers"),
        (True, 4, "nbytes and readonly are for numbers"),
    ],
)
def test_addresses_that_cannot_be(given: object, nbytes: object, message: str) -> None:
    with pytest.raises(tw.LaunchError, match=rf"tw\.address.*{message}"):
        tw.address(given, nbytes=nbytes)  # type: ignore[call-overload]


@pytest.mark.parametrize("target", TARGETS)
def test_explicit_arrays_are_checked_as_any(target: str) -> None:
    out = np.zeros(1, np.float32)
    fixed = whole()
    fixed.flags.writeable = False
    apart = np.frombuffer(bytearray(9), np.uint8)[1:].view(np.float32)
    for found, message in (
        (tw.address(whole().astype(np.float64)[:, ::2]), "argument p: its dtype is float64"),
        (tw.address([1, 2]), "argument p: list is no array"),
        (tw.address(apart), "argument p: its address .* is no multiple of 4"),
        (apart, "argument p: its address .* is no multiple of 4"),
        (None, "argument p: None is a null pointer, and the kernel accesses what it points to"),
    ):
        with pytest.raises(tw.LaunchError, match=message):
            kernel(COPY, target)[1](found, out)
    with pytest.raises(tw.LaunchError, match="argument q: the array is read-only"):
        kernel(COPY, target)[1](out, tw.address(fixed[:, ::2]))


@pytest.mark.parametrize("target", TARGETS)
def test_none_where_the_kernel_asks(target: str) -> None:
    out = np.full(1, 7)
    kernel(NULL, target)[1](None, out)
    assert out[0] == 0
    kernel(NULL, target)[1](whole(), out)
    assert out[0] == 1
