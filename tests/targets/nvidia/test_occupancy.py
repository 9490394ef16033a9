"""How many blocks ptxas is told to leave room for: where a slow version of a kernel would take registers from all."""

from __future__ import annotations

import pytest

from tilewright.compiler import CompileOptions, lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.memref import Alloca
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.occupancy import least_blocks
from tilewright.targets.nvidia.pressure import Pressure, pressure
from tilewright.targets.nvidia.target import NvidiaTarget

from .test_packing import Batch
from .test_ragged import lowered as lowered_text


def lowered(text: str) -> Kernel:
    """The kernel on the lane level, for 128 threads unless it is packed."""
    module = read_module(Source("kernel", text), Report())
    lower_module(module, NvidiaTarget(Architecture.SM_90A), CompileOptions(2), Report())
    return module.kernels[0]


def pointers(arrays: int, width: int) -> str:
    """z := x + .. + x, at pointers with a mask, so many arrays in all."""
    lines: list[str] = []
    total = ""
    for k in range(arrays):
        lines += [
            f"%p{k}_1 = reshape %x{k} : tile<ptr<f32>> -> tile<1xptr<f32>>",
            f"%p{k}_all = broadcast %p{k}_1 : tile<1xptr<f32>> -> tile<{width}xptr<f32>>",
            f"%p{k} = offset %p{k}_all, %at : tile<{width}xptr<f32>>, tile<{width}xi32> -> tile<{width}xptr<f32>>",
        ]
        if k == arrays - 1:
            lines.append(
                f"%d = store_ptr_tko weak %p{k}, {total}, %mask : tile<{width}xptr<f32>>, tile<{width}xf32>, "
                f"tile<{width}xi1> -> token"
            )
            continue
        lines.append(
            f"%v{k}, %t{k} = load_ptr_tko weak %p{k}, %mask : tile<{width}xptr<f32>>, tile<{width}xi1> -> "
            f"tile<{width}xf32>, token"
        )
        if total:
            lines.append(f"%s{k} = addf {total}, %v{k} : tile<{width}xf32>")
        total = f"%s{k}" if total else f"%v{k}"
    parameters = ", ".join(f"%x{k}: tile<ptr<f32>>" for k in range(arrays))
    return f"""cuda_tile.module @m {{ entry @add({parameters}, %n: tile<i32>) {{
        %bx, %by, %bz = get_tile_block_id : tile<i32>
        %width = constant <i32: {width}> : tile<i32>
        %base = muli %bx, %width : tile<i32>
        %i = iota : tile<{width}xi32>
        %bases_1 = reshape %base : tile<i32> -> tile<1xi32>
        %bases = broadcast %bases_1 : tile<1xi32> -> tile<{width}xi32>
        %at = addi %i, %bases : tile<{width}xi32>
        %ends_1 = reshape %n : tile<i32> -> tile<1xi32>
        %ends = broadcast %ends_1 : tile<1xi32> -> tile<{width}xi32>
        %mask = cmpi less_than %at, %ends, signed : tile<{width}xi32> -> tile<{width}xi1>
        {chr(10).join(lines)}
        return
    }} }}"""


@pytest.mark.parametrize(("arrays", "blocks"), [(3, 8), (5, 8), (6, None)])
def test_streams_have_the_registers_of_their_fast_version(arrays: int, blocks: int | None) -> None:
    """64 registers are enough where at most 32 are loaded."""
    kernel = lowered(pointers(arrays, 1024))
    assert kernel.work_group_size == (128, 1)
    assert least_blocks(kernel, 128) == blocks


def test_other_kernels() -> None:
    packed = lowered(Batch("f32", (8, 8, 8)).text)
    assert least_blocks(packed, 64) == 8
    alone = lowered(Batch("f16", (64, 64, 64)).text)
    assert str(alone.schedule).startswith("lanes"), "matrix instructions fill an item that has a block alone"
    assert least_blocks(alone, 128) is None


def totals(
    count: int, element: str = "f32", length: int = 256, threads: str = "32, work_group_size = [64, 1]"
) -> Kernel:
    """Rows of 256 elements, times the sum of theirs and the first one's, are added to `count` tiles.

    Of each 64 threads have four registers.
    """
    row, column = f"tile<{length}x{element}>", f"tile<{length}x1x{element}>"
    names = [f"%c{k}" for k in range(count)]
    carried = ", ".join(f"{name}: {row}" for name in names)
    steps = " ".join(f"%n{k} = arith.add {name}, %t -> {row}" for k, name in enumerate(names))
    results = ", ".join(f"%r{k}" for k in range(count))
    stores = [f"%s{k} = tile.reshape %r{k} -> {column} tile.store %s{k}, %C, %z, %k{k}" for k in range(count)]
    last = " ".join(f"%k{k} = arith.constant {{value = {k}}} -> index {store}" for k, store in enumerate(stores))
    text = f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = {threads}}}
    (%B: memref<{element}x{length}x9>, %C: memref<{element}x{length}x{count}>) {{
      %z = arith.constant {{value = 0}} -> index  %n = arith.constant {{value = 9}} -> index
      %one = arith.constant {{value = 1}} -> index  %zero = arith.constant {{value = 0}} -> {row}
      %e = tile.load %B, %z, %z -> {column}
      {results} = scf.for %z, %n, %one, {", ".join(["%zero"] * count)} {{operand_segments = [1, 1, 1, {count}]}}
        -> {", ".join([row] * count)} (%i: index, {carried}) {{
        %v = tile.load %B, %z, %i -> {column}  %x = arith.add %v, %e -> {column}
        %p = tile.reduce %x {{kind = "add", dim = 0}} -> tile<1x{element}>
        %ps = tile.broadcast %p {{shape = [{length}]}} -> {row}  %w = tile.reshape %v -> {row}
        %t = arith.mul %w, %ps -> {row}  {steps}
        scf.yield {", ".join(f"%n{k}" for k in range(count))} }}
      {last} }} }}"""
    return lowered_text(text).kernels[0]


def test_pressure_is_what_lives_at_a_time() -> None:
    """Four registers of each tile that is carried, of three rows, and one of the sum; of f16 half of the four."""
    assert pressure(totals(3)) == Pressure(12 + 12 + 1, 12 + 12 + 4)
    assert pressure(totals(3, "f16")) == Pressure(6 + 6 + 1, 16)


@pytest.mark.parametrize(
    ("count", "threads", "blocks"), [(9, 512, 2), (5, 512, None), (12, 512, None), (9, 1024, None), (9, 256, None)]
)
def test_a_block_is_not_left_alone(count: int, threads: int, blocks: int | None) -> None:
    """Where ptxas would take a few registers more than leave room for two of those that wait."""
    assert least_blocks(totals(count), threads) == blocks


@pytest.mark.parametrize(("offset", "blocks"), [(113 << 10, None), (114 << 10, 1)])
def test_a_block_that_is_alone_may_have_all_registers(offset: int, blocks: int | None) -> None:
    """Of 227 KB of a multiprocessor one that has more than half leaves none for another."""
    kernel = totals(1)
    memory = next(op for op in kernel.walk() if isinstance(op, Alloca))
    memory.offset = offset
    assert least_blocks(kernel, 512) == blocks


@pytest.mark.parametrize(("element", "length", "threads"), [("f32", 1024, 128), ("f16", 1024, 128), ("f16", 4096, 512)])
def test_what_is_reduced_beside_sums_has_many_threads(element: str, length: int, threads: int) -> None:
    """Eight elements each."""
    kernel = totals(2, element, length, "1, work_group_size = [1, 1]")
    assert (kernel.schedule or "").split()[:2] == ["lanes", f"threads={threads}"]


@pytest.mark.parametrize(("element", "threads"), [("f16", 256), ("f32", 512)])
def test_scans_of_narrow_rows_have_few_threads(element: str, threads: int) -> None:
    """As reductions of them: they wait for each other."""
    row = f"tile<8192x{element}>"
    text = f"""builtin.module {{ builtin.kernel {{sym_name = "k", subgroup_size = 1, work_group_size = [1, 1]}}
    (%B: memref<{element}x8192>, %C: memref<{element}x8192>) {{
      %z = arith.constant {{value = 0}} -> index  %v = tile.load %B, %z -> {row}
      %s = tile.scan %v {{kind = "add", dim = 0}} -> {row}  tile.store %s, %C, %z }} }}"""
    assert (lowered_text(text).kernels[0].schedule or "").split()[:2] == ["lanes", f"threads={threads}"]
