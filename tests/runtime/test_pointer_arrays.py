"""`PointerArray.of` serves every group whose memrefs its arrays fit, from arrays of every library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright.program import Kernel
from tilewright.runtime.arrays import Device

Array = NDArray[Any]

TARGETS = ["cpu", "interpreter"]


def describe(memref: str) -> str:
    """A kernel that doubles its matrix and writes down the extents."""
    return f"""func @k(%g: group<{memref}x?>, %o: memref<i64x2x?>) {{
    %i = group_id.x : index
    %m = load %g[%i] : {memref}
    %two = constant 2.0 : f32 %zero = constant 0.0 : f32
    axpby %two, %m, %zero, %m
    %c0 = constant 0 : index %c1 = constant 1 : index
    %rows = size %m[0] : index %columns = size %m[1] : index
    %r = cast %rows : i64 %c = cast %columns : i64
    store %r, %o[%c0, %i]
    store %c, %o[%c1, %i]
}}"""


def kernel(memref: str, target: str) -> Kernel:
    return tw.compile(describe(memref), target=target, cache=False).k


def numbers(*shape: int) -> Array:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


BATCHES: list[tuple[str, Array, tuple[int, int]]] = [
    ("memref<f32x?x?>", numbers(5, 3, 4), (4, 3)),
    ("memref<f32x?x?>", numbers(5, 3, 4).transpose(0, 2, 1), (4, 3)),
    ("memref<f32x?x?>", numbers(5, 6, 8)[:, :3, 2:6], (4, 3)),
    ("memref<f32x?x?>", numbers(9, 3, 4)[::-2], (4, 3)),
    ("memref<f32x4x?>", numbers(5, 3, 4), (4, 3)),
    ("memref<f32x?x3>", numbers(5, 3, 4), (4, 3)),
    ("memref<f32x4x3>", numbers(5, 3, 4), (4, 3)),
    ("memref<f32x?x?,strided<?,?>>", numbers(5, 6, 8)[:, ::2, ::2], (4, 3)),
    ("memref<f32x?x?,strided<?,?>>", numbers(5, 6, 8)[:, ::2, ::2].transpose(0, 2, 1), (4, 3)),
    ("memref<f32x4x?>", numbers(5, 0, 4), (4, 0)),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("memref", "batch", "extents"), BATCHES)
def test_extents_and_strides_are_those_of_the_batch(
    memref: str, batch: Array, extents: tuple[int, int], target: str
) -> None:
    expected, found = 2 * batch, np.zeros((2, len(batch)), np.int64, order="F")
    kernel(memref, target)[len(batch)](tw.PointerArray.of(batch), found)
    assert np.array_equal(batch, expected)
    if batch.size:
        assert np.array_equal(found.T, [extents] * len(batch))


@pytest.mark.parametrize("target", TARGETS)
def test_which_way_around_is_asked_where_both_fit(target: str) -> None:
    batch, found = numbers(5, 1, 4), np.zeros((2, 5), np.int64, order="F")
    with pytest.raises(tw.LaunchError, match=r"argument g: arrays of shape \(1, 4\) fit .* transposed=True"):
        kernel("memref<f32x?x?,strided<?,?>>", target)[5](tw.PointerArray.of(batch), found)
    for transposed, extents in ((True, (4, 1)), (False, (1, 4))):
        group = tw.PointerArray.of(batch, transposed=transposed)
        kernel("memref<f32x?x?,strided<?,?>>", target)[5](group, found)
        assert np.array_equal(found.T, [extents] * 5)
    kernel("memref<f32x4x1>", target)[5](tw.PointerArray.of(batch), found)
    with pytest.raises(tw.LaunchError, match=r"argument g\[0\]: its extent 0 is 1 .* 4 is wanted"):
        kernel("memref<f32x4x1>", target)[5](tw.PointerArray.of(batch, transposed=False), found)


@pytest.mark.parametrize("target", TARGETS)
def test_batches_of_torch(target: str) -> None:
    torch = pytest.importorskip("torch")
    batch, found = torch.arange(60, dtype=torch.float32).view(5, 3, 4), np.zeros((2, 5), np.int64, order="F")
    expected = 2 * batch
    kernel("memref<f32x?x?>", target)[5](tw.PointerArray.of(batch), found)
    assert torch.equal(batch, expected)
    assert np.array_equal(found.T, [(4, 3)] * 5)


class Exported:
    """An array that offers nothing but DLPack."""

    def __init__(self, array: Array) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> object:
        return self._array.__dlpack__(**options)


@pytest.mark.parametrize("target", TARGETS)
def test_batches_of_other_protocols(target: str) -> None:
    found = np.zeros((2, 5), np.int64, order="F")
    exported, buffer = numbers(5, 3, 4), numbers(5, 3, 4)
    for batch, array in ((Exported(exported), exported), (memoryview(buffer.data), buffer)):
        kernel("memref<f32x?x?>", target)[5](tw.PointerArray.of(batch), found)
        assert np.array_equal(array, 2 * numbers(5, 3, 4))
    read_only = tw.PointerArray.of(memoryview(buffer.tobytes()).cast("f", (5, 3, 4)))
    with pytest.raises(tw.LaunchError, match="argument g: the group is read-only"):
        kernel("memref<f32x?x?>", target)[5](read_only, found)


def test_batches_on_a_device() -> None:
    class OnDevice:
        @property
        def __cuda_array_interface__(self) -> dict[str, object]:
            return {"shape": (3, 2, 4), "typestr": "<f4", "data": (4096, False), "strides": None, "version": 3}

    group = tw.PointerArray.of(OnDevice())
    assert group.pointers.tolist() == [4096, 4128, 4160]
    assert (group.layout, group.device) == (((2, 4), (4, 1)), Device("cuda"))
    for target in TARGETS:
        with pytest.raises(tw.LaunchError, match="argument g: the arrays lie on cuda:0, this kernel runs on the CPU"):
            kernel("memref<f32x?x?>", target)[3](group, np.zeros((2, 3), np.int64, order="F"))


@pytest.mark.parametrize("value", [3, None, "batch", np.float32(1), np.array(1.0), [numbers(2, 3)]])
def test_what_is_no_batch(value: object) -> None:
    with pytest.raises(tw.LaunchError, match=f"takes an array of arrays .*, not {type(value).__name__}"):
        tw.PointerArray.of(value)


ADDRESSES = np.array([4096, 8192])
BAD_GROUPS: list[tuple[object, str]] = [
    (tw.PointerArray([4096], "f32"), "the array of pointers must be a NumPy array"),  # type: ignore[arg-type]
    (tw.PointerArray(ADDRESSES.astype(np.float64), "f32"), "the array of pointers must be a NumPy array"),
    (tw.PointerArray(ADDRESSES, "f99"), "'f99' is no element type"),
    (tw.PointerArray(ADDRESSES, "f32", size=1.0), "the size is an integer, not float"),  # type: ignore[arg-type]
    (tw.PointerArray(ADDRESSES, "f32", size=3), "has 2 entries, the group has 3"),
    (tw.PointerArray(ADDRESSES, "f32", offset=1 << 70), "the offset is beyond the range of index"),
    (tw.PointerArray(ADDRESSES, "f32", offset="1"), "the offset is an integer, not str"),  # type: ignore[arg-type]
    (tw.PointerArray(ADDRESSES, "f32", extents=3), "extents and strides are lists"),  # type: ignore[arg-type]
    (tw.ArrayGroup(7), "the arrays of a group are a list, not int"),  # type: ignore[arg-type]
    (tw.ArrayGroup("ab"), "the arrays of a group are a list, not str"),
    (tw.ArrayGroup(iter([])), "the arrays of a group are a list, not list_iterator"),  # type: ignore[arg-type]
    (tw.ArrayGroup([], offset=True), "the offset is an integer, not bool"),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("group", "message"), BAD_GROUPS)
def test_groups_of_something_else(group: object, message: str, target: str) -> None:
    with pytest.raises(tw.LaunchError, match=f"argument g: .*{message}"):
        kernel("memref<f32x?x?>", target)[0](group, np.zeros((2, 2), np.int64, order="F"))
