"""Where elements of random TLX tensors lie in memory, and how strides say that."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from generators.tlx import Program

Array = NDArray[Any]


@dataclass(frozen=True)
class Placed:
    """Elements in memory order, `distances` apart along each position; `extents` are the stored ones."""

    data: Array
    extents: tuple[int, ...]
    distances: tuple[int, ...]

    @staticmethod
    def random(rnd: random.Random, data: Array, extents: Sequence[int]) -> Placed:
        """Distances that let no two elements meet, dense ones often."""
        found = [1] * data.ndim
        if rnd.random() < 0.2:
            found[-1] = rnd.randint(1, 3)
        span = 1
        for position in reversed(range(data.ndim - 1)):
            span += found[position + 1] * (data.shape[position + 1] - 1)
            dense = found[position + 1] * extents[position + 1]
            found[position] = dense if rnd.random() < 0.7 else span + rnd.randint(0, 4)
        return Placed(data, tuple(extents), tuple(found))

    def memory(self, dtype: Any, data: Array) -> Array:
        """An array that ends behind the last element; 77 is what is between."""
        total = sum((n - 1) * d for n, d in zip(data.shape, self.distances, strict=True)) + 1
        found = np.full(total, 77, dtype)
        strides = tuple(d * found.itemsize for d in self.distances)
        np.lib.stride_tricks.as_strided(found, data.shape, strides)[...] = data
        return found

    @property
    def dense(self) -> tuple[int, ...]:
        """What an entry of 0 means at each position."""
        last = len(self.distances) - 1
        return tuple(1 if k == last else self.extents[k + 1] * self.distances[k + 1] for k in range(last + 1))


def spelled(p: Program, placed: Placed) -> tuple[str, str]:
    """Strides as an operand, and an attribute of the call that says how they are meant."""
    rnd, given = p.rnd, placed.distances
    by_position = rnd.random() < 0.3
    if not by_position:
        shortened = [d if rnd.random() < 0.5 or d != e else 0 for d, e in zip(given, placed.dense, strict=True)]
        given = tuple(shortened if len(given) < 2 else [*shortened[:-2], shortened[-1], shortened[-2]])
    attribute = ' "tlx.strides"="dim"' if by_position else ""
    bits = rnd.choice((32, 64))
    kind = f"<{len(given)} x i{bits}>"
    if rnd.random() < 0.85:
        return f"{kind} <{', '.join(f'i{bits} {n}' for n in given)}>", attribute
    vector = f"{kind} zeroinitializer"
    for position, entry in enumerate(given):
        if entry:
            known = str(entry) if rnd.random() < 0.5 else p.parameter(f"i{bits}", entry)
            name = p.define("s", f"insertelement {vector}, i{bits} {known}, i32 {position}")
            vector = f"{kind} {name}"
    return vector, attribute
