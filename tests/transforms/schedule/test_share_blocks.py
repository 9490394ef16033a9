"""Work-groups of one warp that share blocks: right answers for any grid, and who does not."""

from __future__ import annotations

import random

import numpy as np
import pytest

from targets.nvidia.case import Launch, poisoned
from targets.nvidia.cases_tile_ir import transposed
from targets.nvidia.emulated import Emulated, emulated
from targets.nvidia.test_ragged import module_of
from tilewright.compiler import CompileOptions, lower_module, read_module
from tilewright.diagnostics import CompileError, Report, Source
from tilewright.dialects.builtin import Module
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.target import NvidiaTarget

WIDTH = 64
GRID = "tensor_view<?x64xf32, strides=[64,1]>"
VIEW = f"partition_view<tile=(1x64), {GRID}>"
SUM = """%r = reduce %v dim=1 identities=[0.0 : f32] : tile<1x64xf32> -> tile<1xf32> (%p: tile<f32>, %q: tile<f32>) {
  %s = addf %p, %q : tile<f32>
  yield %s : tile<f32>
}
%r1 = reshape %r : tile<1xf32> -> tile<1x1xf32>
%all = broadcast %r1 : tile<1x1xf32> -> tile<1x64xf32>
%o = addf %v, %all : tile<1x64xf32>
"""


def text(body: str = SUM) -> str:
    """Row x + nx (y + ny z) of the second array from the first."""
    views = "".join(
        f"%{p}t = make_tensor_view %{p}, shape = [%n, 64], strides = [64, 1] : tile<i32> -> {GRID}\n"
        f"%{p}v = make_partition_view %{p}t : {VIEW}\n"
        for p in "xy"
    )
    return (
        "cuda_tile.module @m {\nentry @rows(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {\n"
        "%i, %j, %k = get_tile_block_id : tile<i32>\n%nx, %ny, %nz = get_num_tile_blocks : tile<i32>\n"
        "%zero = constant <i32: 0> : tile<i32>\n%deep = muli %ny, %k : tile<i32>\n%row = addi %deep, %j : tile<i32>\n"
        f"%across = muli %row, %nx : tile<i32>\n%at = addi %across, %i : tile<i32>\n{views}"
        f"%v, %t = load_view_tko weak %xv[%at, %zero] : {VIEW}, tile<i32> -> tile<1x64xf32>, token\n{body}"
        f"%u = store_view_tko weak %o, %yv[%at, %zero] : tile<1x64xf32>, {VIEW}, tile<i32> -> token\nreturn\n}}\n}}\n"
    )


def lowered(source: str, schedule: str = "") -> Module:
    """On lanes."""
    report, target = Report(), NvidiaTarget(Architecture.SM_80)
    module = read_module(Source("k.tileir", source), report)
    lower_module(
        module, target.scheduled(schedule) if schedule else target, CompileOptions(2, verify_each=True), report
    )
    report.raise_if_errors()
    return module


def check(program: Emulated, grid: tuple[int, int, int], rng: np.random.Generator) -> None:
    rows = int(np.prod(grid))
    x = rng.integers(-9, 9, (rows + 3, WIDTH)).astype(np.float32)
    y = poisoned("f32", x.size)
    expected = y.copy().reshape(x.shape)
    expected[:rows] = x[:rows] + x[:rows].sum(1, keepdims=True)
    launch = Launch([x.reshape(-1), y, np.int32(rows + 3)], {1: expected.reshape(-1)}, grid)
    found = program.run(launch, schedule=random.Random(rows))[1]
    assert isinstance(found, np.ndarray)
    assert np.array_equal(found, expected.reshape(-1), equal_nan=True), grid


def test_any_grid(rng: np.random.Generator) -> None:
    module = lowered(text())
    assert module.kernels[0].schedule == "lanes threads=32 groups=4"
    assert (module.kernels[0].items, module.kernels[0].work_group_size) == (4, (128, 1))
    program = emulated(module)
    for grid in ((1, 1, 1), (3, 1, 1), (4, 1, 1), (5, 2, 1), (3, 2, 3), (9, 1, 2)):
        check(program, grid, rng)


@pytest.mark.parametrize(("groups", "items"), [(1, 1), (2, 2), (32, 32)])
def test_as_many_as_are_asked_for(groups: int, items: int, rng: np.random.Generator) -> None:
    module = lowered(text(), f"groups={groups}")
    assert module.kernels[0].items == items
    check(emulated(module), (5, 1, 1), rng)


@pytest.mark.parametrize(
    ("schedule", "said"),
    [
        ("threads=64 groups=2", "its work-groups have 64 threads, and those of one warp share blocks"),
        ("groups=33", "each of its blocks runs 1"),
    ],
)
def test_who_cannot(schedule: str, said: str) -> None:
    with pytest.raises(CompileError, match="does not fit kernel rows") as caught:
        lowered(text(), schedule)
    assert said in str(caught.value)


def test_who_has_memory_or_reports_stays_alone() -> None:
    told = 'print_tko "row %i\\n", %at : tile<i32> -> token\n%o = addf %v, %v : tile<1x64xf32>\n'
    for module in (lowered(transposed("f32", 32).text, "threads=32"), lowered(text(told))):
        kernel = module.kernels[0]
        assert kernel.schedule == "lanes threads=32"
        assert kernel.items == 1


DIVIDED = """builtin.module { builtin.kernel {sym_name = "rows", spread = true}
    (%x: memref<f32x?x64>, %y: memref<f32x?x64>) {
      %z = arith.constant {value = 0} -> index
      %one = arith.constant {value = 1} -> index
      %n = memref.size %x {mode = 0} -> index
      scf.for %z, %n, %one {parallel = true, operand_segments = [1, 1, 1, 0]} (%i: index) {
          %v = tile.load %x, %i, %z -> tile<1x64xf32>
          tile.store %v, %y, %i, %z } } }"""


def test_work_groups_divided_among_blocks_share_none(rng: np.random.Generator) -> None:
    module = module_of(DIVIDED)
    target = NvidiaTarget(Architecture.SM_80).scheduled("threads=32")
    lower_module(module, target, CompileOptions(2, verify_each=True), Report())
    (kernel,) = module.kernels
    assert kernel.parts is not None
    assert kernel.items == 1
    x = np.array(rng.integers(-9, 9, (7, WIDTH)), np.float32, order="F")
    found = emulated(module).run(Launch([x, np.zeros_like(x)], {}))[1]
    assert np.array_equal(np.asarray(found), x)
