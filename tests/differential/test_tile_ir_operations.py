"""Every operation of Tile IR on every type: compiled for the CPU and interpreted, bit by bit.

A run takes some of the cases, chosen anew each time; `ALL_TILE_IR_CASES=1` takes all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

import numpy as np
import pytest

import tilewright as tw
from differential import tile_ir_cases as cases
from differential import tile_ir_regions
from differential.tile_ir_cases import Array, Case, Group, Shaped

ULP = {"float32": 2.0**-23, "float64": 2.0**-52, "float16": 2.0**-10, "bfloat16": 2.0**-7}
FAMILIES: dict[str, tuple[Callable[[], Iterable[Case]], int, float]] = {
    "integers": (cases.integers, 3, 0),
    "floats": (cases.exact_floats, 3, 0),
    "functions": (cases.functions, 3, 5),
    "conversions": (cases.conversions, 4, 0),
    "shapes": (cases.shapes, 5, 0),
    "constants": (cases.constants, 1, 0),
    "reductions": (cases.reductions, 2, 0),
    "regions": (tile_ir_regions.regions, 1, 0),
    "products": (cases.products, 2, 4),
    "memory": (cases.memory, 6, 0),
    "atomics": (cases.atomics, 5, 0),
    "views": (cases.views, 6, 0),
    "control": (cases.control, 4, 0),
}
"""Cases, how many kernels of them a run takes, and how many ulp of the largest magnitude results may differ."""


def chosen(found: list[Group], count: int, rng: np.random.Generator) -> list[Group]:
    """Some of the kernels."""
    if os.environ.get("ALL_TILE_IR_CASES") or count >= len(found):
        return found
    return [found[int(k)] for k in sorted(rng.choice(len(found), count, replace=False))]


def agree(want: Array, have: Array, ulp: float) -> bool:
    """Whether results are the same: any NaN for any other, floats within some last places if that is allowed."""
    if want.dtype.kind in "iub":
        return bool((want == have).all())
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


def differences(group: Group, kernels: tuple[tw.Kernel, tw.Kernel], ulp: float, rng: np.random.Generator) -> list[str]:
    """Names of the cases on which two programs differ."""
    first = group.cases[0]
    inputs = [cases.operand(type_, first.domain, k, rng) for k, type_ in enumerate(group.inputs)]
    memory = [cases.operand(Shaped(element), first.domain, 7, rng) for element in first.pointers]
    results: list[list[Array]] = []
    for kernel in kernels:
        outputs = [*(cases.blank(type_) for _, type_ in group.outputs), *(array.copy() for array in memory)]
        kernel[1](*inputs, *outputs)
        results.append(outputs)
    names = [*(group.cases[int(name.split("_")[1])].name for name, _ in group.outputs), *(first.name for _ in memory)]
    return [name for name, want, have in zip(names, *results, strict=True) if not agree(want, have, ulp)]


@pytest.mark.parametrize("family", FAMILIES)
def test_operations(family: str, rng: np.random.Generator) -> None:
    make, count, ulp = FAMILIES[family]
    groups = chosen(cases.grouped(make()), count, rng)
    text = cases.module(groups)
    native = tw.compile(text, level=0, cache=False)
    meant = tw.compile(text, target="interpreter", cache=False)
    wrong: list[str] = []
    for number, group in enumerate(groups):
        wrong += differences(group, (meant[f"k{number}"], native[f"k{number}"]), ulp, rng)
    assert not wrong
