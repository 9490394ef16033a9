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
from tilewright.diagnostics import Report, Source
from tilewright.frontends.tile_ir import read_tile_ir
from tilewright.interpreter.tile_ir.program import interpreted_tile_module

from .compare_tile_ir import compiled
from .variants import Variant, rotation


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
    text, report = module(groups), Report()
    read = read_tile_ir(Source("operations.tileir", text), report)
    variant = Variant(rotation(SEED + list(FAMILIES).index(family))[0].features, 0)
    native = compiled(read, report, variant)
    meant = interpreted_tile_module(read, text, checked=False)
    wrong: list[str] = []
    for number, group in enumerate(groups):
        wrong += differences(group, (meant[f"k{number}"], native[f"k{number}"]), ulp, rng)
    assert not wrong, variant
    ran(len(groups), "kernels with every operation of Tile IR on every type")
