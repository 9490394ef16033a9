"""Reductions and scans of lines in the order of their elements, in every layout: interpreted and emulated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import count
from tilewright.compile_options import CompileOptions
from tilewright.compiler import lower_module
from tilewright.diagnostics import Report
from tilewright.ir.layouts import Layout
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import assemble
from tilewright.targets.nvidia.target import NvidiaTarget

from .case import Array, Case, Launch, faults, kernel, poisoned, random_array
from .emulated import emulated, scheduled
from .lane_level import interpreted, laid_out, layouts, lowered
from .test_ptx import needs_ptxas
from .test_runs import accesses

LAYOUTS = count("RANDOM_LINE_LAYOUTS", 20, 2000)
EMULATED = count("RANDOM_EMULATED_LINES", 6, 200)

AFFINE = """(%a1: i32, %a0: i32, %b1: i32, %b0: i32) {
          %p = arith.mul %a0, %a1 -> i32
          %q = arith.mul %b0, %a1 -> i32
          %r = arith.add %q, %b1 -> i32
          scf.yield %p, %r
        }"""
"""Functions x -> a x + b, those of the first elements applied first: the order matters, the grouping does not."""


def composed(a: Array, b: Array, dim: int, reverse: bool, starts: tuple[int, int] | None) -> tuple[Array, Array]:
    """What AFFINE makes of the first elements up to each one, step by step."""
    a, b = (np.moveaxis(x, dim, 0)[:: -1 if reverse else 1] for x in (a, b))
    found: list[tuple[Array, Array]] = []
    before = None if starts is None else tuple(np.int32(s) for s in starts)
    for x, y in zip(a, b, strict=True):
        with np.errstate(over="ignore"):
            before = (x, y) if before is None else (before[0] * x, before[1] * x + y)
        found.append((np.broadcast_to(before[0], x.shape), np.broadcast_to(before[1], x.shape)))
    step = -1 if reverse else 1
    return tuple(np.moveaxis(np.stack(each)[::step], 0, dim) for each in zip(*found, strict=True))  # pyright: ignore


def lines(layout: Layout, dim: int, reverse: bool, starts: tuple[int, int] | None, again: bool = False) -> Case:
    """C, D := the scan of A, B; S, T := their reduction; twice in a loop if `again`."""
    (rows, columns), left = layout.shape, layout.reduce_dim(dim)
    whole, type_ = f"memref<i32x{rows}x{columns}>", f"tile<{rows}x{columns}xi32, {layout}>"
    part, reduced = f"memref<i32x{left.shape[0]}>", f"tile<{left.shape[0]}xi32, {left}>"
    begin = "".join(f"%s{k} = arith.constant {{value = {s}}} -> i32\n" for k, s in enumerate(starts or ()))
    given_starts = "".join(f", %s{k}" for k in range(len(starts or ())))
    options = f"dim = {dim}, reverse = {str(reverse).lower()}, operand_segments = [2, {len(starts or ())}]"
    body = f"""%c, %d = tile.scan_by %a, %b{given_starts} {{{options}}} -> {type_}, {type_} {AFFINE}
        %s, %t = tile.reduce_by %a, %b {{dim = {dim}}} -> {reduced}, {reduced} {AFFINE}
        tile.store %c, %C, %z, %z tile.store %d, %D, %z, %z
        tile.store %s, %S, %z tile.store %t, %T, %z"""
    if again:
        body = f"""%n = arith.constant {{value = 2}} -> index
        scf.for %z, %n {{operand_segments = [1, 1, 0, 0]}} (%k: index) {{
          {body} team.barrier {{fence_global = true}} }}"""
    text = f"""%z = arith.constant {{value = 0}} -> index
        {begin}%a = tile.load %A, %z, %z -> {type_} %b = tile.load %B, %z, %z -> {type_}
        {body}"""
    memrefs = [f"%{n}: {whole}" for n in "ABCD"] + [f"%{n}: {part}" for n in "ST"]

    def prepare(rng: np.random.Generator) -> Launch:
        a, b = (random_array(rng, "i32", rows, columns) for _ in range(2))
        outs = [poisoned("i32", rows, columns), poisoned("i32", rows, columns)]
        sums = [poisoned("i32", *left.shape), poisoned("i32", *left.shape)]
        c, d = composed(a, b, dim, reverse, starts)
        s, t = (np.take(x, -1, dim) for x in composed(a, b, dim, False, None))
        return Launch([a, b, *outs, *sums], {2: c, 3: d, 4: s, 5: t})

    named = laid_out(", ".join(memrefs), text)
    return Case("lines", named, prepare)


STARTS = st.sampled_from([None, (3, 5)])


@settings(max_examples=LAYOUTS)
@given(layouts(), st.integers(0, 1), st.booleans(), STARTS, st.integers(0, 2**32))
def test_order_is_kept_in_every_layout(
    layout: Layout, dim: int, reverse: bool, starts: tuple[int, int] | None, seed: int
) -> None:
    case = lines(layout, dim, reverse, starts)
    launch = case.prepare(np.random.default_rng(seed))
    found = faults(launch, interpreted(lowered(case), launch))
    assert not found, "; ".join(found)


@settings(max_examples=EMULATED)
@given(layouts(), st.integers(0, 1), st.booleans(), STARTS, st.integers(0, 2**32))
def test_the_device_keeps_it_too(
    layout: Layout, dim: int, reverse: bool, starts: tuple[int, int] | None, seed: int
) -> None:
    """Also in a loop, whose rounds take the same shared memory; without races."""
    case = lines(layout, dim, reverse, starts, again=True)
    launch = case.prepare(np.random.default_rng(seed))
    found = faults(launch, emulated(lowered(case)).run(launch))
    assert not found, "; ".join(found)


def row(extent: int, options: str, starts: str = "") -> Case:
    """C, D := the scan of A, B, S, T := their reduction, for 3 warps, twice; the pass chooses the layouts."""
    tile = f"tile<{extent}xi32>"
    body = f"""%z = arith.constant {{value = 0}} -> index %n = arith.constant {{value = 2}} -> index
        %three = arith.constant {{value = 3}} -> i32 %five = arith.constant {{value = 5}} -> i32
        %a = tile.load %A, %z -> {tile} %b = tile.load %B, %z -> {tile}
        scf.for %z, %n {{operand_segments = [1, 1, 0, 0]}} (%k: index) {{
          %c, %d = tile.scan_by %a, %b{starts} {{dim = 0, {options}}} -> {tile}, {tile} {AFFINE}
          %s, %t = tile.reduce_by %a, %b {{dim = 0}} -> tile<i32>, tile<i32> {AFFINE}
          tile.store %c, %C, %z tile.store %d, %D, %z tile.store %s, %S tile.store %t, %T
          team.barrier {{fence_global = true}} }}"""
    memrefs = [f"%{n}: memref<i32x{extent}>" for n in "ABCD"] + ["%S: memref<i32>", "%T: memref<i32>"]

    def prepare(rng: np.random.Generator) -> Launch:
        a, b = (random_array(rng, "i32", extent) for _ in range(2))
        c, d = composed(a, b, 0, "true" in options, (3, 5) if starts else None)
        s, t = (np.asarray(x[-1]) for x in composed(a, b, 0, False, None))
        outs = [poisoned("i32", extent), poisoned("i32", extent), poisoned("i32"), poisoned("i32")]
        return Launch([a, b, *outs], {2: c, 3: d, 4: s, 5: t})

    return Case("row", kernel(", ".join(memrefs), body, 32, (96, 1)), prepare)


@pytest.mark.covering(2)
@pytest.mark.parametrize("starts", ["", ", %three, %five"], ids=["alone", "starts"])
@pytest.mark.parametrize("reverse", ["false", "true"])
@pytest.mark.parametrize("extent", [1, 9, 67, 1000, 1024])
def test_rows_of_any_extent(extent: int, reverse: str, starts: str, rng: np.random.Generator) -> None:
    """What the layout has beyond the tile comes to no element; each round waits for the one before it."""
    case = row(extent, f"reverse = {reverse}, operand_segments = [2, {2 * bool(starts)}]", starts)
    launch = case.prepare(rng)
    compiled = scheduled(case.module())
    assert compiled.kernels[0].facts["schedule"].startswith("lanes")
    found = faults(launch, compiled.run(launch))
    assert not found, "; ".join(found)


@needs_ptxas
@pytest.mark.usefixtures("users_ptx")
def test_scans_take_one_trip_through_memory() -> None:
    """1,024 sums: 5 shuffles of two registers, 16 bytes an access; the barrier is one for the store, too."""
    body = """%z = arith.constant {value = 0} -> index %a = tile.load %A, %z -> tile<1024xf32>
        %s = tile.scan %a {kind = "add", dim = 0} -> tile<1024xf32> tile.store %s, %B, %z"""
    aligned = ", parameter_attributes = [{alignment = 16}, {alignment = 16}]"
    text = kernel("%A: memref<f32x1024>, %B: memref<f32x1024>", body, 32, (128, 1), aligned)
    module = Case("sums", text, lambda _: Launch([], {})).module()
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(), Report())
    ptx = NvidiaTarget(Architecture.SM_80).generate(module, Report()).texts["ptx"]
    assert (ptx.count("shfl.sync"), ptx.count("barrier.sync")) == (10, 1)
    assert {name for name in accesses(ptx) if ".global" in name} == {"ld.global.v4.b32", "st.global.v4.b32"}
    (resources,) = assemble(ptx, Architecture.SM_80).kernels.values()
    assert (resources.spill_store_bytes, resources.stack_bytes) == (0, 0)
