"""Sums that the machine stores by itself, from slabs of shared memory."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import numpy as np
import pytest

import tilewright as tw
from targets.nvidia.case import Launch, faults
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.emulator.races import RaceError
from targets.nvidia.emulator.text import EmulatorError
from targets.nvidia.products.cases import TEXTS, ZEROS, launch, moved
from targets.nvidia.products.test_attention import TEXTS as ATTENTION
from targets.nvidia.products.test_attention import arguments
from targets.nvidia.products.test_clusters import emulate
from targets.nvidia.products.test_levels import levels, read_back, some
from targets.nvidia.products.test_persistent import check
from targets.nvidia.products.test_products import emitted
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.compiler import CompileOptions, lower_module, read_module
from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import gpu_stores as stores
from tilewright.dialects import scf
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.gpu_products import FenceAsync
from tilewright.dialects.lane import Synchronize
from tilewright.ir.core import Operation
from tilewright.ir.verifier import verified
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.generation import emit_llvm
from tilewright.targets.nvidia.target import NvidiaTarget

ASKED = "stores=tensor"


def gemm(m: int, n: int, k: int, element: str, result: str) -> str:
    shapes = (f"{element}x{m}x{k}", f"{element}x{k}x{n}", f"{result}x{m}x{n}")
    a, b, c = (f"memref<{shape}>" for shape in shapes)
    return f"""func @product(%A: {a}, %B: {b}, %C: {c}) {{
    %alpha = constant 1.0 : {element}
    %beta = constant 0.0 : {result}
    gemm.n.n %alpha, %A, %B, %beta, %C
}}
"""


def given_for(m: int, n: int, k: int, element: str, result: str, rng: np.random.Generator) -> Launch:
    rounded = "" if result == "f32" else result
    return launch(TEXTS.Product((m, n, k), element, "f32", rounded=rounded), (m, n), "F", rng)


@pytest.mark.covering(0)
@pytest.mark.parametrize(
    ("result", "tile", "threads"),
    [("f16", "96x128x64", 256), ("f16", "160x64x64", 128), ("f32", "64x128x64", 128)],
)
def test_every_level_means_the_product(result: str, tile: str, threads: int, rng: np.random.Generator) -> None:
    """Slabs that begin in the one before, three of them, two rows of slabs a warp, edges, several tiles a block."""
    m, n, k = 320 if tile.startswith("160") else 216, 256, 128
    asked = f"tile={tile} threads={threads} copies=tensor persistent=yes {ASKED}"
    text, given = gemm(m, n, k, "f16", result), given_for(m, n, k, "f16", result, rng)
    for module in some(levels(text, Architecture.SM_90A, asked), rng):
        check(module, given)
    llvm, kernel = emitted(text, schedule=asked)
    assert "stores=tensor" in kernel.facts[SCHEDULE]
    emulate(llvm, kernel, given)


@pytest.mark.covering(1)
@pytest.mark.parametrize("depth", [64, 128])
@pytest.mark.parametrize("who", ["threads=256", "threads=256 roles=yes", "threads=128 roles=yes pingpong=yes"])
def test_few_terms_of_many_tiles(who: str, depth: int, rng: np.random.Generator) -> None:
    """Warps are at the slabs of the next tile while the machine reads those of this one: three, with memory for two."""
    m, n, across = 640, 256, 128 if "256" in who else 64
    text, given = gemm(m, n, depth, "f16", "f16"), given_for(m, n, depth, "f16", "f16", rng)
    llvm, kernel = emitted(text, schedule=f"tile=160x{across}x32 copies=tensor persistent=yes {ASKED} {who}")
    threads, _, roles = who.partition(" ")
    assert re.search(f"{threads} .* stores=tensor persistent=yes {roles}", f"{kernel.facts[SCHEDULE]} ")
    emulate(llvm, kernel, given, random.Random(int(rng.integers(1 << 30))))


@pytest.mark.parametrize(("element", "transposed"), [("f16", (False, False)), ("bf16", (True, True))])
def test_tile_ir(element: str, transposed: tuple[bool, bool], rng: np.random.Generator) -> None:
    found = TEXTS.Product((136, 88, 96), element, "f32", transposed, element)
    text, given = TEXTS.tile_ir_product(found, (64, 64, 64), ZEROS), launch(found, (64, 64), "C", rng)
    llvm, kernel = emitted(text, schedule=ASKED)
    assert "stores=tensor" in kernel.facts[SCHEDULE]
    emulate(llvm, kernel, given)


@pytest.mark.covering(1)
@pytest.mark.parametrize("result", ["f16", "f32"])
@pytest.mark.parametrize("tile", ["64x72x64", "64x104x64 roles=yes pingpong=yes"])
def test_turned_slabs(result: str, tile: str, rng: np.random.Generator) -> None:
    """Rows of sums are neighbours in memory: lines of slabs are columns; slabs that begin in the one before, edges."""
    m, n, k = 136, 208, 128
    asked = f"tile={tile} threads=128 copies=tensor {ASKED}"
    text, given = gemm(m, n, k, "f16", result), given_for(m, n, k, "f16", result, rng)
    *before, module = levels(text, Architecture.SM_90A, asked)
    assert all(isinstance(op, stores.StoreSlab) and op.turned for op in _ops(module.kernels[0], stores.StoreSlab))
    for each in [module] if "roles" in tile else [before[int(rng.integers(len(before)))], module]:
        check(each, given)
    llvm, kernel = emitted(text, schedule=asked)
    assert ("stmatrix.sync.aligned.m8n8.x4.trans" in llvm) == (result == "f16")
    emulate(llvm, kernel, given)


@pytest.mark.parametrize("first", [0, 1])
def test_one_branch_asks_for_all_maps(first: int, rng: np.random.Generator) -> None:
    """Of `gemm`, which promises nothing of its matrices: where the result begins somewhere threads copy factors too."""
    m, n, k = 136, 128, 192
    asked = f"tile=64x64x64 threads=128 copies=tensor persistent=yes {ASKED}"
    text, given = gemm(m, n, k, "f16", "f16"), given_for(m, n, k, "f16", "f16", rng)
    *factors, c = given.arguments
    assert isinstance(c, np.ndarray)
    given = Launch([*factors, moved(c.T, first).T], given.expected, given.grid)
    module = next(levels(text, Architecture.SM_90A, asked))
    (store,), (wait,) = (_ops(module.kernels[0], kind) for kind in (stores.StoreTile, stores.AwaitStores))
    assert isinstance(store.parent_op, scf.For)
    assert isinstance(wait.parent_op, scf.If)
    assert store.parent_op.block is wait.block
    check(module, given)
    llvm, kernel = emitted(text, schedule=asked)
    emulate(llvm, kernel, given)


def test_what_is_turned_has_slabs_for_it() -> None:
    *_, module = levels(gemm(136, 208, 128, "f16", "f16"), Architecture.SM_90A, f"tile=64x72x64 threads=128 {ASKED}")
    for op in _ops(module.kernels[0], stores.StoreSlab):
        op.attributes["turned"] = False
    with pytest.raises(Exception, match="are not filled as turned ones"):
        verified(module)


# What goes wrong is found


def nothing(kernel: Kernel) -> None:
    """All is as it was lowered."""


def await_one_less(kernel: Kernel) -> None:
    """Slabs are filled while the machine still reads them."""
    for op in _ops(kernel, stores.AwaitStores)[:-1]:
        op.attributes["pending"] = 2


def leave_at_once(kernel: Kernel) -> None:
    _ops(kernel, stores.AwaitStores)[-1].erase()


def nothing_is_committed(kernel: Kernel) -> None:
    """What nobody commits nobody awaits."""
    for op in _ops(kernel, stores.CommitStores):
        op.erase()


def a_slab_is_not_stored(kernel: Kernel) -> None:
    _ops(kernel, stores.StoreTensor)[-1].erase()


def no_fence(kernel: Kernel) -> None:
    for op in _ops(kernel, FenceAsync):
        op.erase()


def no_meeting_of_the_warp(kernel: Kernel) -> None:
    for op in _ops(kernel, Synchronize):
        op.erase()


def _ops(kernel: Kernel, kind: type[Operation]) -> list[Operation]:
    return [op for op in kernel.walk() if isinstance(op, kind)]


MISTAKES: list[Callable[[Kernel], None]] = [
    await_one_less,
    leave_at_once,
    nothing_is_committed,
    a_slab_is_not_stored,
    no_fence,
    no_meeting_of_the_warp,
]


@pytest.fixture(scope="module")
def lanes() -> Module:
    """Of three slabs for which there are two in memory, on the level of lanes."""
    *_, found = levels(gemm(160, 64, 128, "f16", "f16"), Architecture.SM_90A, ASKED + " tile=160x64x64 threads=128")
    return found


@pytest.mark.covering(0)
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda each: each.__name__)
def test_mistakes_are_found(mistake: Callable[[Kernel], None], lanes: Module, rng: np.random.Generator) -> None:
    module, given = read_back(lanes), given_for(160, 64, 128, "f16", "f16", rng)
    found: list[bool] = []
    for change in (nothing, mistake) if mistake is await_one_less else (mistake,):
        change(module.kernels[0])
        llvm, kernels = emit_llvm(module, Architecture.SM_90A)
        try:
            found.append(not faults(given, Emulated(Program(llvm), kernels).run(given)))
        except (RaceError, EmulatorError):
            found.append(False)
    *before, last = found
    assert all(before)
    assert not last
    if mistake not in (no_fence, no_meeting_of_the_warp):
        with pytest.raises((KernelError, AssertionError)):
            check(module, given)


def test_tiles_that_a_loop_stores_in_an_order() -> None:
    """The last of those at one place stays there, which the machine does not promise; without a token there is none."""
    product = TEXTS.Product((64, 64, 128), "f16", "f32", rounded="f16")
    lines = TEXTS.tile_ir_product(product, (64, 64, 64)).splitlines()
    first, last = (next(k for k, line in enumerate(lines) if name in line) for name in ("%sum =", "%done ="))
    tile = lines[first : last + 1]
    ordered = [*tile[:-1], "%mark = make_token : token", tile[-1].replace("] :", "] token=%mark :")]
    assert tile[-1] != ordered[-1]

    def looped(body: list[str]) -> list[str]:
        return ["    for %again in (%lo to %hi, step %step) : tile<i32> {", *body, "    continue", "    }"]

    by_threads, by_device = "stores=threads.* in an order", "stores=tensor"
    for around, taken in ((ordered, by_device), (looped(ordered), by_threads), (looped(tile), by_device)):
        text = "\n".join([*lines[:first], *around, *lines[last + 1 :]])
        module, report = read_module(Source("product", text), Report()), Report()
        # else the loads of the next tile may read what is stored
        module.kernels[0].parameter_attributes = ({}, {}, {"noalias": True})
        lower_module(module, NvidiaTarget(Architecture.SM_90A).scheduled(ASKED), CompileOptions(), report)
        assert re.search(taken, module.kernels[0].schedule or "")


def test_sums_that_meet_what_is_computed(rng: np.random.Generator) -> None:
    """Attention divides by sums of rows: by groups of warps that copy by the device, or if it is asked for. What it has
    read before it stores may be there."""
    several = ATTENTION.attention(ATTENTION.Attention(128, 128, 64, (128, 64)))
    for asked, taken in (("threads=256", True), ("threads=256 copies=threads", False), ("threads=128", False)):
        schedule = tw.compile(several, target="nvidia:sm_90a", schedule=asked, cache=False).attention.schedule
        assert ("stores=tensor" in schedule) == taken, schedule
    of = ATTENTION.Attention(64, 128, 64, (64, 64))
    text = ATTENTION.attention(of)
    assert "stores=tensor" not in tw.compile(text, target="nvidia:sm_90a", cache=False).attention.schedule
    llvm, kernel = emitted(text, schedule=ASKED)
    given, wanted = arguments(of, rng)
    found = Emulated(Program(llvm), (kernel,)).run(Launch(list(given), {}, of.grid))
    np.testing.assert_allclose(np.asarray(found[3], np.float64), wanted, atol=2e-3)
    lines = {line.partition(" = ")[0]: line for line in text.splitlines()}
    load = lines["%vs, %vd"].replace("%vs, %vd", "%seen, %sd").replace("[%at, %zero]", "[%row, %zero] token=%done")
    view = load.partition(" : ")[2].partition(", tile<i32>")[0]
    store = f"%more = store_view_tko weak %seen, %kv[%row, %zero] : tile<64x64xf16>, {view}, tile<i32> -> token"
    read = text.replace(lines["%done"], "\n".join([lines["%done"], load, store]))
    with pytest.raises(tw.CompileError, match="accessed elsewhere"):
        tw.compile(read, target="nvidia:sm_90a", schedule=ASKED, cache=False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (gemm(128, 128, 64, "f16", "f16").replace("0.0", "2.0"), "accessed elsewhere|more than sums of one"),
        (gemm(128, 128, 64, "f16", "f16").replace("f16x128x128>", "f16x128x128,strided<1,132>>"), "multiple of 16"),
        (gemm(128, 128, 64, "f64", "f64"), "accumulators are not those of groups"),
    ],
)
def test_why_not(text: str, reason: str) -> None:
    with pytest.raises(tw.CompileError, match=f"stores=tensor does not fit kernel .*({reason})"):
        tw.compile(text, target="nvidia:sm_90a", schedule=ASKED)


def test_what_is_loaded_meets_sums(rng: np.random.Generator) -> None:
    """A row that is added to all, and a matrix; threads store where the matrix is the result itself."""
    m, n, k = 72, 136, 128
    a, b = (rng.integers(-2, 3, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    bias, c = (rng.integers(-8, 9, shape).astype(np.float16) for shape in (n, (m, n)))
    asked = f"threads=128 tile=64x64x64 persistent=yes {ASKED}"
    plan = tw.matmul.plan(a, b, bias=bias, residual=c, target="nvidia:sm_90a")
    llvm, kernel = emitted(plan.text, schedule=asked)
    assert "stores=tensor" in kernel.facts[SCHEDULE]
    wanted = (a.astype(np.float32) @ b + bias + c).astype(np.float16)
    # modes are in the order of their strides here
    given = Launch([a.T, b.T, bias, c.T, np.full((m, n), np.nan, np.float16).T], {4: wanted.T}, (1, 1, 1))
    emulate(llvm, kernel, given)
    added = tw.matmul.plan(a, b, c, bias=bias, beta=1.0, target="nvidia:sm_90a")
    with pytest.raises(tw.CompileError, match="accessed elsewhere"):
        tw.compile(added.text, target="nvidia:sm_90a", schedule=asked)


def test_what_meets_sums_is_asked_for_before_they_are_awaited() -> None:
    """A row; a matrix in 64 words of a thread is more than there is room for beside sums."""
    a, row = np.zeros((256, 256), np.float16), np.zeros(256, np.float16)
    plan = tw.matmul.plan(a, a, bias=row, residual=a, target="nvidia:sm_90a")
    kernel = tw.compile(plan.text, target="nvidia:sm_90a", schedule="threads=256 tile=256x128x64").matmul
    behind = kernel.ir("gpu").partition("gpu.close_barriers")[0].rpartition("gpu.mma")[2]
    found = [each.split()[1] for each in re.findall(r"tile.load %\w+|gpu.await_mma %\w+ ->", behind)]
    assert (found[0], found[2:]) == ("%bias", ["%residual"])
