"""Functions of elements against Python's own, and tensors filled with a number."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from dialects.tlx.tensors import FLOATS, computed, garbage, in_format, numbers, random_type, same, value
from tilewright.dialects.tlx import elementwise
from tilewright.dialects.tlx.elementwise import Broadcast, Relu, TensorUnary
from tilewright.dialects.tlx.types import ELEMENTS
from tilewright.ir.types import ScalarType

SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-3, 7.25, 60.0]


def _logarithm(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: -math.inf if x == 0 else math.nan if x < 0 or math.isnan(x) else function(x)


def _root(x: float) -> float:
    return x if x == 0 or math.isnan(x) else math.nan if x < 0 else math.sqrt(x)


def _whole(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: x if not math.isfinite(x) else math.copysign(function(x), x)


def _turning(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: function(x) if math.isfinite(x) else math.nan


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > 0 or math.isnan(x) else math.exp(x) / (1 + math.exp(x))


FUNCTIONS: dict[type[TensorUnary], Callable[[float], float]] = {
    elementwise.Tanh: math.tanh,
    elementwise.Sigmoid: _sigmoid,
    elementwise.Sin: _turning(math.sin),
    elementwise.Cos: _turning(math.cos),
    elementwise.Exp: math.exp,
    elementwise.Exp2: lambda x: 2**x,
    elementwise.Log: _logarithm(math.log),
    elementwise.Log2: _logarithm(math.log2),
    elementwise.Log10: _logarithm(math.log10),
    elementwise.Sqrt: _root,
    elementwise.Fabs: abs,
    elementwise.Floor: _whole(lambda x: float(math.floor(x))),
    elementwise.Ceil: _whole(lambda x: float(math.ceil(x))),
}


@pytest.mark.parametrize("element", FLOATS, ids=str)
@pytest.mark.parametrize("cls", FUNCTIONS, ids=lambda cls: cls.__name__)
def test_functions(rng: np.random.Generator, cls: type[TensorUnary], element: ScalarType) -> None:
    tensor = in_format(np.array(SPECIAL).reshape(3, 2, 2), element)
    found = computed(rng, cls(value(random_type(rng, element, tensor.shape))), tensor)
    exact = np.array([FUNCTIONS[cls](float(x)) for x in tensor.ravel()]).reshape(tensor.shape)
    wanted = in_format(exact, element)
    near = np.isfinite(wanted.astype(np.float64)) & (exact != 0)
    spacing = np.abs(np.spacing(wanted[near])).astype(np.float64)
    assert (np.abs(found[near].astype(np.float64) - wanted[near].astype(np.float64)) <= 2 * spacing).all()
    assert same(found[~near], wanted[~near])


@pytest.mark.parametrize("element", ELEMENTS, ids=str)
def test_relu(rng: np.random.Generator, element: ScalarType) -> None:
    if element.is_integer:
        tensor = garbage(rng, element, 24).reshape(2, 3, 4)
        wanted = np.where(tensor < 0, 0, tensor).astype(tensor.dtype)
    else:
        tensor = in_format(np.array(SPECIAL).reshape(3, 4), element)
        plain = tensor.astype(np.float64)
        wanted = in_format(np.where(np.isnan(plain), plain, np.where(plain > 0, plain, 0.0)), element)
    assert same(computed(rng, Relu(value(random_type(rng, element, tensor.shape))), tensor), wanted)


@pytest.mark.parametrize("element", ELEMENTS, ids=str)
def test_broadcast(rng: np.random.Generator, element: ScalarType) -> None:
    tensor, number = numbers(rng, element, (2, 3, 4)), numbers(rng, element, ())
    op = Broadcast(value(random_type(rng, element, tensor.shape)), value(element))
    assert op.out.type == op.input.type
    assert same(computed(rng, op, tensor, number), np.full(tensor.shape, number))


def test_every_function_is_compared() -> None:
    declared = {cls for cls in vars(elementwise).values() if isinstance(cls, type) and issubclass(cls, TensorUnary)}
    assert declared - {TensorUnary, Relu} == set(FUNCTIONS)
