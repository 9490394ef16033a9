"""Regions of reductions and scans that hold tiles and control flow: interpreter and CPU against NumPy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pytest

import tilewright as tw
from differential.tile_ir_cases.case import Case, Group, module
from differential.tile_ir_cases.data import Array, blank, operand
from differential.tile_ir_cases.regions import regions

CASES: Final = None if os.environ.get("ALL_TILE_IR_CASES") else 6
MEANINGS: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("tiles", "for", "nested", "table", "grid", "product", "arranged"), np.add),
    **dict.fromkeys(("if", "division", "bytes"), np.maximum),
    "loop": np.gcd,
}


def meaning(case: Case, x: Array) -> Array:
    """What NumPy makes of a case."""
    kind, name, dim, *_ = case.name.split()
    function, axis = MEANINGS[name], int(dim)
    if kind == "reduce":
        return function.reduce(x, axis)
    if "true" not in case.name:
        return function.accumulate(x, axis)
    return np.flip(function.accumulate(np.flip(x, axis), axis), axis)


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
def test_regions(target: str, rng: np.random.Generator) -> None:
    chosen = [case for case in regions() if case.name.split()[-1] in ("i32", "f32") and len(case.inputs) == 1]
    rng.shuffle(chosen)
    groups = [Group(tuple(c for c in chosen if c.inputs[0].element == element)[:CASES]) for element in ("i32", "f32")]
    program = tw.compile(module(groups), target=target, level=0, cache=False)
    for number, group in enumerate(groups):
        first = group.cases[0].inputs[0]
        given = operand(first, "byte" if first.element == "i32" else "whole", 0, rng)
        outputs = [blank(type_) for _, type_ in group.outputs]
        program[f"k{number}"][1](given, *outputs)
        for case, found in zip(group.cases, outputs, strict=True):
            wanted = meaning(case, given.reshape(first.shape))
            assert np.array_equal(found.reshape(wanted.shape), wanted), case.name
