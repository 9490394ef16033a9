"""Whatever a launch works with lives as long as what refers to it, also if nobody else holds on to it."""

from __future__ import annotations

import array
import gc
import pickle
import weakref
from collections.abc import Callable
from typing import cast

import numpy as np
import pytest

import tilewright as tw
from runtime.hand_written import f32, matrix
from tilewright.artifacts.parameters import GroupParameter, KernelInfo, MemrefParameter, PointerParameter
from tilewright.runtime.argument_checks import ArgumentChecks
from tilewright.runtime.arrays import AnyArray, view

SCALE = """func @scale(%g: group<memref<f32x2x3>x?>) {
    %i = group_id.x : index
    %m = load %g[%i] : memref<f32x2x3>
    %two = constant 2.0 : f32 %zero = constant 0.0 : f32
    axpby %two, %m, %zero, %m
}"""
VECTOR = MemrefParameter("x", "f32", (None,), (1,))


def checks(*parameters: MemrefParameter | GroupParameter | PointerParameter) -> ArgumentChecks:
    return ArgumentChecks(KernelInfo("k", "k", parameters))


def reference(given: AnyArray) -> Callable[[], object]:
    return weakref.ref(given)


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_the_batch_of_a_pointer_array(target: str) -> None:
    kernel = tw.compile(SCALE, target=target, cache=False).scale
    batch = np.ones((5, 3, 2), np.float32)
    alive, group = reference(batch), tw.PointerArray.of(batch)
    del batch
    others = [np.zeros((5, 3, 2), np.float32) for _ in range(20)]
    kernel[5](group)
    kept = cast("AnyArray", alive())
    assert np.array_equal(kept, np.full((5, 3, 2), 2))
    assert not any(other.any() for other in others)
    del kept, group
    gc.collect()
    assert alive() is None


class Temporary:
    """Exports a copy that nothing but the capsule refers to."""

    def __init__(self) -> None:
        self.copies: list[Callable[[], object]] = []

    def __dlpack__(self, **options: object) -> object:
        copy = np.ones(4, np.float32)
        self.copies.append(weakref.ref(copy))
        return copy.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


@pytest.mark.parametrize("parameter", [VECTOR, PointerParameter("x", "f32"), GroupParameter("x", VECTOR, None)])
def test_what_only_a_capsule_refers_to(parameter: MemrefParameter | PointerParameter | GroupParameter) -> None:
    given = Temporary()
    argument = [given] if isinstance(parameter, GroupParameter) else given
    values, keep = checks(parameter).values([argument], (1, 1, 1))
    gc.collect()
    assert given.copies[-1]() is not None
    del values, keep
    gc.collect()
    assert given.copies[-1]() is None


def test_a_batch_that_only_a_capsule_refers_to() -> None:
    given = Temporary()
    group = tw.PointerArray.of(given)
    gc.collect()
    assert given.copies[-1]() is not None
    del group
    gc.collect()
    assert given.copies[-1]() is None


def test_exported_buffers_stay_where_they_are() -> None:
    data = array.array("f", [0] * 4)
    values, keep = checks(PointerParameter("x", "f32")).values([data], (1, 1, 1))
    with pytest.raises(BufferError):
        data.append(1)
    del values, keep
    data.append(1)


def test_the_arrays_of_a_list_that_is_emptied() -> None:
    given = f32(2, 3)
    alive, group = reference(given), [given]
    keep = checks(GroupParameter("g", matrix("g"), None)).values([group], (1, 1, 1))[1]
    del given
    group.clear()
    gc.collect()
    assert alive() is not None
    keep.clear()
    gc.collect()
    assert alive() is None


def test_scalars_of_numpy_are_read_where_they_are() -> None:
    """Their `__array_interface__` is that of a copy which is gone at once."""
    number = np.float32(3)
    found = view(number)
    assert (found.shape, found.readonly) == ((), True)
    assert found.address == np.asarray(memoryview(cast("bytes", number))).ctypes.data


@pytest.mark.parametrize("target", ["cpu", "interpreter"])
def test_a_launch_without_its_program(target: str) -> None:
    launch = tw.compile(SCALE, target=target, cache=False).scale[1]
    gc.collect()
    matrix = np.ones((2, 3), np.float32, order="F")
    for power in (2, 4, 8):
        launch([matrix])
        assert np.all(matrix == power)


def test_a_launch_without_its_unpickled_program() -> None:
    launch = pickle.loads(pickle.dumps(tw.compile(SCALE, cache=False))).scale[1]
    gc.collect()
    matrix = np.ones((2, 3), np.float32, order="F")
    for power in (2, 4, 8):
        launch([matrix])
        assert np.all(matrix == power)
