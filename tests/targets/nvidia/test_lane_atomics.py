"""Atomic accesses and reinterpreted bits on the lane level, in any layout: interpreted and emulated."""

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

ATOMICS = count("RANDOM_LANE_ATOMICS", 20, 1000)
EMULATED = count("RANDOM_EMULATED_ATOMICS", 5, 100)


def updating(layout: Layout, at: tuple[int, int]) -> Case:
    """B := what A's box was, A's box += X; C := A's box, by atomics; what is outside of A stays, and reads as 0."""
    rows, columns = layout.shape
    tile, check = f"tile<{rows}x{columns}xi32, {layout}>", "check = [true, true]"
    body = f"""%z = arith.constant {{value = 0}} -> index
        %x = tile.load %X, %z, %z -> {tile}
        %b = tile.atomic_rmw %x, %A, %i, %j {{kind = "add", {check}}} -> {tile}
        %unused = tile.atomic_rmw %x, %A, %i, %j {{kind = "add", {check}}} -> {tile}
        tile.store %b, %B, %z, %z
        team.barrier {{fence_global = true}}
        %c = tile.atomic_load %A, %i, %j {{{check}}} -> {tile}
        tile.store %c, %C, %z, %z
        tile.atomic_store %c, %D, %i, %j {{{check}}}
        %one = arith.constant {{value = 1}} -> i32
        %old = memref.atomic_rmw %one, %N, %z {{kind = "add"}} -> i32
        %more = memref.atomic_rmw %one, %N, %z {{kind = "add"}} -> i32
        %same = tile.splat %old -> {tile}
        tile.store %same, %E, %z, %z"""
    box = f"memref<i32x{rows}x{columns}>"
    memrefs = f"%X: {box}, %A: memref<i32x?x?>, %B: {box}, %C: {box}, %D: memref<i32x?x?>, %E: {box}"
    memrefs += ", %N: memref<i32x1>, %i: index, %j: index"

    def prepare(rng: np.random.Generator) -> Launch:
        x, a, d = random_array(rng, "i32", rows, columns), *(random_array(rng, "i32", 9, 11) for _ in range(2))
        around = [slice(max(o, 0), min(o + n, m)) for o, n, m in zip(at, (rows, columns), a.shape, strict=True)]
        inner = [slice(s.start - o, s.stop - o) for s, o in zip(around, at, strict=True)]
        b, c = (np.zeros((rows, columns), np.int32, order="F") for _ in range(2))
        after, there = a.copy(order="F"), all(s.start < s.stop for s in around)
        stored = d.copy(order="F")
        if there:
            b[tuple(inner)] = a[tuple(around)]
            after[tuple(around)] += 2 * x[tuple(inner)]
            c[tuple(inner)] = after[tuple(around)]
            stored[tuple(around)] = c[tuple(inner)]
        outs = [poisoned("i32", rows, columns) for _ in range(3)]
        n = random_array(rng, "i32", 1)
        arguments = [x, a, outs[0], outs[1], d, outs[2], n, np.int64(at[0]), np.int64(at[1])]
        return Launch(arguments, {1: after, 2: b, 3: c, 4: stored, 5: np.broadcast_to(n, (rows, columns)), 6: n + 2})

    return Case("updating", laid_out(memrefs, body), prepare)


PLACES = st.tuples(st.integers(-5, 9), st.integers(-5, 9))
SMALL = st.tuples(*[st.sampled_from([1, 2, 4, 8, 16])] * 2).flatmap(lambda shape: layouts(shape))


@settings(max_examples=ATOMICS)
@given(SMALL, PLACES, st.integers(0, 2**32))
def test_each_element_is_updated_once(layout: Layout, at: tuple[int, int], seed: int) -> None:
    case = updating(layout, at)
    launch = case.prepare(np.random.default_rng(seed))
    found = faults(launch, interpreted(lowered(case), launch))
    assert not found, "; ".join(found)


@settings(max_examples=EMULATED)
@given(SMALL, PLACES, st.integers(0, 2**32))
def test_the_device_updates_it_once(layout: Layout, at: tuple[int, int], seed: int) -> None:
    case = updating(layout, at)
    launch = case.prepare(np.random.default_rng(seed))
    found = faults(launch, emulated(lowered(case)).run(launch))
    assert not found, "; ".join(found)


@pytest.mark.parametrize("length", [1, 9, 67])
def test_what_is_beyond_a_tile_is_not_updated(length: int, rng: np.random.Generator) -> None:
    """One more for elements 2, 3, .., whatever more the layout has."""
    body = f"""%two = arith.constant {{value = 2}} -> index
        %ones = arith.constant {{value = 1}} -> tile<{length}xi32>
        %old = tile.atomic_rmw %ones, %A, %two {{kind = "add"}} -> tile<{length}xi32>"""
    a = random_array(rng, "i32", 300)
    after = a.copy()
    after[2 : 2 + length] += 1
    launch = Launch([a], {0: after})
    compiled = scheduled(Case("beyond", kernel("%A: memref<i32x300>", body), lambda _: launch).module())
    assert compiled.kernels[0].facts["schedule"].startswith("lanes")
    found = faults(launch, compiled.run(launch))
    assert not found, "; ".join(found)


@pytest.mark.parametrize("size", [1, 8, 256, 1024])
@pytest.mark.parametrize(("narrow", "wide"), [("i8", "i32"), ("i16", "i64"), ("i8", "i16"), ("i32", "i32")])
def test_integers_are_divided_and_joined(narrow: str, wide: str, size: int, rng: np.random.Generator) -> None:
    """Also where the layouts of both are given by how they lie in memory."""
    x = random_array(rng, wide, size)
    octets = x.view(np.dtype(f"int{narrow[1:]}"))
    body = f"""%z = arith.constant {{value = 0}} -> index
        %a = tile.load %A, %z -> tile<{size}x{wide}>
        %parts = tile.reinterpret %a -> tile<{len(octets)}x{narrow}>
        %two = arith.add %parts, %parts -> tile<{len(octets)}x{narrow}>
        tile.store %two, %B, %z
        %b = tile.load %O, %z -> tile<{len(octets)}x{narrow}>
        %whole = tile.reinterpret %b -> tile<{size}x{wide}>
        tile.store %whole, %C, %z"""
    row = f"memref<{narrow}x{len(octets)}>"
    parameters = f"%A: memref<{wide}x{size}>, %B: {row}, %O: {row}, %C: memref<{wide}x{size}>"
    outputs = [poisoned(narrow, len(octets)), octets, poisoned(wide, size)]
    launch = Launch([x, *outputs], {1: octets + octets, 3: x})
    compiled = scheduled(Case("bits", kernel(parameters, body), lambda _: launch).module())
    assert compiled.kernels[0].facts["schedule"].startswith("lanes")
    found = faults(launch, compiled.run(launch))
    assert not found, "; ".join(found)
