"""What kernels print, assert and check on the GPU; the context lives on."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from differential.test_checked import cut, out_of_bounds, verdict
from differential.tile_ir_kernels import text_of
from effort import SEED, count
from generators.faults import faulty
from generators.tile_ir import generate as generate_tile_ir
from generators.tile_ir import module_of
from runtime.checked.checking import LOOP
from runtime.checked.test_accesses import CASES, Case
from targets.nvidia.test_checked import ENDS
from targets.nvidia.test_reports import ASSERTS, PRINTS, PRODUCT
from tilewright import KernelError
from tilewright.diagnostics import CompileError
from tilewright.interop import cutile
from tilewright.machine.cuda import driver
from tilewright.runtime.nvidia.copies import DeviceCopies

pytestmark = pytest.mark.skipif(not driver.available(), reason="this machine has no NVIDIA GPU")

KERNELS = count("GPU_FAULTS", 60, 1000)
TILE_KERNELS = count("GPU_TILE_FAULTS", 40, 400)


def torch() -> Any:
    """PyTorch, if it is here and sees the device."""
    module = pytest.importorskip("torch")
    if not module.cuda.is_available():
        pytest.skip("PyTorch sees no device")
    return module


def launch(kernel: tw.Kernel, grid: int | tuple[int, ...], *arguments: object) -> None:
    """On arrays of the host, which are copied there and back, also if the launch raises."""
    copies = DeviceCopies(driver.open_device(), arguments)
    try:
        kernel[grid](*copies.arguments)
    finally:
        copies.finish()


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("body", [PRINTS, PRODUCT])
def test_text_is_that_of_the_interpreter(body: str, level: int, capsys: pytest.CaptureFixture[str]) -> None:
    text = text_of(body, "")
    tw.compile(text, target="interpreter").k[3, 2, 2]()
    wanted = capsys.readouterr().out
    program = tw.compile(text, target="nvidia", level=level, cache=False)
    for _ in range(3):
        program.k[3, 2, 2]()
        assert capsys.readouterr().out == wanted


def test_many_work_groups_print_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    body = '%bx, %by, %bz = get_tile_block_id : tile<i32>\nprint "%d\\n", %bx : tile<i32>'
    tw.compile(text_of(body, ""), target="nvidia", cache=False).k[20_000]()
    assert capsys.readouterr().out == "".join(f"{k}\n" for k in range(20_000))


def test_what_finds_no_room_is_missed(capsys: pytest.CaptureFixture[str]) -> None:
    body = '%i = iota : tile<1024xi32>\nprint "%d\\n", %i : tile<1024xi32>'
    program = tw.compile(text_of(body, ""), target="nvidia", cache=False)
    with pytest.raises(MemoryError, match="there was no memory for"):
        program.k[5000]()
    assert 900 < len(capsys.readouterr().out.splitlines()) < 1024


@pytest.mark.parametrize("level", [0, 2])
def test_failed_assertions(level: int) -> None:
    program = tw.compile(text_of(ASSERTS, "%out: tile<ptr<i32>>"), target="nvidia", level=level, cache=False)
    out = np.zeros(3, np.int32)
    for _ in range(2):
        launch(program.k, 1, out)
        with pytest.raises(KernelError) as caught:
            launch(program.k, 3, out)
        assert [d.message for d in caught.value.diagnostics] == [
            "at most seven at [1, 3] (tile block 1, 0, 0)",
            "at most seven at [1, 2], [1, 3] (tile block 2, 0, 0)",
            "first two (tile block 2, 0, 0)",
        ]
        assert (out == 1).all()


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_what_is_out_of_bounds_is_found(case: Case, level: int) -> None:
    kernel = tw.compile(case.text, target="nvidia", level=level, checked=True, cache=False).f
    source = np.ones(4, np.float32)
    launch(kernel, 1, np.zeros(case.shape, np.float32, order="F"), source, case.last)
    with pytest.raises(KernelError) as caught:
        launch(kernel, 1, np.zeros(case.shape, np.float32, order="F"), source, case.first)
    (diagnostic,) = caught.value.diagnostics
    assert case.message in f"{diagnostic.code} {diagnostic.message}"


def test_work_items_that_end_early_are_not_waited_for() -> None:
    """Any of them, in each of many work-groups; nothing of what is behind the barrier is stored."""
    program = tw.compile(ENDS, target="nvidia", checked=True, cache=False)
    for failing in (range(1), range(31), range(40, 64), range(64)):
        where, out = np.zeros(64, np.int32), np.full(64, 77, np.int32)
        where[list(failing)] = 9
        with pytest.raises(KernelError, match=r"index \[9\] is outside of %A, which has 4"):
            launch(program.f, 1000, np.ones(4, np.int32), out, where)
        assert (out == 77).all()
    launch(program.f, 1000, np.ones(4, np.int32), out, np.zeros(64, np.int32))
    assert (out == 32).all()


def test_random_faults() -> None:
    for seed in range(SEED, SEED + KERNELS):
        kernel = faulty(random.Random(seed))
        try:
            reference = tw.compile(kernel.text, target="interpreter", std="new")
        except CompileError:
            continue
        wanted = verdict(reference, kernel)
        level = random.Random(seed).choice([0, 2])
        program = tw.compile(kernel.text, target="nvidia", checked=True, level=level, cache=False, std="new")
        try:
            launch(program.k, kernel.grid, *kernel.copy_arguments())
            had = None
        except KernelError as error:
            had = error
        assert (wanted is None) == (had is None), f"seed {seed}: {wanted} expected, got {had}\n{kernel.text}"


def test_random_faults_of_tile_ir() -> None:
    for seed in range(SEED, SEED + TILE_KERNELS):
        kernel = generate_tile_ir(random.Random(seed), f"seed_{seed}", host=0.3)
        text = module_of([kernel])
        arguments = cut(kernel, random.Random(seed))
        wanted = out_of_bounds(tw.compile(text, target="interpreter"), kernel, arguments)
        program = tw.compile(text, target="nvidia", checked=True, cache=False)
        try:
            launch(program[kernel.name], kernel.grid, *cut(kernel, random.Random(seed)))
            found = False
        except KernelError as error:
            found = any(d.code == "R010" for d in error.diagnostics)
        assert found == (wanted is not None), f"{kernel.name}: {wanted} expected\n{kernel.text}"


def test_torch_goes_on_after_a_fault() -> None:
    t = torch()
    kernel = tw.compile(LOOP, target="nvidia", checked=True, cache=False).f
    x = t.zeros(10, device="cuda")
    with pytest.raises(KernelError, match=r"indices \[0 to 11\] reach outside of %A, which has 10"):
        kernel[3](x, 12)
    kernel[1](x, 10)
    assert bool((x == 1).all())


def test_a_capture_is_refused() -> None:
    t = torch()
    kernel = tw.compile(LOOP, target="nvidia", checked=True, cache=False).f
    x = t.zeros(10, device="cuda")
    graph = t.cuda.CUDAGraph()
    with t.cuda.graph(graph), pytest.raises(tw.LaunchError, match="cannot be captured"):
        kernel[1](x, 10)
    kernel[1](x, 10)
    assert bool((x == 1).all())


def test_kernels_of_the_front_end_on_tensors() -> None:
    pytest.importorskip("cuda.tile")
    from interop.test_cutile_nvidia import kernels

    t = torch()
    for dtype in (t.float32, t.float16, t.bfloat16):
        x = t.arange(400, device="cuda").to(dtype)[::2]
        y = t.zeros(200, device="cuda", dtype=dtype)
        with t.cuda.stream(t.cuda.Stream()):
            cutile.launch(13, kernels.scale, (x, y, 2.0, 16), target="nvidia")
        t.cuda.synchronize()
        assert bool((y == x * 2).all())
    arrays = [t.randn(99, device="cuda") for _ in range(3)]
    out = t.zeros(99, device="cuda")
    cutile.launch(4, kernels.add_all, (arrays, out, 32), target="nvidia")
    assert bool((out == arrays[0] + arrays[1] + arrays[2]).all())
    with pytest.raises(KernelError, match="called here"):
        cutile.launch(1, kernels.reads_beyond, (arrays[0][:20], out, 8), target="nvidia", checked=True)
