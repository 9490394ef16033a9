"""The kernels under examples/cutile, in types and extents that their tiles do not divide, against NumPy in f64."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Final, cast

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import DTypeLike, NDArray

Array = NDArray[Any]

_EXAMPLES: Final = Path(__file__).parents[2] / "examples" / "cutile"
_EPSILON: Final = {"float32": 1e-6, "float16": 1e-3, "bfloat16": 8e-3}

pytest.importorskip("cuda.tile")

every_type = pytest.mark.parametrize(
    ("names", "target", "share"),
    [
        (("float32",), "cpu", 1.0),
        (("float16", "bfloat16"), "cpu", 1.0),
        (("float32", "float16", "bfloat16"), "interpreter", 0.25),
    ],
    ids=["float", "half", "interpreted"],
)
"""Types of which a run takes one, targets, and the share of the extents that they are given."""


@cache
def launcher(name: str) -> Callable[..., None]:
    """The function `launch` of an example, loaded once so that its kernel keeps its programs."""
    spec = spec_from_file_location(f"cutile_{name}", _EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return cast("Callable[..., None]", module.launch)


def one_of(names: Sequence[str]) -> str:
    """A type, a new one in each run."""
    name = random.SystemRandom().choice(names)
    print(f"type {name}")
    return name


def dtype_of(name: str) -> np.dtype[Any]:
    found: Any = ml_dtypes.bfloat16 if name == "bfloat16" else name
    return np.dtype(found)


def random_array(*shape: int, dtype: DTypeLike) -> Array:
    seed = np.random.SeedSequence().entropy
    print(f"seed {seed} for {shape}")
    return np.random.default_rng(cast("int", seed)).standard_normal(shape).astype(dtype)


def poison(*shape: int, dtype: DTypeLike) -> Array:
    return np.full(shape, np.nan, dtype)


def close(found: Array, expected: Array, name: str) -> None:
    error = np.linalg.norm(found.astype(np.float64) - expected) / np.linalg.norm(expected)
    assert error <= _EPSILON[name], error


@every_type
def test_vector_add(names: Sequence[str], target: str, share: float) -> None:
    name = one_of(names)
    dtype = dtype_of(name)
    for length in (1, int(5003 * share)) if name == "float32" else (int(5003 * share),):
        x, y = (random_array(length, dtype=np.float32).astype(dtype) for _ in range(2))
        memory = np.full(length + 16, 99, dtype)
        launcher("vector_add")(x, y, memory[:length], target)
        assert np.array_equal(memory[:length], x + y)
        assert (memory[length:] == 99).all()


@every_type
def test_matmul(names: Sequence[str], target: str, share: float) -> None:
    name = one_of(names)
    m, n, k = int(130 * share), int(77 * share), int(201 * share)
    a, b = random_array(m, k, dtype=dtype_of(name)), random_array(n, k, dtype=dtype_of(name)).T
    c = poison(m, n + 5, dtype=dtype_of(name))
    launcher("matmul")(a, b, c[:, :n], target)
    close(c[:, :n], a.astype(np.float64) @ b.astype(np.float64), name)
    assert np.isnan(c[:, n:].astype(np.float32)).all()


@every_type
def test_softmax(names: Sequence[str], target: str, share: float) -> None:
    name = one_of(names)
    x = random_array(int(37 * share), 777, dtype=dtype_of(name))
    out = poison(*x.shape, dtype=x.dtype)
    launcher("softmax")(x, out, target)
    powers = np.exp(x.astype(np.float64))
    close(out, powers / powers.sum(1, keepdims=True), name)


@every_type
def test_layer_norm(names: Sequence[str], target: str, share: float) -> None:
    name = one_of(names)
    columns = 601
    x, weight = random_array(int(23 * share), columns, dtype=dtype_of(name)), random_array(columns, dtype=np.float32)
    bias, out = random_array(columns, dtype=np.float32), poison(*x.shape, dtype=x.dtype)
    launcher("layer_norm")(x, weight, bias, out, 1e-5, target)
    wide = x.astype(np.float64)
    normed = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    close(out, normed * weight + bias, name)


@every_type
def test_transpose(names: Sequence[str], target: str, share: float) -> None:
    name = one_of(names)
    rows, columns = int(131 * share), int(200 * share)
    x = (100 * random_array(rows, columns, dtype=np.float32)).astype(dtype_of(name))
    memory = np.full((columns, rows + 3), 99, x.dtype)
    launcher("transpose")(x, memory[:, :rows], target)
    assert np.array_equal(memory[:, :rows], x.T)
    assert (memory[:, rows:] == 99).all()


@every_type
def test_causal_attention(names: Sequence[str], target: str, share: float) -> None:
    name = one_of(names)
    heads, length, channels = 2, int(150 * share), 40
    q, k, v = random_array(3, heads, length, channels, dtype=dtype_of(name))
    out = poison(*q.shape, dtype=q.dtype)
    launcher("attention")(q, k, v, out, target)
    q, k, v = (t.astype(np.float64) for t in (q, k, v))
    scores = q @ k.swapaxes(1, 2) / math.sqrt(channels)
    powers = np.where(np.tri(length, dtype=bool), np.exp(scores), 0)
    close(out, powers / powers.sum(2, keepdims=True) @ v, name)
