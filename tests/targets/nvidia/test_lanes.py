"""Kernels on the lane level: the right answers, instruction for instruction what was promised."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tilewright as tw
from effort import SEED, Ran, count
from generators import tile_ir
from tilewright.compiler import CompileOptions, manager_of, read_source
from tilewright.diagnostics import Report, Source
from tilewright.ir.layouts import Digit, Layout, Owner
from tilewright.ir.passes import PassContext
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.generation import emit_llvm

from .against_interpreter import random_differences, tile_ir_meaning
from .case import Case, Launch, faults, kernel, poisoned, random_array
from .cases_runs import placed
from .cases_tile_ir import entry
from .emulated import Emulated, compiled, emulated, scheduled
from .few_registers import FewRegisters
from .lane_level import laid_out, lowered
from .test_runs import accesses, views

KERNELS = count("RANDOM_LANE_KERNELS", 8, 1000)


def few_registers(text: str) -> Emulated:
    """A text compiled for the emulator as if threads had one register for a tile."""
    source = Source("<kernel>", text)
    module = read_source(source, Report())
    manager_of(source, FewRegisters(Architecture.SM_80), CompileOptions(2)).run(module, PassContext())
    return emulated(module)


def test_random_kernels_agree_with_their_slices(ran: Ran) -> None:
    """Of Tile IR, by few threads that hold one register of a tile: against the interpreter."""
    for seed in range(SEED, SEED + KERNELS):
        print(f"seed {seed}")
        kernel = tile_ir.generate(random.Random(seed), f"seed_{seed}")
        text = tile_ir.module_of([kernel])
        sliced = few_registers(text)
        found = random_differences(
            kernel, 0, lambda launch, number, on=sliced: on.run(launch, number), tile_ir_meaning(text)
        )
        assert not found, f"{kernel.name}: {'; '.join(found)}\n{kernel.text}"
    ran(KERNELS, "kernels of Tile IR in slices")


def test_what_a_branch_hands_on_in_words_is_loaded_in_words() -> None:
    """Rows that begin at multiples of 8 bytes, which is known when they are there."""
    matrices = ", ".join(f"%{name}: memref<f16x256x256>" for name in "ABC")
    text = f"func @k({matrices}) {{ %a = constant 1.0 : f16\n gemm.n.n %a, %A, %B, %a, %C }}"
    llvm = tw.compile(text, target="nvidia:sm_90a", cache=False).artifact.texts["llvm"]
    assert "load <2 x i32>, ptr addrspace(1)" in llvm
    assert "load <4 x half>, ptr addrspace(1)" not in llvm


@pytest.mark.parametrize("registers", [[(8, 0, 1), (2, 1, 128)], [(2, 0, 1), (2, 1, 128), (4, 0, 2)]])
def test_what_is_inside_together_has_one_branch(
    registers: list[tuple[int, int, int]], rng: np.random.Generator
) -> None:
    """Columns of 8 that are there or not, element by element, since nothing is known of where they begin; registers of
    a column may stand behind those of the other one."""
    digits = {Owner.REG: registers, Owner.LANE: [(32, 1, 1)], Owner.WARP: [(4, 1, 32)]}
    layout = Layout((8, 256), tuple(Digit(owner, *digit) for owner, found in digits.items() for digit in found))
    memory, type_ = "memref<f32x8x?,strided<1,9>>", f"tile<8x256xf32, {layout}>"
    body = f"""%z = arith.constant {{value = 0}} -> index
        %a = tile.load %A, %z, %z {{check = [false, true]}} -> {type_}
        %b = arith.add %a, %a -> {type_}
        tile.store %b, %B, %z, %z {{check = [false, true]}}"""
    case = Case("columns", laid_out(f"%A: {memory}, %B: {memory}", body), lambda _: launch)
    arrays = [
        np.ndarray((8, 200), np.float32, np.full(9 * 200, start, np.float32), strides=(4, 36)) for start in (1, np.nan)
    ]
    arrays[0][...] = rng.standard_normal((8, 200))
    launch = Launch(arrays, {1: arrays[0] * 2})
    module = lowered(case)
    text, _ = emit_llvm(module, Architecture.SM_80)
    # the columns of a thread: two to load, two to store
    assert text.count("br i1") == 4
    found = faults(launch, emulated(module).run(launch))
    assert not found, "; ".join(found)


def test_coordinates_behind_a_number_cost_one_addition_each() -> None:
    """What the thread's part and the number make together is computed once; nothing is left of the coordinates."""
    text = entry(
        "count",
        "%x: tile<ptr<i32>>, %n: tile<i32>",
        """%t = make_tensor_view %x, shape = [1024], strides = [1] : tensor_view<1024xi32, strides=[1]>
%w = make_partition_view %t : partition_view<tile=(1024), tensor_view<1024xi32, strides=[1]>>
%z = constant <i32: 0> : tile<i32>
%i = iota : tile<1024xi32>
%o = reshape %n : tile<i32> -> tile<1xi32>
%s = broadcast %o : tile<1xi32> -> tile<1024xi32>
%at = addi %s, %i : tile<1024xi32>
%t1 = store_view_tko weak %at, %w[%z] : tile<1024xi32>, """
        """partition_view<tile=(1024), tensor_view<1024xi32, strides=[1]>>, tile<i32> -> token
return""",
    )
    llvm = tw.compile(text, target="nvidia:sm_80", cache=False).artifact.texts["llvm"]
    kernels = compiled(text)
    (threads, *_) = kernels.kernels[0].work_group_size
    assert llvm.count("= add i32") == 1024 // threads
    found = kernels.run(Launch([np.zeros(1024, np.int32), np.int32(7)], {}))[0]
    np.testing.assert_array_equal(np.asarray(found), np.arange(7, 1031))


def test_what_uses_a_tile_twice_is_looked_at_once(impatient: None) -> None:
    """Each of 60 tiles is used twice by the next one; the last is stored."""
    steps = ["%q0 = addf %u, %v : tile<1024xf32>"]
    steps += [f"%q{k + 1} = mulf %q{k}, %q{k} : tile<1024xf32>" for k in range(60)]
    text = (
        views("f32", 16)
        .replace("%q = addf %u, %v : tile<1024xf32>", "\n".join(steps))
        .replace("weak %q,", "weak %q60,")
    )
    assert few_registers(text).kernels
    assert compiled(text).kernels[0].facts["schedule"].startswith("lanes")


def row_sums(element: str, rows: int, columns: int, dim: int) -> str:
    """The sums of a tile along a dimension."""
    shape, left = f"{rows}x{columns}x{element}", f"{rows if dim else columns}x{element}"
    x, y = f"tensor_view<{shape}, strides=[{columns},1]>", f"tensor_view<{left}, strides=[1]>"
    xv, yv = f"partition_view<tile=({rows}x{columns}), {x}>", f"partition_view<tile=({left.split('x')[0]}), {y}>"
    return entry(
        "sums",
        f"%x: tile<ptr<{element}>>, %y: tile<ptr<{element}>>",
        f"""%xt = make_tensor_view %x, shape = [{rows}, {columns}], strides = [{columns}, 1] : {x}
%yt = make_tensor_view %y, shape = [{left.split("x")[0]}], strides = [1] : {y}
%xw = make_partition_view %xt : {xv}
%yw = make_partition_view %yt : {yv}
%z = constant <i32: 0> : tile<i32>
%v, %t0 = load_view_tko weak %xw[%z, %z] : {xv}, tile<i32> -> tile<{shape}>, token
%s = reduce %v dim={dim} identities=[0{".0" if element[0] == "f" else ""} : {element}] : tile<{shape}> -> tile<{left}>
(%p: tile<{element}>, %q: tile<{element}>) {{
  %r = {"addf" if element[0] == "f" else "addi"} %p, %q : tile<{element}>
  yield %r : tile<{element}>
}}
%t1 = store_view_tko weak %s, %yw[%z] : tile<{left}>, {yv}, tile<i32> -> token
return""",
    )


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize(("rows", "columns"), [(1, 512), (4, 256), (128, 8), (64, 64), (2, 2), (512, 1)])
def test_sums_of_every_shape(rows: int, columns: int, dim: int, rng: np.random.Generator) -> None:
    """In registers, between lanes, between warps, in each order."""
    kernels = compiled(row_sums("i32", rows, columns, dim))
    assert kernels.kernels[0].facts["schedule"].startswith("lanes")
    x = rng.integers(-(1 << 31), 1 << 31, (rows, columns)).astype(np.int32)
    y = np.zeros(rows if dim else columns, np.int32)
    found = kernels.run(Launch([x, y], {}))[1]
    np.testing.assert_array_equal(np.asarray(found), x.sum(axis=dim, dtype=np.int32))


WINDOW = """
      %z = arith.constant {value = 0} -> index
      %a = tile.load %A, %i {check = [true]} -> tile<128xf32>
      team.barrier {fence_global = true}
      tile.store %a, %B, %z"""


@pytest.mark.covering(0)
@pytest.mark.parametrize("shift", range(4))
@pytest.mark.parametrize("start", [-129, -3, -1, 0, 1, 5, 400, 499])
def test_windows_over_either_edge(start: int, shift: int, rng: np.random.Generator) -> None:
    """Where 16 bytes begin in front of the array, its first elements are read all the same."""
    parameters = "%i: index, %A: memref<f32x?>, %B: memref<f32x128>"
    case = Case("window", kernel(parameters, WINDOW), lambda rng: Launch([], {}))
    kernels = scheduled(case.module())
    assert kernels.kernels[0].facts["schedule"].startswith("lanes")
    for size in (497, 500):
        a = placed(random_array(rng, "f32", size), shift)
        wanted = np.pad(a, (200, 800))[200 + start :][:128]
        found = kernels.run(Launch([np.int64(start), a, poisoned("f32", 128)], {}))[2]
        np.testing.assert_array_equal(np.asarray(found), wanted)


def test_rows_of_a_warp_need_no_shared_memory() -> None:
    """8 rows of 256 to 4 warps: nobody waits before the store, which might be to what others read."""
    kernel = tw.compile(row_sums("f32", 8, 256, 1), target="nvidia:sm_80", cache=False)["sums"]
    assert kernel.info.local_bytes == 0
    assert kernel.ir("ptx").count("barrier") == 1


@pytest.mark.usefixtures("users_ptx")
def test_accesses_are_16_bytes_wide() -> None:
    ptx = tw.compile(row_sums("f32", 8, 256, 1), target="nvidia:sm_80", cache=False).text("ptx")
    assert {name for name in accesses(ptx) if name.startswith("ld.global.v")} == {"ld.global.v4.b32"}
