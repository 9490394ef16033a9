"""Functions of a product of matrices are computed where the product is, and fused with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from tilewright.dialects import scf
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.tlx.elementwise import Fabs, Floor, Relu
from tilewright.dialects.tlx.products import MatMul
from tilewright.ir.core import Value
from tilewright.ir.types import INDEX
from tilewright.transforms.canonicalize import Canonicalize
from tilewright.transforms.fuse_epilogues import FuseEpilogues
from tilewright.transforms.generic_policies import GenericTeamPolicy
from tilewright.transforms.infer_work_group import InferWorkGroup
from transforms.lower_tlx.memory_programs import POINTER, load, module_of, programs, store
from transforms.lower_tlx.programs import lowered
from transforms.support import names, run

LARGE = 8
"""Elements from which on tensors live in memory."""


def finished(b: Builder, given: Sequence[Value]) -> None:
    """B := floor(relu(A A))."""
    a = load(b, given[0])
    store(b, given[1], b(Floor(b(Relu(b(MatMul(a, a)).out)).out)).out)


def test_functions_of_a_product_become_its_epilogue() -> None:
    module = lowered(module_of([POINTER] * 2, finished), LARGE)
    assert names(module)["tl.foreach"] == 2
    run(module, InferWorkGroup(GenericTeamPolicy()), Canonicalize(), FuseEpilogues())
    assert not names(module)["tl.foreach"]
    assert not names(module)["tl.gemm"]


@pytest.mark.parametrize("shift", [-40, -35, -7, -1, 0, 1, 7, 35, 40])
def test_targets_of_epilogues_that_overlap_a_factor(shift: int, rng: np.random.Generator) -> None:
    for name, program in programs(lambda: module_of([POINTER] * 2, finished), LARGE).items():
        memory = rng.integers(-4, 5, 160).astype(np.float32)
        expected, a = memory.copy(), memory[60:96].reshape(6, 6)
        expected[60 + shift : 96 + shift] = np.maximum(a @ a, 0).reshape(-1)
        program["f"][1](memory[60:96], memory[60 + shift : 96 + shift])
        assert np.array_equal(memory, expected), name


def twice_used(b: Builder, given: Sequence[Value]) -> None:
    """B := relu(A A), C := |A A|."""
    a = load(b, given[0])
    product = b(MatMul(a, a)).out
    store(b, given[1], b(Relu(product)).out)
    store(b, given[2], b(Fabs(product)).out)


def in_a_loop(b: Builder, given: Sequence[Value]) -> None:
    """B := floor(A A), again and again, C := the same."""
    a = load(b, given[0])
    product = b(MatMul(a, a)).out
    region, block = new_region([INDEX])
    inner = Builder(block)
    store(inner, given[1], inner(Floor(product)).out)
    b(scf.For(b.index(0), b.index(3), region))
    store(b, given[2], load(b, given[1]))


@pytest.mark.parametrize("body", [twice_used, in_a_loop])
def test_products_that_others_use_stay(
    body: Callable[[Builder, Sequence[Value]], None], rng: np.random.Generator
) -> None:
    for name, program in programs(lambda: module_of([POINTER] * 3, body), LARGE).items():
        a, b, c = (rng.integers(-4, 5, (6, 6)).astype(np.float32) for _ in range(3))
        program["f"][1](a, b, c)
        product = a @ a
        wanted = (np.maximum(product, 0), np.abs(product)) if body is twice_used else (product, product)
        assert np.array_equal(b, wanted[0]), name
        assert np.array_equal(c, wanted[1]), name
