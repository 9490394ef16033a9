"""Stages of products in a batch, scaled, with fillings, biases, activations and residuals around them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from effort import Ran, count, parts, thorough
from ir.mlir import tool
from targets.nvidia.launching import program_of_module
from tilewright.diagnostics import CompileError
from tilewright.ir.mlir.operations import MlirFile
from tilewright.ir.mlir.printer import print_generic
from tilewright.transforms.matmul_stages import NAMES
from transforms.matmul_stages.products import module_of, outcomes, program_of, unit_of
from transforms.matmul_stages.surrounded import BEHIND, FRONT, RINGS, Surrounded

TILES = "block=16x16x16 warp=16x16x16 vector=1"
CASES = [
    Surrounded(17, 18, 19, batch=(2,), alpha="alpha", front=("beta",), behind=("bias", "relu", "residual")),
    Surrounded(16, 33, 32, "i8", "i32", alpha="half", front=("fill",), behind=("rows", "scale", "narrow"), looped=True),
    Surrounded(32, 16, 17, "f16", "f16", batch=(1, 3), behind=("narrow", "gelu"), as_loops=True),
]
"""Every kind of what may be around a product."""
TYPES = [("f16", "f32"), ("f16", "f16"), ("i8", "i32"), ("bf16", "f32"), ("f32", "f32"), ("f64", "f64")]


def schedule_of_case(case: Surrounded) -> str:
    """Tiles, with rows as long as their elements want them."""
    return f"{TILES} pad={0 if case.factor == 'i8' else 8}"


@pytest.mark.covering(0)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_stage_in_the_interpreter(case: Surrounded, rng: np.random.Generator, tmp_path: Path) -> None:
    """A usual run takes every second stage, from the first or the second on."""
    schedule = schedule_of_case(case)
    found = outcomes(case.text, schedule)
    assert [one.name for one in found] == list(NAMES)
    for one in found if thorough() else found[int(rng.integers(2)) :: 2]:
        case.run(one, "interpreter", schedule, tmp_path, rng)


def test_a_constant_scale_that_nothing_else_uses_stays(rng: np.random.Generator, tmp_path: Path) -> None:
    """Of products without what is no whole tile; their sum is scaled behind the loops."""
    case = Surrounded(16, 16, 32, alpha="half")
    found = outcomes(case.text, schedule_of_case(case))
    case.run(found[NAMES.index("cse_hoist_c")], "interpreter", schedule_of_case(case), tmp_path, rng)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_emulated_device(case: Surrounded, rng: np.random.Generator) -> None:
    schedule = schedule_of_case(case) + str(rng.choice(RINGS))
    module = module_of(outcomes(case.text, schedule)[-1])
    case.check(program_of_module(module), case.grid(schedule), rng, "the device")


@tool.needed
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_stock_tool_accepts_every_program(case: Surrounded) -> None:
    texts = [one.text for one in outcomes(case.text, schedule_of_case(case))]
    accepted = tool.reprinted_together(texts)
    for text in texts:
        accepted(text)
        if text is not texts[-1]:
            assert print_generic(MlirFile(unit_of(text))) == text


def test_one_column_is_left_over_beside_a_batch_of_one(rng: np.random.Generator, tmp_path: Path) -> None:
    """Both have the number 0 in the loop over elements that are left over."""
    case = Surrounded(16, 17, 16, batch=(2, 1), behind=("residual",))
    case.run(outcomes(case.text, schedule_of_case(case))[-1], "interpreter", TILES, tmp_path, rng)


PARTS = parts(6)


@pytest.mark.parametrize("part", PARTS)
def test_any_surroundings(part: int, rng: np.random.Generator, ran: Ran, tmp_path: Path) -> None:
    total = count("RANDOM_SURROUNDED_PRODUCTS", 2, 150) // len(PARTS)
    for number in range(total):
        factor, sum_ = TYPES[rng.integers(len(TYPES))]
        m, n, k = (int(extent) for extent in rng.integers(16, 50, 3))
        steps = [name for name in BEHIND if name != "gelu" or sum_ == "f32"]
        case = Surrounded(
            m,
            n,
            k,
            factor,
            sum_,
            tuple(int(e) for e in rng.integers(1, 4, rng.integers(3))),
            str(rng.choice(["", "alpha", "half"] if sum_ != "f16" else ["", "alpha"])),
            tuple(map(str, rng.choice(FRONT, rng.integers(3)))),
            tuple(map(str, rng.choice(steps, rng.integers(4)))) if sum_ != "f16" else ("bias", "relu"),
            bool(rng.integers(2)),
            bool(rng.integers(2)),
        )
        found = outcomes(case.text, schedule_of_case(case) + str(rng.choice(RINGS)))
        for one in (found[int(rng.integers(len(found)))], found[-1]) if number % 10 != 5 else found:
            case.run(one, "interpreter", TILES, tmp_path, rng)
    ran(total, "products with surroundings through the stages")


@pytest.mark.parametrize(
    ("case", "was", "becomes"),
    [
        (Surrounded(16, 16, 16, "i8", "i32", behind=("bias",)), "(i, j) -> (j)", "(i, j) -> (15 - j)"),
        (Surrounded(16, 16, 16, "i8", "i32", behind=("rows",)), "(i, j) -> (i)", "(i, j) -> (0)"),
    ],
)
def test_what_is_read_only_is_read_anywhere(
    case: Surrounded, was: str, becomes: str, rng: np.random.Generator, tmp_path: Path
) -> None:
    text = case.text
    assert was in text
    a, b, c, *others = case.arguments(rng)
    summed = c + a.astype(np.int32) @ b.astype(np.int32)
    bias, rows = others[:2]
    expected = summed + (bias[::-1] if case.behind == ("bias",) else rows[0])
    found = outcomes(text.replace(was, becomes), f"{TILES} pad=0")
    program_of(found[-1], "interpreter", tmp_path).f[1, 1](a, b, c, *others)
    assert np.array_equal(c, expected)


ELSEWHERE = """\
#id = affine_map<(i, j) -> (i, j)>
#other = affine_map<(i, j) -> (j, i)>
func.func @f(%A: memref<16x16xf16>, %B: memref<16x16xf16>, %C: memref<16x16xf32>) {
  linalg.matmul ins(%A, %B : memref<16x16xf16>, memref<16x16xf16>) outs(%C : memref<16x16xf32>)
  linalg.generic {indexing_maps = [#other, #id], iterator_types = ["parallel", "parallel"]}
      ins(%C : memref<16x16xf32>) outs(%C : memref<16x16xf32>) {
    ^bb0(%d: f32, %c: f32):
      %s = arith.addf %c, %d : f32
      linalg.yield %s : f32
  }
  return
}
"""


def test_what_is_computed_from_other_elements_stays_beside() -> None:
    """An element that another one is computed from may not be written before that is."""
    with pytest.raises(CompileError) as error:
        outcomes(ELSEWHERE, TILES)
    (found,) = error.value.diagnostics
    assert "stage 17, outline_and_lower, does not apply: linalg.generic stands beside" in found.message


def test_a_batch_is_the_first_dimension_of_all_matrices() -> None:
    text = Surrounded(16, 16, 16, batch=(2,)).text
    text = text.replace("-> (b0, i, j)>", "-> (i, b0, j)>").replace("memref<2x16x16xf32>", "memref<16x2x16xf32>")
    with pytest.raises(CompileError) as error:
        outcomes(text, TILES)
    (found,) = error.value.diagnostics
    assert "has a batch that is not the first dimension of each matrix" in found.message
    assert found.hints


@pytest.mark.parametrize("is_row_of_c", [True, False])
def test_a_bias_that_is_a_row_of_the_result_is_added_behind_all(*, is_row_of_c: bool) -> None:
    """The first row is doubled, and the doubled one added to the others; any other bias is added element by element."""
    row = "memref<16xf32, strided<[1]>>"
    text = f"""
func.func @f(%A: memref<16x16xf16>, %B: memref<16x16xf16>, %C: memref<16x16xf32>, %D: memref<16xf32>) {{
  %row = memref.reinterpret_cast %C to offset: [0], sizes: [16], strides: [1] : memref<16x16xf32> to {row}
  linalg.matmul ins(%A, %B : memref<16x16xf16>, memref<16x16xf16>) outs(%C : memref<16x16xf32>)
  affine.for %i = 0 to 16 {{
    affine.for %j = 0 to 16 {{
      %c = affine.load %C[%i, %j] : memref<16x16xf32>
      %d = affine.load {f"%row[%j] : {row}" if is_row_of_c else "%D[%j] : memref<16xf32>"}
      %s = arith.addf %c, %d : f32
      affine.store %s, %C[%i, %j] : memref<16x16xf32>
    }}
  }}
  return
}}
"""
    (found,) = outcomes(text, f"{TILES} pad=8", NAMES[0])
    assert ("1 nests over the elements of C behind" in found.changed) is not is_row_of_c
