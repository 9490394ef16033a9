"""Functions of elements: sigmoid to its ends, dense tensors as one row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from frontends.tlx.kernels import function, load, store

ELEMENTS = {"f32": "float", "f64": "double"}
EXTENTS = (60, 100)


def text_of(name: str, element: str, strides: tuple[int, int] = (0, 0)) -> str:
    """A function of each element of a large tensor, whose rows lie apart or one behind the other."""
    return function(
        f"%t = {load('%a', element, EXTENTS, strides)}",
        f"%v = call <{EXTENTS[0] * EXTENTS[1]} x {element}> @llvm.tensor.{name}(token %t)",
        f"%u = call token @llvm.tensor.typeinfo(<6000 x {element}> %v, <2 x i32> <i32 60, i32 100>, "
        "<2 x i32> <i32 0, i32 1>, <2 x i32> zeroinitializer)",
        store("%b", "%u", [0, 0]),
        parameters="ptr noalias %a, ptr noalias %b",
    )


@pytest.mark.parametrize("dtype", ELEMENTS)
def test_sigmoid_is_accurate_to_its_ends(dtype: str, rng: np.random.Generator) -> None:
    """Where e^-x overflows too, and where the result is subnormal."""
    kind = np.float32 if dtype == "f32" else np.float64
    last = -104.0 if dtype == "f32" else -745.5
    ends = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, last, last + 1, last + 10, -last, 1e30, -1e30])
    x: NDArray[Any] = np.concatenate([ends, rng.uniform(last, -last, 2000), rng.normal(0, 4, 6000)])
    x = x[: EXTENTS[0] * EXTENTS[1]].astype(kind)
    found = np.zeros_like(x)
    tw.compile(text_of("sigmoid", ELEMENTS[dtype]), target="cpu", cache=False).k(x, found)
    exact = x.astype(np.longdouble)
    with np.errstate(all="ignore"):
        wanted = np.where(exact < 0, np.exp(exact), 1) / (1 + np.exp(-abs(exact)))
        unit = np.spacing(np.maximum(wanted.astype(kind), np.finfo(kind).smallest_subnormal))
    assert np.isnan(found[4])
    errors = np.abs(found.astype(np.longdouble) - wanted) / unit
    assert np.delete(errors, 4).max() <= 4


@pytest.mark.parametrize(
    ("strides", "walked"), [((0, 0), "f32x6000"), ((0, 128), "f32x100x60")], ids=["dense", "apart"]
)
def test_dense_tensors_are_one_row(strides: tuple[int, int], walked: str, rng: np.random.Generator) -> None:
    program = tw.compile(text_of("relu", "float", strides), target="cpu", cache=False)
    stage = program.k.ir("tile")
    assert f"memref<{walked}" in stage
    assert ("f32x6000" in stage) is (walked == "f32x6000")
    x = rng.standard_normal((60, 128 if any(strides) else 100)).astype(np.float32)
    found = np.zeros(EXTENTS, np.float32)
    program.k(x, found)
    np.testing.assert_array_equal(found, np.maximum(x[:, :100], 0))
