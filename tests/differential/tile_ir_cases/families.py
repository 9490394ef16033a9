"""All cases, and how exactly their results agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from differential.tile_ir_cases import arithmetic, control, conversions, memory, regions, shapes, sums, views
from differential.tile_ir_cases.case import Case
from differential.tile_ir_cases.data import Array

ULP = {"float32": 2.0**-23, "float64": 2.0**-52, "float16": 2.0**-10, "bfloat16": 2.0**-7}
FAMILIES: dict[str, tuple[Callable[[], Iterable[Case]], float]] = {
    "integers": (arithmetic.integers, 0),
    "floats": (arithmetic.exact_floats, 0),
    "functions": (arithmetic.functions, 5),
    "conversions": (conversions.conversions, 0),
    "shapes": (shapes.shapes, 0),
    "constants": (shapes.constants, 0),
    "reductions": (sums.reductions, 0),
    "regions": (regions.regions, 0),
    "products": (sums.products, 4),
    "memory": (memory.memory, 0),
    "atomics": (memory.atomics, 0),
    "views": (views.views, 0),
    "control": (control.control, 0),
}
"""Cases, and how many ulp of the largest magnitude results may differ."""


def agree(want: Array, have: Array, ulp: float) -> bool:
    """Whether results are the same: any NaN for any other, floats within some last places if that is allowed."""
    if want.dtype.kind in "iub":
        return bool((want == have).all())
    with np.errstate(invalid="ignore"):
        # signalling NaNs
        a, b = want.astype(np.float64), have.astype(np.float64)
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return False
    kept = ~np.isnan(a)
    a, b = a[kept], b[kept]
    if not ulp:
        return bool((a == b).all() and (np.signbit(a) == np.signbit(b)).all())
    with np.errstate(invalid="ignore"):
        error = np.where(a == b, 0.0, np.abs(a - b))
    return bool((error <= ulp * ULP[want.dtype.name] * np.abs(a) + np.finfo(np.float32).tiny).all())
