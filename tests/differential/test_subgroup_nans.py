"""Maxima and minima over a subgroup whose numbers are not all numbers: NaN loses, also to the identity."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from targets.nvidia.case import Launch
from targets.nvidia.emulated import compiled
from tilewright.machine.processor import FeatureSet, machine

Array = NDArray[Any]
LANES: Final = 8
KINDS: Final[dict[str, tuple[Callable[[float, float], float], float]]] = {
    "max": (lambda x, y: float(np.fmax(x, y)), -np.inf),
    "min": (lambda x, y: float(np.fmin(x, y)), np.inf),
}
DTYPES: Final[dict[str, Any]] = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16}
ROWS: Final = (
    [np.nan] * LANES,
    [np.nan, 3, np.nan, -1, np.nan, 5, 2, np.nan],
    [np.nan, np.nan, np.nan, -np.inf, 0, np.inf, -4, 4],
    [2, np.nan, 1, np.nan, np.nan, 7, -7, np.nan],
)


def wanted(form: str, kind: str, row: list[float]) -> list[float]:
    """By definition, one after another; an exclusive scan starts with the identity, others with the first number."""
    combine, identity = KINDS[kind]
    if form == "exclusive_scan":
        return list(itertools.accumulate(row[:-1], combine, initial=identity))
    found = list(itertools.accumulate(row, combine))
    return found if form == "inclusive_scan" else found[-1:] * LANES


def text(form: str, kind: str, dtype: str) -> str:
    return f"""func @k(%x: memref<{dtype}x{LANES}>) attributes{{subgroup_size={LANES},work_group_size=[{LANES},1]}} {{
    parallel {{
        %l = subgroup_local_id : i32
        %i = cast %l : index
        %v = load %x[%i] : {dtype}
        %r = subgroup_{form}_{kind} %v : {dtype}
        store %r, %x[%i]
    }}
}}"""


def emulated(source: str, given: Array) -> Array:
    found = compiled(source).run(Launch([given], {}))[0]
    assert isinstance(found, np.ndarray)
    return found


def launched(source: str, target: str, given: Array) -> Array:
    array = given.copy()
    tw.compile(source, target=target, cache=False).k[1](array)
    return array


@pytest.mark.covering(2)
@pytest.mark.parametrize("dtype", list(DTYPES))
@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("form", ["reduce", "inclusive_scan", "exclusive_scan"])
def test_numbers_win(form: str, kind: str, dtype: str) -> None:
    source = text(form, kind, dtype)
    sets = [f.value for f in (FeatureSet.GENERIC, FeatureSet.AVX2, FeatureSet.AVX512) if not machine().lacks(f)]
    for row in ROWS:
        given, want = np.array(row, DTYPES[dtype]), wanted(form, kind, row)
        found = {target: launched(source, target, given) for target in ("interpreter", *(f"cpu:{f}" for f in sets))}
        found["emulator"] = emulated(source, given)
        for target, have in found.items():
            np.testing.assert_array_equal(have.astype(np.float64), want, f"{target}, {row}")
