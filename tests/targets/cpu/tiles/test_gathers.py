"""Gathers and scatters of every type by vectors, complex numbers by their two parts."""

from __future__ import annotations

import numpy as np
import pytest

from generators.element_types import SCALARS
from targets.nvidia.test_ragged import module_of
from tilewright.compiler import CompileOptions, compile_module
from tilewright.diagnostics import Report
from tilewright.program import load_artifact
from tilewright.targets import find_target

TEXT = """builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 8, work_group_size = [8, 1]}}
    (%a: ptr<{e}>, %b: ptr<{e}>) {{
  %from = memref.address %a -> i64   %to = memref.address %b -> i64
  %i = tile.iota {{dim = 0}} -> tile<{n}xi64>
  %size = arith.constant {{value = {size}}} -> tile<{n}xi64>
  %last = arith.constant {{value = {last}}} -> tile<{n}xi64>
  %some = arith.constant {{value = {some}}} -> tile<{n}xi64>
  %mask = arith.cmp %i, %some {{predicate = "lt"}} -> tile<{n}xbool>
  %back = arith.sub %last, %i -> tile<{n}xi64>
  %x = arith.mul %back, %size -> tile<{n}xi64>   %y = arith.mul %i, %size -> tile<{n}xi64>
  %f = tile.splat %from -> tile<{n}xi64>         %t = tile.splat %to -> tile<{n}xi64>
  %at = arith.add %f, %x -> tile<{n}xi64>        %there = arith.add %t, %y -> tile<{n}xi64>
  %v = tile.gather %at{first} -> tile<{n}x{e}>
  tile.scatter %v, %there{second} }} }}"""


@pytest.mark.covering(1)
@pytest.mark.parametrize("masks", [("", ", %mask"), (", %mask", ""), ("", "")], ids=["stored", "loaded", "all"])
@pytest.mark.parametrize("number", [1, 37])
@pytest.mark.parametrize("element", ["i8", "f16", "f64", "c32", "c64"])
@pytest.mark.parametrize("target", ["cpu", "cpu:generic"])
def test_elements_come_back_turned_round(
    target: str, element: str, number: int, masks: tuple[str, str], rng: np.random.Generator
) -> None:
    dtype, some = SCALARS[element], number // 2
    size, last = dtype.itemsize, number - 1
    text = TEXT.format(e=element, n=number, size=size, last=last, some=some, first=masks[0], second=masks[1])
    a = (rng.integers(-9, 9, number) + (1j * rng.integers(-9, 9, number) if element[0] == "c" else 0)).astype(dtype)
    b, wanted = np.full(number, 3, dtype), a[::-1].copy()
    if masks != ("", ""):
        wanted[some:] = 3 if masks[1] else 0
    artifact = compile_module(module_of(text), find_target(target), CompileOptions(), Report())
    load_artifact(artifact).k[1](a, b)
    np.testing.assert_array_equal(b, wanted)
