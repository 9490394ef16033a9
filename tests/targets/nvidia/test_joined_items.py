"""Items joined to one tile: products with a factor that is the same for all, scalars of each item beside them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from msgspec.structs import replace

from generators.element_types import SCALARS
from tilewright.compiler import CompileOptions, lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.lane_products import Mma
from tilewright.dialects.memref import Alloca
from tilewright.dialects.scf import For
from tilewright.interpreter.engine import interpret
from tilewright.ir.types import MemrefType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia import model
from tilewright.targets.nvidia.target import NvidiaTarget
from tilewright.transforms.explanations import explain_kernel

from .case import Launch, faults
from .emulated import emulated
from .test_packing import Batch, numbers

DOUBLES = "m16n8k8.row.col.f64"


def text_of(element: str, size: tuple[int, int, int]) -> str:
    """`Y_i := Y_i + t A1 (s_i A0 X_i + A0 X_i) where s_i is not 0`, of m x k, k x n and m x m matrices."""
    m, n, k = size
    return f"""func @k(%A0: memref<{element}x{m}x{k}>, %A1: memref<{element}x{m}x{m}>, %s: memref<{element}x?>,
                    %t: {element}, %X: memref<{element}x{k}x{n}x?>, %Y: memref<{element}x{m}x{n}x?>) {{
        %one = constant 1.0 : {element}
        %zero = constant 0.0 : {element}
        %g = group_id.x : index
        %f = load %s[%g] : {element}
        %x = subview %X[0:{k}, 0:{n}, %g] : memref<{element}x{k}x{n}>
        %y = subview %Y[0:{m}, 0:{n}, %g] : memref<{element}x{m}x{n}>
        %u = alloca : memref<{element}x{m}x{n},local>
        %v = alloca : memref<{element}x{m}x{n},local>
        gemm %one, %A0, %x, %zero, %u
        gemm %f, %A0, %x, %zero, %v
        axpby %one, %u, %one, %v
        gemm %t, %A1, %v, %one, %y
    }}"""


def launch_of(element: str, size: tuple[int, int, int], rng: np.random.Generator, items: int) -> Launch:
    """Random matrices, and what NumPy makes of them."""
    m, n, k = size
    shapes = ((m, k), (m, m), (items,), (k, n, items), (m, n, items))
    first, second, s, x, y = (numbers(rng, element, *shape) for shape in shapes)
    expected = y.copy("F")
    for item in range(items):
        a0, a1, x_i = (each.astype(np.float64) for each in (first, second, x[:, :, item]))
        found = y[:, :, item] + 2 * a1 @ ((1 + float(s[item])) * (a0 @ x_i))
        expected[:, :, item] = found.astype(SCALARS[element])
    return Launch([first, second, s, np.asarray(2, SCALARS[element])[()], x, y], {5: expected}, (items, 1, 1))


def lowered(text: str, schedule: str, architecture: Architecture = Architecture.SM_90A) -> Module:
    """The module on the lane level."""
    module = read_module(Source("joined.tl", text), Report())
    target = NvidiaTarget(architecture).scheduled(schedule)
    lower_module(module, target, CompileOptions(2, verify_each=True), Report())
    return module


def products(kernel: Kernel) -> set[str]:
    """The matrix instructions of a kernel."""
    return {op.instruction for op in kernel.walk() if isinstance(op, Mma)}


@pytest.mark.parametrize(
    ("element", "size", "schedule", "instruction"),
    [
        ("f64", (12, 5, 7), "packed threads=64 chunk=6x64/64:3", DOUBLES),
        ("f64", (8, 9, 8), "packed threads=64 chunk=14x64/64:7", DOUBLES),
        ("f64", (40, 3, 12), "packed threads=64 chunk=8x32/32:4", DOUBLES),
        ("f16", (12, 5, 7), "packed threads=64 chunk=8x32/32:4", "m16n8k16.row.col.f32.f32"),
        ("bf16", (9, 3, 20), "packed threads=64 chunk=24x32/32:6", "m16n8k16.row.col.bf16"),
    ],
)
def test_joined_items(
    element: str, size: tuple[int, int, int], schedule: str, instruction: str, rng: np.random.Generator
) -> None:
    """Chunks that are full and not, several teams and passes, columns that instructions fill and do not."""
    module = lowered(text_of(element, size), f"{schedule} persistent=no")
    (kernel,) = module.kernels
    assert str(kernel.schedule).startswith(f"{schedule} #"), kernel.schedule
    assert products(kernel) == {instruction}
    on = emulated(module)
    for items in (1, kernel.items, kernel.items + 2):
        launch = launch_of(element, size, rng, items)
        assert not faults(launch, on.run(launch, schedule=random.Random(items))), items


def test_steps_of_instructions_are_a_loop_where_they_are_many(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five steps of the second product, of which two are not many, and two of the first, one of them in part."""
    monkeypatch.setattr("tilewright.transforms.pack_items.units._WRITTEN_OUT", 2)
    size = (40, 3, 12)
    module = lowered(text_of("f64", size), "packed threads=64 chunk=8x32/32:4 persistent=no")
    (kernel,) = module.kernels
    (steps,) = (op for op in kernel.walk() if isinstance(op, For) and op.outs)
    assert any(isinstance(op, Mma) for op in steps.walk())
    launch = launch_of("f64", size, rng, 9)
    assert not faults(launch, emulated(module).run(launch, schedule=random.Random(9)))


@pytest.mark.parametrize(
    ("element", "size", "schedule", "items"),
    [
        ("f64", (12, 5, 7), "packed threads=64 chunk=3x64/64:3 persistent=yes", 22),
        # two passes: what comes next is loaded behind the last; warps go on by themselves
        ("f32", (12, 5, 7), "packed threads=64 chunk=8x8/32 persistent=yes", 75),
    ],
)
def test_blocks_go_on(
    element: str,
    size: tuple[int, int, int],
    schedule: str,
    items: int,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each block runs several chunks, the last of which is not full; threads wait where others read or write."""
    monkeypatch.setattr(model, "PACKING", replace(model.PACKING, multiprocessors=2, all_shared_bytes=1))
    module = lowered(text_of(element, size), schedule)
    (kernel,) = module.kernels
    assert str(kernel.schedule).startswith(f"{schedule} #"), kernel.schedule
    assert kernel.most_blocks is not None
    # a block for each chunk, not for each warp's: small batches are spread over all multiprocessors
    assert kernel.items == int(schedule.partition("chunk=")[2].partition("x")[0])
    assert 2 * kernel.most_blocks * kernel.items < items
    launch = launch_of(element, size, rng, items)
    assert not faults(launch, emulated(module).run(launch, schedule=random.Random(items)))
    arguments = [argument for argument in launch.arguments if isinstance(argument, np.ndarray | np.generic)]
    interpret(kernel, arguments, launch.grid)
    result = arguments[5]
    assert isinstance(result, np.ndarray)
    assert not faults(launch, {5: result})


def test_long_products_of_a_constant_are_joined() -> None:
    """Computed for longer than moved: by instructions of doubles that are in no other batch."""
    (kernel,) = lowered(text_of("f64", (56, 9, 56)), "").kernels
    assert products(kernel) == {DOUBLES}


def test_doubles_are_read_from_different_banks() -> None:
    """Columns of 256 bytes lie further apart than they are long, and lanes take k in pairs."""
    (kernel,) = lowered(text_of("f64", (32, 9, 32)), "packed threads=64 chunk=14x64/64:7").kernels
    assert products(kernel) == {DOUBLES}
    found = explain_kernel(kernel)
    assert [buffer.conflicts for buffer in found.buffers] == [0] * len(found.buffers)


@pytest.mark.parametrize(
    "batch",
    [
        Batch("f64", (56, 9, 56), ("rows", "fixed", "rows")),
        Batch("f64", (56, 9, 56), ("fixed", "pointers", "rows")),
        Batch("f64", (56, 9, 56), ("fixed", "rows", "gaps"), gap=4),
        Batch("f64", (56, 56, 9), ("fixed", "rows", "rows"), turned=(False, True)),
    ],
)
def test_what_has_no_columns_behind_each_other_is_not_joined(batch: Batch) -> None:
    (kernel,) = lowered(batch.text, "").kernels
    assert ":" not in str(kernel.schedule).partition("#")[0]


def test_blocks_go_on_behind_what_reads_the_left_factors(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The right factor is the same for all items: nothing of the next chunk comes while the left ones are read."""
    monkeypatch.setattr(model, "PACKING", replace(model.PACKING, multiprocessors=2, all_shared_bytes=1))
    text = """func @k(%A: memref<f64x5x8x?>, %B: memref<f64x8x16>, %t: f64, %C: memref<f64x5x16x?>) {
        %zero = constant 0.0 : f64
        %g = group_id.x : index
        %a = subview %A[0:5, 0:8, %g] : memref<f64x5x8>
        %c = subview %C[0:5, 0:16, %g] : memref<f64x5x16>
        gemm %t, %a, %B, %zero, %c
    }"""
    module = lowered(text, "packed threads=64 chunk=8x4/32 persistent=yes")
    (kernel,) = module.kernels
    items = 100
    assert kernel.most_blocks is not None
    assert kernel.most_blocks * kernel.items < items
    left, right = (numbers(rng, "f64", *shape) for shape in ((5, 8, items), (8, 16)))
    expected = 2 * np.einsum("ikg,kj->ijg", left, right)
    launch = Launch(
        [left, right, np.float64(2), np.full((5, 16, items), np.nan, order="F")], {3: expected}, (items, 1, 1)
    )
    assert not faults(launch, emulated(module).run(launch, schedule=random.Random(items)))


@pytest.mark.parametrize(
    ("element", "size", "chunk", "strides"),
    [
        # seven rows and a zero, eight columns and one
        ("f32", (56, 9, 4), "4x8/32", [(1, 8, 36), (1, 8, 452)]),
        # rows of two pieces, two panels of columns, of which three are held
        ("f64", (8, 6, 5), "8x4/32", [(1, 4, 22), (1, 4, 34)]),
        # lanes of two items by turns
        ("f64", (8, 6, 5), "8x4/32 pairs=yes", [(1, 4, 22), (1, 4, 34)]),
    ],
)
def test_factors_lie_in_panels(
    element: str,
    size: tuple[int, int, int],
    chunk: str,
    strides: list[tuple[int, ...]],
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What computes for longer than it moves: threads read what they hold side by side, panels in different banks."""
    fast = replace(model.PACKING, bytes_a_cycle=1e3, multiprocessors=2, all_shared_bytes=1, cycles_of_access=1.0)
    monkeypatch.setattr(model, "PACKING", fast)
    module = lowered(text_of(element, size), f"packed threads=32 chunk={chunk} persistent=yes")
    (kernel,) = module.kernels
    assert ("pairs=yes" in str(kernel.schedule)) == ("pairs" in chunk)
    memories = [op.out.type for op in kernel.walk() if isinstance(op, Alloca)]
    found = [type_.strides for type_ in memories if isinstance(type_, MemrefType) and type_.order == 3]
    assert found == strides
    items = 2 * kernel.items + 1
    launch = launch_of(element, size, rng, items)
    assert not faults(launch, emulated(module).run(launch, schedule=random.Random(items)))
    arguments = [argument for argument in launch.arguments if isinstance(argument, np.ndarray | np.generic)]
    interpret(kernel, arguments, launch.grid)
    result = arguments[5]
    assert isinstance(result, np.ndarray)
    assert not faults(launch, {5: result})


@pytest.mark.parametrize("schedule", ["", "packed threads=64 chunk=6x5/32"])
@pytest.mark.parametrize("element", ["f32", "f16"])
def test_slabs_begin_where_all_banks_do(element: str, schedule: str) -> None:
    """Behind 81 elements that are the same for all items too; rows of items keep their distance from such a place."""
    module = lowered(Batch(element, (20, 9, 9), ("rows", "fixed", "rows")).text, schedule)
    (kernel,) = module.kernels
    slabs = [op for op in kernel.walk() if isinstance(op, Alloca)]
    types = [op.out.type for op in slabs]
    crews = [type_.strides[-1] for type_ in types if isinstance(type_, MemrefType) and type_.order == 4]
    assert [(op.offset or 0) % 128 for op in slabs] == [0] * 3
    assert [(distance or 1) * SCALARS[element].itemsize % 128 for distance in crews] == [0] * 2
