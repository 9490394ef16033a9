"""Windows against loops over them, in Python's integers and in doubles."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import pytest

from dialects.tlx.tensors import FLOATS, INTEGERS, Array, computed, exact, in_format, numbers, random_type, same, value
from effort import count
from tilewright.dialects.tlx import reductions
from tilewright.dialects.tlx.reductions import Reduction
from tilewright.dialects.tlx.types import TensorType
from tilewright.ir.types import ScalarType

TRIES = count("RANDOM_TENSOR_WINDOWS", 5, 200)


def _larger(a: Any, b: Any) -> Any:
    return a if a > b or a != a else b


def _smaller(a: Any, b: Any) -> Any:
    return a if a < b or a != a else b


COMBINED: dict[type[Reduction], Callable[[Any, Any], Any]] = {
    reductions.ReduceMax: _larger,
    reductions.ReduceMin: _smaller,
    reductions.ReduceAdd: operator.add,
    reductions.ReduceMul: operator.mul,
    reductions.ReduceAnd: lambda a, b: a & b,
    reductions.ReduceOr: lambda a, b: a | b,
    reductions.ReduceXor: lambda a, b: a ^ b,
}
CASES = [(cls, e) for cls in COMBINED for e in (INTEGERS if cls.bitwise else [*INTEGERS, *FLOATS])]


def windows(tensor: Array, window: list[int], strides: list[int], combine: Callable[[Any, Any], Any]) -> Array:
    first = tensor.ndim - len(window)
    sizes = zip(tensor.shape[first:], window, strides, strict=True)
    found = np.empty((*tensor.shape[:first], *((n - w) // s + 1 for n, w, s in sizes)), tensor.dtype)
    for at in np.ndindex(found.shape):
        starts = [p * s for p, s in zip(at[first:], strides, strict=True)]
        box = tuple(slice(s, s + w) for s, w in zip(starts, window, strict=True))
        found[at] = reduce(combine, list(np.ravel(tensor[(*at[:first], *box)])))
    return found


@pytest.mark.parametrize(("cls", "element"), CASES, ids=str)
def test_windows(rng: np.random.Generator, cls: type[Reduction], element: ScalarType) -> None:
    for _ in range(TRIES):
        shape = [int(n) for n in rng.integers(1, 5, int(rng.integers(1, 7)))]
        trailing = int(rng.integers(0, len(shape) + 1))
        window = [int(rng.integers(1, n + 1)) for n in shape[len(shape) - trailing :]]
        strides = [int(s) for s in rng.integers(1, 4, trailing)]
        tensor = numbers(rng, element, shape)
        if element.is_float and cls is reductions.ReduceMul:
            tensor = in_format(np.sign(exact(tensor)), element)
        type_ = random_type(rng, element, shape)
        op = cls(value(type_), tuple(window), tuple(strides))
        assert isinstance(op.out.type, TensorType)
        assert op.out.type.layout == type_.layout
        assert op.out.type.dims[: len(shape) - trailing] == type_.dims[: len(shape) - trailing]
        wanted = in_format(windows(exact(tensor), window, strides, COMBINED[cls]), element)
        found = computed(rng, op, tensor)
        if element.is_float:
            found, wanted = (np.where(t == 0, np.zeros((), t.dtype), t) for t in (found, wanted))
        assert same(found, wanted)


@pytest.mark.parametrize("element", FLOATS, ids=str)
def test_extrema_of_nan_infinities_and_zeros(rng: np.random.Generator, element: ScalarType) -> None:
    tensor = in_format(np.array([[1.0, np.nan, 2.0], [-np.inf, 3.0, np.inf], [-0.0, 0.0, -0.0]]), element)
    type_ = random_type(rng, element, tensor.shape)
    for cls, wanted in (
        (reductions.ReduceMax, [[np.nan], [np.inf], [0.0]]),
        (reductions.ReduceMin, [[np.nan], [-np.inf], [-0.0]]),
    ):
        assert same(computed(rng, cls(value(type_), (3,), (1,)), tensor), in_format(np.array(wanted), element))


def test_sums_are_not_rounded_on_the_way(rng: np.random.Generator) -> None:
    tensor = np.array([2048, 1, -2048], np.float16)
    type_ = random_type(rng, FLOATS[0], tensor.shape)
    assert computed(rng, reductions.ReduceAdd(value(type_), (3,), (1,)), tensor) == [1]
