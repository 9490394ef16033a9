"""Random tensors for tests, stored element by element as the reference's section 1 says, and read back the same way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.diagnostics import Report
from tilewright.dialects.tlx.base import TlxOperation
from tilewright.dialects.tlx.types import ELEMENTS, TensorType
from tilewright.ir.core import Block, Value
from tilewright.ir.evaluation import evaluated
from tilewright.ir.types import ScalarType, Type
from tilewright.ir.verifier import verify_alone
from tilewright.numerics.arrays import array_of, dtype_of

Array = NDArray[Any]
INTEGERS = [e for e in ELEMENTS if e.is_integer]
FLOATS = [e for e in ELEMENTS if e.is_float]


def value(type_: Type) -> Value:
    """Some value of a type."""
    return Block([type_]).arguments[0]


def random_type(rng: np.random.Generator, element: ScalarType, shape: Sequence[int]) -> TensorType:
    """A tensor of this logical shape in any memory order, with any padding."""
    layout = [int(d) for d in rng.permutation(len(shape))]
    padding = [int(p) for p in rng.integers(0, 3, len(shape)) * rng.integers(0, 2, len(shape))]
    extents = tuple(shape[d] + p for d, p in zip(layout, padding, strict=True))
    return TensorType(element, extents, tuple(layout), tuple(padding))


def garbage(rng: np.random.Generator, element: ScalarType, count: int) -> Array:
    """Any bits, NaN among them."""
    dtype = dtype_of(element.format)
    return np.frombuffer(rng.bytes(count * dtype.itemsize), dtype).copy()


def numbers(rng: np.random.Generator, element: ScalarType, shape: Sequence[int]) -> Array:
    """Integers of the whole range, or small ones as floats, whose sums are exact in any order."""
    if element.is_integer:
        return garbage(rng, element, int(np.prod(shape))).reshape(tuple(shape))
    return array_of(element.format, rng.integers(-3, 4, tuple(shape)).tolist())


def places(type_: TensorType) -> Iterator[tuple[tuple[int, ...], int]]:
    """Each logical position, and where its element stands among the stored ones."""
    extents = type_.extents
    valid = [s - p for s, p in zip(extents, type_.padding, strict=True)]
    distances = [prod(extents[i + 1 :]) for i in range(len(extents))]
    for m in np.ndindex(*valid):
        logical = [0] * len(extents)
        for position, dim in enumerate(type_.layout):
            logical[dim] = m[position]
        yield tuple(logical), sum(at * distance for at, distance in zip(m, distances, strict=True))


def put(rng: np.random.Generator, type_: TensorType, tensor: Array) -> Array:
    """The stored elements, with garbage for padding."""
    flat = garbage(rng, type_.element, type_.size)
    for logical, place in places(type_):
        flat[place] = tensor[logical]
    return flat.reshape(type_.extents)


def got(type_: TensorType, stored: Array) -> Array:
    """The logical tensor of stored elements."""
    valid = [s - p for s, p in zip(type_.extents, type_.padding, strict=True)]
    shape = [0] * type_.rank
    for position, dim in enumerate(type_.layout):
        shape[dim] = valid[position]
    found = np.zeros(shape, stored.dtype)
    flat = stored.reshape(-1)
    for logical, place in places(type_):
        found[logical] = flat[place]
    return found


def computed(rng: np.random.Generator, op: TlxOperation, *tensors: Array) -> Array:
    """What a valid operation makes of logical tensors and of numbers."""
    report = Report()
    verify_alone(op, report)
    report.raise_if_errors()
    stored = [
        put(rng, v.type, found) if isinstance(v.type, TensorType) else found
        for v, found in zip(op.operands, tensors, strict=True)
    ]
    before = [found.copy() for found in stored]
    result, type_ = evaluated(op, *stored), op.results[0].type
    assert all(a.tobytes() == b.tobytes() for a, b in zip(stored, before, strict=True)), "operands do not change"
    assert result.dtype == dtype_of(type_.format)
    if not isinstance(type_, TensorType):
        return result
    assert result.shape == type_.extents
    return got(type_, result)


def same(a: Array, b: Array) -> bool:
    """Equal numbers with equal signs, NaN wherever there is one."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "iu":
        return bool((a == b).all())
    x, y = a.astype(np.float64), b.astype(np.float64)
    nan = np.isnan(x)
    equal = (x == y) & (np.signbit(x) == np.signbit(y))
    return bool((nan == np.isnan(y)).all() and (equal | nan).all())


def wrapped(exact: Array, element: ScalarType) -> Array:
    """Python's integers modulo the width of an element."""
    half = 1 << (element.bits - 1)
    found = [(int(n) + half) % (2 * half) - half for n in exact.ravel().tolist()]
    return np.array(found, dtype_of(element.format)).reshape(exact.shape)


def exact(tensor: Array, unsigned: bool = False) -> Array:
    """As Python's integers, or as doubles."""
    if tensor.dtype.kind not in "iu":
        return tensor.astype(np.float64)
    read = tensor.view(f"u{tensor.dtype.itemsize}") if unsigned else tensor
    return read.astype(object)


def in_format(tensor: Array, element: ScalarType) -> Array:
    """Exact numbers in a format: rounded, or modulo its width."""
    return (
        wrapped(tensor, element) if element.is_integer else array_of(element.format, tensor.astype(np.float64).tolist())
    )
