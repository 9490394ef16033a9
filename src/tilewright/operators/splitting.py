"""Products with few elements and many terms, which are computed in parts so that a whole GPU has something to do.

A part has as many terms as each other one. Parts are a batch of products, along a mode of their own of the factors and
of an array of sums; a second launch adds these, and does what follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilewright.operators.alignment import BYTES
from tilewright.operators.contractions import COLUMNS, PARTIAL, PARTS, ROWS, TERMS, Arranged, Arrangement
from tilewright.operators.layouts import ALIGNED, Extents

_LEAST: Final = 128
"""Terms of a part."""

_MOST: Final = 64
"""Parts: the second launch has an element of each in registers."""


class Divided(Struct, frozen=True):
    """A product in parts: the `product` of each, a batch of them, and what the second launch is given (`sums`)."""

    product: Arrangement
    sums: Arrangement

    @property
    def partial(self) -> Arranged:
        """The array between both launches."""
        return self.product.operands[-1]


def possible_parts(arrangement: Arrangement) -> Iterator[int]:
    """In how many parts a product may be computed: each of as many terms, which begin at a multiple of 16 bytes if the
    factors do."""
    terms = arrangement.extents[TERMS]
    unit = ALIGNED // BYTES[arrangement.operands[0].dtype]
    for parts in range(2, min(terms // _LEAST, _MOST) + 1):
        if terms % (parts * unit) == 0:
            yield parts


def in_parts(arrangement: Arrangement, parts: int, accumulate: str) -> Divided:
    """A product in so many parts."""
    *inputs, out = arrangement.operands
    terms = arrangement.extents[TERMS] // parts
    modes = (PARTS, *arrangement.loops, ROWS, COLUMNS)
    extents = {**arrangement.extents, TERMS: terms, PARTS: parts}
    shape = tuple(extents[mode] for mode in modes)
    sums = Arranged(PARTIAL, accumulate, modes, shape, _packed(shape))
    factors = [_divided(factor, parts, terms) for factor in inputs[:2]]
    product = Arrangement(modes[:-2], extents, (*factors, sums), arrangement.turned)
    adding = Arrangement(arrangement.loops, extents, (sums, *inputs[2:], out), arrangement.turned)
    return Divided(_renamed(product), adding)


def _renamed(arrangement: Arrangement) -> Arrangement:
    """With the names that loops have in programs."""
    names = {mode: f"p{k}" for k, mode in enumerate(arrangement.loops)}

    def named(mode: str) -> str:
        return names.get(mode, mode)

    extents = {named(mode): extent for mode, extent in arrangement.extents.items()}
    operands = tuple(replace(one, modes=tuple(map(named, one.modes))) for one in arrangement.operands)
    return Arrangement(tuple(names.values()), extents, operands, arrangement.turned)


def _divided(factor: Arranged, parts: int, terms: int) -> Arranged:
    """A factor with a mode of parts in front of that of the terms."""
    at = factor.modes.index(TERMS)

    def inserted(values: tuple[int, ...], part: int, term: int) -> Extents:
        return (*values[:at], part, term, *values[at + 1 :])

    stride = factor.strides[at]
    return replace(
        factor,
        modes=(*factor.modes[:at], PARTS, *factor.modes[at:]),
        shape=inserted(factor.shape, parts, terms),
        strides=inserted(factor.strides, stride * terms, stride),
    )


def _packed(shape: Extents) -> Extents:
    return tuple(prod(shape[k + 1 :]) for k in range(len(shape)))
