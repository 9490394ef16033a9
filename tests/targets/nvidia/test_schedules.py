"""`Kernel.schedule` is one line that `compile` takes: the same code again, other threads and products, or a reason."""

from __future__ import annotations

import re

import numpy as np
import pytest
from msgspec.structs import replace

import tilewright as tw
from cli.command import run
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.targets import ScheduleElsewhere

from .launching import program_of_text

SUMS = """func @sums(%x: memref<f32x?x?>, %y: memref<f32x?>) {
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    sum.t %one, %x, %zero, %y
}
func @add(%x: memref<f32x?x?>, %y: memref<f32x?x?>) {
    %one = constant 1.0 : f32
    axpby %one, %x, %one, %y
}
"""
PRODUCT = """func @product(%A: memref<f16x128x96>, %B: memref<f16x96x128>, %C: memref<f32x128x128>) {
    %one = constant 1.0 : f16
    %zero = constant 0.0 : f32
    gemm %one, %A, %B, %zero, %C
}
"""
LARGE = PRODUCT.replace("128x96", "4096x4096").replace("96x128", "4096x4096").replace("128x128", "4096x4096")
HALVES = PRODUCT.replace(") {", ") attributes{subgroup_size=16} {")
"""Subgroups that are no warps."""
ITEMS = """func @items(%A: memref<f16x16x16x?>, %B: memref<f16x16x16x?>, %C: memref<f16x16x16x?>) {
    %g = group_id.x : index
    %a = subview %A[0:16, 0:16, %g] : memref<f16x16x16,strided<1,16>>
    %b = subview %B[0:16, 0:16, %g] : memref<f16x16x16,strided<1,16>>
    %c = subview %C[0:16, 0:16, %g] : memref<f16x16x16,strided<1,16>>
    %one = constant 1.0 : f16
    %zero = constant 0.0 : f16
    gemm %one, %a, %b, %zero, %c
}
"""
KNOWN = """func @known(%x: memref<f32x64>) {
    parallel {
        %i = subgroup_local_id : i32
        %k = cast %i : index
        %v = load %x[%k] : f32
        store %v, %x[%k]
    }
}
"""
VIEW = "partition_view<tile=(1024), tensor_view<4096xf32, strides=[1]>>"
TILES = f"""cuda_tile.module @m {{
  entry @kernel(%x_ptr: tile<ptr<f32>>, %y_ptr: tile<ptr<f32>>) {{
    %x = make_tensor_view %x_ptr, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
    %y = make_tensor_view %y_ptr, shape = [4096], strides = [1] : tensor_view<4096xf32, strides=[1]>
    %xp = make_partition_view %x : {VIEW}
    %yp = make_partition_view %y : {VIEW}
    %i, %j, %k = get_tile_block_id : tile<i32>
    %v, %t = load_view_tko weak %xp[%i] : {VIEW}, tile<i32> -> tile<1024xf32>, token
    %s = addf %v, %v : tile<1024xf32>
    %t2 = store_view_tko weak %s, %yp[%i] : tile<1024xf32>, {VIEW}, tile<i32> -> token
    return
  }}
}}
"""


WIDE = TILES.replace("tile=(1024)", "tile=(4096)").replace("tile<1024xf32>", "tile<4096xf32>")


def line(text: str, schedule: str | None, target: str = "nvidia:sm_90a") -> list[str]:
    return [kernel.schedule for kernel in tw.compile(text, target=target, schedule=schedule, cache=False)]


@pytest.mark.covering(1)
@pytest.mark.parametrize("target", ["nvidia:sm_80", "nvidia:sm_90a"])
@pytest.mark.parametrize("text", [SUMS, PRODUCT, KNOWN, TILES], ids=["sums", "product", "known", "tiles"])
def test_the_line_gives_the_same_code_again(text: str, target: str) -> None:
    first = tw.compile(text, target=target, cache=False)
    said = "; ".join(f"{kernel.name}: {kernel.schedule}" for kernel in first)
    again = tw.compile(text, target=target, schedule=said, cache=False)
    assert again.text("ptx") == first.text("ptx")
    assert [k.schedule for k in again] == [k.schedule for k in first]
    assert all("\n" not in kernel.schedule and kernel.schedule for kernel in first)


@pytest.mark.covering(1)
@pytest.mark.parametrize("threads", [32, 64, 96, 256, 512, 1024])
def test_other_threads_compute_the_same(threads: int, rng: np.random.Generator) -> None:
    program = program_of_text(SUMS, schedule=f"threads={threads}")
    x = np.asfortranarray(rng.integers(-9, 9, (70, 5)), np.float32)
    y, z = np.zeros(5, np.float32), np.array(x, order="F")
    program.sums[1](x, y)
    program.add[1](x, z)
    assert np.array_equal(y, x.sum(0))
    assert np.array_equal(z, x + x)
    for kernel in program:
        assert f"threads={threads}" in kernel.schedule.split()
        assert kernel.info.launch is not None
        assert kernel.info.launch.threads == (threads, 1, 1)


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    "schedule",
    [
        "tile=64x64x32",
        "tile=32x32x32 threads=64",
        "threads=64",
        "product=128x128x96:m16n8k16.row.col.f32.f32/4x1/1",
        "tile=128x128x32 product=128x128x32:m16n8k16.row.col.f32.f32/1x4/2",
        "tile=128x128x32 product=128x128x32:m16n8k16.row.col.f32.f32/2x2/3",
        "lanes tile=64x64x32 product=64x64x32:m16n8k16.row.col.f32.f32/1x4/2",
    ],
)
def test_other_products_compute_the_same(schedule: str, rng: np.random.Generator) -> None:
    tile = re.search("tile=(.*?)x32", schedule)
    if tile is None and "product" in schedule:
        schedule = f"tile=128x128x96 {schedule}"
    program = program_of_text(PRODUCT, schedule=schedule)
    assert set(schedule.split()) <= set(program.product.schedule.split())
    a, b = (np.asfortranarray(rng.integers(-3, 4, shape), np.float16) for shape in ((128, 96), (96, 128)))
    c = np.zeros((128, 128), np.float32, order="F")
    program.product[1](a, b, c)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.parametrize(
    "text", [SUMS, PRODUCT, KNOWN, TILES, ITEMS], ids=["sums", "product", "known", "tiles", "items"]
)
def test_dependent_launches_wait_before_they_touch_memory(text: str) -> None:
    """The next launch may begin before that; nothing else changes."""
    asked, usual = (
        tw.compile(text, target="nvidia:sm_90a", schedule=more, cache=False).artifact for more in ("dependent=yes", "")
    )
    for kernel, other in zip(asked.kernels, usual.kernels, strict=True):
        assert kernel.launch is not None
        assert kernel.launch.dependent
        assert other.launch == replace(kernel.launch, dependent=False)
        assert kernel.facts[SCHEDULE].partition(" #")[0] == f"{other.facts[SCHEDULE].partition(' #')[0]} dependent=yes"
    for function in asked.texts["llvm"].split("define ")[1:]:
        before, _, behind = function.partition("@llvm.nvvm.griddepcontrol.wait()")
        assert "@llvm.nvvm.griddepcontrol.launch.dependents()" in before
        assert not re.search(r"(load|store|atomicrmw|cmpxchg) .*addrspace\(1\)|cp\.async", before)
        assert "addrspace(1)" in behind
    assert "griddepcontrol" not in usual.texts["llvm"]


def test_a_line_for_one_kernel_leaves_the_others() -> None:
    usual = line(SUMS, None)
    sums, add = line(SUMS, "add: threads=64")
    assert sums == usual[0]
    assert add == usual[1].replace("128", "64")
    assert line(SUMS, "threads=256\nadd: threads=64") == [usual[0].replace("128", "256"), add]


@pytest.mark.parametrize(
    ("text", "schedule", "wrong", "said"),
    [
        (SUMS, "lanes threads=2048", "lanes threads=2048", "its blocks have 128"),
        (SUMS, "threads=48", "threads=48", "threads=48 does not fit kernel sums: its blocks have 128"),
        (KNOWN, "known: threads=64", "threads=64", "threads=64 does not fit kernel known: its blocks have 32"),
        (SUMS, "tile=8x8x8", "tile=8x8x8", "it has no products"),
        (PRODUCT, "tile=256x64x32", "tile=256x64x32", "its products have tiles of 128x64x32"),
        (PRODUCT, "product=4x4x4:fma.f32", "product=4x4x4:fma.f32", "its products are 64x64x64:wgmma"),
        (PRODUCT, "product=64x64x64:dpas", "product=64x64x64:dpas", "dpas is none of m16n8k16.row.col.f32.f32"),
        (PRODUCT, "product=64x64x64:fma.f32/3x2", "product=64x64x64:fma.f32/3x2", "are no whole parts"),
        (SUMS, "product=4x4x4:fma.f32", "product=4x4x4:fma.f32", "it has no products with a choice"),
        (SUMS, "none: lanes", "lanes", "the program has no kernel 'none'; it has sums, add"),
        (SUMS, "lanes; threads=64", "threads=64", "two schedules for all kernels"),
        (PRODUCT, "product: tile=8x8x8", "tile=8x8x8", "for all kernels of a program, not for product"),
        (SUMS, "add: lnaes", "lnaes", "'lnaes' is no entry of a schedule"),
        (SUMS, "dependent=1", "dependent=1", "dependent takes yes or no"),
        (SUMS, "thraeds=64", "thraeds=64", "hint: did you mean threads?"),
        (SUMS, "fast", "fast", "hint: a schedule is lanes or packed, then KEY=VALUE; keys are threads"),
        (
            LARGE,
            "threads=256 tile=256x256x64",
            "threads=256 tile=256x256x64",
            "256 x 256 accumulators are 256 for each of 256 threads, which have 255 registers",
        ),
        (
            LARGE,
            "threads=128 tile=128x128x64 product=128x128x64:wgmma.m64n128k16.f32.f16/1x1/9",
            "threads=128 tile=128x128x64 product=128x128x64:wgmma.m64n128k16.f32.f16/1x1/9",
            "9 stages of 32,768 bytes are 294,912; beside what else a block keeps in shared memory there is room for 6",
        ),
        (LARGE, "pingpong=yes", "pingpong=yes", "one group of warps (threads=128) for which a producer warp copies"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(text: str, schedule: str, wrong: str, said: str) -> None:
    with pytest.raises(tw.CompileError) as error:
        tw.compile(text, target="nvidia:sm_90a", schedule=schedule, cache=False)
    assert said in str(error.value)
    for found in error.value.diagnostics:
        place = found.location.primary
        assert found.code == "T009"
        assert place is not None
        assert place.source.text[place.start : place.end] == wrong


@pytest.mark.parametrize("stage", ["gpu", "ptx"])
def test_what_does_not_fit_is_refused_on_every_level(stage: str) -> None:
    arguments = [f"--emit={stage}", "--target=nvidia:sm_90a", "--schedule=lanes threads=48"]
    done = run("compile", "-", *arguments, text=TILES)
    assert done.returncode == 1
    assert "error[T009]: threads=48 does not fit kernel kernel: its blocks have 128" in done.stderr


def test_what_few_threads_have_no_registers_for_is_in_parts() -> None:
    (found,) = tw.compile(WIDE, target="nvidia:sm_90a", schedule="lanes threads=32", cache=False)
    assert found.schedule.startswith("lanes threads=32 # in parts: tiles of 4096 elements: they take 128 registers")


def test_the_interpreter_takes_none() -> None:
    with pytest.raises(ScheduleElsewhere, match="the interpreter takes no schedules"):
        tw.compile(SUMS, target="interpreter", schedule="lanes")


def test_launches_of_older_devices_do_not_depend() -> None:
    with pytest.raises(tw.CompileError, match=r"dependent=yes does not fit .* begins no launch before"):
        tw.compile(SUMS, target="nvidia:sm_80", schedule="dependent=yes", cache=False)


def test_the_schedule_is_part_of_the_key() -> None:
    found = [tw.compile(SUMS, target="nvidia:sm_80", schedule=s).add.schedule for s in (None, "threads=64", None)]
    assert found == ["lanes threads=128 spread=yes", "lanes threads=64 spread=yes", "lanes threads=128 spread=yes"]
