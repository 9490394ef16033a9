"""When the blocks of a sweep are stored, seen in the order of the code: columns of 9 elements in vectors of 16."""

from __future__ import annotations

import re

import pytest

from targets.cpu.collective import Collective, available_levels
from tilewright.machine.processor import FeatureSet

ROWS = 9
pytestmark = pytest.mark.skipif(FeatureSet.AVX512 not in available_levels(), reason="stores under masks need AVX-512")


def _accesses(columns: int, depth: int, beta: int) -> list[str]:
    """Loads and stores of vectors of 16 in a product, in order: "load", "masked load" (the end of memory), ..."""
    types = [f"memref<f32x{m}x{n}>" for m, n in ((ROWS, depth), (depth, columns), (ROWS, columns))]
    run = Collective(
        ", ".join(f"%{name}: {type_}" for name, type_ in zip("ABC", types, strict=True)),
        f"""%al = arith.constant {{value = 1.0}} -> f32
        %be = arith.constant {{value = {float(beta)}}} -> f32
        tl.gemm %al, %A, %B, %be, %C""",
        FeatureSet.AVX512,
    )
    pattern = r"call .*@llvm\.(masked\.(?:load|store))\.v16f32|= (load) <16 x float>|(store) <8 x float>"
    return ["".join(groups).replace(".", " ") for groups in re.findall(pattern, run.text)]


def test_old_elements_are_loaded_before_the_block_before_is_stored() -> None:
    accesses = _accesses(20, 9, 1)
    first = next(k for k, word in enumerate(accesses) if word.endswith("store"))
    assert not [word for word in accesses[first:] if word.endswith("load")]


@pytest.mark.parametrize("beta", [0, 1])
def test_only_the_last_column_is_stored_exactly(beta: int) -> None:
    accesses = _accesses(20, 9, beta)
    assert accesses.count("masked store") == 19
    assert accesses.count("store") == 1
    assert accesses[-1] == "store"


def test_the_factor_one_vector_high_is_loaded_once() -> None:
    accesses = _accesses(40, 9, 0)
    assert sum(word.endswith("load") for word in accesses) == 9


@pytest.mark.parametrize("beta", [0, 1])
def test_loops_over_a_target_that_is_read_store_exactly(beta: int) -> None:
    accesses = _accesses(400, 9, beta)
    assert ("masked store" in accesses) is (beta == 0)
