"""divide-tiles: slices give what whole tiles give, in any number of blocks; what is left whole, and why."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from effort import SEED, Ran, count
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes
from tilewright.dialects.builtin import Kernel, Module
from tilewright.interpreter import interpret
from tilewright.ir.parser import parse_ir
from tilewright.ir.passes import PassContext, PassManager
from tilewright.ir.printer import print_op
from tilewright.ir.schedules import Slices, parse_line
from tilewright.ir.verifier import verified
from tilewright.transforms.divide_tiles.divide_tiles import DivideTiles
from tilewright.transforms.divide_tiles.grids import groups_of
from tilewright.transforms.pipeline import optimisation
from tilewright.transforms.schedule.request import parse_request
from tilewright.transforms.spread_collectives.spreading import SpreadCollectives
from transforms.divide_tiles.kernels import drawn

RANDOM = count("RANDOM_DIVISIONS", 12, 2000)
WAYS = ("2x1", "1x2", "2x2", "4x1", "1x4", "4x2")


def read(text: str) -> Module:
    report = Report()
    module = parse_ir(Source("k", text), report, operation_classes())
    assert isinstance(module, Module), report.diagnostics
    verified(module)
    return module


def divided(text: str, divide: str, *, spread: bool = True) -> Kernel:
    """A kernel whose tiles are in so many slices, which blocks share."""
    request, module = parse_request(f"divide={divide}", Report()), read(text)
    passes = [DivideTiles(request=request), *([SpreadCollectives(request=request)] if spread else []), *optimisation(2)]
    PassManager(passes, verify_each=True).run(module, PassContext())
    return module.kernels[0]


def test_slices_give_what_whole_tiles_give(ran: Ran) -> None:
    """In one block, which computes one slice after the other, in as many as there are, and in any number between;
    races between blocks are found by the checked interpreter."""
    found = 0
    for seed in range(SEED, SEED + RANDOM):
        rnd, rng = Random(seed), np.random.default_rng(seed)
        way = rnd.choice(WAYS)
        by_rows = way.endswith("x1") and rnd.random() < 0.5
        made = drawn(rnd, multiplies=rnd.random() < 0.7, by_rows=by_rows)
        arrays = made.arrays(rng)
        expected = [array.copy(order="F") for array in arrays]
        interpret(read(made.text).kernels[0], [*expected], made.grid)
        kernel = divided(made.text, way)
        assert kernel.parts is not None, f"seed {seed}: {kernel.schedule}\n{made.text}"
        found += 1
        for parts in {1, rnd.randint(2, 8)}:
            got = [array.copy(order="F") for array in arrays]
            interpret(kernel, [*got], made.grid, checked=True, parts=parts)
            for want, have in zip(expected, got, strict=True):
                assert np.array_equal(want, have), (
                    f"seed {seed}, {way}, {parts} blocks\n{made.text}\n{print_op(kernel)}"
                )
    ran(found, "kernels whose tiles are divided")


FRONT = """builtin.module {
  builtin.kernel {sym_name = "k", subgroup_size = 32, work_group_size = [128, 1], spread = true, %s} (
      %%a: memref<f32x64x64>, %%b: memref<f32x64x64>, %%c: memref<f32x64x64>, %%s: memref<f32>) {
    %%x = team.group_id {dim = 0} -> index
    %%y = team.group_id {dim = 1} -> index
    %%d = arith.constant {value = 8} -> index
    %%z = arith.constant {value = 0} -> index
    %%n = arith.constant {value = 2} -> index
    %%one = arith.constant {value = 1} -> index
    %%i = arith.mul %%x, %%d -> index
    %%j = arith.mul %%y, %%d -> index
"""
APART = "parameter_attributes = [{noalias = true}, {noalias = true}, {noalias = true}, {noalias = true}]"
LOADED = "%v = tile.load %a, %i, %j -> tile<8x8xf32>\n"
STORED = "tile.store %v, %c, %i, %j\n"


def text(body: str, attributes: str = APART) -> str:
    return FRONT % attributes + body + "}\n}\n"


WHOLE = {
    "an update": (
        LOADED + '%o = tile.atomic_rmw %v, %b, %i, %j {kind = "add"} -> tile<8x8xf32>\n' + STORED,
        "tile.atomic_rmw is done once",
    ),
    "a number stored": (
        LOADED + "%o = memref.load %s -> f32\nmemref.store %o, %s\n" + STORED,
        "memref.store is done once",
    ),
    "a sum over what is cut": (
        LOADED + '%r = tile.reduce %v {dim = 0, kind = "add"} -> tile<8xf32>\n%q = tile.reshape %r -> tile<1x8xf32>\n'
        "%w = tile.broadcast %q -> tile<8x8xf32>\n%u = arith.add %v, %w -> tile<8x8xf32>\ntile.store %u, %c, %i, %j\n",
        "a tile would be divided in two ways",
    ),
    "a running sum": (
        LOADED + '%r = tile.scan %v {dim = 0, kind = "add"} -> tile<8x8xf32>\ntile.store %r, %c, %i, %j\n',
        "what tile.scan gives is not divided",
    ),
    "a tile turned and not": (
        LOADED + "%t = tile.permute %v {order = [1, 0]} -> tile<8x8xf32>\n%u = arith.add %v, %t -> tile<8x8xf32>\n"
        "tile.store %u, %c, %i, %j\n",
        "a tile would be divided in two ways",
    ),
    "another shape": (
        LOADED + "%t = tile.reshape %v -> tile<4x16xf32>\n%u = tile.reshape %t -> tile<8x8xf32>\n"
        "tile.store %u, %c, %i, %j\n",
        "a tile that is reshaped is not divided",
    ),
    "results of two shapes": (
        LOADED + STORED + "%w = tile.load %a, %i, %j -> tile<4x8xf32>\ntile.store %w, %b, %i, %j\n",
        "its results are tiles of several shapes",
    ),
    "nothing stored": (LOADED, "it stores no tiles"),
    "what is read lies elsewhere": (
        "%v = tile.load %c, %j, %i -> tile<8x8xf32>\n" + STORED,
        "one slice would wait for another",
    ),
    "what is read lies elsewhere in the next round": (
        "scf.for %z, %n, %one {operand_segments = [1, 1, 1, 0]} (%k: index) {\n"
        "%to = arith.add %j, %k -> index\n%v = tile.load %c, %i, %to -> tile<8x8xf32>\n"
        "%w = arith.add %v, %v -> tile<8x8xf32>\ntile.store %w, %c, %i, %to\n}\n",
        "one slice would wait for another",
    ),
    "one mode": (
        "%v = tile.load %a, %i, %j -> tile<8x1xf32>\n" + STORED,
        "its results have 1 modes of several elements",
    ),
    "no equal slices": (
        "%v = tile.load %a, %i, %j -> tile<8x9xf32>\n" + STORED,
        "no 2 equal slices make 9 elements",
    ),
}
"""A body, and why it is not divided into two by two slices."""


@pytest.mark.parametrize("case", WHOLE)
def test_what_stays_whole(case: str) -> None:
    body, reason = WHOLE[case]
    kernel = divided(text(body), "2x2", spread=False)
    assert parse_line(kernel.schedule or "") == parse_line(f"# no slices: {reason}")


def test_what_is_promised_needs_no_order() -> None:
    """Of what nothing in front accesses, and nothing behind writes."""
    body = (
        "%v = tile.load %c, %j, %i {unordered = true} -> tile<8x8xf32>\ntile.store %v, %c, %i, %j {unordered = true}\n"
    )
    assert parse_line(divided(text(body), "2x2", spread=False).schedule or "").divide == Slices((2, 2))
    behind = "tile.store %w, %c, %i, %j\n%v = tile.load %c, %j, %i {unordered = true} -> tile<8x8xf32>\n"
    body = "%w = tile.load %a, %i, %j -> tile<8x8xf32>\n" + behind + "tile.store %v, %b, %i, %j\n"
    assert parse_line(divided(text(body), "2x2", spread=False).schedule or "").divide == Slices((2, 2))


def test_rounds_of_a_loop_need_the_promise_of_both() -> None:
    """What a round reads another round in front of it may have written, in another slice."""
    loop = "scf.for %z, %n, %one {{operand_segments = [1, 1, 1, 0]}} (%k: index) {{\n{}\n}}\n"
    for first, divided_ in (("", None), (" {unordered = true}", Slices((2, 2)))):
        load = f"%v = tile.load %c, %j, %i{first} -> tile<8x8xf32>\n"
        body = loop.format(f"{load}tile.store %v, %c, %i, %j {{unordered = true}}")
        assert parse_line(divided(text(body), "2x2", spread=False).schedule or "").divide == divided_


def test_a_promise_is_that_of_the_second_access() -> None:
    body = "%v = tile.load %c, %j, %i {unordered = true} -> tile<8x8xf32>\ntile.store %v, %c, %i, %j\n"
    assert "would wait" in (divided(text(body), "2x2", spread=False).schedule or "")


LOOPED = "scf.for %z, %n, %one {operand_segments = [1, 1, 1, 0]} (%k: index) {\n" + LOADED + "BODY}\n"
GRIDS = {
    "tiles of the grid": (LOADED + STORED, 64),
    "two results": (LOADED + STORED + "tile.store %v, %b, %i, %j\n", 64),
    "a loop counts tiles": (
        LOOPED.replace("BODY", "%o = arith.add %i, %k -> index\ntile.store %v, %c, %o, %j\n"),
        None,
    ),
    "no number": (LOADED + "tile.store %v, %c, %i, %z\n", None),
    "a number that is loaded": (
        LOADED + "%p = memref.load %s -> f32\n%o = arith.cast %p -> index\ntile.store %v, %c, %i, %o\n",
        None,
    ),
    "as wide as the matrix": ("%w = tile.load %a, %i, %z -> tile<8x64xf32>\ntile.store %w, %c, %i, %z\n", 8),
    "nothing": (LOADED, None),
}
"""A body, and how many work-groups write all tiles of its results."""


@pytest.mark.parametrize("case", GRIDS)
def test_how_many_work_groups_there_are(case: str) -> None:
    body, groups = GRIDS[case]
    assert groups_of(read(text(body)).kernels[0]) == groups


def test_arrays_that_may_overlap_hold_it_up() -> None:
    kernel = divided(
        text(LOADED + STORED, "spread = true").replace("spread = true, spread", "spread"), "2x1", spread=False
    )
    assert kernel.held_up == {"divide-tiles": 1}
    assert kernel.schedule == "# no slices: arrays may overlap"
