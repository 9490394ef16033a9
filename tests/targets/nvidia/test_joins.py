"""Boxes of tiles taken out and set side by side, between any layouts: interpreted and emulated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import count
from tilewright.ir.layouts import Layout

from .case import Case, Launch, faults, kernel, poisoned, random_array
from .emulated import emulated, scheduled
from .lane_level import interpreted, laid_out, layouts, lowered

PARTS = count("RANDOM_JOINS", 16, 2000)
EMULATED = count("RANDOM_EMULATED_JOINS", 6, 200)
LANES = ', schedule = "lanes threads=128"'


def _tile(element: str, layout: Layout) -> str:
    return f"tile<{'x'.join(map(str, layout.shape))}x{element}, {layout}>"


def joining(element: str, whole: Layout, box: Layout, offsets: tuple[int, int], both: Layout, dim: int) -> Case:
    """B := a box of A; C := A beside itself; twice in a loop."""
    (m, n), (p, q), (r, s) = whole.shape, box.shape, both.shape
    body = f"""%z = arith.constant {{value = 0}} -> index %two = arith.constant {{value = 2}} -> index
        %a = tile.load %A, %z, %z -> {_tile(element, whole)}
        scf.for %z, %two {{operand_segments = [1, 1, 0, 0]}} (%k: index) {{
          %b = tile.extract %a {{offsets = [{offsets[0]}, {offsets[1]}]}} -> {_tile(element, box)}
          %c = tile.cat %a, %a {{dim = {dim}}} -> {_tile(element, both)}
          tile.store %b, %B, %z, %z tile.store %c, %C, %z, %z
          team.barrier {{fence_global = true}}
        }}"""
    memrefs = f"%A: memref<{element}x{m}x{n}>, %B: memref<{element}x{p}x{q}>, %C: memref<{element}x{r}x{s}>"

    def prepare(rng: np.random.Generator) -> Launch:
        a = random_array(rng, element, m, n)
        cut = a[offsets[0] : offsets[0] + p, offsets[1] : offsets[1] + q]
        outputs = [poisoned(element, p, q), poisoned(element, r, s)]
        return Launch([a, *outputs], {1: cut, 2: np.concatenate([a, a], axis=dim)})

    return Case("joining", laid_out(memrefs, body), prepare)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Offsets of any size, layouts of any kind."""
    whole = draw(layouts())
    shape = tuple(draw(st.sampled_from([1 << k for k in range(n.bit_length())])) for n in whole.shape)
    rows, columns = (draw(st.integers(0, n - part)) for n, part in zip(whole.shape, shape, strict=True))
    dim = draw(st.integers(0, 1))
    doubled = tuple(2 * n if k == dim else n for k, n in enumerate(whole.shape))
    element = draw(st.sampled_from(["f32", "f16", "i8", "f64"]))
    return joining(element, whole, draw(layouts(shape)), (rows, columns), draw(layouts(doubled)), dim)


@settings(max_examples=PARTS)
@given(cases(), st.integers(0, 2**32))
def test_any_box_comes_from_any_layout(case: Case, seed: int) -> None:
    launch = case.prepare(np.random.default_rng(seed))
    found = faults(launch, interpreted(lowered(case), launch))
    assert not found, "; ".join(found)


@settings(max_examples=EMULATED)
@given(cases(), st.integers(0, 2**32))
def test_the_device_agrees(case: Case, seed: int) -> None:
    launch = case.prepare(np.random.default_rng(seed))
    found = faults(launch, emulated(lowered(case)).run(launch))
    assert not found, "; ".join(found)


@pytest.mark.parametrize(("offset", "through_memory"), [(512, False), (511, True), (0, False)])
def test_halves_are_registers_of_the_whole(offset: int, through_memory: bool, rng: np.random.Generator) -> None:
    """What each thread has needs no shared memory."""
    body = f"""%z = arith.constant {{value = 0}} -> index
        %a = tile.load %A, %z -> tile<1024xf32>
        %h = tile.extract %a {{offsets = [{offset}]}} -> tile<512xf32>
        tile.store %h, %B, %z"""
    a = random_array(rng, "f32", 1024)
    launch = Launch([a, poisoned("f32", 512)], {1: a[offset : offset + 512]})
    case = Case("halves", kernel("%A: memref<f32x1024>, %B: memref<f32x512>", body), lambda _: launch)
    compiled = scheduled(case.module())
    assert compiled.kernels[0].facts["schedule"].startswith("lanes")
    assert bool(compiled.kernels[0].local_bytes) == through_memory
    found = faults(launch, compiled.run(launch))
    assert not found, "; ".join(found)
