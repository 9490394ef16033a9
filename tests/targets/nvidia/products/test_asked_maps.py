"""Two entries of a kernel (`maps=apart`, `gpu.has_maps`): for launches with maps of all matrices, and for others."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pytest

import tilewright as tw
from targets.nvidia.case import Launch, faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.products.cases import TEXTS, launch, moved
from targets.nvidia.products.test_products import emitted
from targets.nvidia.products.test_tensor_rings import OF
from targets.nvidia.products.test_tensor_rings import TEXTS as OF_ATTENTION
from targets.nvidia.test_ptx import needs_ptxas
from tilewright.artifacts.artifact import KernelInfo, MemrefParameter
from tilewright.artifacts.parameters import SCHEDULE, entry_symbols
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.ptx import assemble, compile_to_ptx

TILES = "tile=64x64x64 threads=128 copies=tensor stores=tensor"
OPEN = TEXTS.whole_gemm(0, "f16", "f16", False, "?")
EXTENTS = (128, 64, 136)
THREADS_COPY, MACHINE_COPIES = "llvm.nvvm.cp.async.c", "cp.async.bulk.tensor"
ENTRIES = re.compile(r"^define ptx_kernel void @\"?([\w$]+)\"?\((?:.*\n)*?}$", re.MULTILINE)


def fixed(text: str) -> str:
    """The product of matrices of constant extents."""
    m, n, k = EXTENTS
    for name, shape in (("A", (m, k)), ("B", (k, n)), ("C", (m, n))):
        text = text.replace(f"%{name}: memref<f16x?x?>", f"%{name}: memref<f16x{shape[0]}x{shape[1]}>")
    return text


def entries_of(llvm: str) -> Mapping[str, str]:
    return {found[1]: found[0] for found in ENTRIES.finditer(llvm)}


@pytest.fixture(scope="module", params=[OPEN, fixed(OPEN)], ids=["open", "constant"])
def both(request: pytest.FixtureRequest) -> tuple[str, KernelInfo]:
    return emitted(request.param, schedule=TILES)


def test_each_entry_has_the_ways_that_its_launches_need(both: tuple[str, KernelInfo]) -> None:
    llvm, kernel = both
    assert kernel.facts[SCHEDULE].endswith("maps=apart")
    others, mapped = (entries_of(llvm)[symbol] for symbol in entry_symbols(kernel))
    assert MACHINE_COPIES in mapped
    assert THREADS_COPY not in mapped
    assert THREADS_COPY in others
    # where one branch asks for all maps, a launch without one never takes it
    (matrix, *_) = kernel.parameters
    assert isinstance(matrix, MemrefParameter)
    assert (MACHINE_COPIES in others) == (None in matrix.shape)


@pytest.mark.parametrize("first", [(0, 0, 0), (8, 0, 8), (1, 0, 0), (0, 4, 0), (0, 0, 2)])
def test_launches_take_either(
    first: tuple[int, int, int], both: tuple[str, KernelInfo], rng: np.random.Generator
) -> None:
    """Wherever each of the three matrices begins."""
    llvm, kernel = both
    given = launch(TEXTS.Product(EXTENTS, "f16", "f32", rounded="f16"), EXTENTS[:2], "F", rng)
    arrays = [moved(np.asarray(array).T, at).T for array, at in zip(given.arguments, first, strict=True)]
    given = Launch(arrays, given.expected, (1, 1, 1))
    run = Emulated(Program(llvm), (kernel,))
    found = faults(given, run.run(given))
    assert not found, found


@pytest.mark.parametrize(("asked", "names"), [("no", 1), ("yes", 1), ("apart", 2)])
def test_what_is_asked_for_is_taken(asked: str, names: int) -> None:
    llvm, kernel = emitted(OPEN, schedule=f"{TILES} maps={asked}")
    assert kernel.facts[SCHEDULE].endswith(f"maps={asked}")
    assert len(entries_of(llvm)) == len(entry_symbols(kernel)) == names
    ways = [(MACHINE_COPIES in text, THREADS_COPY in text) for text in entries_of(llvm).values()]
    assert sorted(ways) == {"no": [(True, True)], "yes": [(True, False)], "apart": [(True, False), (True, True)]}[asked]


def test_threads_that_copy_ask_for_none() -> None:
    with pytest.raises(tw.CompileError, match="maps=apart does not fit kernel product"):
        tw.compile(OPEN, target="nvidia:sm_90a", schedule="tile=64x64x64 threads=128 copies=threads maps=apart")
    _, kernel = emitted(OPEN, schedule="tile=64x64x64 threads=128 copies=threads")
    assert "maps" not in kernel.facts[SCHEDULE]


def test_matrices_that_surely_have_maps_need_one_entry() -> None:
    text = TEXTS.tile_ir_product(TEXTS.Product((64, 64, 128), "f16", "f32"), (64, 64, 64))
    llvm, kernel = emitted(text, schedule=TILES)
    assert entry_symbols(kernel) == (kernel.symbol,) == tuple(entries_of(llvm))
    assert "maps" not in kernel.facts[SCHEDULE]


def test_loops_with_several_products_have_one_entry_unless_it_is_asked_for() -> None:
    text = OF_ATTENTION.attention(OF).replace("assume div_by<16>", "assume div_by<2>")
    for asked, has_mapped in (("", False), ("maps=apart", True)):
        llvm, kernel = emitted(text, schedule=asked)
        assert kernel.launch is not None
        assert kernel.launch.has_mapped == has_mapped == ("maps=apart" in kernel.facts[SCHEDULE])
        ways = [(MACHINE_COPIES in each, THREADS_COPY in each) for each in entries_of(llvm).values()]
        assert sorted(ways) == ([(False, True), (True, False)] if has_mapped else [(True, True)])


@needs_ptxas
def test_ptxas_keeps_little_in_registers(both: tuple[str, KernelInfo]) -> None:
    """Nothing of the other entry's ways."""
    llvm, kernel = both
    found = assemble(compile_to_ptx(llvm, Architecture.SM_90A), Architecture.SM_90A).kernels
    others, mapped = (found[symbol] for symbol in entry_symbols(kernel))
    assert (mapped.spill_store_bytes, mapped.spill_load_bytes) == (0, 0)
    assert mapped.registers <= 96
    assert mapped.registers < others.registers
