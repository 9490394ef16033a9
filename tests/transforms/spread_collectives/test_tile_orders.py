"""Numbers of tiles as iterations of loops, by extents that are constant or known at a launch only."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.dialects import memref
from tilewright.dialects.builder import Builder
from tilewright.interpreter import interpret
from tilewright.ir.verifier import verified
from tilewright.transforms.spread_collectives.tile_orders import TileOrder
from transforms.support import kernel


def ordered(number: int, counts: list[int], band: int) -> list[int]:
    """The same by whole numbers."""
    *rest, outer, inner = [1, *counts] if len(counts) == 1 else counts
    plane = number % (outer * inner)
    if not (band and len(counts) > 1 and inner > band):
        return [int(x) for x in np.unravel_index(number, counts)]
    which, within = divmod(plane, outer * band)
    width = min(inner - which * band, band)
    found = [within // width, which * band + within % width]
    return [*(int(x) for x in np.unravel_index(number // (outer * inner), rest)), *found] if rest else found


def tiles(numbers: list[int], counts: list[int], band: int, constant: list[bool]) -> list[list[int]]:
    """What a kernel computes of each number."""
    extents = ", ".join(f"%e{k}: index" for k in range(len(counts)))
    module = kernel(
        f"{extents}, %n: memref<indexx?>, %r: memref<indexx?x?>", "%z = arith.constant {value = 0} -> index"
    )
    body = module.kernels[0].body.entry
    *given, source, target = body.arguments
    build = Builder.at_end(body, module.location)
    values = [
        build.index(count) if known else value for count, known, value in zip(counts, constant, given, strict=True)
    ]
    order = TileOrder.of(build, values, band)
    for k in range(len(numbers)):
        number = build(memref.Load(source, [build.index(k)], result_types=[values[0].type])).out
        for place, value in enumerate(order.tile(build, number)):
            build(memref.Store(value, target, [build.index(place), build.index(k)]))
    result = np.full((len(counts), len(numbers)), -1, np.int64, order="F")
    verified(module)
    interpret(module.kernels[0], [*counts, np.array(numbers, np.int64), result])
    return result.T.tolist()


@pytest.mark.parametrize("constant", [[False] * 3, [True] * 3, [False, True, False], [True, False, True]])
def test_tiles_of_numbers(constant: list[bool], rng: np.random.Generator) -> None:
    """Up to the largest products, and around all borders of bands and planes."""
    for size, most in ((2, 40), (3, 40), (2, 1 << 14), (1, 1 << 30)):
        counts = [int(x) for x in rng.integers(1, most, size)]
        band = int(rng.choice([0, 1, 8]))
        total = int(np.prod(counts))
        near = [k * step + d for step in (counts[-1], band * counts[-2 % size]) for k in (1, 2, 3) for d in (-1, 0, 1)]
        numbers = [0, total - 1, *(n for n in near if 0 <= n < total), *map(int, rng.integers(0, total, 20))]
        wanted = [ordered(number, counts, band) for number in numbers]
        assert tiles(numbers, counts, band, constant[:size]) == wanted
