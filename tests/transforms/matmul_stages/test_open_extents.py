"""Stages of products whose extents only a launch knows: multiples of tiles, remainders, and less than a tile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

import tilewright as tw
from effort import Ran, count, thorough
from ir.mlir import tool
from targets.nvidia.launching import program_of_module
from tilewright.diagnostics import CompileError
from tilewright.ir.mlir.operations import MlirFile
from tilewright.ir.mlir.printer import print_generic
from tilewright.program import Program
from tilewright.transforms.matmul_stages import NAMES, Outcome
from transforms.matmul_stages.products import Case, module_of, outcomes, program_of, unit_of
from transforms.matmul_stages.surrounded import BEHIND, FRONT, RINGS, Surrounded

TILES = "block=16x16x16 warp=16x16x16 vector=1"
BARE = Case(16, 16, 16, opened="ijk")
SURROUNDED = Surrounded(
    17, 18, 33, batch=(2,), alpha="alpha", front=("beta",), behind=("bias", "relu", "narrow"), opened="ijk"
)
SIZES = [(32, 48, 32), (20, 17, 33), (5, 40, 20), (40, 5, 20), (40, 33, 3), (1, 1, 1), (15, 15, 15), (16, 16, 16)]
"""Rows, columns, summed elements: whole tiles, parts of one behind them, and none along some dimension."""


def stages(text: str, schedule: str = TILES) -> list[Outcome]:
    """What all stages make of a text."""
    found = outcomes(text, schedule)
    assert [one.name for one in found] == list(NAMES)
    return found


def check(program: Program, one: Outcome, case: Case, rng: np.random.Generator) -> None:
    """A launch of extents that the program was not made for leaves what it should."""
    arrays = case.arrays(rng)
    given = [array.copy() for array in arrays]
    program.f[1 if one.module is None else (max(case.n // 16, 1), max(case.m // 16, 1))](*given)
    assert np.array_equal(given[2], case.expected(*arrays)), f"{one.name} of {case}"


def test_every_stage_at_any_extents(rng: np.random.Generator, ran: Ran, tmp_path: Path) -> None:
    """One program behind each stage, launched on several extents; a usual run takes every third stage."""
    found = stages(BARE.text)
    for number, one in enumerate(found if thorough() else found[int(rng.integers(3)) :: 3]):
        program = program_of(one, "interpreter", tmp_path)
        some = SIZES if thorough() else [SIZES[(number + int(rng.integers(3))) % len(SIZES)]]
        for m, n, k in some:
            check(program, one, structs.replace(BARE, m=m, n=n, k=k), rng)
            ran(1, "launches of stages of open extents in the interpreter")


@pytest.mark.parametrize("sizes", [(32, 17, 33), (5, 33, 16), (17, 32, 15)], ids=str)
def test_the_emulated_device(sizes: tuple[int, int, int], rng: np.random.Generator) -> None:
    one = stages(BARE.text, TILES + str(rng.choice(RINGS)))[-1]
    m, n, k = sizes
    check(program_of_module(module_of(one)), one, structs.replace(BARE, m=m, n=n, k=k), rng)


def test_the_cpu(rng: np.random.Generator, tmp_path: Path) -> None:
    for number in (2, 11, 17) if thorough() else (17,):
        one = stages(BARE.text)[number - 1]
        program = program_of(one, "cpu", tmp_path)
        for m, n, k in SIZES[1:5]:
            check(program, one, structs.replace(BARE, m=m, n=n, k=k), rng)


@tool.needed
def test_the_stock_tool_accepts_every_program_and_it_is_read_back(rng: np.random.Generator) -> None:
    texts = [one.text for one in (*stages(BARE.text), *stages(SURROUNDED.text))]
    accepted = tool.reprinted_together(texts)
    for text in texts:
        accepted(text)
    some = [text for text in texts if "builtin.kernel" not in text]
    for text in some if thorough() else some[int(rng.integers(5)) :: 5]:
        assert print_generic(MlirFile(unit_of(text))) == text


@pytest.mark.covering(0)
@pytest.mark.parametrize("sizes", [(17, 18, 33), (5, 32, 3)], ids=str)
def test_what_is_around_a_product(sizes: tuple[int, int, int], rng: np.random.Generator, tmp_path: Path) -> None:
    m, n, k = sizes
    case = structs.replace(SURROUNDED, m=m, n=n, k=k)
    found = stages(SURROUNDED.text)
    for one in found if thorough() else (found[int(rng.integers(5, 16))], found[-1]):
        case.run(one, "interpreter", TILES, tmp_path, rng)


OPEN_BATCH = structs.replace(SURROUNDED, m=18, n=34, k=32, batch=(2, 2), opened="b")


def test_a_batch_of_any_size(rng: np.random.Generator, tmp_path: Path) -> None:
    """Its first dimension is the launch's; a grid has z for its entries, and no other; of none, nothing happens."""
    found = stages(OPEN_BATCH.text)
    chosen = found if thorough() else [found[0], found[int(rng.integers(1, 14))], found[14]]
    for one, entries in zip([*chosen, found[-1]], [3, 1, 2, 4] * 5, strict=False):
        structs.replace(OPEN_BATCH, batch=(entries, 2)).run(one, "interpreter", TILES, tmp_path, rng)
    case = structs.replace(OPEN_BATCH, batch=(3, 2))
    program = program_of_module(module_of(found[-1]))
    case.check(program, case.grid(TILES), rng, "emulated")
    for grid in ((2, 1, 5), (2, 1, 7), (2, 1, 1)):
        with pytest.raises(tw.LaunchError, match="extent z of the grid"):
            program.f[grid](*case.arguments(rng))
    shorter = [value[:2] if number == 1 else value for number, value in enumerate(case.arguments(rng))]
    with pytest.raises(tw.LaunchError, match="extents of operands differ"):
        program.f[2, 1, 6](*shorter)


def test_rows_that_are_known_are_copied_in_vectors_and_c_stays_in_registers() -> None:
    found = {one.name: one for one in stages(Case(32, 32, 32, opened="i").text, TILES.replace("vector=1", "vector=8"))}
    assert "stands for" not in found["wmma_generate"].changed
    assert "rows of 8 elements, 16 bytes each" in found["vectorise_copies"].changed
    assert "1 nests behind the tiles" in found["map_to_gpu"].changed


def test_loops_that_count_to_extents(rng: np.random.Generator, tmp_path: Path) -> None:
    case = Case(20, 33, 17, "i8", "i32", "a", opened="ijk")
    one = outcomes(case.loops, f"{TILES} pad=0", "wmma_generate")[-1]
    check(program_of(one, "interpreter", tmp_path), one, case, rng)


COUNTED = """\
func.func @f(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %m: index, %n: index, %k: index) {
  affine.for %x = 0 to %m { affine.for %y = 0 to %n { affine.for %z = 0 to %k {
    %a = affine.load %A[%x, %z] : memref<?x?xf32>
    %b = affine.load %B[%z, %y] : memref<?x?xf32>
    %p = arith.mulf %a, %b : f32
    %c = affine.load %C[%x, %y] : memref<?x?xf32>
    %s = arith.addf %c, %p : f32
    affine.store %s, %C[%x, %y] : memref<?x?xf32>
  } } }
  affine.for %x = 0 to %m { affine.for %y = 0 to %n {
    %c = affine.load %C[%x, %y] : memref<?x?xf32>
    %r = arith.negf %c : f32
    affine.store %r, %C[%x, %y] : memref<?x?xf32>
  } }
  return
}
"""


def test_loops_that_count_to_any_integers(rng: np.random.Generator, tmp_path: Path) -> None:
    """Less than the extents of memory, nothing, and less than nothing: no loop runs then."""
    found = stages(COUNTED)
    a, b, c = (rng.integers(-2, 3, (40, 40)).astype(np.float32) for _ in range(3))
    for name in ("tile_block", "complete_latency_hiding"):
        program = program_of(found[NAMES.index(name)], "interpreter", tmp_path)
        for limits in ((17, 33, 20), (-5, 20, 20), (-40, 20, -20), (-20, -20, 40)):
            m, n, k = (max(limit, 0) for limit in limits)
            expected, given = c.copy(), c.copy()
            expected[:m, :n] = -(c[:m, :n] + a[:m, :k] @ b[:k, :n])
            program.f[1](a, b, given, *limits)
            assert np.array_equal(given, expected), f"{name} of {limits}"
    program = program_of(found[-1], "interpreter", tmp_path)
    given = c.copy()
    program.f[2, 2](a, b, given, 40, 40, 40)
    assert np.array_equal(given, -(c + a @ b))
    with pytest.raises(tw.LaunchError, match="extents of operands differ"):
        program.f[1, 1](a, b, given, -5, 20, 40)


def test_any_open_extents(rng: np.random.Generator, ran: Ran, tmp_path: Path) -> None:
    total = count("RANDOM_OPEN_PRODUCTS", 1, 60)
    for _ in range(total):
        opened = "".join(letter for letter in "ijkb" if rng.integers(3)) or "k"
        known = {letter: int(extent) for letter, extent in zip("ijk", rng.integers(16, 40, 3), strict=True)}
        factor, sum_ = [("f16", "f32"), ("i8", "i32"), ("f64", "f64")][rng.integers(3)]
        made = Surrounded(
            known["i"],
            known["j"],
            known["k"],
            factor,
            sum_,
            tuple(int(e) for e in rng.integers(1, 3, rng.integers(3))),
            str(rng.choice(["", "alpha", "half"])),
            tuple(map(str, rng.choice(FRONT, rng.integers(3)))),
            tuple(map(str, rng.choice([name for name in BEHIND if name != "gelu"], rng.integers(4)))),
            bool(rng.integers(2)),
            bool(rng.integers(2)),
            opened,
        )
        found = outcomes(made.text, f"{TILES} pad={0 if factor == 'i8' else 8}")
        m, n, k = (int(rng.integers(1, 50)) if letter in opened else extent for letter, extent in known.items())
        case = structs.replace(made, m=m, n=n, k=k)
        if case.batch and "b" in opened:
            case = structs.replace(case, batch=(int(rng.integers(1, 4)), *case.batch[1:]))
        for one in (found[int(rng.integers(len(found)))], found[-1]):
            case.run(one, "interpreter", TILES, tmp_path, rng)
    ran(total, "products of open extents through the stages")


# Launches that are refused


@pytest.mark.parametrize("grid", [(1, 2), (3, 2), (2, 1), (2, 3), (2, 2, 2)])
def test_a_grid_has_as_many_work_groups_as_there_are_tiles(
    grid: tuple[int, ...], rng: np.random.Generator, tmp_path: Path
) -> None:
    program = program_of(stages(BARE.text)[-1], "interpreter", tmp_path)
    arrays = Case(40, 47, 16).arrays(rng)
    program.f[2, 2](*arrays)
    with pytest.raises(tw.LaunchError):
        program.f[grid](*arrays)


def test_one_work_group_computes_what_is_less_than_a_tile(rng: np.random.Generator, tmp_path: Path) -> None:
    program = program_of(stages(BARE.text)[-1], "interpreter", tmp_path)
    with pytest.raises(tw.LaunchError, match="the one work-group along x"):
        program.f[2, 1](*Case(16, 9, 16).arrays(rng))


@pytest.mark.parametrize("argument", [0, 1, 2])
def test_extents_that_do_not_agree_are_refused(argument: int, rng: np.random.Generator, tmp_path: Path) -> None:
    program = program_of(stages(BARE.text)[-1], "interpreter", tmp_path)
    arrays = Case(16, 16, 16).arrays(rng)
    arrays[argument] = np.zeros((16, 19) if argument == 2 else (19, 16), arrays[argument].dtype)
    with pytest.raises(tw.LaunchError, match="extents of operands differ"):
        program.f[1, 1](*arrays)


# What has to be known

LOOPED = """\
func.func @f(%A: memref<?x16xf16>, %B: memref<16x16xf16>, %C: memref<?x16xf32>) {
  affine.for %t = 0 to 3 {
    linalg.matmul ins(%A, %B : memref<?x16xf16>, memref<16x16xf16>) outs(%C : memref<?x16xf32>)
  }
  return
}
"""


@pytest.mark.parametrize(
    ("text", "schedule", "said", "hint"),
    [
        (BARE.text, "block=16x16x16 warp=16x16x16", "rows of %B are as far apart as a launch says", '"vector=1"'),
        (BARE.text, f"{TILES} pad=744", "the buffers take 49664 bytes", "smaller block"),
        (LOOPED, TILES, "the product is in a loop or branch, and has extents that are not known", "own"),
        (
            structs.replace(SURROUNDED, batch=(3, 2)).text.replace("memref<3x2x", "memref<3x?x"),
            TILES,
            "a batch of which more than the first dimension is not known",
            "write all extents of the batch but the first into the types",
        ),
    ],
)
def test_what_has_to_be_known_is_said_with_its_place(text: str, schedule: str, said: str, hint: str) -> None:
    with pytest.raises(CompileError) as error:
        outcomes(text, schedule)
    (found,) = error.value.diagnostics
    assert said in found.message
    assert hint in "; ".join(map(str, found.hints))
    assert found.location.primary is not None
