"""Programs between the stages run with the result of the first, and are read back, also by the stock tool."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from effort import Ran, count, thorough
from ir.mlir import tool
from tilewright.diagnostics import CompileError
from tilewright.ir.mlir.operations import MlirFile
from tilewright.ir.mlir.printer import print_generic
from tilewright.transforms.matmul_stages import NAMES, STAGES
from transforms.matmul_stages.products import Case, computed, module_of, outcomes, run, unit_of

SMALL = "block=6x8x4 warp=3x4x2"
MATRICES = "block=32x32x32 warp=16x32x16"
SCALAR = NAMES.index("pad_shared") + 1
THREADS = NAMES.index("map_to_gpu") + 1


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    "case",
    [
        Case(12, 8, 8, "f64", "f64"),
        Case(6, 16, 4, "i16", "i32"),
        Case(6, 8, 8, "f32", "f32", "a"),
        Case(6, 8, 8, "i8", "i32", "b"),
    ],
    ids=str,
)
def test_elements_in_the_interpreter(case: Case, rng: np.random.Generator, tmp_path: Path) -> None:
    arrays = case.arrays(rng)
    expected = case.expected(*arrays)
    for text in (case.text, case.loops):
        found = outcomes(text, f"{SMALL} pad=0", NAMES[SCALAR - 2])
        assert [one.name for one in found] == list(NAMES[: SCALAR - 1])
        for one in found[:: 1 if text is case.text else 3]:
            assert np.array_equal(computed(one.text, "interpreter", arrays, tmp_path), expected), one.name


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    ("case", "pad"),
    [
        (Case(64, 32, 64), 8),
        (Case(32, 64, 32, "f16", "f16"), 8),
        (Case(64, 32, 32, "i8", "i32"), 16),
        (Case(32, 32, 64, transposed="a"), 8),
        (Case(32, 32, 64, transposed="b"), 8),
    ],
    ids=str,
)
def test_all_stages(case: Case, pad: int, rng: np.random.Generator, tmp_path: Path) -> None:
    """Those of one loop after the other on the CPU, and of threads, which take long to compile, in the interpreter.

    A usual run takes every fourth stage, from one of the first four on.
    """
    schedule = f"{MATRICES} pad={pad}"
    found = outcomes(case.text, schedule)
    assert [(one.number, one.name) for one in found] == list(enumerate(NAMES, 1))
    for one in found if thorough() else found[int(rng.integers(4)) :: 4]:
        run(one, "cpu" if one.number < THREADS else "interpreter", case, schedule, tmp_path, rng)


def test_threads_on_the_cpu(rng: np.random.Generator, tmp_path: Path) -> None:
    case, schedule = Case(32, 19, 33, "f16", "f16"), "block=16x16x16 warp=16x16x16 vector=1"
    for one in outcomes(case.text, schedule)[THREADS - 1 :: 2]:
        run(one, "cpu", case, schedule, tmp_path, rng)


def test_matrices_in_the_interpreter(rng: np.random.Generator, tmp_path: Path) -> None:
    case, schedule = Case(32, 32, 32), "block=16x32x16 warp=16x16x16 vector=4"
    for one in outcomes(case.text, schedule)[SCALAR:]:
        run(one, "interpreter", case, schedule, tmp_path, rng)


@pytest.mark.parametrize("case", [Case(7, 8, 4, "f64", "f64"), Case(6, 9, 5, "i16", "i32", "a")], ids=str)
def test_remainders_in_the_interpreter(case: Case, rng: np.random.Generator, tmp_path: Path) -> None:
    arrays = case.arrays(rng)
    for one in outcomes(case.text, f"{SMALL} pad=0", NAMES[SCALAR - 2])[1:]:
        assert np.array_equal(computed(one.text, "interpreter", arrays, tmp_path), case.expected(*arrays)), one.name


_RANGE = range(16, 49)
SIZES = [*(Case(n, 32, 32) for n in _RANGE), *(Case(32, n, 32) for n in _RANGE), *(Case(32, 32, n) for n in _RANGE)]
"""All sizes from 16 to 48 of one dimension at a time."""


def test_every_size_of_one_dimension(rng: np.random.Generator, ran: Ran, tmp_path: Path) -> None:
    """In the interpreter, with what is no whole tile; a usual run takes some sizes and every second stage."""
    total = count("RANDOM_MATMUL_STAGES_SIZES", 1, len(SIZES))
    schedule = "block=16x16x16 warp=16x16x16 vector=1"
    for number in sorted(rng.permutation(len(SIZES))[:total]):
        case = SIZES[int(number)]
        found = outcomes(case.text, schedule)
        assert len(found) == len(NAMES)
        found = found if thorough() else found[int(rng.integers(2)) :: 2]
        for one in found:
            run(one, "interpreter", case, schedule, tmp_path, rng)
        which = "all sizes" if total >= len(SIZES) else f"{case.m} x {case.n} x {case.k}"
        ran(len(found), f"stages in the interpreter, of {which}")


def test_any_three_sizes(rng: np.random.Generator, ran: Ran, tmp_path: Path) -> None:
    total = count("RANDOM_MATMUL_STAGES", 1, 99)
    for _ in range(total):
        m, n, k = (int(extent) for extent in rng.integers(16, 80, 3))
        factor, sum_, pad = [("f16", "f32", 8), ("f16", "f16", 8), ("i8", "i32", 0)][rng.integers(3)]
        case = Case(m, n, k, factor, sum_, transposed=str(rng.choice(["", "a", "b"])))
        schedule = f"block=16x16x16 warp=16x16x16 vector=1 pad={pad}"
        found = outcomes(case.text, schedule)[THREADS - 1 :]
        for one in found if thorough() else (found[int(rng.integers(len(found) - 1))], found[-1]):
            run(one, "interpreter", case, schedule, tmp_path, rng)
    ran(total, "products of any size through the stages of threads")


@pytest.mark.parametrize("text", [Case(64, 64, 64).text, Case(65, 70, 66, transposed="b").loops])
def test_texts_are_read_back_and_end_where_they_began(text: str) -> None:
    found = outcomes(text, f"{MATRICES} vector=2")
    module_of(found[-1])
    for one in found[:-1]:
        assert print_generic(MlirFile(unit_of(one.text))) == one.text, one.name


@tool.needed
@pytest.mark.parametrize("case", [Case(257, 140, 130), Case(128, 128, 64, "i8", "i32", "a")], ids=str)
def test_the_stock_tool_accepts_every_program(case: Case) -> None:
    texts = [one.text for one in outcomes(case.text, "pad=16 vector=1")]
    accepted = tool.reprinted_together(texts)
    for text in texts:
        accepted(text)


def test_the_figures_of_the_paper() -> None:
    found = {one.name: one for one in outcomes(Case(8192, 8192, 8192).text, "")}
    assert "64 x 64 blocks, 128 steps" in found["tile_block"].changed
    assert "8 warps" in found["tile_warp"].changed
    assert "memref<128x72xf16, 3>: bank conflicts 8 -> 1" in found["pad_shared"].changed
    assert "memref<64x136xf16, 3>: bank conflicts 8 -> 1" in found["pad_shared"].changed
    assert "lead dimensions 72 and 136" in found["wmma_generate"].changed
    assert found["unroll_inner"].changed == "16 products in each step along kk"
    assert found["cse_hoist_c"].changed == "48 -> 12 reads of matrices in a step along kk, 8 sums carried"
    assert found["shift_peel_k"].changed == "127 steps of the loop over k, one behind it"
    assert found["vectorise_copies"].changed == "6 copies of rows of 8 elements, 16 bytes each"
    assert found["map_to_gpu"].changed == (
        "64 x 64 blocks of 256 threads; a warp reads 4 lines of %B and stores them in 4 cycles of the banks; "
        "a warp reads 4 lines of %A and stores them in 4 cycles of the banks"
    )
    assert found["complete_latency_hiding"].changed.startswith("8 loads of each thread")
    assert found["outline_and_lower"].changed == (
        "kernel @f for a grid of 64 x 64 work-groups of 256 threads, 35840 bytes of shared memory"
    )
    assert {stage.number for stage in STAGES} == set(range(2, len(NAMES) + 1))


@pytest.mark.parametrize(
    ("text", "schedule", "said"),
    [
        (
            Case(100, 128, 64).text,
            "",
            "stage 2, tile_block, does not apply: the 100 iterations over %i are fewer than the tile's 128",
        ),
        (Case(128, 128, 64).text, "pad=4", "stage 5, pad_shared, does not apply: alignment: rows of %b_smem"),
        (Case(128, 128, 64, "i8", "i32").text, "block=128x16x64 warp=64x16x32 pad=16", "bank conflicts: %b_smem has"),
        (
            Case(128, 128, 64).text,
            "warp=64x24x32 block=64x48x64",
            "the 24 iterations over %jjj are no multiple of the 16",
        ),
        (
            Case(128, 96, 64).text,
            "warp=64x24x32 block=64x48x64",
            "the 24 iterations over %jjj are no multiple of the 16",
        ),
        ("func.func @f(%A: memref<4xf32>) {\n  return\n}", "", "stage 1, start, does not apply: there is no product"),
        (Case(4, 4, 4).text.replace("4x4", "?x?"), "", "rows of %B are as far apart as a launch says, and may begin"),
        (
            Case(4, 4, 4).text + Case(4, 4, 4).text.replace("@f", "@g"),
            "",
            "there are 2 products of matrices in the module",
        ),
    ],
)
def test_what_does_not_apply_is_said_with_its_place(text: str, schedule: str, said: str) -> None:
    with pytest.raises(CompileError) as error:
        outcomes(text, schedule)
    (found,) = error.value.diagnostics
    assert found.code == "M12"
    assert said in found.message
    assert found.location.primary is not None


def test_tiles_that_fit_are_proposed() -> None:
    with pytest.raises(CompileError) as error:
        outcomes(Case(100, 128, 64).text, "")
    (found,) = error.value.diagnostics
    assert "block=100x128x64" in found.hints[0]


BATCH = """\
#a = affine_map<(i, b, j, k) -> (b, i, k)>
#b = affine_map<(i, b, j, k) -> (b, k, j)>
#c = affine_map<(i, b, j, k) -> (i, b, j)>
func.func @f(%A: memref<2x32x32xf32>, %B: memref<2x32x32xf32>, %C: memref<32x2x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%A, %B : memref<2x32x32xf32>, memref<2x32x32xf32>) outs(%C : memref<32x2x32xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %z, %p : f32
      linalg.yield %s : f32
  }
  return
}
"""
SQUARED = """\
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
func.func @f(%A: memref<32x32xf32>, %B: memref<32x32xf32>, %C: memref<32x32xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : memref<32x32xf32>, memref<32x32xf32>) outs(%C : memref<32x32xf32>) {
    ^bb0(%x: f32, %y: f32, %z: f32):
      %p = arith.mulf %x, %y : f32
      %q = arith.mulf %p, %p : f32
      %s = arith.addf %z, %q : f32
      linalg.yield %s : f32
  }
  return
}
"""
BESIDE = """\
func.func @f(%A: memref<32x32xf16>, %B: memref<32x32xf16>, %C: memref<32x32xf32>) {
  %one = arith.constant 1.0 : f16
  linalg.fill ins(%one : f16) outs(%A : memref<32x32xf16>)
  linalg.matmul ins(%A, %B : memref<32x32xf16>, memref<32x32xf16>) outs(%C : memref<32x32xf32>)
  return
}
"""
"""What is done beside a product, and not to its result."""


@pytest.mark.parametrize(
    ("text", "schedule", "said", "hint"),
    [
        (BATCH, "", "stage 1, start, does not apply: linalg.generic has a batch that is not the first", "transpose"),
        (
            SQUARED,
            "",
            "stage 1, start, does not apply: linalg.generic does more than add products",
            "operations of their own",
        ),
        (Case(64, 48, 64).text, "block=64x48x64 warp=64x24x32", "stage 6, wmma_generate", "warp=64x32x32"),
        (Case(128, 128, 64).text, "pad=4", "stage 5, pad_shared, does not apply: alignment", "pad=8"),
        (Case(257, 140, 130).text, "", "stage 13, vectorise_copies, does not apply: rows of %B are 140", "vector=2"),
        (Case(64, 64, 64).text, "block=64x64x64 warp=16x16x16 vector=3", "stage 13, vectorise_copies", "vector=8"),
        (Case(64, 64, 64).text, "block=64x64x16 warp=16x16x16", "which 512 threads do not share evenly", "vector=2"),
        (Case(256, 256, 64).text, "block=256x256x16 warp=16x16x16", "256 warps has more than 1024 threads", "warp="),
        (Case(256, 256, 64).text, "block=256x256x64 warp=64x64x64", "the buffers take 70656 bytes", "smaller block"),
        (Case(256, 256, 32).text, "block=256x128x32 warp=128x128x32", "a thread needs 672 registers", "warp=64x32x32"),
        (
            BESIDE,
            "block=32x32x32 warp=16x16x16",
            "stage 17, outline_and_lower, does not apply: linalg.fill",
            "kernel",
        ),
    ],
)
def test_what_does_not_apply_says_what_would(text: str, schedule: str, said: str, hint: str) -> None:
    with pytest.raises(CompileError) as error:
        outcomes(text, schedule)
    (found,) = error.value.diagnostics
    assert said in found.message
    assert hint in "; ".join(map(str, found.hints))
    assert found.location.primary is not None


def test_what_is_beside_the_product_stays(rng: np.random.Generator, tmp_path: Path) -> None:
    a, b, c = Case(32, 32, 32).arrays(rng)
    a[:] = 1
    expected = a.astype(np.float32) @ b.astype(np.float32) + c
    for one in outcomes(BESIDE, "block=16x16x16 warp=16x16x16 vector=4", NAMES[-2])[THREADS - 2 :]:
        assert np.array_equal(computed(one.text, "interpreter", [a, b, c], tmp_path), expected), one.name


def test_open_extents_are_those_of_the_schedule(rng: np.random.Generator, tmp_path: Path) -> None:
    case, schedule = Case(20, 17, 33), "block=16x16x16 warp=16x16x16 vector=1 size=20x17x33"
    text = case.text
    for rows, columns in case.shapes:
        text = text.replace(f"<{rows}x{columns}x", f"<?x{columns}x" if rows == 20 else "<?x?x")
    assert "?x33xf16" in text
    assert "20" not in text
    found = outcomes(text, schedule)
    for one in (found[0], found[-1]):
        run(one, "interpreter", case, schedule, tmp_path, rng)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (Case(20, 17, 33).text, "%A is a memref<20x33xf16>, which is of another size than size=16x16x16"),
        (Case(20, 17, 33).loops, "size= is for operations of linalg"),
        (
            "func.func @f(%A: memref<?x?xf16>, %B: memref<?x?xf16>) {\n  %c = arith.constant 16 : index\n"
            "  %C = memref.alloc(%c, %c) : memref<?x?xf32>\n"
            "  linalg.matmul ins(%A, %B : memref<?x?xf16>, memref<?x?xf16>) outs(%C : memref<?x?xf32>)\n  return\n}\n",
            "%C is a memref<?x?xf32> that is made in the function; size= is for arguments",
        ),
    ],
)
def test_sizes_that_are_not_those_of_the_program(text: str, said: str) -> None:
    with pytest.raises(CompileError) as error:
        outcomes(text, "block=16x16x16 warp=16x16x16 vector=1 size=16x16x16")
    (found,) = error.value.diagnostics
    assert found.code == "M12"
    assert said in found.message
    assert found.hints or "loops" in found.message
