"""Tiles of the work-group on the emulator where a mistake shows with some data, positions or sizes only."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.machine.cuda.architecture import Architecture

from .case import Case, Launch, faults, kernel, poisoned, random_array
from .emulated import emulated

ZERO = "%z = arith.constant {value = 0} -> index\n"


def check(parameters: str, body: str, launch: Launch) -> None:
    """Run a kernel of 64 work-items; its arrays are as expected, and it has neither races nor faults of memory."""
    case = Case("tiles", kernel(parameters, ZERO + body), lambda _: launch)
    found = faults(launch, emulated(case.lowered(Architecture.SM_80)).run(launch))
    assert not found, "; ".join(found)


@pytest.mark.parametrize("wide", ["i16", "i32", "i64"])
def test_reinterpreted_integers_are_little_endian(wide: str, rng: np.random.Generator) -> None:
    x = random_array(rng, wide, 40)
    octets = x.view(np.int8)
    parameters = f"%A: memref<{wide}x40>, %B: memref<i8x{len(octets)}>, %C: memref<{wide}x40>"
    body = f"""%a = tile.load %A, %z -> tile<40x{wide}>
        %parts = tile.reinterpret %a -> tile<{len(octets)}xi8>
        tile.store %parts, %B, %z
        %again = tile.load %B, %z -> tile<{len(octets)}xi8>
        %whole = tile.reinterpret %again -> tile<40x{wide}>
        tile.store %whole, %C, %z"""
    check(parameters, body, Launch([x, poisoned("i8", len(octets)), poisoned(wide, 40)], {1: octets, 2: x}))


@pytest.mark.parametrize("at", [(-3, 0), (0, -2), (-8, -1), (5, 3), (-40, -40), (3, 5)])
def test_positions_in_front_of_a_view_are_outside_of_it(at: tuple[int, int], rng: np.random.Generator) -> None:
    """Loads give zeros there, stores leave alone what lies there."""
    rows, columns, height, width = 10, 6, 8, 4
    x = random_array(rng, "f32", rows, columns)
    y, y_view = poisoned("f32", 3 * rows, 3 * columns), (slice(rows, 2 * rows), slice(columns, 2 * columns))
    around = np.zeros((rows + 100, columns + 100), np.float32)
    around[50 : 50 + rows, 50 : 50 + columns] = x
    tile = around[50 + at[0] :, 50 + at[1] :][:height, :width]
    kept = poisoned("f32", height, width)
    expected = y.copy()
    for i in range(height):
        for j in range(width):
            if 0 <= at[0] + i < rows and 0 <= at[1] + j < columns:
                expected[y_view][at[0] + i, at[1] + j] = tile[i, j]
    parameters = f"""%A: memref<f32x?x?>, %B: memref<f32x{3 * rows}x{3 * columns}>,
        %C: memref<f32x{height}x{width}>, %i: index, %j: index"""
    body = f"""%box = memref.subview %B {{static_offsets = [{rows}, {columns}], static_sizes = [{rows}, {columns}],
            operand_segments = [1, 0, 0]}} -> memref<f32x{rows}x{columns},strided<1,{3 * rows}>>
        %a = tile.load %A, %i, %j {{check = [true, true]}} -> tile<{height}x{width}xf32>
        tile.store %a, %C, %z, %z
        tile.store %a, %box, %i, %j {{check = [true, true]}}"""
    check(parameters, body, Launch([x, y, kept, np.int64(at[0]), np.int64(at[1])], {1: expected, 2: tile}))


def test_reserved_memory_holds_its_size_wherever_it_is_aligned_to(rng: np.random.Generator) -> None:
    """Between others, all of which keep what is written to them."""
    sizes, alignments = (3, 64, 5, 32, 7), (4, 256, 8, 128, 16)
    arrays = [random_array(rng, "i32", size) for size in sizes]
    parameters = [f"%{name}{k}: memref<i32x{size}>" for k, size in enumerate(sizes) for name in "AB"]
    lines = list[str]()
    for k, (size, align) in enumerate(zip(sizes, alignments, strict=True)):
        lines += [
            f"%at{k} = memref.reserve {{size = {4 * size}, alignment = {align}}} -> i64",
            f"%m{k} = memref.from_address %at{k} {{operand_segments = [1, 0, 0]}} -> memref<i32x{size}>",
            f"%a{k} = tile.load %A{k}, %z -> tile<{size}xi32>",
            f"tile.store %a{k}, %m{k}, %z",
        ]
    for k, size in enumerate(sizes):
        lines += [f"%b{k} = tile.load %m{k}, %z -> tile<{size}xi32>", f"tile.store %b{k}, %B{k}, %z"]
    arguments = [each for array in arrays for each in (array, poisoned("i32", len(array)))]
    launch = Launch(arguments, {2 * k + 1: array for k, array in enumerate(arrays)})
    check(", ".join(parameters), "\n".join(lines), launch)
