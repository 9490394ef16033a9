"""Products of both languages on the emulated device: types, orders of factors, edges; what their code is made of."""

from __future__ import annotations

import itertools
import random
import re
from dataclasses import replace
from typing import Any

import msgspec.structs
import numpy as np
import pytest

from effort import thorough
from targets.nvidia.case import faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.emulator.races import RaceError
from targets.nvidia.emulator.text import EmulatorError
from targets.nvidia.products.cases import DEPTHS, TEXTS, TOTALS, ZEROS, launch, moved
from targets.nvidia.test_ptx import needs_ptxas
from tilewright.artifacts.artifact import KernelInfo
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.compiler import CompileOptions, lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.ir.schedules import parse_line
from tilewright.languages import ReadOptions
from tilewright.machine.cuda.architecture import Architecture
from tilewright.numerics.precision import Precision
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.targets.nvidia.model import SPREADING
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx
from tilewright.targets.nvidia.target import NvidiaTarget


def emitted(
    text: str,
    architecture: Architecture = Architecture.SM_90A,
    schedule: str = "",
    precision: Precision = Precision.EXACT,
    reading: ReadOptions | None = None,
) -> tuple[str, KernelInfo]:
    """LLVM text and signature of the only kernel."""
    module, report = read_module(Source("product", text), Report(), reading), Report()
    options = CompileOptions(verify_each=True, precision=precision)
    lower_module(module, NvidiaTarget(architecture).scheduled(schedule), options, report)
    report.raise_if_errors()
    llvm, (kernel,) = emit_llvm(module, architecture)
    return llvm, kernel


def check(
    code: tuple[str, KernelInfo],
    product: Any,
    tiles: tuple[int, int],
    order: str,
    rng: np.random.Generator,
    beta: float = 0.0,
    schedule: random.Random | None = None,
) -> None:
    """Run it: nothing differs from NumPy, and nothing races."""
    given, (llvm, kernel) = launch(product, tiles, order, rng, beta), code
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given, schedule=schedule))
    assert not found, found


@pytest.mark.covering(2)
@pytest.mark.parametrize(
    ("element", "architecture"),
    [*((element, Architecture.SM_90A) for element in TOTALS), *((e, Architecture.SM_80) for e in ("f16", "bf16"))],
)
@pytest.mark.parametrize("transposed", list(itertools.product((False, True), repeat=2)))
def test_tile_ir(
    element: str, transposed: tuple[bool, bool], architecture: Architecture, rng: np.random.Generator
) -> None:
    depth = DEPTHS.get(element, 64)
    product = TEXTS.Product((64, 64, 3 * depth), element, TOTALS[element], transposed)
    code = emitted(TEXTS.tile_ir_product(product, (64, 64, depth)), architecture)
    groups = architecture is Architecture.SM_90A and element in ("f16", "bf16", "i8")
    assert ("wgmma" in code[1].facts[SCHEDULE]) == groups
    check(code, product, (64, 64), "C", rng)


def test_several_groups_of_warps(rng: np.random.Generator) -> None:
    product = TEXTS.Product((128, 256, 128), "bf16", "f32")
    code = emitted(TEXTS.tile_ir_product(product, (128, 256, 64)), schedule="divide=1x1")
    assert "product=256x128x64:wgmma.m64n256k16.f32.bf16/1x2/" in code[1].facts[SCHEDULE]
    check(code, product, (128, 256), "C", rng)


@pytest.mark.covering(2)
@pytest.mark.parametrize("element", TOTALS)
@pytest.mark.parametrize("transposed", list(itertools.product((False, True), repeat=2)))
def test_tile_ir_where_tiles_do_not_divide(
    element: str, transposed: tuple[bool, bool], rng: np.random.Generator
) -> None:
    """Rows of an odd number of elements are copied element by element, others 16 bytes at a time up to the edge."""
    m, n, k = (int(extent) for extent in rng.integers(1, 70, 3))
    either = ((m, n, k), (72, 40, 48))
    for extents in either if thorough() else (either[int(rng.integers(2))],):
        product = TEXTS.Product(extents, element, TOTALS[element], transposed)
        check(emitted(TEXTS.tile_ir_product(product, (32, 32, 32), ZEROS)), product, (32, 32), "C", rng)


@pytest.mark.covering(2)
@pytest.mark.parametrize("element", TOTALS)
@pytest.mark.parametrize("transposed", list(itertools.product((False, True), repeat=2)))
def test_gemm(element: str, transposed: tuple[bool, bool], rng: np.random.Generator) -> None:
    m, n, k = (int(extent) for extent in rng.integers(1, 100, 3))
    product = TEXTS.Product((m, n, k), element, TOTALS[element], transposed)
    check(emitted(TEXTS.gemm_product(product, (64, 64), "2.0")), product, (64, 64), "F", rng, beta=2.0)


@pytest.mark.parametrize("first", [0, 1])
def test_matrices_that_begin_anywhere(first: int, rng: np.random.Generator) -> None:
    """One of two loops has no test in it: where rows begin at multiples of 16 bytes."""
    product = TEXTS.Product((64, 64, 80), "f64", "f64")
    llvm, kernel = emitted(TEXTS.gemm_product(product, (64, 64)), Architecture.SM_80)
    given = launch(product, (64, 64), "F", rng)
    a, b, c = given.arguments
    assert isinstance(b, np.ndarray)
    given = replace(given, arguments=[a, moved(b.T, first).T, c])
    found = faults(given, Emulated(Program(llvm), (kernel,)).run(given))
    assert not found, found


@pytest.mark.covering(0)
@pytest.mark.parametrize("element", ["f16", "f32"])
def test_open_extents_have_a_launch_with_larger_tiles(element: str, rng: np.random.Generator) -> None:
    m, n, k = (int(extent) for extent in rng.integers((1, 129, 1), (140, 140, 70)))
    given = replace(launch(TEXTS.Product((m, n, k), element, element), (m, n), "F", rng), grid=(1, 1, 1))
    llvm, info = emitted(TEXTS.whole_gemm(0, element, element, extent="?"))
    assert info.steps is not None
    (wide,) = info.steps.kernels
    assert info.steps.tiles == SPREADING.wide_tiles > SPREADING.step_tiles
    tiles = [parse_line(found.facts[SCHEDULE]).products[0].tile for found in (info, wide)]
    assert all(found.launch and found.launch.parts for found in (info, wide)), "both are divided among blocks"
    assert tiles == [(64, 64, tiles[0][2]), (128, 128, tiles[1][2])]
    for alone in (msgspec.structs.replace(info, steps=None), info):
        found = faults(given, Emulated(Program(llvm), (alone,)).run(given))
        assert not found, found


@pytest.mark.parametrize(
    ("size", "said"), [(1024, "64x64x16:m16n8k8.row.col.f64/2x2/4"), (4096, "128x128x16:m16n8k8.row.col.f64/2x4/3")]
)
def test_two_stages_that_take_long_are_enough_on_their_way(size: int, said: str) -> None:
    _, info = emitted(TEXTS.whole_gemm(size, "f64", "f64"))
    assert f" product={said} " in info.facts[SCHEDULE]


@pytest.mark.parametrize("element", ["f64", "f32"])
@pytest.mark.parametrize("extents", [(32, 32, 32), (32, 32, 34), (30, 32, 32), (32, 32, 31), (28, 24, 36)], ids=str)
def test_boxes_of_open_extents_are_inside_or_tested(
    extents: tuple[int, int, int], element: str, rng: np.random.Generator
) -> None:
    """A loop without tests runs where all boxes lie in their matrices, another one where the last ones do not; of words
    copies with tests along the result alone, too."""
    m, n, k = extents
    product = TEXTS.Product((m, n, k), element, element)
    given = replace(launch(product, (m, n), "F", rng), grid=(1, 1, 1))
    text = TEXTS.whole_gemm(0, element, element, extent="?")
    llvm, info = emitted(text, Architecture.SM_80, "tile=32x32x16")
    free, tested = (llvm.count(f"cp.async.cg.shared.global.16{kind}(") for kind in ("", ".s"))
    assert free > 8
    # in the loop with tests, once more
    assert tested == free // 2 + 1 + (element == "f32")
    found = faults(given, Emulated(Program(llvm), (msgspec.structs.replace(info, steps=None),)).run(given))
    assert not found, found


def test_words_at_any_distance_are_copied_without_a_loop() -> None:
    """The loops are those along the terms: with and without tests."""
    llvm, _ = emitted(TEXTS.whole_gemm(0, "f32", "f32", extent="?"), Architecture.SM_80, "tile=64x64x16")
    assert len(re.findall(r"^loop\S*:", llvm, re.MULTILINE)) == 2


def test_matrices_of_each_iteration_are_tested_for_themselves(rng: np.random.Generator) -> None:
    """A matrix that ends earlier in an iteration between the first and the last one, whose boxes lie inside."""
    product = TEXTS.Product((64, 64, 192), "f16", "f32")
    given = launch(product, (64, 64), "C", rng)
    a, b, _ = given.arguments
    assert isinstance(a, np.ndarray)
    assert isinstance(b, np.ndarray)
    a[40:, 64:128] = 0
    tensor = "tensor_view<?x192xf16, strides=[192,1]>"
    view = f"partition_view<tile=(64x64), padding_value = zero, {tensor}>"
    made = f"""      %second = cmpi equal %k, %step, signed : tile<i32> -> tile<i1>
      %few = constant <i32: 40> : tile<i32>
      %m = select %second, %few, %all : tile<i1>, tile<i32>
      %at = make_tensor_view %aa, shape = [%m, 192], strides = [192, 1] : tile<i32> -> {tensor}
      %av = make_partition_view %at : {view}
      %x, %x_done = load_view_tko weak %av[%bx, %k] : {view}, tile<i32> -> tile<64x64xf16>, token
"""
    lines = TEXTS.tile_ir_product(product, (64, 64, 64)).splitlines(keepends=True)
    loop, load = (next(k for k, line in enumerate(lines) if name in line) for name in ("%sum = for", "%x, %x_done"))
    lines[load] = made
    lines.insert(loop, "    %all = constant <i32: 64> : tile<i32>\n")
    text = "".join(line for line in lines if not line.startswith(("    %at =", "    %av =")))
    rounded = a.astype(np.float64) @ b.astype(np.float64)
    given = replace(given, expected={2: rounded.astype(np.float32)})
    a[40:, 64:128] = 4
    llvm, info = emitted(text, Architecture.SM_80)
    found = faults(given, Emulated(Program(llvm), (info,)).run(given))
    assert not found, found


@pytest.mark.parametrize("terms", [0, 40])
def test_parts_in_words_where_a_loop_may_have_no_iteration(terms: int, rng: np.random.Generator) -> None:
    """What is read ahead of the loop, in words of four, is zeros where there is nothing."""
    product = TEXTS.Product((20, 24, terms), "i8", "i32")
    given = replace(launch(product, (20, 24), "F", rng), grid=(1, 1, 1))
    llvm, info = emitted(TEXTS.whole_gemm(0, "i8", "i32", extent="?"), Architecture.SM_80)
    found = faults(given, Emulated(Program(llvm), (msgspec.structs.replace(info, steps=None),)).run(given))
    assert not found, found


@pytest.mark.parametrize("architecture", list(Architecture), ids=lambda a: a.value)
def test_each_architecture_has_its_unit_of_f64(architecture: Architecture, rng: np.random.Generator) -> None:
    product = TEXTS.Product((64, 64, 48), "f64", "f64")
    code = emitted(TEXTS.tile_ir_product(product, (64, 64, 16)), architecture)
    assert ("m16n8k8" if architecture is Architecture.SM_90A else "m8n8k4") in code[1].facts[SCHEDULE]
    check(code, product, (64, 64), "C", rng)


@pytest.mark.covering(1)
@pytest.mark.parametrize("size", [8, 16])
@pytest.mark.parametrize(
    ("element", "architecture", "unit"),
    [
        ("f16", Architecture.SM_80, "m16n8k16"),
        ("f16", Architecture.SM_90A, "wgmma"),
        ("f32", Architecture.SM_80, "fma"),
    ],
)
def test_subgroups_that_are_no_warps(
    element: str, architecture: Architecture, unit: str, size: int, rng: np.random.Generator
) -> None:
    """Instructions are those of a warp, of however many subgroups it is."""
    product = TEXTS.Product((70, 40, 33), element, "f32", (True, False))
    attributes = f"attributes{{subgroup_size={size}, work_group_size=[128,1]}}"
    text = TEXTS.gemm_product(product, (64, 64), "2.0").replace(") {", f") {attributes} {{", 1)
    code = emitted(text, architecture)
    assert unit in code[1].facts[SCHEDULE]
    check(code, product, (64, 64), "F", rng, beta=2.0)


def test_threads_in_any_order(rng: np.random.Generator) -> None:
    product = TEXTS.Product((32, 32, 160), "f16", "f32")
    code = emitted(TEXTS.tile_ir_product(product, (32, 32, 32)))
    for seed in range(3):
        check(code, product, (32, 32), "C", rng, schedule=random.Random(seed))


@pytest.mark.parametrize(
    ("architecture", "orders"), [(Architecture.SM_80, 2), (Architecture.SM_90A, 3)], ids=lambda each: str(each)
)
def test_each_barrier_wait_and_fence_is_needed(
    architecture: Architecture, orders: int, rng: np.random.Generator
) -> None:
    """Without any one of them somebody reads what is not there yet, or writes what is still read."""
    product = TEXTS.Product((64, 64, 320), "f16", "f32")
    llvm, kernel = emitted(TEXTS.tile_ir_product(product, (64, 64, 64)), architecture, "copies=threads")
    check((llvm, kernel), product, (64, 64), "C", rng)
    lines, words = llvm.splitlines(), ("cta.sync.all", "cp.async.wait.group", "fence.proxy")
    first, last = (next(k for k, line in enumerate(lines) if line.startswith(name)) for name in ("loop.", "exit."))
    found = [k for k in range(first, last) if any(word in lines[k] for word in words)]
    assert len(found) == orders, "one of each in the loop"
    for k in found:
        broken = "\n".join([*lines[:k], *lines[k + 1 :]])
        with pytest.raises((RaceError, AssertionError, EmulatorError)):
            check((broken, kernel), product, (64, 64), "C", rng)


def test_the_schedule_says_how_each_product_is_computed() -> None:
    text = TEXTS.tile_ir_product(TEXTS.Product((256, 256, 256), "f16", "f32"), (128, 128, 64))
    plan = (
        "lanes threads=128 product=128x128x64:wgmma.m64n128k16.f32.f16/1x1/{} copies=tensor stores=tensor persistent={}"
    )
    _, kernel = emitted(text, schedule="divide=1x1")
    assert kernel.facts[SCHEDULE] == plan.format(6, "yes order=8 roles=yes pingpong=yes")
    _, kernel = emitted(text, schedule="persistent=no")
    assert kernel.facts[SCHEDULE] == f"{plan.format(3, 'no order=16')} # work-groups are not packed: scf.for"
    _, kernel = emitted(TEXTS.tile_ir_product(TEXTS.Product((8, 8, 8), "f32", "f32"), (4, 4, 4)))
    said = kernel.facts[SCHEDULE]
    assert said.startswith("lanes threads=128 #")
    assert "4x4x4, f32 by f32 into f32, by no unit: fma.f32: 4x4x4 are no whole parts of 8x4x1" in said


@needs_ptxas
@pytest.mark.covering(1)
@pytest.mark.parametrize("architecture", list(Architecture), ids=lambda a: a.value)
@pytest.mark.parametrize(
    ("element", "tiles", "wanted"),
    [
        ("f16", (128, 128, 32), ("{unit}", "{factors}", "{copies}")),
        ("bf16", (128, 128, 64), ("{unit}", "{copies}")),
        ("f16", (128, 256, 64), ("{unit}", "{copies}")),
        ("i8", (128, 128, 128), ("{unit}",)),
        ("i8", (128, 128, 64), ("{unit}", "{factors}")),
        ("f64", (64, 64, 16), ("mma.sync", "ld.shared.{doubles}", "cp.async.cg.shared.global")),
        ("f32", (128, 128, 16), ("fma.rn.f32", "ld.shared.v4.b32", "cp.async.cg.shared.global")),
    ],
)
@pytest.mark.usefixtures("users_ptx")
def test_code_is_made_of_wide_instructions_and_spills_nothing(
    architecture: Architecture, element: str, tiles: tuple[int, int, int], wanted: tuple[str, ...]
) -> None:
    product = TEXTS.Product((256, 256, 256), element, TOTALS[element])
    llvm, kernel = emitted(TEXTS.tile_ir_product(product, tiles), architecture)
    ptx = compile_to_ptx(llvm, architecture)
    newer = architecture is Architecture.SM_90A
    # what one instruction wants in a row is read where it wants it
    found = {
        "unit": "wgmma.mma_async" if newer else "mma.sync",
        "factors": "wgmma.mma_async" if newer else "ldmatrix.sync.aligned.m8n8.x4",
        "copies": "cp.async.bulk.tensor.2d" if newer else "cp.async.cg.shared.global",
        "doubles": "b64" if newer else "v2.b64",
    }
    for instruction in wanted:
        assert instruction.format_map(found) in ptx, instruction
    resources = assemble(ptx, architecture).kernels[kernel.symbol]
    assert resources.spill_load_bytes == resources.spill_store_bytes == resources.stack_bytes == 0
    assert not re.search(r"ld\.local|st\.local", ptx)


@pytest.mark.covering(1)
@pytest.mark.parametrize("architecture", list(Architecture), ids=lambda a: a.value)
@pytest.mark.parametrize("extents", [(64, 128, 128), (61, 72, 40), (64, 67, 72)])
@pytest.mark.usefixtures("users_ptx")
def test_results_of_16_bits_are_stored_16_bytes_at_a_time(
    extents: tuple[int, int, int], architecture: Architecture, rng: np.random.Generator
) -> None:
    """Lanes beside each other exchange what they have; rows that are not aligned are stored as they can be."""
    product = TEXTS.Product(extents, "f16", "f32", rounded="f16")
    text = TEXTS.tile_ir_product(product, (64, 64, 64), ZEROS)
    llvm, kernel = emitted(text, architecture, schedule="stores=threads")
    check((llvm, kernel), product, (64, 64), "C", rng)
    if extents == (64, 128, 128):
        ptx = compile_to_ptx(llvm, architecture)
        assert set(re.findall(r"st\.global[.\w]*", ptx)) == {"st.global.v4.b32"}
        assert ptx.count("st.global") == 64 * 64 // kernel.work_group_size[0] // 8
