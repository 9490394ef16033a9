"""Dimensions of extent 1, and those of empty arrays, come with any stride; kernels are given a packed one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import tilewright as tw
from tilewright.runtime.groups import ArrayGroup, PointerArray
from tilewright.runtime.strides import conforming_strides

from .unit_extents import FUSIONS, Array, all_text, array_of, fusible

TARGETS = ("interpreter", "cpu0", "cpu2")


@pytest.fixture(scope="module")
def programs() -> dict[str, tw.Program]:
    text = all_text()
    compiled = {f"cpu{level}": tw.compile(text, level=level, cache=False) for level in (0, 2)}
    return {"interpreter": tw.compile(text, target="interpreter", checked=True), **compiled}


@pytest.mark.parametrize("target", TARGETS)
def test_fuse(target: str, programs: dict[str, tw.Program], rng: np.random.Generator) -> None:
    for fusion in FUSIONS:
        for shape in fusion.shapes:
            source = fusible(rng, fusion, shape)
            expected = fusion.expected(source)
            out = np.full_like(array_of(rng, expected.shape), np.nan, order="F")
            programs[target][fusion.name][1](source, out)
            np.testing.assert_array_equal(out, expected, f"{fusion.name} {shape} {source.strides}")


@pytest.mark.parametrize("target", TARGETS)
def test_expand_and_subview(target: str, programs: dict[str, tw.Program], rng: np.random.Generator) -> None:
    for shape in ((1, 4), (5, 1), (1, 1), (3, 2), (0, 3)):
        source, out = array_of(rng, shape), np.full(shape, np.nan, np.float32, order="F")
        programs[target].expanded[1](source, out)
        np.testing.assert_array_equal(out, source, str((shape, source.strides)))
    for shape in ((1, 4, 1), (1, 1, 1), (1, 6, 3)):
        source, out = array_of(rng, shape), np.full((shape[1], 1), np.nan, np.float32, order="F")
        programs[target].sliced[1](source, out, shape[1])
        np.testing.assert_array_equal(out, source[0, :, :1], str((shape, source.strides)))


@pytest.mark.parametrize("target", TARGETS)
def test_groups(target: str, programs: dict[str, tw.Program], rng: np.random.Generator) -> None:
    shapes = ((1, 3, 4), (3, 1, 4), (1, 1, 4), (2, 1, 1), (1, 1, 1))
    arrays = [array_of(rng, shape) for shape in shapes]
    for group in (arrays, ArrayGroup(arrays), pointers(arrays)):
        out = np.full((3, 4, len(arrays)), np.nan, np.float32, order="F")
        programs[target].grouped[len(arrays)](group, out)
        for k, source in enumerate(arrays):
            expected = source.reshape(-1, source.shape[2], order="F")
            found = out[: expected.shape[0], : expected.shape[1], k]
            np.testing.assert_array_equal(found, expected, str((source.shape, source.strides)))


def pointers(arrays: Sequence[Array]) -> PointerArray:
    """The arrays as addresses; strides that are no whole elements are rounded."""
    addresses = np.array([a.ctypes.data for a in arrays], np.uint64)
    extents = [np.array([a.shape[k] for a in arrays], np.int64) for k in range(3)]
    strides = [np.array([a.strides[k] // 4 for a in arrays], np.int64) for k in range(3)]
    return PointerArray(addresses, np.float32, extents, strides)


@pytest.mark.parametrize(
    ("declared", "divisors", "shape", "strides", "expected"),
    [
        ((None, None), (), (1, 3), (99, 5), (5, 5)),
        ((None, None), (), (3, 1), (2, 99), (2, 6)),
        ((None, None, None), (), (4, 1, 3), (1, -7, 8), (1, 8, 8)),
        ((1, None, None), (), (1, 1, 3), (0, 0, 5), (1, 5, 5)),
        ((None, 4), (), (1, 1), (9, 9), (4, 4)),
        ((None, None), (2,), (1, 3), (9, 5), (2, 5)),
        ((None, None), (1, 4), (3, 1), (1, 9), (1, 4)),
        ((None, None), (), (0, 3), (9, 9), (1, 1)),
        ((1, 1, 3), (), (1, 3, 1), (7, 1, 7), (1, 1, 3)),
    ],
)
def test_strides(
    declared: tuple[int | None, ...],
    divisors: tuple[int, ...],
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    expected: tuple[int, ...],
) -> None:
    assert conforming_strides(declared, divisors, shape, strides) == expected
