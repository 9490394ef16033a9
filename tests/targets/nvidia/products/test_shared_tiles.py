"""Loops whose products share copies of tiles (`reuse=yes`), are a pipeline (`overlap=yes`), and have what all
iterations multiply in registers (`held=yes`)."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from operators.test_attention_gradients import Array, check, chosen, drawn, gradients
from targets.nvidia.case import Launch
from targets.nvidia.emulated import Emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.products.test_attention import TEXTS
from targets.nvidia.products.test_levels import levels, read_back
from targets.nvidia.products.test_products import emitted
from targets.nvidia.products.test_tensor_rings import OF
from targets.nvidia.products.test_tensor_rings import checked as forward_checked
from tilewright.artifacts.parameters import SCHEDULE
from tilewright.diagnostics.kernel_error import KernelError
from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import gpu_tensors as tensors
from tilewright.dialects import math, scf
from tilewright.dialects.builtin import Kernel, Module
from tilewright.interpreter.engine import interpret
from tilewright.ir.core import Operation
from tilewright.ir.types import F32
from tilewright.machine.cuda.architecture import Architecture
from tilewright.operators.attention_gradient_text import gradient_text
from tilewright.operators.attention_gradient_writer import GradientClass
from tilewright.transforms.schedule.products.plan import Block

SCALE = 0.125
QUERIES = 6 * 64 + 12
"""More blocks than stages, and some of one."""
TEXT = gradient_text(GradientClass("f16", 64, (64, 64), False, True, "kv", early=True))
OPTIONS = ("reuse=yes", "overlap=yes", "held=yes", "reuse=yes overlap=yes held=yes")


def scheduled(options: str) -> str:
    return f"threads=128 {options}"


@lru_cache(len(OPTIONS))
def placed(options: str) -> Module:
    """The program whose products have been placed."""
    return next(levels(TEXT, Architecture.SM_90A, scheduled(options)))


def given(rng: np.random.Generator, heads: int, keys: int, queries: int) -> tuple[list[Any], tuple[Array, ...]]:
    """What the program takes, and what gradients must be."""
    q, k, v, g = drawn(rng, (1, heads, 1, queries, keys, 64), "f16", False)
    scores = SCALE * q.astype(np.float64) @ k.astype(np.float64).swapaxes(2, 3)
    lse = np.log(np.exp(scores).sum(axis=3))
    out = np.exp(scores - lse[..., None]) @ v.astype(np.float64)
    delta = (out * g.astype(np.float64)).sum(axis=3)
    arrays = [q, k, v, g, np.full_like(k, np.nan), np.full_like(v, np.nan)]
    lines = [(-np.log2(np.e) * lse).astype(np.float32), delta.astype(np.float32)]
    strides = [stride // 2 for array in arrays for stride in array.strides[:3]]
    flat = [heads * queries, 64, heads * queries, queries, 0, 0] * 2
    numbers = map(np.int32, (queries, keys, heads, heads, *strides, *flat))
    taken = [np.ascontiguousarray(array).reshape(-1) for array in (*arrays, *lines)]
    return [*taken, np.float32(SCALE), *numbers], gradients(q, k, v, g, False, SCALE)


def checked(module: Module, rng: np.random.Generator, queries: int = QUERIES) -> None:
    """Nothing differs from NumPy in the interpreter, where products are as late as they may be."""
    arrays, wanted = given(rng, 2, 70, queries)
    interpret(module.kernels[0], arrays, (2, 1, 1))
    _compare(arrays[4:6], wanted)


def _compare(arrays: Any, wanted: tuple[Array, ...]) -> None:
    of_k, of_v = (np.reshape(np.asarray(each), wanted[1].shape) for each in arrays)
    check((wanted[0], of_k, of_v), wanted, "f16")


@pytest.mark.covering(0)
@pytest.mark.parametrize("options", OPTIONS)
def test_right(options: str, rng: np.random.Generator) -> None:
    module = placed(options)
    schedule = (module.kernels[0].schedule or "").partition(" #")[0].replace(" stores=threads", "")
    assert schedule.endswith(f"copies=tensor {options}")
    checked(module, rng)


@pytest.mark.covering(0)
@pytest.mark.parametrize("options", OPTIONS[1::2])
def test_emulated(options: str, rng: np.random.Generator) -> None:
    llvm, kernel = emitted(TEXT, schedule=scheduled(options))
    assert options in kernel.facts[SCHEDULE]
    arrays, wanted = given(rng, 1, 64, QUERIES)
    ran = Emulated(Program(llvm), (kernel,)).run(Launch(arrays, {}, (1, 1, 1)), schedule=random.Random(0))
    _compare((ran[4], ran[5]), wanted)


def steps(module: Module) -> list[str]:
    """What the innermost loop begins, awaits and exponentiates."""
    shown = {"gpu.mma": "begin", "gpu.await_mma": "await", math.Exp2.definition.name: "exp2"}
    return [shown[op.name] for op in _pipeline(module).body.entry if op.name in shown]


def _pipeline(module: Module) -> scf.For:
    loops = [op for op in module.walk() if isinstance(op, scf.For) and _ops(op, gpu.Mma)]
    (loop,) = [op for op in loops if len(_ops(op, scf.For)) == 1]
    return loop


def in_order(module: Module) -> list[str]:
    """The same, each time of several in a row once."""
    found = steps(module)
    return [name for number, name in enumerate(found) if number == 0 or found[number - 1] != name]


def test_products_go_on_while_threads_compute() -> None:
    """Behind each wait products are left, and the first one of an iteration is there when it begins."""
    module = placed("overlap=yes")
    assert in_order(module) == ["begin", "exp2", "begin", "await", "begin", "await"]
    assert in_order(placed("reuse=yes")) == ["begin", "await", "exp2", "await", "begin", "await"]


def test_tiles_beside_factors_come_ahead() -> None:
    """Logarithms and delta come with the ring's boxes; those that are used first are read in front of a product."""
    for options, ahead in ((OPTIONS[-1], True), ("overlap=yes", False)):
        module = placed(options)
        arrives = {op.loads for op in module.walk() if isinstance(op, tensors.Arrive)}
        assert arrives == {ahead}
        names = [op.name for op in _pipeline(module).body.entry if op.name in ("tile.load", "gpu.mma")]
        assert (names[0] == "tile.load") == ahead


def test_stages_of_short_lines_begin_where_they_are_swizzled() -> None:
    """Those of 32 numbers of f32 lie 1024 bytes apart."""
    text = gradient_text(GradientClass("f16", 64, (32, 64), False, True, "kv", early=True))
    module = next(levels(text, Architecture.SM_90A, scheduled(OPTIONS[-1])))
    targets = [gpu.memref_of(op.target) for op in module.walk() if isinstance(op, tensors.CopyTensor)]
    assert {type_.strides[3] for type_ in targets if type_.element is F32} == {256}


def test_what_is_left_of_queries_is_read_with_zeros_behind_it() -> None:
    """What a view without padding holds there is unspecified, though zeros on every level today."""
    rest, _, _ = TEXT.partition("= if %more")[2].partition("} else {")
    loads = [line for line in rest.splitlines() if "load_view_tko" in line]
    assert len(loads) == 4
    assert all("padding_value = zero" in line for line in loads)


def test_two_products(rng: np.random.Generator) -> None:
    """What is added to is awaited behind the softmax, when the next iteration's first product has begun."""
    three = "product=64x64x64:wgmma.m64n64k16.f32.f16/1x1/3 overlap=yes"
    module = next(levels(TEXTS.attention(OF), Architecture.SM_90A, scheduled(three)))
    forward_checked(module, OF, rng)
    assert in_order(module) == ["exp2", "begin", "await", "begin", "await"]


@pytest.mark.parametrize("blocks", [0, 1, 2, 3])
def test_few_iterations(blocks: int, rng: np.random.Generator) -> None:
    """The last one begins nothing for a next one, the first one follows none."""
    checked(placed(OPTIONS[-1]), rng, blocks * 64 + 4)


@pytest.mark.parametrize("blocks", [1, 3])
def test_the_next_product_begins_last(blocks: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where threads have no registers for its sums beside those of this iteration."""

    def never(*_: object) -> bool:
        return False

    monkeypatch.setattr(Block, "has_registers_for", never)
    module = next(levels(TEXT, Architecture.SM_90A, scheduled("reuse=yes overlap=yes")))
    assert steps(module) == ["begin", "exp2", "begin", "await", "begin", "begin", "await", "await", "await"]
    checked(module, rng, blocks * 64 + 4)


def test_a_tile_is_copied_once() -> None:
    """By far less shared memory: one ring in the place of four."""
    counts = {
        options: sum(isinstance(op, tensors.OpenBarriers) for op in placed(options).walk()) for options in OPTIONS[:2]
    }
    assert counts == {"reuse=yes": 2, "overlap=yes": 8}


def _ops(kernel: Operation, wanted: type[Any]) -> list[Any]:
    return [op for op in kernel.walk() if isinstance(op, wanted)]


def sums_that_go_on(kernel: Kernel) -> None:
    """One more product is left than may be."""
    for wait in _ops(kernel, gpu.AwaitMma):
        if wait.others:
            wait.pending += 1


@pytest.mark.parametrize("mistake", [sums_that_go_on])
def test_mistakes_are_found(mistake: Callable[[Kernel], None], rng: np.random.Generator) -> None:
    module = read_back(placed(OPTIONS[-1]))
    mistake(module.kernels[0])
    with pytest.raises((KernelError, AssertionError)):
        checked(module, rng)


@pytest.mark.parametrize("option", ["reuse", "overlap"])
def test_two_stages_are_too_few_for_what_two_iterations_read(option: str) -> None:
    """The last product reads a stage while the first one of the next iteration reads another."""
    asked = f"threads=128 {option}=yes product=64x64x64:wgmma.m64n64k16.f32.f16/1x1/"
    found = [chosen(TEXT, asked + stages) for stages in "23"]
    assert [each.partition(f" {option}=")[2].split()[0] for each in found] == ["no", "yes"]


def test_resident_blocks_limit_registers() -> None:
    llvm, kernel = emitted(TEXT, schedule=scheduled("reuse=yes resident=3"))
    assert kernel.facts[SCHEDULE].partition(" #")[0].endswith("resident=3")
    assert '"nvvm.minctasm"="3"' in str(llvm)
    with pytest.raises(tw.CompileError, match=r"resident=17 does not fit .* 2,048 threads"):
        tw.compile(TEXT, target="nvidia:sm_90a", schedule=scheduled("resident=17"))


def test_loops_without_such_products() -> None:
    text = TEXTS.attention(TEXTS.Attention(64, 128, 64, (64, 64)))
    with pytest.raises(tw.CompileError, match="reuse=yes does not fit") as found:
        tw.compile(text, target="nvidia:sm_90a", schedule=f"{scheduled(OPTIONS[-1])} copies=threads")
    assert "overlap=yes does not fit" in str(found.value)
