"""`Kernel.explain` and `compile --explain`: accesses, products, what ptxas says, and how many blocks that lets run."""

from __future__ import annotations

import re

import pytest

import tilewright as tw
from cli.command import run
from tilewright.machine.cuda.architecture import Architecture
from tilewright.program import NotExplained
from tilewright.targets.nvidia.explain import resident_blocks
from tilewright.targets.nvidia.ptx import find_assembler

pytestmark = pytest.mark.usefixtures("users_ptx")

COPY = """func @copy(%x: memref<f32x4096> {alignment=16}, %y: memref<f32x4096> {alignment=16}) {
    %one = constant 1.0 : f32
    %zero = constant 0.0 : f32
    axpby %one, %x, %zero, %y
}
"""
STRIDED = COPY.replace("%x: memref<f32x4096>", "%x: memref<f32x4096,strided<2>>")
ITEMS = """func @items(%x: memref<f32x4096>, %y: memref<f32x4096>) {
    %zero = constant 0 : index
    %end = constant 1024 : index
    foreach (%i) = (%zero), (%end) {
        %three = constant 3 : index
        %j = mul %i, %three : index
        %v = load %x[%j] : f32
        store %v, %y[%i]
    }
}
"""
PRODUCT = """func @product(%A: memref<f16x128x128>, %B: memref<f16x128x128>, %C: memref<f32x128x128>) {
    %one = constant 1.0 : f16
    %zero = constant 0.0 : f32
    gemm %one, %A, %B, %zero, %C
}
"""


def told(text: str, target: str = "nvidia:sm_90a", schedule: str | None = None) -> str:
    (kernel,) = tw.compile(text, target=target, schedule=schedule, cache=False)
    return str(kernel.explain())


def test_a_copy_moves_16_bytes_a_thread_and_no_sector_twice() -> None:
    said = told(COPY, schedule="threads=32")
    assert said.startswith(
        "copy: lanes threads=32 spread=yes\n"
        "  blocks of 32 threads, min(16, 2112 / work-groups) of them for each work-group, 0 bytes of shared memory"
    )
    accesses = re.findall(
        r"(loads|stores) (%\w): (\d+) bytes a thread, .*?(\d+) sectors of 32 bytes a warp, at least (\d+)$", said, re.M
    )
    assert [found[:3] for found in accesses] == [("loads", "%x", "16"), ("stores", "%y", "16")]
    assert all(units == least for *_, units, least in accesses)
    assert "4:5: loads %x" in said


def test_strides_and_work_items() -> None:
    said = told(STRIDED)
    assert re.search(r"loads %x: 4 bytes a thread, 2 times, 32 sectors of 32 bytes a warp, at least 8$", said, re.M)
    said = told(ITEMS)
    assert "7:9: loads %x: 4 bytes a thread, 12 sectors of 32 bytes a warp, at least 4\n" in said
    assert "8:9: stores %y: 4 bytes a thread, 4 sectors of 32 bytes a warp, at least 4\n" in said


def test_products_are_those_of_the_plan() -> None:
    said = told(PRODUCT, schedule="tile=128x128x64")
    assert "  products\n    4:5: 128x128x64:wgmma.m64n128k16.f32.f16/1x1/3\n" in said
    assert "4:5: lane.mma_async of shared buffer 1: the unit reads shared memory by itself, in an order" in said


def test_products_on_lanes_tell_copies_and_loads_of_matrices() -> None:
    said = told(PRODUCT, "nvidia:sm_80", schedule="tile=128x128x64")
    assert "  products\n    4:5: 128x128x64:m16n8k16.row.col.f32.f32/2x2/2\n" in said
    for array, buffer in (("A", 1), ("B", 2)):
        assert f"loads %{array}: 16 bytes a thread, 8 times, 128 sectors of 32 bytes a warp, at least 128\n" in said
        assert f"stores shared buffer {buffer}: 16 bytes a thread, 8 times, 32 passes over the banks a warp" in said
        # four matrices at a time: eight rows of 16 bytes are one pass
        assert f"loads shared buffer {buffer}: 16 bytes a thread, 4 times, 16 passes over the banks a warp" in said
        assert re.search(rf"shared buffer {buffer}: [\d,]+ bytes, .*: no bank conflicts", said)


def test_what_ptxas_says_of_both_entries() -> None:
    said = told(PRODUCT)
    assert "maps=apart\n" in said
    assert "code of its own for launches with maps of all matrices" in said
    if find_assembler() is not None:
        found = re.search(r"    with maps of all matrices .*: (\d+) registers .*\n    without: (\d+) registers", said)
        assert found is not None, said
        assert int(found[1]) < int(found[2])


def test_what_ptxas_says(monkeypatch: pytest.MonkeyPatch) -> None:
    if find_assembler() is not None:
        said = told(PRODUCT)
        found = re.search(
            r"(\d+) registers a thread, 0 bytes of spills stored and 0 loaded, "
            r"([\d,]+) bytes of shared memory a block, (\d+) blocks a multiprocessor at most",
            said,
        )
        assert found is not None, said
        shared = int(found[2].replace(",", ""))
        assert f"{shared:,} bytes of shared memory a block\n" in said, "what the launch gives"
        assert int(found[3]) == resident_blocks(128, int(found[1]), shared, Architecture.SM_90A)
    monkeypatch.setattr("tilewright.targets.nvidia.explain.find_assembler", lambda: None)
    assert "  resources\n    not known: ptxas, NVIDIA's assembler, is not on PATH" in told(PRODUCT)


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "blocks"),
    [
        (128, 32, 0, (16, 16)),
        (128, 33, 0, (12, 12)),
        (128, 64, 0, (8, 8)),
        (256, 255, 0, (1, 1)),
        (1024, 32, 0, (2, 2)),
        (1024, 64, 0, (1, 1)),
        (32, 16, 0, (32, 32)),
        (96, 40, 0, (16, 16)),
        (128, 32, 48 * 1024, (3, 4)),
        (128, 32, 57 * 1024, (2, 3)),
        (128, 32, 100 * 1024, (1, 2)),
        (128, 32, 227 * 1024, (0, 1)),
    ],
)
def test_blocks_of_a_multiprocessor(threads: int, registers: int, shared: int, blocks: tuple[int, int]) -> None:
    """As NVIDIA's occupancy calculator says for 8.0 and 9.0."""
    found = [resident_blocks(threads, registers, shared, architecture) for architecture in Architecture]
    assert tuple(found) == blocks


def test_all_kernels_on_the_command_line() -> None:
    both = COPY + ITEMS
    done = run("compile", "-", "--target=nvidia:sm_80", "--explain", text=both)
    assert (done.returncode, done.stderr) == (0, "")
    program = tw.compile(both, target="nvidia:sm_80", cache=False)
    assert done.stdout == f"{program.copy.explain()}\n\n{program['items'].explain()}\n"
    refused = run("compile", "-", "--explain", text=both)
    assert refused.returncode == 2
    assert "--explain tells of kernels for GPUs, not for cpu" in refused.stderr


def test_programs_without_source_are_not_explained() -> None:
    program = tw.compile(COPY, target="nvidia:sm_80", cache=False)
    for other in (tw.Program.from_bytes(program.to_bytes()), tw.compile(COPY), tw.compile(COPY, target="interpreter")):
        with pytest.raises(NotExplained, match="compiled for GPUs from their source, not of this program for"):
            other["copy"].explain()


def test_programs_from_the_cache_are_explained() -> None:
    first, again = (tw.compile(COPY, target="nvidia:sm_80") for _ in range(2))
    assert str(first["copy"].explain()) == str(again["copy"].explain())
