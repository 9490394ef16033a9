"""Tiles that are loaded, computed with and stored: in one piece or not, by layout, alignment, edges and shape."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .case import Array, Case, Launch, kernel, poisoned, random_array

BARRIER = "team.barrier {fence_global = true}"


def placed(array: Array, shift: int, step: int = 1) -> Array:
    """The same elements, in memory that begins `shift` elements behind a border, `step` apart along the first mode."""
    extents = array.shape
    room = np.full((extents[0] * step + shift, *extents[1:]), 7, array.dtype, order="F")
    found = room[shift:][::step][: extents[0]]
    found[...] = array
    return found


def sums(
    name: str, dtype: str, shape: tuple[int, ...], tile: tuple[int, ...], shift: int = 0, **kind: int | bool
) -> Case:
    """C = A + B, one tile at the origin with tested edges or without, of arrays with extents known or not."""
    known, step, at = bool(kind.get("known")), int(kind.get("step", 1)), int(kind.get("at", 0))
    aligned = int(kind.get("aligned", 0))
    sizes = "".join(f"x{n}" if known else "x?" for n in shape)
    strides = "" if step == 1 else f",strided<?,{','.join('?' * (len(shape) - 1))}>".replace(",>", ">")
    type_ = f"memref<{dtype}{sizes}{strides}>"
    text = "x".join(map(str, tile)) + "x" + dtype
    check = f"{{check = [{', '.join('true' if n % t or at else 'false' for n, t in zip(shape, tile, strict=True))}]}}"
    where = ", ".join(["%i", *["%z"] * (len(shape) - 1)])
    body = f"""
      %z = arith.constant {{value = 0}} -> index
      %i = arith.constant {{value = {at}}} -> index
      %a = tile.load %A, {where} {check} -> tile<{text}>
      %b = tile.load %B, {where} {check} -> tile<{text}>
      %c = arith.add %a, %b -> tile<{text}>
      {BARRIER}
      tile.store %c, %C, {where} {check}"""

    def prepare(rng: np.random.Generator) -> Launch:
        a, b = (placed(random_array(rng, dtype, *shape, small=True), shift, step) for _ in range(2))
        c = placed(poisoned(dtype, *shape), shift, step)
        expected = c.copy(order="F")
        region = (slice(at, min(at + tile[0], shape[0])), *(slice(0, n) for n in tile[1:]))
        expected[region] = a[region] + b[region]
        return Launch([a, b, c], {2: expected})

    promised = f", parameter_attributes = [{', '.join([f'{{alignment = {aligned}}}'] * 3)}]" if aligned else ""
    return Case(name, kernel(f"%A: {type_}, %B: {type_}, %C: {type_}", body, attributes=promised), prepare)


def in_place() -> Case:
    """A tile that is stored where it was loaded needs no barrier in between, one that moves does."""
    body = f"""
      %z = arith.constant {{value = 0}} -> index
      %one = arith.constant {{value = 1}} -> index
      %a = tile.load %A, %z -> tile<256xf32>
      %b = arith.add %a, %a -> tile<256xf32>
      tile.store %b, %A, %z
      {BARRIER}
      %c = tile.load %A, %z -> tile<256xf32>
      {BARRIER}
      tile.store %c, %A, %one"""

    def prepare(rng: np.random.Generator) -> Launch:
        a = random_array(rng, "f32", 257)
        return Launch([a], {0: np.concatenate([2 * a[:1], 2 * a[:256]])})

    return Case("runs-in-place", kernel("%A: memref<f32x257>", body), prepare)


def mixed() -> Case:
    """Tiles of several types share the threads' runs."""
    body = f"""
      %z = arith.constant {{value = 0}} -> index
      %a = tile.load %A, %z -> tile<512xf16>
      %b = tile.load %B, %z -> tile<512xf64>
      %wide = arith.cast %a -> tile<512xf64>
      %c = arith.add %wide, %b -> tile<512xf64>
      %s = arith.cast %c -> tile<512xf32>
      {BARRIER}
      tile.store %s, %C, %z
      tile.store %a, %D, %z"""

    def prepare(rng: np.random.Generator) -> Launch:
        a, b = random_array(rng, "f16", 512, small=True), random_array(rng, "f64", 512, small=True)
        c, d = poisoned("f32", 512), poisoned("f16", 512)
        return Launch([a, b, c, d], {2: (a + b).astype(np.float32), 3: a})

    parameters = "%A: memref<f16x512>, %B: memref<f64x512>, %C: memref<f32x512>, %D: memref<f16x512>"
    return Case("runs-mixed", kernel(parameters, body), prepare)


def in_loop() -> Case:
    """A tile that is held is stored on each trip of a loop."""
    body = f"""
      %z = arith.constant {{value = 0}} -> index
      %t = arith.constant {{value = 128}} -> index
      %n = arith.constant {{value = 384}} -> index
      %a = tile.load %A, %z -> tile<128xf32>
      {BARRIER}
      scf.for %z, %n, %t {{operand_segments = [1, 1, 1, 0]}} (%j: index) {{
        tile.store %a, %B, %j
        scf.yield
      }}"""

    def prepare(rng: np.random.Generator) -> Launch:
        a = random_array(rng, "f32", 128)
        return Launch([a, poisoned("f32", 384)], {1: np.tile(a, 3)})

    return Case("runs-loop", kernel("%A: memref<f32x128>, %B: memref<f32x384>", body), prepare)


def run_cases() -> list[Case]:
    """All cases of this file."""
    given: list[Callable[[], Case]] = [in_place, mixed, in_loop]
    return [
        sums("runs-whole", "f32", (512,), (512,), known=True, aligned=16),
        sums("runs-unaligned", "f32", (512,), (512,), shift=1),
        sums("runs-strided", "f32", (256,), (256,), step=2),
        sums("runs-edge", "f32", (509,), (512,)),
        sums("runs-beyond", "f32", (500,), (256,), at=252),
        sums("runs-behind", "f32", (500,), (64,), at=512),
        sums("runs-few", "f32", (24,), (24,), known=True),
        sums("runs-uneven", "f32", (300,), (300,), known=True),
        sums("runs-odd", "f32", (37, 5), (37, 5), known=True),
        sums("runs-matrix", "f32", (32, 8), (32, 8)),
        sums("runs-matrix-edges", "f32", (30, 7), (32, 8)),
        sums("runs-matrix-known", "f32", (33, 8), (32, 8), known=True, aligned=16),
        sums("runs-halves", "f16", (1024,), (1024,), known=True, aligned=16),
        sums("runs-bytes", "i8", (2048,), (2048,), shift=3),
        sums("runs-complex", "c32", (128,), (128,)),
        sums("runs-doubles", "f64", (256,), (256,)),
        sums("runs-too-many", "f32", (4096,), (4096,), known=True, aligned=16),
        *(make() for make in given),
    ]
