"""Stages of products of every type, through matrices that MLIR's gpu has and those that it has not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from effort import Ran, count, thorough
from ir.mlir import tool
from targets.nvidia.launching import program_of_module
from tilewright.diagnostics import CompileError
from tilewright.dialects.mlir import mma
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.mlir.operations import MlirFile
from tilewright.ir.mlir.printer import print_generic
from tilewright.ir.types import BF16, F64, INDEX, ScalarType
from tilewright.transforms.matmul_stages import NAMES
from transforms.matmul_stages.mutations import Mutation, found_broken
from transforms.matmul_stages.products import At, Case, module_of, outcomes, run, unit_of

TILES = "block=16x16x16 warp=16x16x16 vector=1"
MATRICES = NAMES.index("wmma_generate")
THREADS = NAMES.index("map_to_gpu")
TYPES = [
    ("bf16", "f32", ""),
    ("bf16", "bf16", ""),
    ("f32", "f32", ""),
    ("f32", "f32", "precision=tf32"),
    ("f64", "f64", ""),
    ("f64", "f64", "matrix=8x8x4"),
    ("f32", "f64", ""),
    ("f16", "f64", ""),
    ("i8", "i32", "pad=0"),
    ("i8", "i8", "pad=0"),
    ("i16", "i32", ""),
    ("i64", "i64", ""),
    ("i8 i16", "i32", "pad=0"),
    ("f32 f16", "f32", ""),
    ("f32 f64", "f64", ""),
    ("i32 i8", "i64", "pad=0"),
]
"""Types of factors (or of both) and of sums that matrices of a warp have, and what the schedule says of them."""


def case_of(types: tuple[str, str, str], rng: np.random.Generator) -> Case:
    """A product of two steps along k, with or without what is no whole tile; sums are whole numbers up to 256."""
    m, n, k = (int(rng.integers(16, 20)), 16, 32) if rng.integers(2) else (16, int(rng.integers(16, 20)), 35)
    return of_types(m, n, k, types, str(rng.choice(["", "a", "b"])))


def of_types(m: int, n: int, k: int, types: tuple[str, str, str], transposed: str = "") -> Case:
    """A product of these extents."""
    first, _, second = types[0].partition(" ")
    return Case(m, n, k, first, types[1], transposed, second=second)


@pytest.mark.covering(0)
@pytest.mark.parametrize("types", TYPES, ids=str)
def test_every_type_ends_in_the_interpreter_and_on_the_emulated_device(
    types: tuple[str, str, str], rng: np.random.Generator, tmp_path: Path
) -> None:
    """Another stage from the sixth on each time, all if thorough."""
    case, schedule = case_of(types, rng), f"{TILES} {types[2]}"
    found = outcomes(case.text, schedule)
    assert [one.name for one in found] == list(NAMES)
    chosen = found[MATRICES:] if thorough() else [found[int(rng.integers(MATRICES, len(NAMES)))]]
    for one in chosen:
        run(one, "interpreter", case, schedule, tmp_path, rng)
    arrays = case.arrays(rng)
    expected = case.expected(*arrays)
    program_of_module(module_of(found[-1])).f[case.n // 16, case.m // 16](*arrays)
    assert np.array_equal(arrays[2], expected)


@pytest.mark.covering(1)
@pytest.mark.parametrize("types", TYPES if thorough() else TYPES[::3], ids=str)
@pytest.mark.parametrize("number", [MATRICES, THREADS - 1, len(NAMES) - 1])
def test_every_type_on_the_cpu(
    types: tuple[str, str, str], number: int, rng: np.random.Generator, tmp_path: Path
) -> None:
    case, schedule = case_of(types, rng), f"{TILES} {types[2]}"
    run(outcomes(case.text, schedule)[number], "cpu", case, schedule, tmp_path, rng)


def test_any_product_of_any_type(rng: np.random.Generator, ran: Ran, tmp_path: Path) -> None:
    total = count("RANDOM_MATMUL_STAGES_TYPES", 1, 200)
    for _ in range(total):
        types = TYPES[rng.integers(len(TYPES))]
        m, n = (int(extent) for extent in rng.integers(16, 64, 2))
        k = int(rng.integers(17, 40) if types[1] in ("bf16", "i8") else rng.integers(17, 60))
        case = of_types(m, n, k, types, str(rng.choice(["", "a", "b"])))
        schedule = f"{TILES} {types[2]}"
        found = outcomes(case.text, schedule)
        run(found[int(rng.integers(MATRICES, len(NAMES)))], "interpreter", case, schedule, tmp_path, rng)
        arrays = case.arrays(rng)
        expected = case.expected(*arrays)
        program_of_module(module_of(found[-1])).f[case.n // 16, case.m // 16](*arrays)
        assert np.array_equal(arrays[2], expected), (case, schedule)
    ran(total, "products of any type through the stages, in the interpreter and on the emulated device")


@tool.needed
def test_the_stock_tool_accepts_every_program_of_every_type() -> None:
    """Of matrices that it does not know as of operations of a dialect that is not registered."""
    texts = [
        one.text
        for types in TYPES[:: 1 if thorough() else 2]
        for one in outcomes(of_types(16, 16, 32, types).text, f"{TILES} {types[2]}")[MATRICES :: 1 if thorough() else 5]
    ]
    accepted = tool.reprinted_together(texts)
    for text in texts:
        accepted(text)
        if '"tw.' not in text:
            assert print_generic(MlirFile(unit_of(text))) == text


@pytest.mark.parametrize(
    ("factor", "total", "more", "spelled"),
    [
        ("f16", "f32", "", '!gpu.mma_matrix<16x16xf16, "AOp">'),
        ("i8", "i32", "", '!gpu.mma_matrix<16x16xsi8, "AOp">'),
        ("bf16", "f32", "", '!tilewright.mma_matrix<16x16xbf16, "AOp">'),
        ("f64", "f64", "", '!tilewright.mma_matrix<16x8xf64, "AOp">'),
        ("f32", "f32", "", '!tilewright.mma_matrix<16x4xf32, "AOp">'),
        ("f32", "f32", "precision=tf32", '!tilewright.mma_matrix<16x8xtf32, "AOp">'),
        ("f16", "f64", "", '!tilewright.mma_matrix<16x16xf16, "AOp">'),
        ("i8 i16", "i32", "pad=16", '!tilewright.mma_matrix<16x4xi16, "AOp">'),
    ],
)
def test_matrices_are_those_of_gpu_where_it_means_exact_products(
    factor: str, total: str, more: str, spelled: str
) -> None:
    """MLIR's gpu takes factors of f32 as tf32."""
    case = of_types(64, 64, 64, (factor, total, more))
    text = outcomes(case.text, f"block=64x64x64 warp=32x32x32 {more}", "wmma_generate")[-1].text
    assert spelled in text
    assert ('"tilewright.subgroup_mma_compute"' in text) is spelled.startswith("!tilewright")


def test_factors_are_rounded_where_the_schedule_asks_for_tf32(tmp_path: Path, rng: np.random.Generator) -> None:
    """1 + 2^-12 is no number of tf32, which has 10 bits of fraction."""
    case = Case(16, 16, 16, "f32", "f32")
    a, b, c = case.arrays(rng)
    a[:], b[:], c[:] = 1 + 2.0**-12, np.eye(16), 0
    for more, expected in (("", 1 + 2.0**-12), ("precision=tf32", 1)):
        given = [a.copy(), b.copy(), c.copy()]
        module = module_of(outcomes(case.text, f"{TILES} {more}")[-1])
        program_of_module(module).f[1, 1](*given)
        assert np.all(given[2] == np.float32(expected))


@pytest.mark.parametrize(
    ("text", "schedule", "said", "hint"),
    [
        (Case(64, 64, 64).text, "precision=tf32", "precision=tf32 is for products of f32", "leave precision= away"),
        (
            Case(64, 64, 64, "f32", "f32").text,
            "precision=tf32 matrix=16x16x4",
            "matrices of 16x16x4 are no whole ones of an instruction for tf32",
            "give a multiple of 16x8x8",
        ),
        (
            Case(64, 64, 64).text,
            "matrix=8x8x4",
            "matrices of 8x8x4 are no whole ones of an instruction for f16",
            "give a multiple of 16x8x16",
        ),
    ],
)
def test_types_and_matrices_without_instructions(text: str, schedule: str, said: str, hint: str) -> None:
    with pytest.raises(CompileError) as error:
        outcomes(text, f"block=64x64x32 warp=32x32x32 {schedule}")
    (found,) = error.value.diagnostics
    assert found.code == "M12"
    assert "stage 6, wmma_generate, does not apply" in found.message
    assert said in found.message
    assert hint in "; ".join(map(str, found.hints))


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    ("factor", "total"),
    [("f32", "f32"), ("f64", "f64"), ("bf16", "f32"), ("i8", "i32"), ("i64", "i64"), ("i8 i16", "i32")],
)
def test_what_is_not_given_suits_the_type(factor: str, total: str) -> None:
    """All stages apply without a schedule: to buffers, registers, rows of 16 bytes."""
    found = outcomes(of_types(128, 128, 64, (factor, total, "")).text, "")
    assert found[-1].name == NAMES[-1]
    assert "16 bytes each" in found[NAMES.index("vectorise_copies")].changed or factor == "i8"


def test_vectors_are_of_what_one_instruction_moves_of_the_wider_factor() -> None:
    case = of_types(64, 64, 64, ("i8 i16", "i32", ""))
    with pytest.raises(CompileError, match=r"16 elements of 2 bytes are not what one instruction moves"):
        outcomes(case.text, "block=64x64x32 warp=32x32x32 vector=16", "vectorise_copies")


def _retype(role: str, dialect: str, element: ScalarType) -> Mutation:
    """A matrix that is read is of another type than its memory."""

    def mutate(at: At) -> None:
        for op in at.unit.walk():
            if isinstance(op, mma.LoadMatrix) and op.matrix.role == role:
                old = op.matrix
                op.out.type = mma.MatrixType(old.rows, old.columns, element, role, dialect)

    return mutate


def _lead(at: At) -> None:
    op = next(op for op in at.unit.walk() if isinstance(op, mma.LoadMatrix))
    op.attributes["leadDimension"] = IntegerAttribute(16, INDEX)


@pytest.mark.parametrize("stage", ["wmma_generate", "cse_hoist_c", "map_to_gpu"])
@pytest.mark.parametrize(
    ("mutate", "said"),
    [
        (_retype("AOp", "tilewright", BF16), "fragment types: the matrix is a !tilewright.mma_matrix<16x4xbf16"),
        (_retype("BOp", "gpu", F64), "fragment types: the matrix is a !gpu.mma_matrix<4x16xf64"),
        (_lead, "lead dimension: "),
    ],
    ids=["less precise factors", "matrices of another dialect", "lead dimension"],
)
def test_matrices_of_other_types_are_found(stage: str, mutate: Mutation, said: str) -> None:
    found_broken(stage, mutate, said, Case(32, 32, 32, "f32", "f32"), TILES)
