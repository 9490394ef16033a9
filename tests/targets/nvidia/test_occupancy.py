"""How many blocks ptxas is told to leave room for: where a slow version of a kernel would take registers from all."""

from __future__ import annotations

import pytest

from tilewright.compiler import CompileOptions, lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.dialects.builtin import Kernel
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.occupancy import least_blocks
from tilewright.targets.nvidia.target import NvidiaTarget

from .test_packing import Batch


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
