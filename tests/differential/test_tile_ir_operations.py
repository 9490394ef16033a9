"""Every operation of Tile IR on every type: compiled for the CPU and interpreted, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from differential.tile_ir_cases.case import Group, Shaped, grouped, module
from differential.tile_ir_cases.data import Array, blank, operand
from differential.tile_ir_cases.families import FAMILIES, agree
from effort import Ran


def differences(group: Group, kernels: tuple[tw.Kernel, tw.Kernel], ulp: float, rng: np.random.Generator) -> list[str]:
    """Names of the cases on which two programs differ."""
    first = group.cases[0]
    inputs = [operand(type_, first.domain, k, rng) for k, type_ in enumerate(group.inputs)]
    memory = [operand(Shaped(element), first.domain, 7, rng) for element in first.pointers]
    results: list[list[Array]] = []
    for kernel in kernels:
        outputs = [*(blank(type_) for _, type_ in group.outputs), *(array.copy() for array in memory)]
        kernel[1](*inputs, *outputs)
        results.append(outputs)
    names = [*(group.cases[int(name.split("_")[1])].name for name, _ in group.outputs), *(first.name for _ in memory)]
    return [name for name, want, have in zip(names, *results, strict=True) if not agree(want, have, ulp)]


@pytest.mark.parametrize("family", FAMILIES)
def test_operations(family: str, rng: np.random.Generator, ran: Ran) -> None:
    make, ulp = FAMILIES[family]
    groups = grouped(make())
    text = module(groups)
    native = tw.compile(text, level=0, cache=False)
    meant = tw.compile(text, target="interpreter", cache=False)
    wrong: list[str] = []
    for number, group in enumerate(groups):
        wrong += differences(group, (meant[f"k{number}"], native[f"k{number}"]), ulp, rng)
    assert not wrong
    ran(len(groups), "kernels with every operation of Tile IR on every type")
