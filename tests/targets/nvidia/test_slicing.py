"""Tiles that registers have no room for; every other drawn kernel of test_ragged.py is sliced, too."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

import tilewright as tw
from effort import SEED, Ran, count
from generators.tile_lines import LINES
from generators.tile_products import PRODUCTS
from generators.tiles import Array, TileKernel, generate
from tilewright.dialects import tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.ir.definition import PURE, Value, operand, result
from tilewright.ir.index_map import Move, along
from tilewright.ir.interfaces import MovesElements
from tilewright.ir.types import TILE
from tilewright.machine.cuda.architecture import Architecture
from tilewright.transforms.tile_values import tile_type

from .case import Launch
from .emulated import emulated
from .test_ragged import interpreted, lowered, lowered_module, module_of, same

LITTLE = 64
"""Bytes of shared memory, so few that all large tiles lie elsewhere."""
KERNELS = count("RANDOM_SLICED_IN_SCRATCH", 3, 500)


def kernel(parameters: Sequence[str], shapes: Sequence[tuple[int, ...]], body: str, seed: int) -> TileKernel:
    """One of eight threads, who hold 512 elements of a tile at most; all arrays are written."""
    made = TileKernel(random.Random(seed), (8, 1), 8, list(parameters), [body], [], [*range(len(parameters))])
    for name, shape in zip(parameters, shapes, strict=True):
        made.arguments.append(made.array(shape, name.partition("<")[2].partition("x")[0], False, packed(shape)))
    return made


def packed(shape: Sequence[int]) -> tuple[int, ...]:
    """Strides of columns behind each other."""
    return tuple(int(np.prod(shape[:k], dtype=int)) for k in range(len(shape)))


def agree(made: TileKernel, module: Module, shared_bytes: int | None = None) -> None:
    """The emulator gives what the interpreter gives on tiles."""
    meant = interpreted(module_of(made.text), made)
    results = emulated(module, shared_bytes).run(Launch(made.copies(), {}))
    found = [array for k in made.outputs if isinstance(array := results[k], np.ndarray)]
    wrong = [number for number, have, want in zip(made.outputs, found, meant, strict=True) if not same(have, want)]
    assert not wrong, f"{wrong}\n{made.text}"


# Tiles beyond 64 registers of each of eight threads

CARRIED_PARAMETERS = ["%A: memref<i32x27x27>", "%B: memref<i32x27x27>"]
CARRIED = """
    %z = arith.constant {value = 0} -> index
    %n = arith.constant {value = 3} -> index
    %a = tile.load %A, %z, %z -> tile<27x27xi32>
    %i = tile.iota {dim = 1} -> tile<27x27xi32>
    %x, %y = scf.for %z, %n, %a, %i {operand_segments = [1, 1, 0, 2]} -> tile<27x27xi32>, tile<27x27xi32>
        (%k: index, %p: tile<27x27xi32>, %q: tile<27x27xi32>) {
      %t = tile.permute %p {order = [1, 0]} -> tile<27x27xi32>
      %s = arith.add %t, %q -> tile<27x27xi32>
      scf.yield %s, %p
    }
    %m, %g = scf.while %z, %x -> index, tile<27x27xi32> (%k: index, %h: tile<27x27xi32>) {
      %one = arith.constant {value = 1} -> index
      %next = arith.add %k, %one -> index
      %more = arith.cmp %next, %n {predicate = "lt"} -> bool
      %d = arith.add %h, %a -> tile<27x27xi32>
      scf.yield %more, %next, %d
    }
    %two = arith.constant {value = 2} -> index
    %e = memref.load %A, %two, %z -> i32
    %f = memref.load %B, %two, %z -> i32
    %c = arith.cmp %e, %f {predicate = "gt"} -> bool
    %w = scf.if %c -> tile<27x27xi32> { scf.yield %g } { %o = arith.sub %y, %g -> tile<27x27xi32> scf.yield %o }
    tile.store %w, %B, %z, %z"""
ROWS = """
    %z = arith.constant {value = 0} -> index
    %x = tile.load %A, %z, %z -> tile<1200x2xi32>
    %s = tile.reduce %x {kind = "add", dim = 0} -> tile<2xi32>
    %r = tile.reshape %s -> tile<1x2xi32>
    %w = tile.broadcast %r -> tile<1200x2xi32>
    %d = arith.sub %x, %w -> tile<1200x2xi32>
    tile.store %d, %A, %z, %z
    %seven = arith.constant {value = 7} -> i32
    %c, %l = tile.scan_by %d, %x, %seven, %seven {dim = 0, reverse = true, operand_segments = [2, 2]}
        -> tile<1200x2xi32>, tile<1200x2xi32> (%d0: i32, %d1: i32, %x0: i32, %x1: i32) {
      %sum = arith.add %d0, %d1 -> i32
      scf.yield %sum, %x0 }
    %v = tile.reshape %c -> tile<48x50xi32>
    tile.store %v, %B, %z, %z
    %last = tile.extract %l {offsets = [3, 0]} -> tile<2x2xi32>
    tile.store %last, %C, %z, %z"""
UPDATED = """
    %z = arith.constant {value = 0} -> index
    %one = arith.constant {value = 1} -> index
    %a = tile.load %A, %z, %z -> tile<40x20xi32>
    %old = tile.atomic_rmw %a, %B, %one, %z {kind = "add", check = [true, false]} -> tile<40x20xi32>
    %both = tile.cat %a, %old {dim = 0} -> tile<80x20xi32>
    tile.store %both, %C, %z, %z
    team.spmd {
      %part = tile.extract %a {offsets = [3, 5]} -> tile<4x4xi32>
      tile.store %part, %D, %z, %z
    }"""
BYTES = """
    %z = arith.constant {value = 0} -> index
    %a = tile.load %A, %z -> tile<300xi32>
    %b = tile.reinterpret %a -> tile<1200xi8>
    %c = tile.scan %b {kind = "add", dim = 0} -> tile<1200xi8>
    %d = tile.reinterpret %c -> tile<300xi32>
    tile.store %d, %A, %z
    tile.store %c, %B, %z"""
LESS_PADDING = """
    %z = arith.constant {value = 0} -> index
    %a = tile.load %A, %z, %z, %z -> tile<9x9x5xi32>
    %s = tile.scan %a {kind = "add", dim = 0} -> tile<9x9x5xi32>
    %r = tile.reshape %s -> tile<405xi32>
    tile.store %r, %B, %z"""
NO_TERMS = """
    %z = arith.constant {value = 0} -> index
    %a = tile.load %A, %z, %z -> tile<1200x2xi32>
    %e = tile.extract %a {offsets = [0, 1]} -> tile<1200x0xi32>
    %s = tile.reduce %e {kind = "max", dim = 1} -> tile<1200xi32>
    tile.store %s, %B, %z"""
NEIGHBOURS = """
    %z = arith.constant {value = 0} -> index
    %a = tile.load %A, %z, %z -> tile<40x70xi32>
    %b = arith.add %a, %a -> tile<40x70xi32>
    %p = tile.extract %b {offsets = [0, 0]} -> tile<30x60xi32>
    %q = tile.extract %b {offsets = [7, 0]} -> tile<30x60xi32>
    %r = tile.extract %b {offsets = [0, 9]} -> tile<30x60xi32>
    %s = tile.extract %b {offsets = [0, 2]} -> tile<30x60xi32>
    %d = arith.sub %p, %q -> tile<30x60xi32>
    %e = arith.mul %d, %r -> tile<30x60xi32>
    %f = arith.sub %e, %s -> tile<30x60xi32>
    tile.store %f, %B, %z, %z"""
DIVIDED = "\n".join(
    f"%q{k} = arith.div %x{k}, %three -> tile<27x27xi32>\n%x{k + 1} = arith.add %q{k}, %x0 -> tile<27x27xi32>"
    for k in range(5)
)
AGAIN = f"""
    %z = arith.constant {{value = 0}} -> index
    %n = arith.constant {{value = 3}} -> index
    %three = arith.constant {{value = 3}} -> tile<27x27xi32>
    %x0 = tile.load %A, %z, %z -> tile<27x27xi32>
    {DIVIDED}
    %p = tile.permute %x5 {{order = [1, 0]}} -> tile<27x27xi32>
    %s = tile.reduce %p {{kind = "add", dim = 0}} -> tile<27xi32>
    tile.store %s, %C, %z
    %t = scf.for %z, %n, %x0 {{operand_segments = [1, 1, 0, 1]}} -> tile<27x27xi32>
        (%k: index, %sum: tile<27x27xi32>) {{
      %more = arith.add %sum, %p -> tile<27x27xi32>
      scf.yield %more
    }}
    tile.store %t, %B, %z, %z"""
TEXTS = {
    "carried": (CARRIED, CARRIED_PARAMETERS, [(27, 27)] * 2),
    "rows": (
        ROWS,
        ["%A: memref<i32x1200x2>", "%B: memref<i32x48x50>", "%C: memref<i32x2x2>"],
        [(1200, 2), (48, 50), (2, 2)],
    ),
    "updated": (
        UPDATED,
        ["%A: memref<i32x40x20>", "%B: memref<i32x40x20>", "%C: memref<i32x80x20>", "%D: memref<i32x4x4>"],
        [(40, 20), (40, 20), (80, 20), (4, 4)],
    ),
    "less padding": (LESS_PADDING, ["%A: memref<i32x9x9x5>", "%B: memref<i32x405>"], [(9, 9, 5), (405,)]),
    "no terms": (NO_TERMS, ["%A: memref<i32x1200x2>", "%B: memref<i32x1200>"], [(1200, 2), (1200,)]),
    "neighbours": (NEIGHBOURS, ["%A: memref<i32x40x70>", "%B: memref<i32x30x60>"], [(40, 70), (30, 60)]),
    "again": (AGAIN, [*CARRIED_PARAMETERS, "%C: memref<i32x27>"], [(27, 27), (27, 27), (27,)]),
    "bytes": (BYTES, ["%A: memref<i32x300>", "%B: memref<i8x1200>"], [(300,), (1200,)]),
}


@pytest.mark.covering(1)
@pytest.mark.parametrize("shared_bytes", [None, LITTLE], ids=["shared", "scratch"])
@pytest.mark.parametrize("name", TEXTS)
def test_large_tiles(name: str, shared_bytes: int | None, seed: int) -> None:
    body, parameters, shapes = TEXTS[name]
    made = kernel(parameters, shapes, body, seed)
    module = lowered(made.text)
    assert (module.kernels[0].schedule or "").startswith("lanes threads=8 # in parts: tiles of")
    agree(made, module, shared_bytes)


def test_parts_fit_before_and_after_they_are_turned(seed: int) -> None:
    """The 28 times two times two threads have one register of 2x2x16, in either order of its dimensions."""
    body = """%z = arith.constant {value = 0} -> index
    %a = tile.load %A, %z, %z, %z -> tile<16x2x52xi32>
    %t = tile.permute %a {order = [2, 1, 0]} -> tile<52x2x16xi32>
    %s = tile.reduce %t {kind = "max", dim = 0} -> tile<2x16xi32>
    tile.store %s, %B, %z, %z"""
    made = kernel(["%A: memref<i32x16x2x52>", "%B: memref<i32x2x16>"], [(16, 2, 52), (2, 16)], body, seed)
    made.work_group, made.subgroup = (112, 1), 16
    agree(made, lowered(made.text, sliced=True))


def test_sums_of_halves_are_rounded_once() -> None:
    """Of 2048 and many small ones: where these are added in f16, part by part, it stays 2048."""
    body = """%z = arith.constant {value = 0} -> index
      %x = tile.load %A, %z -> tile<4096xf16>
      %s = tile.reduce %x {kind = "add", dim = 0} -> tile<f16>
      %r = tile.reshape %s -> tile<1xf16>
      %c = tile.scan %x {kind = "add", dim = 0} -> tile<4096xf16>
      %l = tile.extract %c {offsets = [4095]} -> tile<1xf16>
      %both = tile.cat %r, %l {dim = 0} -> tile<2xf16>
      tile.store %both, %B, %z"""
    parameters = ["%A: memref<f16x4096>", "%B: memref<f16x2>"]
    text = TileKernel(random.Random(0), (8, 1), 8, parameters, [body]).text
    x = np.full(4096, 1 / 128, np.float16)
    x[0] = 2048
    found = emulated(lowered(text)).run(Launch([x, np.zeros(2, np.float16)], {}))[1]
    assert np.array_equal(np.asarray(found), np.full(2, x.sum(dtype=np.float64), np.float16))


@pytest.mark.covering(0)
@pytest.mark.parametrize("shared_bytes", [None, 2048], ids=["shared", "scratch"])
def test_products_in_parts_are_by_instructions(shared_bytes: int | None, rng: np.random.Generator) -> None:
    """Sums that one warp has no registers for, carried in memory; one factor is, too, for it is not only loaded."""
    body = """%z = arith.constant {value = 0} -> index
      %n = arith.constant {value = 2} -> index
      %many = arith.constant {value = 32} -> index
      %zero = arith.constant {value = 0.0} -> tile<80x72xf32>
      %s = scf.for %z, %n, %zero {operand_segments = [1, 1, 0, 1]} -> tile<80x72xf32>
          (%i: index, %sums: tile<80x72xf32>) {
        %k = arith.mul %i, %many -> index
        %a = tile.load %A, %z, %k -> tile<80x32xf16>
        %b = tile.load %B, %k, %z -> tile<32x72xf16>
        %c = tile.scan %a {dim = 0, kind = "max"} -> tile<80x32xf16>
        %p = tile.mma %c, %b, %sums -> tile<80x72xf32>
        scf.yield %p
      }
      tile.store %s, %C, %z, %z"""
    parameters = ["%A: memref<f16x80x64>", "%B: memref<f16x64x72>", "%C: memref<f32x80x72>"]
    module = lowered(TileKernel(random.Random(0), (32, 1), 32, parameters, [body]).text)
    assert "product=32x32x16:m16n8k16" in (module.kernels[0].schedule or "")
    a, b = (np.asfortranarray(rng.integers(-9, 10, shape), np.float16) for shape in ((80, 64), (64, 72)))
    launch = Launch([a, b, np.zeros((80, 72), np.float32, order="F")], {})
    found = np.asarray(emulated(module, shared_bytes).run(launch)[2])
    assert np.array_equal(found, np.maximum.accumulate(a, axis=0).astype(np.float32) @ b.astype(np.float32))


def test_products_beside_more_memory_than_there_is(rng: np.random.Generator) -> None:
    """What a block has no room for beside their factors goes to scratch memory, and they are by instructions."""
    body = """%z = arith.constant {value = 0} -> index
      %m = memref.alloca -> memref<f32x64x704,local>
      %c = tile.load %C, %z, %z -> tile<64x64xf32>
      tile.store %c, %m, %z, %i
      %d = tile.load %m, %z, %z -> tile<64x64xf32>
      %a = tile.load %A, %z, %z -> tile<64x32xf16>
      %b = tile.load %B, %z, %z -> tile<32x64xf16>
      %p = tile.mma %a, %b, %d -> tile<64x64xf32>
      tile.store %p, %C, %z, %z"""
    parameters = ["%A: memref<f16x64x32>", "%B: memref<f16x32x64>", "%C: memref<f32x64x64>", "%i: index"]
    module = lowered(TileKernel(random.Random(0), (128, 1), 32, parameters, [body]).text)
    assert "product=64x64x32:m16n8k16" in (module.kernels[0].schedule or "")
    a, b, c = (np.asfortranarray(rng.integers(-3, 4, shape)) for shape in ((64, 32), (32, 64), (64, 64)))
    device = emulated(module)
    launch = Launch([a.astype(np.float16), b.astype(np.float16), c.astype(np.float32), np.int64(0)], {})
    assert np.array_equal(np.asarray(device.run(launch)[2]), a @ b + c)
    (info,) = device.kernels
    assert info.launch is not None
    assert info.launch.scratch_bytes >= 64 * 704 * 4


def test_loops_that_together_take_too_much_plan_with_less() -> None:
    """Of a matrix whose columns are no multiple of a tile's there are two, each with a ring of stages."""
    matrices = "%A: memref<f16x8192x8192>, %B: memref<f16x8192x96>, %C: memref<f32x8192x96>"
    text = f"func @k({matrices}) {{ %a = constant 1.0 : f16\n gemm.n.n %a, %A, %B, %a, %C }}"
    (found,) = tw.compile(text, target="nvidia:sm_80", cache=False)
    assert found.schedule.count("product=") == 2
    assert "by no unit" not in found.schedule
    assert 128 * 1024 < found.info.local_bytes <= Architecture.SM_80.shared_bytes


def test_random_kernels_in_scratch_memory(ran: Ran) -> None:
    for seed in range(SEED, SEED + KERNELS):
        print(f"seed {seed}")
        made = generate(random.Random(seed), more=(*LINES, *PRODUCTS))
        agree(made, lowered(made.text, sliced=True), LITTLE)
    ran(KERNELS, "kernels in slices of scratch memory")


# What lanes know nothing of

MAP = """
    %z = arith.constant {value = 0} -> index
    %five = arith.constant {value = 5} -> i32
    %a = tile.load %A, %z, %z -> tile<RxCxi32>
    %m = tile.map %a -> tile<RxCxi32> (%i: i32, %j: i32, %v: i32) {
      %row = arith.cast %i -> index
      %count = memref.atomic_rmw %five, %N, %z {kind = "add"} -> i32
      %low = arith.cmp %j, %five {predicate = "lt"} -> bool
      %r = scf.if %low -> i32 {
        %other = memref.load %B, %row -> i32
        %s = arith.add %other, %j -> i32
        scf.yield %s
      } { scf.yield %v }
      scf.yield %r
    }
    tile.store %m, %A, %z, %z"""


@pytest.mark.parametrize(("rows", "columns"), [(4, 1), (6, 9), (40, 31)], ids=["copies", "ragged", "large"])
def test_maps_that_branch_and_read_and_count(rows: int, columns: int, seed: int) -> None:
    """Each element once, by one of those that hold it; what is beyond a ragged tile does nothing."""
    parameters = [f"%A: memref<i32x{rows}x{columns}>", f"%B: memref<i32x{rows}>", "%N: memref<i32x1>"]
    body = MAP.replace("RxC", f"{rows}x{columns}")
    made = kernel(parameters, [(rows, columns), (rows,), (1,)], body, seed)
    agree(made, lowered(made.text))


class Turned(MovesElements, name="theirs.turned", traits=(PURE,)):
    """The last row first, then the rows from the last but one to the first, each backwards."""

    tile: Value = operand(TILE)
    out: Value = result(TILE)

    def moves(self) -> Sequence[Move]:
        rows, columns = tile_type(self.out).shape
        backwards = along(1, 2, columns - 1, -1)
        first = Move(0, (along(0, 2, rows - 1), backwards), (0, 0), (1, columns))
        return [first, Move(0, (along(0, 2, rows - 2, -1), backwards), (1, 0), (rows - 1, columns))]


@pytest.mark.parametrize(("rows", "columns"), [(5, 7), (40, 31)], ids=["small", "large"])
def test_moves_that_layouts_do_not_follow(rows: int, columns: int, rng: np.random.Generator) -> None:
    body = f"""%z = arith.constant {{value = 0}} -> index
      %a = tile.load %A, %z, %z -> tile<{rows}x{columns}xi32>
      tile.store %a, %B, %z, %z"""
    parameters = [f"%{name}: memref<i32x{rows}x{columns}>" for name in "AB"]
    module = module_of(TileKernel(random.Random(0), (8, 1), 8, parameters, [body]).text)
    (store,) = (op for op in module.walk() if isinstance(op, tile.Store))
    turned = Builder.before_op(store)(Turned(store.value, result_types=[store.value.type]))
    store.set_operand(0, turned.out)
    a: Array = np.asfortranarray(rng.integers(-9, 9, (rows, columns)), np.int32)
    found = emulated(lowered_module(module)).run(Launch([a, np.zeros_like(a)], {}))[1]
    assert np.array_equal(np.asarray(found), np.concatenate([a[-1:], a[-2::-1]])[:, ::-1])
