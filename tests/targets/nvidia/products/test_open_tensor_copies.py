"""Factors of extents and strides that only a launch knows: the machine copies where it has maps, else threads do."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from effort import SEED, Ran, count
from targets.nvidia.case import Argument, Array, GroupArgument, Launch, faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.lane_level import interpreted
from targets.nvidia.products.cases import TEXTS, launch, open_launch
from targets.nvidia.products.test_levels import levels, read_back, some
from targets.nvidia.products.test_products import emitted
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import scf
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.dialects.gpu_tensors import CopyTensor
from tilewright.interpreter.engine import interpret
from tilewright.ir.types import BOOL
from tilewright.machine.cuda.architecture import Architecture

TENSOR = "copies=tensor"
KERNELS = count("RANDOM_OPEN_COPIES", 1, 60)

OPEN = [
    # extents, strides of rows, elements behind a multiple of 16 bytes
    ((72, 40, 200), (8, 24), 0),
    ((64, 64, 128), (0, 0), 0),
    ((64, 65, 130), (3, 0), 0),
    ((64, 64, 128), (1, 0), 0),
    ((64, 64, 128), (0, 7), 0),
    ((64, 64, 128), (0, 0), 3),
]
"""All of them by one kernel: some launches have maps of both factors, others do not."""


def test_open_products_emulated(rng: np.random.Generator) -> None:
    for transposed, number in (((False, False), "i32"), ((True, True), "i64")):
        text = TEXTS.open_product(TEXTS.Product((0, 0, 0), "f16", "f32", transposed), (64, 64, 64), number, False)
        llvm, kernel = emitted(text, schedule=TENSOR)
        assert "copies=tensor" in kernel.facts[SCHEDULE]
        program = Program(llvm)
        for given in _open_launches(transposed, number, rng):
            found = faults(given, Emulated(program, (kernel,)).run(given))
            assert not found, found


@pytest.mark.parametrize("stride", [0, 8])
def test_rows_that_overlap(stride: int, rng: np.random.Generator) -> None:
    text = TEXTS.open_product(TEXTS.Product((0, 0, 0), "f16", "f32"), (64, 64, 64))
    llvm, kernel = emitted(text, schedule=TENSOR)
    product = TEXTS.Product((64, 64, 128), "f16", "f32")
    given = open_launch(product, (64, 64), (128, 64), rng)
    a, b, c, *numbers = given.arguments
    assert isinstance(a, np.ndarray)
    assert isinstance(b, np.ndarray)
    rows = np.lib.stride_tricks.as_strided(a, (64, 128), (2 * stride, 2)).astype(np.float64)
    numbers[3] = np.int32(stride)
    given = Launch([a, b, c, *numbers], {2: (rows @ b.astype(np.float64)).astype(np.float32)}, (1, 1, 1))
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found


def _open_launches(transposed: tuple[bool, bool], number: str, rng: np.random.Generator) -> Iterator[Launch]:
    for extents, beyond, first in OPEN:
        product = TEXTS.Product(extents, "f16", "f32", transposed)
        yield open_launch(product, (64, 64), _strides(product, beyond), rng, number, first)


def _strides(product: Any, beyond: tuple[int, int]) -> tuple[int, int]:
    """Of rows that end so many elements before the next one begins."""
    (m, n, k), (ta, tb) = product.extents, product.transposed
    return (m if ta else k) + beyond[0], (k if tb else n) + beyond[1]


@pytest.mark.covering(0)
@pytest.mark.parametrize(("transposed", "number"), [((False, True), "i64"), ((True, False), "i32")])
def test_every_level_means_open_products(transposed: tuple[bool, bool], number: str, rng: np.random.Generator) -> None:
    text = TEXTS.open_product(TEXTS.Product((0, 0, 0), "bf16", "f32", transposed), (64, 64, 64), number, False)
    for module in some(levels(text, Architecture.SM_90A, TENSOR), rng):
        for extents, beyond, first in OPEN[::2]:
            product = TEXTS.Product(extents, "bf16", "f32", transposed)
            given = open_launch(product, (64, 64), _strides(product, beyond), rng, number, first)
            found = faults(given, {2: interpreted(module, given)[2]})
            assert not found, found


@pytest.mark.covering(0)
@pytest.mark.parametrize("transposed", [False, True])
def test_gemm_of_open_matrices(transposed: bool, rng: np.random.Generator) -> None:
    """Extents and strides of memrefs: rows that lie apart, and such that a launch has no map of."""
    llvm, kernel = emitted(TEXTS.whole_gemm(0, "f16", "f32", transposed, "?"), schedule=f"tile=64x64x64 {TENSOR}")
    assert "copies=tensor" in kernel.facts[SCHEDULE]
    program = Program(llvm)
    for (m, n, k), beyond in (((64, 72, 136), 8), ((64, 72, 136), 1), ((67, 9, 75), 0)):
        product = TEXTS.Product((m, n, k), "f16", "f32", (transposed, False))
        given = launch(product, (m, n), "F", rng)
        a, b, c = given.arguments
        given = Launch([_apart(a, beyond), _apart(b, beyond), c], given.expected, (1, 1, 1))
        found = faults(given, Emulated(program, (kernel,)).run(given))
        assert not found, found


def _apart(array: Argument, beyond: int) -> Array:
    """A column-major matrix with so many elements between its columns."""
    assert isinstance(array, np.ndarray)
    room = np.zeros((array.shape[1], array.shape[0] + beyond), array.dtype)
    found = room[:, : array.shape[0]].T
    found[...] = array
    return found


@pytest.mark.parametrize("level", [0, 1], ids=["gpu", "lanes"])
@pytest.mark.parametrize(("beyond", "first", "said"), [(1, 0, "bytes apart"), (0, 3, "does not begin")])
def test_boxes_of_matrices_without_a_map_are_found(
    level: int, beyond: int, first: int, said: str, open_modules: list[Module], rng: np.random.Generator
) -> None:
    """Where the machine copies whatever a launch gives."""
    module = read_back(open_modules[level])
    (branch,) = [
        op
        for op in module.kernels[0].walk()
        if isinstance(op, scf.If) and op.outs and any(isinstance(inner, CopyTensor) for inner in op.walk())
    ]
    branch.set_operand(0, Builder.before_op(branch).constant(1, BOOL))
    product = TEXTS.Product((64, 64, 128), "f16", "f32")
    given = open_launch(product, (64, 64), _strides(product, (beyond, 0)), rng, first=first)
    with pytest.raises(KernelError, match=said):
        interpret(
            module.kernels[0], [each for each in given.arguments if not isinstance(each, GroupArgument)], given.grid
        )


@pytest.fixture(scope="module")
def open_modules() -> list[Module]:
    """On the gpu level and that of lanes."""
    text = TEXTS.open_product(TEXTS.Product((0, 0, 0), "f16", "f32"), (64, 64, 64), aligned=False)
    first, _, last = levels(text, Architecture.SM_90A, TENSOR)
    return [first, last]


def test_extents_that_a_program_computes() -> None:
    text = TEXTS.open_product(TEXTS.Product((0, 0, 0), "f16", "f32"), (64, 64, 64))
    text = text.replace("shape = [%m, %k]", "shape = [%more, %k]").replace(
        "    %at =", "    %more = addi %m, %m : tile<i32>\n    %at ="
    )
    _, kernel = emitted(text)
    said = "copies by threads: a launch does not know extents and strides of memref<f16x?x?>"
    assert "copies=threads" in kernel.facts[SCHEDULE]
    assert said in kernel.facts[SCHEDULE]


@pytest.mark.parametrize("number", range(KERNELS))
def test_random_open_products(number: int, ran: Ran) -> None:
    """One kernel on launches of any extents, distances of rows and alignment, factors in any order."""
    seed = SEED + number
    print(f"seed {seed}")
    choose, rng = random.Random(seed), np.random.default_rng(seed)
    tiles = choose.choice([(64, 64, 64), (64, 128, 64), (128, 64, 64), (64, 64, 128)])
    transposed = (choose.random() < 0.5, choose.random() < 0.5)
    element, width = choose.choice(["f16", "bf16"]), choose.choice(["i32", "i64"])
    aligned, rounded = choose.random() < 0.5, choose.choice(["", element])
    text = TEXTS.open_product(TEXTS.Product((0, 0, 0), element, "f32", transposed, rounded), tiles, width, aligned)
    llvm, kernel = emitted(text, schedule=TENSOR)
    program = Program(llvm)
    for _ in range(4):
        extents = (choose.randint(1, 150), choose.randint(1, 150), choose.randint(1, 300))
        product = TEXTS.Product(extents, element, "f32", transposed, rounded)
        beyond = [choose.randint(0, 9) if choose.random() < 0.5 else None for _ in range(2)]
        strides = _strides(product, (0, 0))
        strides = tuple(-(-s // 8) * 8 if more is None else s + more for s, more in zip(strides, beyond, strict=True))
        first = 0 if aligned else choose.choice([0, 0, 8, 1])
        given = open_launch(product, tiles[:2], (strides[0], strides[1]), rng, width, first)
        schedule = random.Random(seed) if choose.random() < 0.3 else None
        found = faults(given, Emulated(program, (kernel,)).run(given, schedule=schedule))
        assert not found, (extents, strides, first, found)
        ran(1, "products of open extents whose factors the device may copy")


@pytest.mark.covering(0)
@pytest.mark.parametrize(("transposed", "tile"), [(False, "64x64x64"), (True, "64x16x64")])
def test_batches_emulated(transposed: bool, tile: str, rng: np.random.Generator) -> None:
    """Boxes of matrices beside each other, whose number the kernel computes; some launches have no maps of them."""
    llvm, kernels = "", ()
    for extents, beyond in (((3, 72, 40, 136), 0), ((5, 64, 8, 72), 4), ((2, 16, 16, 64), -1024)):
        count, m, n, k = extents
        shapes = ((count, k, m), (count, n, k)) if transposed else ((count, m, k), (count, k, n))
        a, b = (_spaced(shape, beyond, rng) for shape in shapes)
        out = np.full((count, m, n), np.nan, np.float16)
        left, right = (x.swapaxes(1, 2).astype(float) if transposed else x.astype(float) for x in (a, b))
        wanted = (left @ right).astype(np.float16)
        if not kernels:
            factors = (a.swapaxes(1, 2), b.swapaxes(1, 2)) if transposed else (a, b)
            text = tw.matmul.plan(*factors, out, target="nvidia:sm_90a").text
            llvm, *kernels = emitted(text, schedule=f"threads=128 tile={tile} copies=tensor")
            plan = kernels[0].launch
            assert plan is not None
            assert plan.parts is not None
            # blocks share the tiles of all matrices
            assert [len(nest) for nest in plan.parts.nests] == [3]
            assert {len(found.extents) for found in plan.maps} == {3}
        given = Launch([x.transpose() for x in (a, b, out)], {2: wanted.transpose()}, (1, 1, 1))
        found = faults(given, Emulated(Program(llvm), tuple(kernels)).run(given))
        assert not found, found


def _spaced(shape: tuple[int, int, int], beyond: int, rng: np.random.Generator) -> Array:
    """Matrices that begin so many elements behind the end of the one before."""
    count, rows, columns = shape
    step = rows * columns + beyond
    memory = rng.integers(-3, 4, step * (count - 1) + rows * columns).astype(np.float16)
    return np.lib.stride_tricks.as_strided(memory, shape, (2 * step, 2 * columns, 2))
