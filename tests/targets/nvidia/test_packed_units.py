"""Packed items whose products are by matrix instructions, and what threads read at a time: no banks in the way."""

from __future__ import annotations

import random

import numpy as np
import pytest
from msgspec.structs import replace

from tilewright.compiler import CompileOptions, lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.lane_products import CopyAsync, LoadMatrices, Mma
from tilewright.interpreter.engine import interpret
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia import model
from tilewright.targets.nvidia.target import NvidiaTarget
from tilewright.transforms.explanations import explain_kernel

from .case import Launch, faults
from .test_packing import Batch, disagreements, packed

WHOLE = [(16, 16, 16), (32, 32, 32), (64, 64, 64)]
"""Multiples of what instructions of any number of warps multiply, so that matrices are loaded."""
OTHERS = [
    (24, 16, 32),
    (64, 16, 80),
    (35, 9, 20),
    (20, 9, 56),
    (9, 40, 23),
    (33, 17, 18),
    (50, 30, 6),
    (40, 9, 95),
    (7, 5, 3),
    (61, 12, 16),
]


def lowered(batch: Batch) -> Kernel:
    """The kernel on the lane level."""
    module = read_module(Source("batch.tl", batch.text), Report())
    lower_module(module, NvidiaTarget(Architecture.SM_80), CompileOptions(2, verify_each=True), Report())
    (kernel,) = module.kernels
    assert kernel.items >= 1
    assert str(kernel.schedule).startswith("packed")
    return kernel


@pytest.mark.covering(1)
@pytest.mark.parametrize("size", WHOLE + OTHERS)
@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("beta", [0, 1])
def test_products_by_matrix_instructions(
    size: tuple[int, int, int],
    element: str,
    turned: tuple[bool, bool],
    beta: int,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rows, columns and terms that instructions divide and do not, factors in either order."""
    # whatever the other way costs
    monkeypatch.setattr(model, "PACKING", replace(model.PACKING, cycles_of_conversion=1000.0))
    batch = Batch(element, size, turned=turned, beta=beta)
    kernel = lowered(batch)
    operations = {type(op) for op in kernel.walk()}
    assert Mma in operations
    assert size not in WHOLE or LoadMatrices in operations
    assert not disagreements(batch, packed(batch.text), rng, 2)


@pytest.mark.parametrize("size", [(32, 16, 16), (40, 16, 16), (60, 9, 20)])
def test_several_warps_an_item(
    size: tuple[int, int, int], rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of the tile are dealt to warps, which do not all have as many."""
    monkeypatch.setattr(model, "PACKING", replace(model.PACKING, cycles_of_conversion=1000.0, registers=16))
    batch = Batch("f16", size, beta=1)
    kernel = lowered(batch)
    assert Mma in {type(op) for op in kernel.walk()}
    assert kernel.work_group_size in ((64, 1), (128, 1))
    assert not disagreements(batch, packed(batch.text), rng, 3)


@pytest.mark.parametrize("size", [(16, 16, 16), (35, 9, 20)])
def test_matrix_instructions_in_the_interpreter(size: tuple[int, int, int], rng: np.random.Generator) -> None:
    """Reads of what nobody has written, and races of threads, are found there."""
    batch = Batch("f16", size, beta=1)
    launch = batch.launch(rng, 5)
    arguments = [argument for argument in launch.arguments if isinstance(argument, np.ndarray)]
    interpret(lowered(batch), arguments, launch.grid)
    assert not faults(launch, {2: arguments[2]})


@pytest.mark.parametrize(
    ("element", "size"),
    [("f32", (16, 16, 16)), ("f32", (32, 32, 32)), ("f64", (8, 8, 8)), ("f64", (32, 32, 32)), ("f16", (64, 64, 64))],
)
def test_threads_read_and_write_different_banks(element: str, size: tuple[int, int, int]) -> None:
    """What the boxes of threads were before met in banks: of f64 32x32x32 that took 1,856 cycles instead of 1,280."""
    found = explain_kernel(lowered(Batch(element, size)))
    assert [buffer.conflicts for buffer in found.buffers] == [0] * len(found.buffers)


def test_gaps_are_loaded_and_not_written(rng: np.random.Generator) -> None:
    """Rows of items with what lies between them: 16 bytes at a time, but for the last chunk of the batch."""
    batch = Batch("f32", (20, 9, 9), ("pitched", "pitched", "pitched"), gap=4, beta=1)
    on = packed(batch.text)
    launch = on.kernels[0].launch
    assert launch is not None
    widths = {op.width for op in lowered(batch).walk() if isinstance(op, CopyAsync)}
    assert 4 in widths
    for items in (launch.items, 2 * launch.items + 1):
        assert not disagreements(batch, on, rng, items), items


def test_rows_end_where_their_memory_does(rng: np.random.Generator) -> None:
    """What lies behind the last item of a row has no place in shared memory."""
    batch = Batch("f64", (13, 20, 20), ("pitched", "pitched", "rows"), gap=8)
    assert not disagreements(batch, packed(batch.text), rng, 25)


KEPT = """func @k(%P: memref<f32x23x23>, %X: memref<f32x23x9x?>) {
    %one = constant 1.0 : f32
    %two = constant 2.0 : f32
    %zero = constant 0.0 : f32
    %g = group_id.x : index
    %x = subview %X[0:23, 0:9, %g] : memref<f32x23x9>
    %t = alloca : memref<f32x23x9,local>
    %u = alloca : memref<f32x23x9,local>
    gemm %one, %P, %x, %zero, %t
    axpby %two, %t, %zero, %u
    gemm %one, %P, %t, %one, %u
    gemm %one, %P, %u, %one, %x
}"""


def test_what_is_in_a_slab_is_read_again(rng: np.random.Generator) -> None:
    """A product that is written to be multiplied is asked for once more: boxes lie over each other."""
    on = packed(KEPT)
    p, x = (np.asfortranarray(rng.integers(-1, 2, shape).astype(np.float32)) for shape in ((23, 23), (23, 9, 21)))
    expected = x.copy("F")
    for item in range(21):
        t = p @ x[:, :, item]
        expected[:, :, item] += p @ (2 * t + p @ t)
    launch = Launch([p, x], {1: expected}, (21, 1, 1))
    assert not faults(launch, on.run(launch, schedule=random.Random(1)))
