"""Work-groups beside each other that blocks compute as one: on the emulator and in the interpreter, on which grids, and
what is in the way."""

from __future__ import annotations

import dataclasses
from math import prod

import numpy as np
import pytest
from msgspec.structs import replace

from targets.nvidia.case import faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.products.cases import TEXTS, launch
from targets.nvidia.products.test_levels import levels, some
from targets.nvidia.products.test_persistent import check
from targets.nvidia.products.test_products import emitted
from tilewright.artifacts.artifact import KernelInfo
from tilewright.artifacts.parameters import SCHEDULE, Joined
from tilewright.diagnostics import Report, Source
from tilewright.dialects import operation_classes, scf
from tilewright.dialects.builtin import Module
from tilewright.ir.parser import parse_ir
from tilewright.ir.passes import PassContext
from tilewright.ir.types import F32, TileType
from tilewright.ir.verifier import verified
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.model import NvidiaSchedulePolicy
from tilewright.transforms import emit
from tilewright.transforms.schedule.gather_groups import GatherGroups
from tilewright.transforms.schedule.request import parse_request

TILES = (128, 128, 64)
EDGES = "padding_value = zero, "


def surely_joined(kernel: KernelInfo) -> KernelInfo:
    """A kernel that takes whole grids of any size so."""
    assert kernel.steps is not None
    assert kernel.steps.joined is not None
    return replace(
        kernel, steps=replace(kernel.steps, joined=replace(kernel.steps.joined, blocks=1, percent=1, once=0))
    )


SHAPES = [(256, 256, 128), (128, 512, 192), (200, 504, 136), (256, 384, 128)]
"""Extents that tiles do not divide among them, and an odd number of work-groups along a row."""


@pytest.mark.covering(1)
@pytest.mark.parametrize("extents", SHAPES)
@pytest.mark.parametrize("majors", [(False, False), (True, True)])
def test_work_groups(extents: tuple[int, int, int], majors: tuple[bool, bool], rng: np.random.Generator) -> None:
    product = TEXTS.Product(extents, "f16", "f32", majors, rounded="f16")
    text, given = TEXTS.tile_ir_product(product, TILES, EDGES), launch(product, TILES[:2], "C", rng)
    llvm, kernel = emitted(text, schedule="joined=yes")
    found = faults(given, Emulated(Program(llvm), (surely_joined(kernel),)).run(given))
    assert not found, found


def test_a_part_of_a_grid(rng: np.random.Generator) -> None:
    """What no work-group of a launch computes stays as it was."""
    product = TEXTS.Product((128, 512, 128), "f16", "f32", rounded="f16")
    text, given = TEXTS.tile_ir_product(product, TILES), launch(product, TILES[:2], "C", rng)
    before, expected = (np.array(each) for each in (given.arguments[2], given.expected[2]))
    expected[:, 256:] = before[:, 256:]
    given = dataclasses.replace(given, grid=(1, 2, 1), expected={2: expected})
    llvm, kernel = emitted(text, schedule="joined=yes")
    found = faults(given, Emulated(Program(llvm), (surely_joined(kernel),)).run(given))
    assert not found, found


@pytest.mark.covering(1)
@pytest.mark.parametrize("band", [1, 2])
@pytest.mark.parametrize("blocks", [1, 3, 8])
def test_tiles_of_a_loop(band: int, blocks: int, rng: np.random.Generator) -> None:
    product = TEXTS.Product((256, 512, 128), "f16", "f32", rounded="f16")
    text, given = TEXTS.tile_ir_product(product, TILES, band=band), launch(product, TILES[:2], "C", rng)
    given = dataclasses.replace(given, grid=(blocks, 1, 1))
    for module in some(levels(text, Architecture.SM_90A, "joined=yes"), rng):
        check(module, given)
    llvm, kernel = emitted(text, schedule="joined=yes")
    assert kernel.facts[SCHEDULE].startswith("lanes threads=256 product=256x128x64")
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found


def test_launches_that_are_joined() -> None:
    """Whole grids of which as many waves are over sooner; both codes come again of the line that tells of them."""
    product = TEXTS.Product((0, 0, 0), "f16", "f32", rounded="f16")
    kernel = emitted(TEXTS.open_product(product, TILES))[1]
    assert kernel.steps is not None
    for grid, joined in (
        ((16, 16, 1), False),
        ((32, 32, 1), True),
        ((33, 31, 1), False),
        ((11, 12, 1), False),
        ((22, 24, 1), False),
        ((18, 22, 2), True),
        ((18, 22, 1), False),
        ((64, 64, 1), True),
    ):
        assert kernel.steps.suit(grid, lambda _: 0) is joined, grid
        assert kernel.steps.joined == Joined(1, 2, 132, 95, 20)
        waves, pairs = -(-prod(grid) // 132), -(-prod(grid) // 264)
        assert joined is (grid[1] % 2 == 0 and 190 * pairs + 20 < 100 * waves)
    (step,) = kernel.steps.kernels
    assert "roles=yes pingpong=yes" in kernel.facts[SCHEDULE]
    assert "threads=256 product=256x128x64:wgmma.m64n256k16.f32.f16/1x2/4" in step.facts[SCHEDULE]
    again = emitted(TEXTS.open_product(product, TILES), schedule=kernel.facts[SCHEDULE])[1]
    assert (again.facts, again.steps) == (kernel.facts, kernel.steps)
    assert emitted(TEXTS.open_product(product, TILES), schedule="joined=no")[1].steps is None
    for size, has_both in ((3584, True), (2944, False)):
        text = TEXTS.tile_ir_product(TEXTS.Product((size,) * 3, "f16", "f32", rounded="f16"), TILES)
        assert (emitted(text)[1].steps is not None) is has_both, (
            "grids of which is known how many work-groups there are"
        )
        text = TEXTS.tile_ir_product(TEXTS.Product((size,) * 3, "f16", "f32", rounded="f16"), TILES, band=size // 128)
        assert ("joined=yes" in emitted(text)[1].facts[SCHEDULE]) is has_both


GRID = """builtin.module {
  builtin.kernel {sym_name = "product", subgroup_size = 32, work_group_size = [128, 1], spread = true} (
      %a: memref<f16x1024x1024>, %b: memref<f16x1024x1024>, %c: memref<f16x1024x1024>, %d: memref<i32x8>) {
    %lo = arith.constant {value = 0} -> index
    %hi = arith.constant {value = 1024} -> index
    %step = arith.constant {value = 64} -> index
    %x = team.group_id {dim = 0} -> index
    %y = team.group_id {dim = 1} -> index
    %n = arith.constant {value = 128} -> index
    %i = arith.mul %x, %n -> index
    %j = arith.mul %y, %n -> index
    %zeros = arith.constant {value = 0.0} -> tile<128x128xf32>
    FRONT
    %sum = scf.for %lo, %hi, %step, %zeros {operand_segments = [1, 1, 1, 1]} -> tile<128x128xf32> (
        %k: index, %acc: tile<128x128xf32>) {
      %p = tile.load %a, %i, %k -> tile<128x64xf16>
      %q = tile.load %b, %k, %j -> tile<64x128xf16>
      %next = tile.mma %p, %q, %acc -> tile<128x128xf32>
      scf.yield %next
    }
    BEHIND
    %rounded = arith.cast %sum -> tile<128x128xf16>
    tile.store %rounded, %c, %i, %j
  }
}
"""


def behind(what: str, result: str = "%out") -> str:
    return GRID.replace("BEHIND", what).replace("cast %sum", f"cast {result}")


def numbered(operand: str) -> str:
    """Sums to which a number is added."""
    return behind(f"""%s = arith.cast {operand} -> f32
    %t = tile.splat %s -> tile<128x128xf32>
    %out = arith.add %sum, %t -> tile<128x128xf32>""")


def positions(dim: int) -> str:
    return behind(f"""%s = tile.iota {{dim = {dim}}} -> tile<128x128xi32>
    %t = arith.cast %s -> tile<128x128xf32>
    %out = arith.add %sum, %t -> tile<128x128xf32>""")


def row(first: str) -> str:
    """Sums to which a row of 128 numbers from memory is added, which lies along the mode of work-groups beside each
    other."""
    return behind(f"""%l = tile.load %a, {first}, %lo -> tile<128x1xf16>
    %w = arith.cast %l -> tile<128x1xf32>
    %t = tile.broadcast %w -> tile<128x128xf32>
    %out = arith.add %sum, %t -> tile<128x128xf32>""")


OF_GRIDS = {
    "as it is": (GRID, True),
    "tiles over each other": (GRID.replace("%i = arith.mul %x, %n", "%i = arith.mul %x, %step"), False),
    "tiles in reverse": (
        GRID.replace("%i = arith.mul %x, %n", "%i1 = arith.mul %x, %n -> index\n%i = arith.sub %hi, %i1"),
        False,
    ),
    "a sum": (
        GRID.replace("%i = arith.mul %x, %n", "%i1 = arith.mul %x, %n -> index\n%i = arith.add %i1, %step"),
        True,
    ),
    "a difference": (
        GRID.replace(
            "%i = arith.mul %x, %n",
            "%e = arith.constant {value = 256} -> index\n%i1 = arith.mul %x, %e -> index\n"
            "%i2 = arith.mul %x, %n -> index\n%i = arith.sub %i1, %i2",
        ),
        True,
    ),
    "squared": (GRID.replace("%i = arith.mul %x, %n", "%i = arith.mul %x, %x"), False),
    "halves": (
        GRID.replace(
            "%i = arith.mul %x, %n",
            "%i1 = arith.mul %x, %hi -> index\n%e = arith.constant {value = 8} -> index\n%i = arith.udiv %i1, %e",
        ),
        True,
    ),
    "its number, the other one": (numbered("%y"), True),
    "its number": (numbered("%x"), False),
    "from memory": (
        numbered("%m").replace("FRONT", "%m = memref.load %d, %x {operand_segments = [1, 1]} -> i32"),
        False,
    ),
    "positions across": (positions(1), True),
    "positions along": (positions(0), False),
    "a row": (row("%i"), True),
    "a row of all": (row("%lo"), False),
    "columns as many": (GRID.replace("%a, %i, %k", "%a, %i, %i"), False),
    "terms of its own": (GRID.replace("%sum = scf.for %lo", "%sum = scf.for %i"), False),
    "narrow": (GRID.replace("128x", "64x").replace("value = 128}", "value = 64}"), False),
}
"""A kernel on the tile level, and whether two of its work-groups are one."""


def gathered(text: str, asked: str) -> Module:
    report = Report()
    module = parse_ir(Source("k", text.replace("FRONT", "").replace("BEHIND", "")), report, operation_classes())
    assert isinstance(module, Module), report.diagnostics
    verified(module)
    GatherGroups(NvidiaSchedulePolicy(Architecture.SM_90A), parse_request(asked, report)).run(module, PassContext())
    verified(module)
    return module


@pytest.mark.parametrize("case", OF_GRIDS)
def test_what_work_groups_are_joined(case: str) -> None:
    text, joined = OF_GRIDS[case]
    module = gathered(text, "joined=yes")
    assert [kernel.step_of for kernel in module.kernels] == ([None, "product"] if joined else [None])


@pytest.mark.parametrize(
    ("shape", "joined"), [((128, 128), True), ((64, 128), False), ((128, 64), False), ((128, 256), False)]
)
def test_which_tiles_make_one_for_a_whole_block(shape: tuple[int, int], joined: bool) -> None:
    block = NvidiaSchedulePolicy(Architecture.SM_90A).products(128)
    assert block is not None
    assert (block.joining(TileType(shape, F32)) is not None) is joined
    block = NvidiaSchedulePolicy(Architecture.SM_80).products(128)
    assert block is not None
    assert block.joining(TileType(shape, F32)) is None


LOOP = """builtin.module {
  builtin.kernel {sym_name = "product", subgroup_size = 32, work_group_size = [128, 1], spread = true} (
      %a: memref<f16x8192x1024>, %b: memref<f16x1024x8192>, %c: memref<f16x8192x8192>) {
    %first = team.group_id {dim = 0} -> index
    %count = team.num_groups {dim = 0} -> index
    %tiles = arith.constant {value = 4096} -> index
    %plane = arith.constant {value = 512} -> index
    %band = arith.constant {value = 8} -> index
    %n = arith.constant {value = 128} -> index
    %lo = arith.constant {value = 0} -> index
    %hi = arith.constant {value = 1024} -> index
    %step = arith.constant {value = 64} -> index
    %zeros = arith.constant {value = 0.0} -> tile<128x128xf32>
    scf.for %first, %tiles, %count {operand_segments = [1, 1, 1, 0]} (%t: index) {
      %which = arith.udiv %t, %plane -> index
      %within = arith.urem %t, %plane -> index
      %x = arith.udiv %within, %band -> index
      %above = arith.mul %which, %band -> index
      %row = arith.urem %within, %band -> index
      %y = arith.add %above, %row -> index
      %i = arith.mul %x, %n -> index
      %j = arith.mul %y, %n -> index
      %sum = scf.for %lo, %hi, %step, %zeros {operand_segments = [1, 1, 1, 1]} -> tile<128x128xf32> (
          %k: index, %acc: tile<128x128xf32>) {
        %p = tile.load %a, %i, %k {unordered = true} -> tile<128x64xf16>
        %q = tile.load %b, %k, %j {unordered = true} -> tile<64x128xf16>
        %next = tile.mma %p, %q, %acc -> tile<128x128xf32>
        scf.yield %next
      }
      %rounded = arith.cast %sum -> tile<128x128xf16>
      tile.store %rounded, %c, %i, %j {unordered = true}
      scf.yield
    }
  }
}
"""
OF_LOOPS = {
    "as it is": (LOOP, "", True),
    "beside each other": (LOOP.replace("{value = 8}", "{value = 1}"), "", True),
    "by rows": (
        LOOP.replace("%x = arith.udiv %within, %band", "%x = arith.urem %within, %band").replace(
            "%row = arith.urem %within, %band", "%row = arith.udiv %within, %band"
        ),
        "",
        True,
    ),
    "shifted": (
        LOOP.replace("%which = arith.udiv %t,", "%u = arith.add %t, %band -> index\n%which = arith.udiv %u,"),
        "",
        False,
    ),
    "signed": (LOOP.replace("arith.udiv", "arith.floor_div"), "", True),
    "an odd band": (LOOP.replace("{value = 512}", "{value = 520}"), "", False),
    "a few": (LOOP.replace("{value = 4096}", "{value = 128}"), "", False),
    "a few, asked": (LOOP.replace("{value = 4096}", "{value = 128}"), "joined=yes", True),
    "a tile too many": (LOOP.replace("{value = 4096}", "{value = 4104}"), "", False),
    "others begin": (LOOP.replace("scf.for %first", "scf.for %lo"), "", False),
    "all of them": (LOOP.replace("%tiles, %count", "%tiles, %band"), "", False),
    "in order": (LOOP.replace("%i, %j {unordered = true}", "%i, %j"), "", False),
    "a number in order": (
        LOOP.replace("%i = arith", "%m = memref.load %c, %t, %t {operand_segments = [1, 2]} -> f16\n%i = arith"),
        "",
        False,
    ),
    "a store beside": (
        LOOP.replace(
            "    scf.for %first",
            "%z = arith.cast %zeros -> tile<128x128xf16>\n"
            "tile.store %z, %c, %lo, %lo {unordered = true}\nscf.for %first",
        ),
        "",
        False,
    ),
    "its block": (LOOP.replace("arith.add %above, %row", "arith.add %above, %first"), "", False),
    "refused": (LOOP, "joined=no", False),
    "other threads": (LOOP, "threads=256", False),
}
"""A kernel whose own loop deals tiles to blocks, what is asked, and whether two tiles are one."""


@pytest.mark.parametrize("case", OF_LOOPS)
def test_what_tiles_are_joined(case: str) -> None:
    text, asked, joined = OF_LOOPS[case]
    (kernel,) = gathered(text, asked).kernels
    assert ("joined=yes" in (kernel.schedule or "")) is joined
    (loop,) = (op for op in kernel.body.entry if isinstance(op, scf.For))
    (before,) = (op for op in gathered(text, "joined=no").kernels[0].body.entry if isinstance(op, scf.For))
    tiles = emit.integer_of(before.upper)
    assert tiles is not None
    assert emit.integer_of(loop.upper) == (tiles // 2 if joined else tiles)
    assert ((kernel.work_group_size or (0, 0))[0] == 256) is (joined or asked == "threads=256")
