"""Sums of products of elements, and reductions: in the widest type of the kind, then rounded or wrapped once.

Integers are exact modulo the width of the result. Floats are summed as doubles in no given order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tilewright.numerics.arrays import elements, to_double
from tilewright.numerics.formats import FloatFormat, Format, IntegerFormat
from tilewright.numerics.integers import unsigned, wrapped
from tilewright.numerics.later import Array, np


def widened(layout: Format, values: Array, is_signed: bool = True) -> Array:
    """Integers as i64, extended by their sign or by zeros, floats as doubles."""
    if isinstance(layout, FloatFormat):
        return to_double(layout, values)
    assert isinstance(layout, IntegerFormat)
    return (values if is_signed else unsigned(layout, values)).astype(np.int64)


def narrowed(layout: Format, values: Array) -> Array:
    """Sums in a format: rounded to nearest even, or modulo its width."""
    if isinstance(layout, FloatFormat):
        return elements(layout, values)
    assert isinstance(layout, IntegerFormat)
    return wrapped(layout, values)


def matrix_product(formats: Sequence[Format], target: Format, a: Array, b: Array) -> Array:
    """[B.., M, K] times [B.., K, N]."""
    x, y = _both(formats, (True, True), a, b)
    return narrowed(target, np.asarray(np.matmul(x, y)))


def accumulated(
    formats: Sequence[Format], signs: Sequence[bool], target: Format, acc: Array, a: Array, b: Array
) -> Array:
    """A product of matrices, each factor signed or not, added to an accumulator."""
    x, y = _both(formats, signs, a, b)
    return narrowed(target, np.asarray(widened(target, acc) + np.matmul(x, y)))


def contraction(
    formats: Sequence[Format], target: Format, a: Array, b: Array, axes_a: Sequence[int], axes_b: Sequence[int]
) -> Array:
    """Sum over pairs of axes; free axes of `a`, then those of `b`."""
    x, y = _both(formats, (True, True), a, b)
    return narrowed(target, np.asarray(np.tensordot(x, y, (tuple(axes_a), tuple(axes_b)))))


def _both(formats: Sequence[Format], signs: Sequence[bool], a: Array, b: Array) -> tuple[Array, Array]:
    x, y = (widened(f, v, s) for f, v, s in zip(formats, (a, b), signs, strict=True))
    return x, y


def total(layout: Format, values: Array, axes: tuple[int, ...]) -> Array:
    """Sums along axes."""
    return narrowed(layout, np.asarray(np.add.reduce(widened(layout, values), axes)))


def product(layout: Format, values: Array, axes: tuple[int, ...]) -> Array:
    """Products along axes."""
    return narrowed(layout, np.asarray(np.multiply.reduce(widened(layout, values), axes)))


def folded(combine: Callable[[Format, Any, Any], Any]) -> Callable[[Format, Array, tuple[int, ...]], Array]:
    """A reduction along axes by what makes one of two elements in any order."""

    def reduce(layout: Format, values: Array, axes: tuple[int, ...]) -> Array:
        kept = [axis for axis in range(values.ndim) if axis not in axes]
        left = values.transpose(*kept, *axes).reshape(*(values.shape[k] for k in kept), -1)
        while left.shape[-1] > 1:
            half = left.shape[-1] // 2
            rest = left[..., 2 * half :]
            left = np.concatenate([combine(layout, left[..., :half], left[..., half : 2 * half]), rest], axis=-1)
        return left[..., 0]

    return reduce
