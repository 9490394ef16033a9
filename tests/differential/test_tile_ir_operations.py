"""Every operation of Tile IR on every type: compiled for the CPU and interpreted, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from differential.tile_ir_cases.case import Group, Shaped, grouped, module
from differential.tile_ir_cases.data import Array, blank, operand
from differential.tile_ir_cases.families import FAMILIES, agree
from effort import SEED, Ran
from generators.arguments import guarded, spilled

from .variants import rotation


def differences(group: Group, kernels: tuple[tw.Kernel, tw.Kernel], ulp: float, rng: np.random.Generator) -> list[str]:
    """Names of the cases on which two programs differ."""
    first = group.cases[0]
    inputs = [operand(type_, first.domain, k, rng) for k, type_ in enumerate(group.inputs)]
    memory = [operand(Shaped(element), first.domain, 7, rng) for element in first.pointers]
    results: list[list[Array]] = []
    for kernel in kernels:
        outputs = [guarded(array) for array in (*(blank(type_) for _, type_ in group.outputs), *memory)]
        kernel[1](*inputs, *outputs)
        results.append(outputs)
    names = [*(group.cases[int(name.split("_")[1])].name for name, _ in group.outputs), *(first.name for _ in memory)]
    rows = list(zip(names, *results, strict=True))
    wrong = [name for name, want, have in rows if not agree(want, have, ulp)]
    return wrong + [f"{name} writes around its result" for name, *arrays in rows if any(map(spilled, arrays))]


@pytest.mark.parametrize("family", FAMILIES)
def test_operations(family: str, rng: np.random.Generator, ran: Ran) -> None:
    make, ulp = FAMILIES[family]
    groups = grouped(make())
    text = module(groups)
    target = f"cpu:{rotation(SEED + list(FAMILIES).index(family))[0].features.value}"
    native = tw.compile(text, target=target, level=0, cache=False)
    meant = tw.compile(text, target="interpreter", cache=False)
    wrong: list[str] = []
    for number, group in enumerate(groups):
        wrong += differences(group, (meant[f"k{number}"], native[f"k{number}"]), ulp, rng)
    assert not wrong, target
    ran(len(groups), "kernels with every operation of Tile IR on every type")
