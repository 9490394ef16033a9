"""What `tilewright.matmul` and `einsum` refuse, and in which words."""

from __future__ import annotations

from typing import Any, Final, cast

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from interop.emulated_device import OnDevice

Array = NDArray[Any]

F: Final = np.zeros((3, 4), np.float32)
I8: Final = np.ones((3, 4), np.int8)
SQUARE: Final = np.ones((3, 3), np.float32)
SMALL: Final = ml_dtypes.float8_e5m2
READ_ONLY: Final = np.frombuffer(bytes(36), np.float32).reshape(3, 3)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((F, F), {}, tw.OperatorError, r"a has extents \(3, 4\), b \(3, 4\): 4 and 3 have to be equal"),
        ((F, F.T.astype(np.float64)), {}, tw.OperatorTypeError, "a is of f32, b of f64; factors are of one type"),
        (
            (F.astype(np.int32), F.T.astype(np.int32)),
            {},
            tw.OperatorTypeError,
            "a and b are of i32; products are there",
        ),
        ((F > 0, F.T > 0), {}, tw.OperatorTypeError, "a: its element type is bool; products are there of f16, bf16"),
        ((F, "b"), {}, tw.OperatorTypeError, "b: str is no array"),
        ((F, np.zeros((), np.float32)), {}, tw.OperatorError, "no factors without modes"),
        ((F, F.T, F), {}, tw.OperatorError, r"out has extents \(3, 4\), the product \(3, 3\)"),
        ((F, F.T, np.zeros((6, 3), np.float32)[::-2]), {}, tw.OperatorError, "out: .* it runs backwards"),
        ((F, F.T, np.zeros((3, 3))), {"out_dtype": "f32"}, tw.OperatorTypeError, "out is of f64, out_dtype says f32"),
        ((F, F.T), {"epilogue": "bias"}, tw.OperatorError, "bias: there is no array of that name; give both or none"),
        ((F, F.T), {"bias": F[0], "epilogue": "gelu"}, tw.OperatorError, "bias: the epilogue 'gelu' has no step"),
        (
            (F, F.T),
            {"bias": F[0]},
            tw.OperatorError,
            r"bias has extents \(4,\), which are not broadcast to .* \(3, 3\)",
        ),
        ((F, F.T), {"epilogue": "swish"}, tw.OperatorError, "there is no step 'swish'; there are bias, scale"),
        ((F, F.T), {"epilogue": "+".join(["gelu"] * 9)}, tw.OperatorError, "9 steps, of 8 at most"),
        ((F, F.T), {"precision": "tf16"}, tw.OperatorTypeError, "in f32 are exact, tf32, 3xtf32, not tf16"),
        (
            (F, F.T),
            {"precision": "tf32", "accumulate": "f64"},
            tw.OperatorTypeError,
            "precision: products of f32 with accumulators in f64 are exact, not tf32",
        ),
        (
            (F.astype(SMALL), F.T.astype(SMALL)),
            {"out_dtype": "i32"},
            tw.OperatorTypeError,
            "results of products of f8",
        ),
        (
            (F.astype(SMALL), F.T.astype(SMALL)),
            {"precision": "tf32"},
            tw.OperatorTypeError,
            "precision: products of f8E5M2 with accumulators in f32 are exact, fast, not tf32",
        ),
        ((F, F.T), {"precision": "fast"}, tw.OperatorTypeError, "are exact, tf32, 3xtf32, not fast"),
        ((F, F.T), {"accumulate": "f16"}, tw.OperatorTypeError, "products of f32 are summed in f32 or f64, not in f16"),
        ((F, F.T), {"out_dtype": "i32"}, tw.OperatorTypeError, "results of products of f32 are of f16, bf16, f32, f64"),
        ((F, F.T), {"out_type": "f32"}, TypeError, "no option 'out_type'; there are accumulate, alpha"),
        ((F, F.T), {"epilogue": ["relu"]}, tw.OperatorTypeError, "epilogue is .'relu'.; it is text"),
        ((F, F.T), {"target": 5}, tw.OperatorTypeError, "target is 5; it is text"),
        ((F, F.T), {"out_dtype": ""}, tw.OperatorTypeError, "results of products of f32 are"),
        ((F, F.T), {"alpha": None}, tw.OperatorTypeError, "alpha is None; it is a number"),
        ((F, F.T), {"beta": np.ones(2), "c": F}, tw.OperatorTypeError, "beta is array.*; it is a number"),
        ((F, F.T), {"alpha": 1e300}, tw.OperatorError, "^alpha: 1e.300 is beyond the range of f32"),
        ((I8, I8.T), {"alpha": np.inf}, tw.OperatorTypeError, "alpha is inf, and the result is of integers"),
        ((SQUARE, SQUARE.T.copy(), SQUARE), {}, tw.OperatorError, "^out: .* overlaps argument a"),
        ((F, F.T, READ_ONLY), {}, tw.OperatorError, "^out: the array is read-only"),
        ((F.astype(np.int8), F.T.astype(np.int8)), {"epilogue": "gelu"}, tw.OperatorTypeError, "computed with floats"),
        (
            (F.astype(np.int8), F.T.astype(np.int8)),
            {"alpha": 0.5},
            tw.OperatorTypeError,
            "alpha is 0.5, and the result",
        ),
        ((OnDevice(F), F.T, F[:, :3]), {}, tw.OperatorError, "a lies on cuda:0, b on cpu"),
        (
            (OnDevice(F[:, ::-1]), OnDevice(F.T), OnDevice(F[:, :3])),
            {},
            tw.OperatorError,
            "a: it runs backwards, and its library is not known to copy it; pass a copy",
        ),
        ((OnDevice(F), OnDevice(F.T)), {}, tw.OperatorError, "not known to make arrays there: give out"),
    ],
)
def test_what_does_not_fit(
    arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        tw.matmul(*arguments, **options)


def test_bad_subscripts() -> None:
    for text, message in {
        "ij,jk->iik": "'i' twice",
        "ij,kl->ij": "'k' is in one factor alone",
        "i...,j->i": "without an ellipsis",
        "ijk,jk->ik": r"3 letters for a, whose extents are \(3, 4\)",
    }.items():
        with pytest.raises(tw.OperatorError, match=message):
            tw.einsum(text, F, F)
    with pytest.raises(tw.OperatorError, match=r"a has no diagonal 'i', its extents are \(1, 3\)"):
        tw.einsum("ii,ij->ij", F[:1, :3], F[:3])
    with pytest.raises(tw.OperatorTypeError, match="subscripts are 5; they are text"):
        tw.einsum(cast("str", 5), F, F)
