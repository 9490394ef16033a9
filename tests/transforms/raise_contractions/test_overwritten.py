"""Stores that another one of the same place follows are erased, unless something in between may read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontends.mlir.forms import PRINTED, parts_of
from tilewright.transforms.raise_contractions import RaiseContractions
from tilewright.transforms.raise_contractions.overwritten import drop_overwritten
from transforms.raise_contractions.test_coalesced import PRODUCTS
from transforms.raise_contractions.test_delinearisation import lowered
from transforms.support import kernel, names, run

REPLACED = [p for p in PRINTED if parts_of(p)[1] == "replaced" and parts_of(p)[0] in PRODUCTS]


@pytest.mark.parametrize("path", REPLACED, ids=lambda p: p.stem)
def test_products_of_the_stock_tool(path: Path) -> None:
    """Unrolled, and with what was stored handed on; results are compared where all forms of the corpus are."""
    module = lowered(path.read_text())
    run(module, RaiseContractions())
    assert names(module)["tl.gemm"] >= 1


STORES = """
    %z = arith.constant {value = 0} -> index
    %one = arith.constant {value = 1} -> index
    %x = memref.load %A, %z -> f32
    memref.store %x, %C, %z
BETWEEN
    %y = arith.add %x, %x -> f32
    memref.store %y, %C, %z
"""


@pytest.mark.parametrize(
    ("between", "left"),
    [
        ("", 1),
        ("    %v = memref.load %A, %one -> f32", 1),
        ("    memref.store %x, %C, %one", 2),
        ("    %v = memref.load %B, %z -> f32", 1),
        ("    %v = memref.load %C, %one -> f32", 2),
        ("    team.barrier {fence_global = true}", 2),
        ("    scf.for %z, %one {operand_segments = [1, 1, 0, 0]} (%i: index) {\n    }", 2),
        ("    team.spmd {\n    }", 2),
    ],
    ids=[
        "nothing",
        "another load",
        "another place",
        "what shares nothing",
        "the memory itself",
        "barrier",
        "loop",
        "items",
    ],
)
def test_what_may_read_a_store_keeps_it(between: str, left: int) -> None:
    module = kernel(
        "%A: memref<f32x8>, %B: memref<f32x8>, %C: memref<f32x8>",
        STORES.replace("BETWEEN", between),
        "parameter_attributes = [{}, {}, {noalias = true}], work_group_size = [32, 1], subgroup_size = 32",
    )
    before = names(module)["memref.store"]
    assert drop_overwritten(module.kernels[0]) is (left < before)
    assert names(module)["memref.store"] == left


def test_what_may_share_memory_keeps_a_store() -> None:
    between = "    %v = memref.load %B, %one -> f32"
    module = kernel("%A: memref<f32x8>, %B: memref<f32x8>, %C: memref<f32x8>", STORES.replace("BETWEEN", between))
    assert not drop_overwritten(module.kernels[0])
    assert names(module)["memref.store"] == 2


def test_work_items_see_each_store_of_another() -> None:
    module = kernel(
        "%A: memref<f32x8>, %C: memref<f32x8>",
        f"    team.spmd {{{STORES.replace('BETWEEN', '')}    }}",
        "parameter_attributes = [{}, {noalias = true}], work_group_size = [32, 1], subgroup_size = 32",
    )
    assert not drop_overwritten(module.kernels[0])
