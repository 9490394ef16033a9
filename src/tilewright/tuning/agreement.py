"""Whether two schedules of one kernel computed the same, but for what rounding in another order may change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np

from tilewright.runtime.dtypes import AnyDtype
from tilewright.tuning.arguments import Array

_ROUNDINGS: Final = {1: 1, 2: 4}
_MANY_ROUNDINGS: Final = 1024
"""Units in the last place of the largest result by which sums differ; narrow ones are formed in wider types."""


def disagreement(found: Sequence[Array], expected: Sequence[Array]) -> str | None:
    """Where two answers differ by more than rounding, in words; None if they agree."""
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        wrong = _wrong(one, other)
        if wrong.any():
            at = int(np.argmax(wrong))
            return (
                f"{int(wrong.sum()):,} of {one.size:,} elements of result {number} are others, the first at {at}: "
                f"{one[at]} for {other[at]}"
            )
    return None


def _wrong(one: Array, other: Array) -> np.ndarray[Any, np.dtype[np.bool_]]:
    same = one.view(np.uint8) == other.view(np.uint8)
    wrong = ~same.reshape(one.size, -1).all(axis=1)
    places = np.flatnonzero(wrong)
    tolerance = _epsilon(one.dtype)
    if not places.size or tolerance is None:
        return wrong
    wide = np.complex128 if one.dtype.kind == "c" else np.float64
    a, b = one[places].astype(wide), other[places].astype(wide)
    both_nan = np.isnan(a) & np.isnan(b)
    finite = np.abs(other.astype(wide)[np.isfinite(other.astype(wide))])
    scale = float(finite.max()) if finite.size else 0.0
    with np.errstate(invalid="ignore"):
        near = np.abs(a - b) <= tolerance * scale
    wrong[places] = ~(near | both_nan | (a == b))
    return wrong


def _epsilon(dtype: AnyDtype) -> float | None:
    """What sums in another order may differ by, in parts of the largest; None for integers."""
    import ml_dtypes

    try:
        unit = float(cast("Any", ml_dtypes.finfo(dtype)).eps)
    except ValueError:
        return None
    return unit * _ROUNDINGS.get(dtype.itemsize, _MANY_ROUNDINGS)
