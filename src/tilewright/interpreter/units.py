"""Products by a unit of a processor that deviates from what the languages mean: its own arithmetic, where asked for.

Where nothing is asked for, products are rounded once (`tiles.product`); units that are exact are no more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilewright.ir.types import BF16, F16, F32, ScalarType
from tilewright.numerics.conversions import convert
from tilewright.numerics.dot_units import dot_pairs, dot_rows, dot_split_rows
from tilewright.settings.product_units import Unit

Array = NDArray[Any]


class _Sums(Struct, frozen=True):
    """How a unit sums products of two factors of a type."""

    factor: ScalarType
    of: Callable[[Array, Array], Array]


_UNITS: Final[Mapping[Unit, _Sums]] = {
    Unit.AMX_BF16: _Sums(BF16, dot_rows),
    Unit.BF16: _Sums(BF16, dot_pairs),
    Unit.AMX_F16: _Sums(F16, dot_split_rows),
}
"""The best first, as the CPU chooses."""


def by_unit(
    units: frozenset[Unit], factors: tuple[ScalarType, ScalarType], element: ScalarType
) -> Callable[[Array, Array, Array], Array] | None:
    """`a b + acc` as one of the units computes it for such factors and accumulators; None where none of them would."""
    for unit, sums in _UNITS.items():
        if unit in units and element is F32 and factors == (sums.factor, sums.factor):
            return lambda a, b, acc, sums=sums: acc + sums.of(_wide(a, sums.factor), _wide(b, sums.factor))
    return None


def _wide(values: Array, element: ScalarType) -> Array:
    return np.asarray(convert(element.format, F32.format, values))
