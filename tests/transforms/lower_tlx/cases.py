"""An instance of every operation on random tensors: parameters, and what is computed of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from dialects.tlx.tensors import FLOATS, INTEGERS, in_format, numbers, random_type, value
from tilewright.dialects import arith
from tilewright.dialects.tlx import OPERATIONS, elementwise, products, reductions, shapes
from tilewright.dialects.tlx.base import TlxOperation
from tilewright.dialects.tlx.memory import ToVector, TypeInfo
from tilewright.dialects.tlx.types import TensorType
from tilewright.dialects.tlx.vectors import ReduceMac, ReduceMacAcc
from tilewright.ir.core import Value
from tilewright.ir.types import F16, F32, I8, I16, I32, ScalarType, TileType, Type
from transforms.lower_tlx.programs import Body

Array = NDArray[Any]


class Case(Struct, frozen=True):
    """Types and contents of the parameters, and the computation."""

    types: Sequence[Type]
    arguments: Sequence[Array]
    body: Body


Maker = Callable[[np.random.Generator, ScalarType], Case]


def extents(rng: np.random.Generator, rank: int, most: int = 5) -> list[int]:
    return [int(n) for n in rng.integers(1, most, rank)]


def tensors(rng: np.random.Generator, *given: tuple[ScalarType, Sequence[int]]) -> tuple[list[Type], list[Array]]:
    return [random_type(rng, e, s) for e, s in given], [numbers(rng, e, s) for e, s in given]


def matmul(rng: np.random.Generator, element: ScalarType) -> Case:
    *batch, m, k, n = extents(rng, int(rng.integers(3, 7)), 7)
    types, arguments = tensors(rng, (element, [*batch, m, k]), (element, [*batch, k, n]))
    layout = [int(d) for d in rng.permutation(len(batch) + 2)]
    out = F32 if element.is_float and element.bits < 32 and rng.integers(2) else element

    def body(b: Any, v: Sequence[Value]) -> Value:
        natural = products.MatMul(*(value(t) for t in types)).out.type
        assert isinstance(natural, TensorType)
        return b(products.MatMul(v[0], v[1], result_types=[natural.relaid(layout).with_element(out)])).out

    return Case(types, arguments, body)


def contract(rng: np.random.Generator, element: ScalarType) -> Case:
    count, left, right = (int(rng.integers(0, 3)) for _ in range(3))
    left, right = max(left, count == 0), max(right, count == 0)
    sizes = extents(rng, count + left + right)
    x, y = [*range(count + left)], [*range(count), *range(count + left, count + left + right)]
    a, b = ([int(d) for d in rng.permutation(dims)] for dims in (x, y))
    axes = [tuple(dims.index(d) for d in range(count)) for dims in (a, b)]
    types, arguments = tensors(rng, *((element, [sizes[d] for d in dims]) for dims in (a, b)))
    layout = [int(d) for d in rng.permutation(left + right)]

    def body(build: Any, v: Sequence[Value]) -> Value:
        x_type, y_type = types
        natural = products.Contract(value(x_type), value(y_type), axes[0], axes[1]).out.type
        assert isinstance(natural, TensorType)
        if natural.rank:
            result = natural.relaid(layout)
            return build(products.Contract(v[0], v[1], axes[0], axes[1], result_types=[result])).out
        number = build(ToVector(build(products.Contract(v[0], v[1], axes[0], axes[1])).out)).out
        return build(TypeInfo(number, result_types=[TensorType.dense(element, (1,))])).out

    return Case(types, arguments, body)


def accumulate(cls: type[products.MultiplyAccumulate]) -> Maker:
    def make(rng: np.random.Generator, element: ScalarType) -> Case:
        pairs = {e: e for e in (*INTEGERS, *FLOATS)} | {I8: I32, I16: I32, F16: F32}
        out = pairs[element]
        *batch, m, k, n = extents(rng, int(rng.integers(3, 6)), 7)
        given = ((out, [*batch, m, n]), (element, [*batch, m, k]), (element, [*batch, k, n]))
        types, arguments = tensors(rng, *given)
        return Case(types, arguments, lambda b, v: b(cls(v[0], v[1], v[2])).out)

    return make


def convolution(rng: np.random.Generator, element: ScalarType) -> Case:
    leading, channels, maps, *kernel = extents(rng, 5, 4)
    strides, dilations, spread = (tuple(int(n) for n in rng.integers(low, 3, 2)) for low in (1, 0, 0))
    size = [(k - 1) * max(e, 1) + 1 + int(rng.integers(0, 5)) for k, e in zip(kernel, spread, strict=True)]
    both = ([leading, channels, *size], [maps, channels, *kernel])
    rank = int(rng.choice([2, 4]))
    types, arguments = tensors(rng, *((element, s[4 - rank :]) for s in both))
    layout = [int(d) for d in rng.permutation(rank)]

    def body(b: Any, v: Sequence[Value]) -> Value:
        x_type, y_type = types
        natural = products.Convolution(value(x_type), value(y_type), strides, dilations, spread).out.type
        assert isinstance(natural, TensorType)
        return b(
            products.Convolution(v[0], v[1], strides, dilations, spread, result_types=[natural.relaid(layout)])
        ).out

    return Case(types, arguments, body)


def function(cls: type[elementwise.TensorUnary]) -> Maker:
    def make(rng: np.random.Generator, element: ScalarType) -> Case:
        types, arguments = tensors(rng, (element, extents(rng, int(rng.integers(1, 7)))))
        if element.is_float:
            values = rng.choice([-1.5, -0.0, 0.0, 0.25, 1.0, 3.75, 20.0, np.inf, -np.inf, np.nan], arguments[0].shape)
            arguments = [in_format(values, element)]
        return Case(types, arguments, lambda b, v: b(cls(v[0])).out)

    return make


def broadcast(rng: np.random.Generator, element: ScalarType) -> Case:
    types, arguments = tensors(rng, (element, extents(rng, int(rng.integers(1, 7)))))
    number = numbers(rng, element, ())
    return Case([*types, element], [*arguments, number], lambda b, v: b(elementwise.Broadcast(v[0], v[1])).out)


def windows(cls: type[reductions.Reduction]) -> Maker:
    def make(rng: np.random.Generator, element: ScalarType) -> Case:
        shape = extents(rng, int(rng.integers(1, 7)))
        trailing = shape[len(shape) - int(rng.integers(0, len(shape) + 1)) :]
        window = tuple(int(rng.integers(1, n + 1)) if rng.integers(2) else n for n in trailing)
        strides = tuple(int(s) for s in rng.integers(1, 4, len(trailing)))
        types, arguments = tensors(rng, (element, shape))
        if element.is_float and cls is reductions.ReduceMul:
            arguments = [in_format(np.sign(arguments[0].astype(np.float64)), element)]
        return Case(types, arguments, lambda b, v: b(cls(v[0], window, strides)).out)

    return make


def transpose(rng: np.random.Generator, element: ScalarType) -> Case:
    types, arguments = tensors(rng, (element, extents(rng, int(rng.integers(1, 7)))))
    layout = tuple(int(d) for d in rng.permutation(arguments[0].ndim))
    return Case(types, arguments, lambda b, v: b(shapes.Transpose(v[0], layout)).out)


def block(rng: np.random.Generator, element: ScalarType) -> Case:
    types, arguments = tensors(rng, (element, extents(rng, int(rng.integers(1, 5)))))
    rank = arguments[0].ndim
    dims = tuple(int(d) for d in rng.permutation(rank)[: int(rng.integers(0, rank + 1))])
    sizes = tuple(int(b) for b in rng.integers(1, 6, len(dims)))
    return Case(types, arguments, lambda b, v: b(shapes.ReshapeBlock(v[0], dims, sizes)).out)


def permute(rng: np.random.Generator, element: ScalarType) -> Case:
    types, arguments = tensors(rng, (element, extents(rng, int(rng.integers(1, 7)))))
    shape = tuple(int(n) for n in rng.permutation([*arguments[0].shape, 1]))
    return Case(types, arguments, lambda b, v: b(shapes.ReshapePermute(v[0], shape)).out)


def pad(rng: np.random.Generator, element: ScalarType) -> Case:
    types, arguments = tensors(rng, (element, extents(rng, int(rng.integers(1, 5)))))
    low, high, gaps = (tuple(int(n) for n in rng.integers(0, 3, arguments[0].ndim)) for _ in range(3))
    number = numbers(rng, element, ())
    return Case([*types, element], [*arguments, number], lambda b, v: b(shapes.Pad(v[0], v[1], low, high, gaps)).out)


def concat(rng: np.random.Generator, element: ScalarType) -> Case:
    shape = extents(rng, int(rng.integers(1, 7)))
    dim = int(rng.integers(len(shape)))
    other = [int(rng.integers(1, 5)) if k == dim else n for k, n in enumerate(shape)]
    types, arguments = tensors(rng, (element, shape), (element, other))
    return Case(types, arguments, lambda b, v: b(shapes.Concat(v[0], v[1], dim)).out)


def neighbours(rng: np.random.Generator, element: ScalarType) -> Case:
    group, count = int(rng.choice([1, 2, 4])), int(rng.integers(1, 12))
    sizes = (count, count * group, count * group)
    types, arguments = tensors(rng, *((element, [n]) for n in sizes))

    def body(b: Any, v: Sequence[Value]) -> Value:
        acc, x, y = (b(ToVector(b(shapes.ReshapePermute(w, (n,))).out)).out for w, n in zip(v, sizes, strict=True))
        first = b(ReduceMac(x, y, group, result_types=[TileType((count,), element)])).out
        total = b(ReduceMacAcc(b(arith.Add(acc, first)).out, x, y, group)).out
        return b(TypeInfo(total, result_types=[TensorType.dense(element, (count,))])).out

    return Case(types, arguments, body)


MAKERS: dict[str, Maker] = {
    "tlx.matmul": matmul,
    "tlx.contract": contract,
    "tlx.convolution": convolution,
    "tlx.broadcast": broadcast,
    "tlx.transpose": transpose,
    "tlx.reshape_block": block,
    "tlx.reshape_permute": permute,
    "tlx.pad": pad,
    "tlx.concat": concat,
    "tlx.reduce_mac": neighbours,
    "tlx.reduce_mac_acc": neighbours,
}


def maker_of(cls: type[TlxOperation]) -> Maker:
    if issubclass(cls, products.MultiplyAccumulate):
        return accumulate(cls)
    if issubclass(cls, elementwise.TensorUnary):
        return function(cls)
    if issubclass(cls, reductions.Reduction):
        return windows(cls)
    return MAKERS[cls.name]


def elements_of(cls: type[TlxOperation]) -> list[ScalarType]:
    """What an operation is defined for."""
    if issubclass(cls, elementwise.TensorUnary) and not cls.of_integers:
        return FLOATS
    if issubclass(cls, products.MultiplyAccumulate) and not all(cls.signed):
        return INTEGERS
    if issubclass(cls, reductions.Reduction) and cls.bitwise:
        return INTEGERS
    return [*INTEGERS, *FLOATS]


EVERYWHERE = {"tlx.load", "tlx.store", "tlx.typeinfo", "tlx.tovector"}
"""What every case has."""
CASES = [(cls, element) for cls in OPERATIONS if cls.name not in EVERYWHERE for element in elements_of(cls)]
